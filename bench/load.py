"""``python -m bench.load``: many tasks through the real service, while leases are stolen and writes fail.

Each task is the workflow task of a run of its own: History brings it to Matching, a worker polls,
gets it once its start is recorded, and completes it.  Two hosts share a database; every so often the
one that is not home takes the lease and becomes home; now and then a write fails, half of those
after it took effect.  At the end every run must have been started once and be over.

Exit 1 where a task was lost, or handed over twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random
from time import perf_counter

import attrs
import click

from conformance.cli.running import run_and_leave
from matching.adapters.opening import sqlite_file
from matching.adapters.sql import SqlStore
from matching.backlog import BacklogLimits
from matching.engine import Engine
from matching.errors import MatchingError, StoreError
from matching.history.commands import CompleteWorkflow, TaskToken
from matching.history.memory import MemoryHistoryStore
from matching.history.shard import Shard
from matching.history.store import TaskOptions
from matching.identity import Host, Item, Owner, PartitionKey, PollId, RunId, TaskId, TaskType, Worker
from matching.namespace import NamespaceState
from matching.requests import PollRequest, Task
from matching.store import Record

__all__ = ["Report", "load"]

PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)
STEAL_SECONDS = 0.2
FAILING_WRITES = 0.01
POLL_SECONDS = 1.0
OPEN_RUNS = 2_000
MOST_WRITTEN = 50
"""Small batches, so that there are many writes, and many of them fail."""
WORKERS = 4


@attrs.frozen(kw_only=True)
class Report:
    """What became of the tasks."""

    tasks: int
    lost: int
    doubled: int
    seconds: float
    steals: int
    failed_writes: int
    megabytes: float

    def __str__(self) -> str:
        return (
            f"{self.tasks:,} tasks in {self.seconds:.1f} s: {self.tasks / self.seconds:,.0f} a second\n"
            f"lost {self.lost}, handed over twice {self.doubled}\n"
            f"{self.steals} leases stolen, {self.failed_writes} writes failed, {self.megabytes:.0f} MB at most"
        )


class FailingStore(SqlStore):
    """A store of which one write in a hundred is not confirmed, whether it took effect or not."""

    chance = Random(1)
    failed = 0

    async def append(self, owner: Owner, range_id: int, records: Sequence[Record]) -> None:
        fails = self.chance.random() < FAILING_WRITES
        if fails:
            type(self).failed += 1
        if not fails or self.chance.random() < 0.5:
            await super().append(owner, range_id, records)
        if fails:
            raise StoreError("no answer")


class Cluster:
    """Two hosts over one database, and History on the first."""

    def __init__(self, stores: Sequence[SqlStore]) -> None:
        namespace = NamespaceState(active=True)
        request_ids = count(1).__next__
        self._task_ids = count(1)
        self.history = Shard(MemoryHistoryStore(), self, task_ids=self, chance=Random(0))
        self.engines = [
            Engine(
                Host(f"h{number}"),
                store=store,
                namespace=namespace,
                starts=self.history,
                request_ids=request_ids,
                limits=BacklogLimits(most_written=MOST_WRITTEN, retry_seconds=0.05),
            )
            for number, store in enumerate(stores, 1)
        ]
        self.home = self.engines[0]
        self.steals = 0

    def take(self) -> TaskId:
        return TaskId(f"t{next(self._task_ids)}")

    async def add_task(self, task: Task) -> None:
        await self.home.add_task(task)

    async def steal(self) -> None:
        """Let the other host take the lease, again and again."""
        while True:
            await asyncio.sleep(STEAL_SECONDS)
            self.home = next(engine for engine in self.engines if engine is not self.home)
            self.home.unload(PARTITION)
            self.home.load(PARTITION)
            self.steals += 1


async def load(stores: Sequence[SqlStore], tasks: int) -> Report:
    """Bring so many tasks through; ``stores`` are of one database, one for each host."""
    cluster = Cluster(stores)
    cluster.history.start()
    await cluster.history.ready()
    began = perf_counter()
    received: Counter[Item] = Counter()
    over = asyncio.Semaphore(0)
    room = asyncio.Semaphore(OPEN_RUNS)

    async def produce() -> None:
        for number in range(tasks):
            await room.acquire()
            await cluster.history.start_workflow(RunId(f"r{number}"), TaskOptions(PARTITION, start_to_close=3600.0))

    async def work(name: str) -> None:
        for number in count():
            deadline = asyncio.get_running_loop().time() + POLL_SECONDS
            poll = PollRequest(PollId(f"{name}-{number}"), Worker(name), PARTITION, deadline)
            task = await cluster.home.poll(poll)
            if task is None:
                continue
            assert task.item is not None
            received[task.item] += 1
            with contextlib.suppress(MatchingError):
                await cluster.history.complete_workflow_task(TaskToken.of(task.item), [CompleteWorkflow()])
                room.release()
                over.release()

    async with asyncio.TaskGroup() as group:
        helpers = [group.create_task(cluster.steal()), *(group.create_task(work(f"w{n}")) for n in range(WORKERS))]
        group.create_task(produce())
        with click.progressbar(length=tasks, label="tasks", file=sys.stderr) as bar:
            for _ in range(tasks):
                await over.acquire()
                bar.update(1)
        for helper in helpers:
            helper.cancel()
    seconds = perf_counter() - began
    cluster.history.stop()
    await cluster.history.stopped()
    for engine in cluster.engines:
        await engine.shutdown()
    started = {item.event_id for item in received}
    return Report(
        tasks=tasks,
        lost=tasks - len(started),
        doubled=sum(times > 1 for times in received.values()) + sum(item.attempt > 1 for item in received),
        seconds=seconds,
        steals=cluster.steals,
        failed_writes=FailingStore.failed,
        megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


@contextlib.asynccontextmanager
async def _stores(url: str) -> AsyncIterator[list[SqlStore]]:
    async with await FailingStore.open(url) as first, await FailingStore.open(url) as second:
        yield [first, second]


@contextlib.contextmanager
def _database(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="matching-load-") as folder:
        yield sqlite_file(Path(folder) / "matching.db")


@click.command()
@click.option("--tasks", type=click.IntRange(min=1), default=100_000, show_default=True)
@click.option("--database", default=None, help="The URL of a database; a SQLite file of its own without.")
def command(tasks: int, database: str | None) -> int:
    """Bring many tasks through the real service while leases are stolen and writes fail."""

    async def run(url: str) -> Report:
        async with _stores(url) as stores:
            return await load(stores, tasks)

    with _database(database) as url:
        report = asyncio.run(run(url))
    click.echo(str(report))
    return 0 if report.lost == report.doubled == 0 else 1


if __name__ == "__main__":
    run_and_leave(command, "python -m bench.load")
