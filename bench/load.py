"""``python -m bench.load``: many tasks through the real service, while leases are stolen and writes fail.

Each task is the workflow task of a run of its own: History brings it to Matching, a worker polls,
gets it once its start is recorded, and completes it.  Two hosts share a database; every so often the
one that is not home takes the lease and becomes home; now and then a write fails, half of those
after it took effect.  At the end every run must have been started once and be over.

With ``--processes 2`` the second host is a process of its own, over PostgreSQL, and History and the
adds reach it by a line of calls.  Exit 1 where a task was lost, or handed over twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Protocol

import attrs
import click

from bench.line import Line, LineError, while_it_runs
from conformance.cli.running import run_and_leave
from matching.adapters.opening import IN_MEMORY, sqlite_file
from matching.adapters.sql import SqlStore
from matching.backlog import BacklogLimits
from matching.engine import Engine
from matching.errors import MatchingError, StoreError, Unavailable
from matching.history.commands import CompleteWorkflow, TaskToken
from matching.history.memory import MemoryHistoryStore
from matching.history.shard import Shard
from matching.history.store import TaskOptions
from matching.identity import EventId, Host, Item, Owner, PartitionKey, PollId, RunId, TaskId, TaskType, Worker
from matching.namespace import NamespaceView
from matching.requests import PollRequest, Task
from matching.starts import StartOutcome, Starts
from matching.store import Record

__all__ = ["Report", "command"]

PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)
STEAL_SECONDS = 0.2
FAILING_WRITES = 0.01
POLL_SECONDS = 1.0
STALL_SECONDS = 60.0
"""How long no task is over until those that are left count as lost."""
OPEN_RUNS = 2_000
WORKERS = 4
LIMITS = BacklogLimits(most_written=50, retry_seconds=0.05)
"""Small batches, so that there are many writes, and many of them fail."""


@attrs.frozen(kw_only=True)
class Report:
    """What became of the tasks."""

    tasks: int
    lost: int
    doubled: int
    seconds: float
    takeovers: int
    """How often the lease was taken, by what the store says."""
    failed_writes: int
    megabytes: float

    def __str__(self) -> str:
        return (
            f"{self.tasks:,} tasks in {self.seconds:.1f} s: {self.tasks / self.seconds:,.0f} a second\n"
            f"lost {self.lost}, handed over twice {self.doubled}\n"
            f"lease taken {self.takeovers} times, {self.failed_writes} writes failed, {self.megabytes:.0f} MB at most"
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


class MatchingHost(Protocol):
    """A host as History and the thief see it."""

    async def add_task(self, task: Task) -> None: ...

    async def take_lease(self) -> None: ...


class History(Protocol):
    """History as a host and its workers see it."""

    async def record_started(self, kind: TaskType, item: Item, request_id: int) -> StartOutcome: ...

    async def complete(self, item: Item) -> None: ...


class LocalHost:
    """One host with its workers, in this process."""

    def __init__(self, name: str, store: SqlStore, history: History, *, workers: int, first_request: int) -> None:
        starts: Starts = history
        self.name = name
        self.engine = Engine(
            Host(name),
            store=store,
            namespace=NamespaceView(Host(name)),
            starts=starts,
            request_ids=count(first_request, 2).__next__,
            limits=LIMITS,
        )
        self._history = history
        self._workers = workers

    async def add_task(self, task: Task) -> None:
        await self.engine.add_task(task)

    async def take_lease(self) -> None:
        self.engine.unload(PARTITION)
        self.engine.load(PARTITION)

    async def work(self) -> None:
        """Let the workers poll, until this is cancelled."""
        async with asyncio.TaskGroup() as group:
            for number in range(self._workers):
                group.create_task(self._work(f"{self.name}-w{number}"))

    async def _work(self, name: str) -> None:
        for number in count():
            deadline = asyncio.get_running_loop().time() + POLL_SECONDS
            task = await self.engine.poll(PollRequest(PollId(f"{name}-{number}"), Worker(name), PARTITION, deadline))
            if task is not None:
                assert task.item is not None
                await self._history.complete(task.item)


class Producer:
    """History, what it brings to the host that is home, and the count of what workers were given."""

    def __init__(self, tasks: int) -> None:
        self.hosts: list[MatchingHost] = []
        self.home = 0
        self.received: Counter[Item] = Counter()
        self.over = asyncio.Semaphore(0)
        self._room = asyncio.Semaphore(OPEN_RUNS)
        self._tasks = tasks
        self._task_ids = count(1)
        self.shard = Shard(MemoryHistoryStore(), self, task_ids=self, chance=Random(0))

    def take(self) -> TaskId:
        return TaskId(f"t{next(self._task_ids)}")

    async def add_task(self, task: Task) -> None:
        await self.hosts[self.home].add_task(task)

    async def record_started(self, kind: TaskType, item: Item, request_id: int) -> StartOutcome:
        return await self.shard.record_started(kind, item, request_id)

    async def complete(self, item: Item) -> None:
        self.received[item] += 1
        with contextlib.suppress(MatchingError):
            await self.shard.complete_workflow_task(TaskToken.of(item), [CompleteWorkflow()])
            self._room.release()
            self.over.release()

    async def produce(self) -> None:
        """Begin the runs, so many at once."""
        for number in range(self._tasks):
            await self._room.acquire()
            await self.shard.start_workflow(RunId(f"r{number}"), TaskOptions(PARTITION, start_to_close=3600.0))

    async def steal(self) -> None:
        """Let the other host take the lease, again and again."""
        while True:
            await asyncio.sleep(STEAL_SECONDS)
            self.home = 1 - self.home
            await self.hosts[self.home].take_lease()

    async def bring_through(self, helpers: Sequence[LocalHost]) -> float:
        """Bring all tasks through, or as many as can be, and give the seconds that it took."""
        self.shard.start()
        await self.shard.ready()
        began = perf_counter()
        async with asyncio.TaskGroup() as group:
            work = [group.create_task(each) for each in (self.produce(), self.steal(), *map(LocalHost.work, helpers))]
            with click.progressbar(length=self._tasks, label="tasks", file=sys.stderr) as bar:
                await self._all_over(bar.update)
            for each in work:
                each.cancel()
        seconds = perf_counter() - began
        self.shard.stop()
        await self.shard.stopped()
        return seconds

    async def _all_over(self, told: Callable[[int], None]) -> None:
        """Wait until every task is over, or no further one is for a long time."""
        with contextlib.suppress(TimeoutError):
            for _ in range(self._tasks):
                async with asyncio.timeout(STALL_SECONDS):
                    await self.over.acquire()
                told(1)

    def report(self, seconds: float, takeovers: int) -> Report:
        """What became of the tasks."""
        started = {item.event_id for item in self.received}
        return Report(
            tasks=self._tasks,
            lost=self._tasks - len(started),
            doubled=sum(each > 1 for each in self.received.values()) + sum(each.attempt > 1 for each in self.received),
            seconds=seconds,
            takeovers=takeovers,
            failed_writes=FailingStore.failed,
            megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        )


# Two hosts in one process


async def _in_one_process(url: str, tasks: int) -> Report:
    producer = Producer(tasks)
    async with await FailingStore.open(url) as first, await FailingStore.open(url) as second:
        hosts = [
            LocalHost(f"h{number}", store, producer, workers=WORKERS // 2, first_request=number)
            for number, store in enumerate((first, second), 1)
        ]
        producer.hosts = [*hosts]
        before = await _range_id(first)
        seconds = await producer.bring_through(hosts)
        for host in hosts:
            await host.engine.shutdown()
        return producer.report(seconds, await _range_id(first) - before)


async def _range_id(store: SqlStore) -> int:
    """How often the lease was ever taken."""
    return (await store.durable(PARTITION)).range_id


# The second host in a process of its own


class RemoteHost:
    """The other process's host, over a line."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def add_task(self, task: Task) -> None:
        assert task.item is not None
        try:
            await self._line.call("add", task.task_id, *attrs.astuple(task.item))
        except LineError as error:
            raise Unavailable(str(error)) from error

    async def take_lease(self) -> None:
        await self._line.call("take_lease")


