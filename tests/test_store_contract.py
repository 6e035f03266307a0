"""Every store keeps the contract: SQLite in memory and in a file, PostgreSQL, and the one of the simulation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from conformance.simulation.loop import SimulationLoop
from conformance.simulation.store import Effect, SimulatedStore
from matching.adapters.opening import IN_MEMORY, sqlite_file
from matching.adapters.sql import SqlStore
from matching.store import BacklogStore
from tests.store_contract import Bench, DurableStoreContract, Step, StoreContract

T = TypeVar("T")


class SqlBench:
    """A database on the ordinary event loop."""

    def __init__(self, url: str) -> None:
        self.told: list[Step] = []
        self._url = url

    def run(self, story: Callable[[BacklogStore], Awaitable[T]]) -> T:
        return asyncio.run(self._run(story))

    async def _run(self, story: Callable[[BacklogStore], Awaitable[T]]) -> T:
        async with await SqlStore.open(self._url, probe=lambda *step: self.told.append(step)) as store:
            return await story(store)


class SimulatedBench:
    """The simulated store on its loop, with a driver that lets every call take effect and answers it."""

    def __init__(self) -> None:
        self.told: list[Step] = []
        self._loop = SimulationLoop()
        self._store = SimulatedStore(self._loop, lambda *step: self.told.append(step))

    def run(self, story: Callable[[BacklogStore], Awaitable[T]]) -> T:
        async def played() -> T:
            return await story(self._store)

        playing = self._loop.create_task(played())
        self._loop.run()
        while not playing.done():
            for call in self._store.waiting():
                if call.effect is Effect.PENDING:
                    self._store.commit(call)
                self._store.reply(call)
            self._loop.run()
        return playing.result()

    def close(self) -> None:
        self._loop.close()


class TestSqliteInMemory(StoreContract):
    @pytest.fixture
    def bench(self) -> Bench:
        return SqlBench(IN_MEMORY)


class TestSqliteInAFile(DurableStoreContract):
    @pytest.fixture
    def bench(self, tmp_path: Path) -> Bench:
        return SqlBench(sqlite_file(tmp_path / "of 100% sure?.db"))


class TestPostgresql(DurableStoreContract):
    @pytest.fixture
    def bench(self, postgres_url: str) -> Bench:
        return SqlBench(postgres_url)


class TestSimulatedStore(DurableStoreContract):
    @pytest.fixture
    def bench(self) -> Iterator[Bench]:
        bench = SimulatedBench()
        yield bench
        bench.close()
