"""The store of History in memory and the one that the simulation uses keep the port's contract."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import attrs
import pytest

from conformance.simulation.history_store import SimulatedHistoryStore
from conformance.simulation.loop import SimulationLoop
from matching.history.memory import MemoryHistoryStore
from matching.history.store import HistoryStore
from tests.history_store_contract import HistoryStoreContract, Step

T = TypeVar("T")


@attrs.define
class MemoryBench:
    """A store in memory on the ordinary loop."""

    told: list[Step] = attrs.field(factory=list)

    def run(self, story: Callable[[HistoryStore], Awaitable[T]]) -> T:
        async def tell() -> T:
            return await story(MemoryHistoryStore(lambda *step: self.told.append(step)))

        return asyncio.run(tell())


@attrs.define
class SimulatedBench:
    """A prompt store on the simulated loop."""

    told: list[Step] = attrs.field(factory=list)

    def run(self, story: Callable[[HistoryStore], Awaitable[T]]) -> T:
        loop = SimulationLoop()
        store = SimulatedHistoryStore(loop, lambda *step: self.told.append(step), prompt=True)

        async def tell() -> T:
            return await story(store)

        telling = loop.create_task(tell())
        loop.run()
        return telling.result()


class TestMemoryHistoryStore(HistoryStoreContract):
    @pytest.fixture
    def bench(self) -> MemoryBench:
        return MemoryBench()


class TestSimulatedHistoryStore(HistoryStoreContract):
    @pytest.fixture
    def bench(self) -> SimulatedBench:
        return SimulatedBench()