class RemoteHistory:
    """History in the first process, over a line."""

    def __init__(self) -> None:
        self.line: Line | None = None

    async def record_started(self, kind: TaskType, item: Item, request_id: int) -> StartOutcome:
        assert self.line is not None
        try:
            return StartOutcome(await self.line.call("start", *attrs.astuple(item), request_id))
        except LineError as error:
            raise Unavailable(str(error)) from error

    async def complete(self, item: Item) -> None:
        assert self.line is not None
        await self.line.call("complete", *attrs.astuple(item))


async def _in_two_processes(url: str, tasks: int, folder: Path) -> Report:
    producer = Producer(tasks)
    socket = str(folder / "line")
    connected: asyncio.Future[Line] = asyncio.get_running_loop().create_future()

    async def start(event: str, attempt: int, stamp: int, request_id: int) -> str:
        item = Item(EventId(event), attempt, stamp)
        return (await producer.record_started(TaskType.WORKFLOW, item, request_id)).value

    async def complete(event: str, attempt: int, stamp: int) -> None:
        await producer.complete(Item(EventId(event), attempt, stamp))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(reader, writer, {"start": start, "complete": complete})
        connected.set_result(line)
        await line.run()

    async def bring_through(host: LocalHost) -> float:
        producer.hosts = [host, RemoteHost(await connected)]
        return await producer.bring_through([host])

    async with await FailingStore.open(url) as store:
        server = await asyncio.start_unix_server(serve, socket)
        other = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.load", "--join", socket, "--database", url
        )
        try:
            host = LocalHost("h1", store, producer, workers=WORKERS // 2, first_request=1)
            before = await _range_id(store)
            seconds = await while_it_runs(other, bring_through(host))
            await host.engine.shutdown()
        finally:
            if other.returncode is None:
                other.kill()
            await other.wait()
            server.close()
        return producer.report(seconds, await _range_id(store) - before)


async def _join(url: str, socket: str) -> None:
    """Be the second host, until the first process ends this one."""
    history = RemoteHistory()
    async with await FailingStore.open(url) as store:
        host = LocalHost("h2", store, history, workers=WORKERS // 2, first_request=2)

        async def add(task: str, event: str, attempt: int, stamp: int) -> None:
            await host.add_task(Task(TaskId(task), PARTITION, item=Item(EventId(event), attempt, stamp)))

        reader, writer = await asyncio.open_unix_connection(socket)
        history.line = Line(reader, writer, {"add": add, "take_lease": host.take_lease})
        async with asyncio.TaskGroup() as group:
            group.create_task(history.line.run())
            group.create_task(host.work())


@contextlib.contextmanager
def _database(url: str | None, folder: Path, processes: int) -> Iterator[str]:
    if url == IN_MEMORY:
        raise click.UsageError("the two hosts cannot share a database in memory; name a file or a server")
    if url is not None:
        yield url
    elif processes == 1:
        yield sqlite_file(folder / "matching.db")
    else:
        from tests.postgres import schema, server

        with server() as started, schema(started) as found:
            yield found


@click.command()
@click.option("--tasks", type=click.IntRange(min=1), default=100_000, show_default=True)
@click.option("--processes", type=click.IntRange(1, 2), default=1, show_default=True)
@click.option("--database", default=None, help="The URL of a database; one of its own without.")
@click.option("--join", "socket", default=None, hidden=True)
def command(tasks: int, processes: int, database: str | None, socket: str | None) -> int:
    """Bring many tasks through the real service while leases are stolen and writes fail."""
    if socket is not None:
        assert database is not None
        asyncio.run(_join(database, socket))
        return 0
    with tempfile.TemporaryDirectory(prefix="matching-load-") as name:
        folder = Path(name)
        with _database(database, folder, processes) as url:
            run = _in_one_process(url, tasks) if processes == 1 else _in_two_processes(url, tasks, folder)
            report = asyncio.run(run)
    click.echo(str(report))
    return 0 if report.lost == report.doubled == 0 else 1


if __name__ == "__main__":
    run_and_leave(command, "python -m bench.load")
