"""What does the service cost, beside the transactions that it cannot do without?

Three rules:

1. On the backlog path the transactions are those that the service itself made: they are noted,
   and made again on a database of their own, with nothing around them.
2. A sync match makes none; it is measured against handing a value from one asyncio task to another.
3. What was made before, by other measurements too, is out of the garbage collector's sight.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import attrs

from bench.measure import Measurement
from matching.adapters.opening import sqlite_file
from matching.adapters.sql import SqlStore
from matching.engine import Engine
from matching.identity import Host, Owner, PartitionKey, PollId, TaskId, TaskType, Worker
from matching.namespace import NamespaceView
from matching.requests import PollRequest, Task
from matching.store import Batch, Lease, Record

__all__ = ["measure"]

PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)
TASKS = 20_000
MATCHES = 20_000
PRODUCERS = 2_000
WORKERS = 4
ROUNDS = 3
PATIENT_SECONDS = 60.0
BACKLOG_AT_LEAST = 0.5
SYNC_AT_LEAST = 0.05

Call = tuple[str, tuple[Any, ...]]


class NotingStore:
    """A store that notes the calls on their way to another."""

    def __init__(self, store: SqlStore) -> None:
        self.calls: list[Call] = []
        self._store = store

    async def take_lease(self, owner: Owner, held: int) -> Lease:
        self.calls.append(("take_lease", (owner, held)))
        return await self._store.take_lease(owner, held)

    async def append(self, owner: Owner, range_id: int, records: Sequence[Record]) -> None:
        self.calls.append(("append", (owner, range_id, records)))
        await self._store.append(owner, range_id, records)

    async def read(self, owner: Owner, after: int, upto: int, limit: int) -> Batch:
        self.calls.append(("read", (owner, after, upto, limit)))
        return await self._store.read(owner, after, upto, limit)

    async def save_ack_level(self, owner: Owner, range_id: int, level: int) -> None:
        self.calls.append(("save_ack_level", (owner, range_id, level)))
        await self._store.save_ack_level(owner, range_id, level)

    async def delete(self, owner: Owner, range_id: int, upto: int) -> None:
        self.calls.append(("delete", (owner, range_id, upto)))
        await self._store.delete(owner, range_id, upto)


@attrs.frozen
class Served:
    """How long the service took, and the calls that it made meanwhile."""

    seconds: float
    calls: list[Call]


def measure(folder: Path) -> list[Measurement]:
    """Two rows, each the median of a few rounds of ours and theirs in turn."""
    backlog = sorted((_backlog(folder, number) for number in range(ROUNDS)), key=_ratio)[ROUNDS // 2]
    sync = sorted((_sync_match(folder, number) for number in range(ROUNDS)), key=_ratio)[ROUNDS // 2]
    return [
        Measurement(
            name=f"{TASKS:,} tasks through the backlog",
            ours="the service",
            ours_seconds=backlog[0],
            theirs="its transactions alone",
            theirs_seconds=backlog[1],
            at_least=BACKLOG_AT_LEAST,
            note=f"{TASKS / backlog[0]:,.0f} tasks a second, stored and delivered, SQLite on disk",
        ),
        Measurement(
            name=f"{MATCHES:,} sync matches",
            ours="the service",
            ours_seconds=sync[0],
            theirs="a bare hand-over between tasks",
            theirs_seconds=sync[1],
            at_least=SYNC_AT_LEAST,
            note=f"{MATCHES / sync[0]:,.0f} matches a second",
        ),
    ]


def _ratio(times: tuple[float, float]) -> float:
    return times[1] / times[0]


@contextlib.contextmanager
def _clean_heap() -> Iterator[None]:
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@_clean_heap()
def _backlog(folder: Path, number: int) -> tuple[float, float]:
    served = asyncio.run(_serve(sqlite_file(folder / f"ours-{number}.db"), _store_then_poll))
    return served.seconds, asyncio.run(_repeat(sqlite_file(folder / f"theirs-{number}.db"), served.calls))


@_clean_heap()
def _sync_match(folder: Path, number: int) -> tuple[float, float]:
    served = asyncio.run(_serve(sqlite_file(folder / f"sync-{number}.db"), _poll_then_add))
    return served.seconds, asyncio.run(_hand_over())


async def _serve(database: str, work: Callable[[Engine], Any]) -> Served:
    async with await SqlStore.open(database) as store:
        noting = NotingStore(store)
        engine = Engine(Host("h1"), store=noting, namespace=NamespaceView(Host("h1")))
        await engine.add_task(Task(TaskId("first"), PARTITION))  # from here on the partition is loaded and led
        assert await engine.poll(_poll("first", "w1")) is not None
        began = perf_counter()
        await work(engine)
        seconds = perf_counter() - began
        await engine.shutdown()
    return Served(seconds, noting.calls)


async def _store_then_poll(engine: Engine) -> None:
    to_add, to_poll = count(1), count(1)

    async def produce() -> None:
        while (number := next(to_add)) <= TASKS:
            await engine.add_task(Task(TaskId(f"t{number}"), PARTITION))

    async def work(name: str) -> None:
        while next(to_poll) <= TASKS:
            assert await engine.poll(_poll(f"{name}-{next(_polls)}", name)) is not None

    await asyncio.gather(*(produce() for _ in range(PRODUCERS)))
    await asyncio.gather(*(work(f"w{number}") for number in range(WORKERS)))


async def _poll_then_add(engine: Engine) -> None:
    for number in range(MATCHES):
        poll = asyncio.ensure_future(engine.poll(_poll(f"p{number}", "w1")))
        await asyncio.sleep(0)
        await engine.add_task(Task(TaskId(f"t{number}"), PARTITION))
        assert await poll is not None


_polls = count()


def _poll(name: str, worker: str) -> PollRequest:
    deadline = asyncio.get_running_loop().time() + PATIENT_SECONDS
    return PollRequest(PollId(name), Worker(worker), PARTITION, deadline)


async def _repeat(database: str, calls: Sequence[Call]) -> float:
    """Make the same calls of a store, one after the other."""
    async with await SqlStore.open(database) as store:
        began = perf_counter()
        for name, arguments in calls:
            await getattr(store, name)(*arguments)
        return perf_counter() - began


async def _hand_over() -> float:
    async def waits(value: asyncio.Future[int]) -> int:
        return await value

    began = perf_counter()
    for number in range(MATCHES):
        value: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        waiting = asyncio.ensure_future(waits(value))
        await asyncio.sleep(0)
        value.set_result(number)
        assert await waiting == number
    return perf_counter() - began
