"""``python -m bench.kills``: is anything lost when the host of the root is killed again and again?

Each task is the workflow task of a run of its own.  History, in this process, brings it by RPC to one of two
children of a root; workers poll the children.  Each child and the root have a host of their own, in a process of
its own, over one database; that of the root is killed (``kill -9``) and started again, hundreds of times.

Four rules:

1. A run is lost that is not over at the end, when nobody is killed any more.  A worker's answer may be lost with the
   process that had it; then History lets the attempt time out, and schedules another.
2. A task is started twice where two polls are given the same attempt.
3. A poll must be answered before its deadline, with which its RPC ends, and end before that and ``SLACK_SECONDS``.
4. Workers and History pause before they try again; nobody else does.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final

import attrs
import click

from bench.hosts import HostProcess, queue_where
from bench.line import Line
from bench.load import RemoteHistory
from conformance.cli.running import run_and_leave
from conformance.targets.grpc.hosts import free_addresses, peers_of
from matching.adapters.opening import sqlite_file
from matching.adapters.rpc.addresses import Address, Calls, parse_peers
from matching.adapters.rpc.client import RpcClient
from matching.errors import MatchingError, Unavailable
from matching.history.commands import CompleteWorkflow, TaskToken
from matching.history.memory import MemoryHistoryStore
from matching.history.shard import Shard
from matching.history.store import TaskOptions
from matching.identity import EventId, Host, Item, PartitionKey, RunId, TaskId, TaskType, Worker
from matching.lifetime import LifetimeOptions
from matching.requests import Task

__all__ = ["Report", "command"]

ROOT, LEFT, RIGHT = Host("h1"), Host("h2"), Host("h3")
POLL_SECONDS: Final = 1.0
SLACK_SECONDS: Final = 0.25
ADD_SECONDS: Final = 2.0
PAUSE_SECONDS: Final = 0.02
"""How long a worker waits after a poll that has ended early, with nothing."""
START_TO_CLOSE_SECONDS: Final = 3.0
LIVES_SECONDS: Final = (0.05, 0.8)
"""How long the host of the root is called before it is killed."""
FREEZES: Final = 0.1
FREEZE_SECONDS: Final = 1.5
"""How often it is frozen before that, and for how long: longer than a poll lasts."""
OPEN_RUNS: Final = 40
WORKERS: Final = 6
BURST_RUNS: Final = 20
BURST_PAUSES_SECONDS: Final = (0.05, 0.6)
"""How many runs begin at once, and how long none does: long enough for polls to wait at the root."""
STALL_SECONDS: Final = 30.0


@attrs.define
class Report:
    """What became of the runs, the attempts and the polls."""

    kills: int = 0
    freezes: int = 0
    begun: int = 0
    over: int = 0
    seconds: float = 0.0
    hops: int = 0
    """Tasks that came over the root."""
    received: Counter[Item] = attrs.field(factory=Counter)
    polls: int = 0
    unanswered: int = 0
    """Polls that their host had not answered by their deadline, or refused."""
    late: int = 0
    longest: float = 0.0

    @property
    def lost(self) -> int:
        """Runs that are not over."""
        return self.begun - self.over

    @property
    def doubled(self) -> int:
        """Attempts that were handed over twice."""
        return sum(each > 1 for each in self.received.values())

    @property
    def again(self) -> int:
        """Attempts that came after one that had timed out."""
        return sum(item.attempt > 1 for item in self.received)

    @property
    def held(self) -> bool:
        """Tell whether nothing was lost, doubled, unanswered or late, and something went over the root."""
        return self.lost == self.doubled == self.unanswered == self.late == 0 and self.hops > 0

    def __str__(self) -> str:
        return (
            f"{self.kills:,} kills of the root's host, {self.freezes} after a freeze, in {self.seconds:.1f} s;"
            f" {self.begun:,} tasks, {self.hops:,} of them over the root\n"
            f"lost {self.lost}, started twice {self.doubled}; {self.again} attempts timed out, whose answer was lost\n"
            f"{self.polls:,} polls, {self.unanswered} of them without an answer; {self.late} ended later than"
            f" the deadline and {SLACK_SECONDS:g} s, the longest took {self.longest:.2f} s of {POLL_SECONDS:g} s"
        )


class Service:
    """History and the workers, in this process."""

    def __init__(self, children: dict[PartitionKey, RpcClient], chance: Random) -> None:
        self.report = Report()
        self.shard = Shard(MemoryHistoryStore(), self, task_ids=self, chance=Random(0))
        self._children = children
        self._chance = chance
        self._room = asyncio.Semaphore(OPEN_RUNS)
        self._news = asyncio.Event()
        self._task_ids = count(1)

    # What the shard needs

    def take(self) -> TaskId:
        return TaskId(f"t{next(self._task_ids)}")

    async def add_task(self, task: Task) -> None:
        try:
            await self._children[task.partition].add_task(
                task.partition, task_id=task.task_id, item=task.item, seconds=ADD_SECONDS
            )
        except MatchingError as error:
            raise Unavailable(str(error)) from error

    # What hosts and workers need

    async def start(self, event: str, attempt: int, stamp: int, request_id: int) -> str:
        item = Item(EventId(event), attempt, stamp)
        return (await self.shard.record_started(TaskType.WORKFLOW, item, request_id)).value

    async def produce(self) -> None:
        """Begin runs in bursts, at each child in turn."""
        children = list(self._children)
        while True:
            await self._room.acquire()
            number = self.report.begun = self.report.begun + 1
            options = TaskOptions(children[number % 2], start_to_close=START_TO_CLOSE_SECONDS)
            await self.shard.start_workflow(RunId(f"r{number}"), options)
            if number % BURST_RUNS == 0:
                await asyncio.sleep(self._chance.uniform(*BURST_PAUSES_SECONDS))

    async def work(self, number: int) -> None:
        """Poll a child, again and again."""
        partition = list(self._children)[number % 2]
        while True:
            began = perf_counter()
            try:
                task = await self._children[partition].poll(
                    partition, seconds=POLL_SECONDS, worker=Worker(f"w{number}")
                )
            except MatchingError:
                task = None
                self.report.unanswered += 1
            took = perf_counter() - began
            self.report.polls += 1
            self.report.late += took > POLL_SECONDS + SLACK_SECONDS
            self.report.longest = max(self.report.longest, took)
            if task is not None:
                await self._complete(task)
            elif took < POLL_SECONDS / 2:
                await asyncio.sleep(PAUSE_SECONDS)

    async def _complete(self, task: Task) -> None:
        assert task.item is not None
        self.report.received[task.item] += 1
        self.report.hops += task.forward_info is not None
        with contextlib.suppress(MatchingError):
            await self.shard.complete_workflow_task(TaskToken.of(task.item), [CompleteWorkflow()])
            self.report.over += 1
            self._room.release()
            self._news.set()

    async def all_over(self) -> None:
        """Wait until every run is over, or none is for a long time."""
        with contextlib.suppress(TimeoutError):
            while self.report.lost:
                self._news.clear()
                async with asyncio.timeout(STALL_SECONDS):
                    await self._news.wait()


async def _measure(folder: Path, kills: int, seed: int) -> Report:
    partitions = queue_where({0: ROOT, 1: LEFT, 2: RIGHT})
    addresses = free_addresses([ROOT, LEFT, RIGHT])
    async with contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(RpcClient(addresses[host])) for host in (LEFT, RIGHT)]
        service = Service({partitions[1]: clients[0], partitions[2]: clients[1]}, Random(seed + 1))
        lines = await asyncio.start_unix_server(_serving(service), str(folder / "line"))
        stack.callback(lines.close)
        hosts = {host: HostProcess(_words(folder, host, addresses)) for host in addresses}
        for host in hosts.values():
            await stack.enter_async_context(host)
        service.shard.start()
        await service.shard.ready()
        began = perf_counter()
        async with asyncio.TaskGroup() as group:
            producing = group.create_task(service.produce())
            working = [group.create_task(service.work(number)) for number in range(WORKERS)]
            await _kill(hosts[ROOT], kills, Random(seed), service.report)
            producing.cancel()
            await service.all_over()
            for each in working:
                each.cancel()
        service.report.seconds = perf_counter() - began
        service.shard.stop()
        await service.shard.stopped()
    return service.report


async def _kill(root: HostProcess, kills: int, chance: Random, report: Report) -> None:
    """Kill the host of the root, and start it again, so many times."""
    with click.progressbar(range(kills), label="kills", file=sys.stderr) as bar:
        for _ in bar:
            await asyncio.sleep(chance.uniform(*LIVES_SECONDS))
            if chance.random() < FREEZES:
                root.freeze()
                report.freezes += 1
                await asyncio.sleep(FREEZE_SECONDS)
            await root.kill()
            report.kills += 1
            await root.start()


def _serving(service: Service) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer):
            await Line(reader, writer, {"start": service.start}).run()

    return serve


def _words(folder: Path, host: Host, addresses: dict[Host, Address]) -> list[str]:
    return [
        *(sys.executable, "-m", "bench.kills", "--serve", host, "--folder", str(folder)),
        *("--port", str(addresses[host].port), "--peers", peers_of(host, addresses)),
    ]


async def _serve(folder: Path, host: Host, port: int, peers: str) -> None:
    """Be one host, whose History is in the first process, until this one is killed, or that one ends."""
    from matching.serving import serve

    history = RemoteHistory()
    reader, writer = await asyncio.open_unix_connection(str(folder / "line"))
    history.line = Line(reader, writer, {})
    serving = asyncio.ensure_future(
        serve(
            click.echo,
            host,
            database=sqlite_file(folder / "matching.db"),
            metrics_port=0,
            partitions=[],
            options=LifetimeOptions(idle_seconds=None),
            calls=Calls(port=port, namespace="shop", peers=parse_peers(host, peers)),
            starts=history,
        )
    )
    hearing = asyncio.ensure_future(history.line.run())  # ends where the first process does
    await asyncio.wait([serving, hearing], return_when=asyncio.FIRST_COMPLETED)
    hearing.cancel()
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving


@click.command()
@click.option("--kills", type=click.IntRange(min=1), default=300, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="When the host of the root is killed.")
@click.option("--serve", "host", default=None, hidden=True)
@click.option("--folder", type=click.Path(path_type=Path), default=None, hidden=True)
@click.option("--port", type=int, default=0, hidden=True)
@click.option("--peers", default="", hidden=True)
def command(kills: int, seed: int, host: str | None, folder: Path | None, port: int, peers: str) -> int:
    """Kill the host of a root while its children add and poll; count what is lost, started twice, or late."""
    if host is not None:
        assert folder is not None
        asyncio.run(_serve(folder, Host(host), port, peers))
        return 0
    with tempfile.TemporaryDirectory(prefix="matching-kills-") as name:
        report = asyncio.run(_measure(Path(name), kills, seed))
    click.echo(str(report))
    return 0 if report.held else 1


if __name__ == "__main__":
    run_and_leave(command, "python -m bench.kills")
