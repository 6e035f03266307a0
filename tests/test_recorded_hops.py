"""A real run of two hosts with a tree of partitions is recorded, hops and all, and what was recorded is accepted."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import attrs
import pytest

from conformance.judging.check import check_trace
from conformance.judging.verdict import TraceVerdict, Word
from conformance.probe import RunRecorder
from matching.adapters.opening import open_metrics, sqlite_file
from matching.adapters.sql import SqlStore
from matching.backlog import BacklogLimits
from matching.caller import Caller
from matching.engine import Engine
from matching.hops import HopLimits, OfferAnswer
from matching.identity import Host, PartitionKey, PollId, TaskId, Worker
from matching.membership import Membership, MembershipView
from matching.namespace import NamespaceView
from matching.probe import Probe, silent
from matching.requests import PollRequest, Task
from matching.walkthroughs.stage import Watch

HOSTS = (Host("h1"), Host("h2"))
PATIENT_SECONDS = 5.0


class Direct:
    """Reaches engines of this process: a hop arrives in the next turn of the loop."""

    def __init__(self, caller: Caller) -> None:
        self.engines: dict[Host, Engine] = {}
        self._caller = caller
        self._numbers = itertools.count(1)

    def new_poll_id(self) -> PollId:
        return PollId(f"hop-p{next(self._numbers)}")

    def new_task_id(self) -> TaskId:
        return TaskId(f"hop-t{next(self._numbers)}")

    async def poll(self, host: Host, request: PollRequest) -> Task | None:
        await asyncio.sleep(0)
        call = self._caller.serve_poll(self.engines[host], request)
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            self._caller.leave(request.poll_id)
            raise

    async def offer(self, host: Host, task: Task, deadline: float) -> OfferAnswer:
        await asyncio.sleep(0)
        return await self._caller.serve_offer(self.engines[host], task)


@attrs.define
class Tree:
    """The partitions of one queue, each at the host that owns it."""

    caller: Caller
    engines: dict[Host, Engine]
    members: Membership
    watch: Watch

    def poll(self, name: str, number: int, seconds: float = PATIENT_SECONDS) -> asyncio.Task[Task | None]:
        deadline = asyncio.get_running_loop().time() + seconds
        request = PollRequest(PollId(name), Worker("w1"), key(number), deadline)
        return self.caller.start_poll(self._engine(number), request)

    async def add(self, name: str, number: int) -> None:
        await asyncio.wait([self.caller.add_task(self._engine(number), Task(TaskId(name), key(number)))])

    def unload(self, number: int) -> None:
        self.caller.order_unload(self._engine(number), key(number))

    def _engine(self, number: int) -> Engine:
        return self.engines[self.members.route(key(number))]


def key(number: int) -> PartitionKey:
    return PartitionKey.parse(f"shop/orders/workflow/{number}")


async def walked(tree: Tree) -> None:
    """Polls go two hops up, tasks too; callers leave, time passes, managers go."""
    waiting = tree.poll("p1", 3)
    await tree.watch.until("Register hop-p2")
    await tree.add("t1", 0)
    await waiting
    waiting = tree.poll("p2", 0)
    await tree.watch.until("Register p2")
    await tree.add("t2", 4)
    await waiting
    await tree.add("t3", 4)
    await tree.watch.until("ReadBacklog")
    await tree.poll("p3", 0)
    await tree.poll("p4", 3, seconds=0.1)
    waiting = tree.poll("p5", 3)
    await tree.watch.until("Forward p5", "Register")
    tree.caller.leave(PollId("p5"))
    await asyncio.wait([waiting])
    for name, number in (("p6", 0), ("p7", 3)):
        waiting = tree.poll(name, 3)
        await tree.watch.until(f"Forward {name}", "Register")
        tree.unload(number)
        await waiting
    await tree.watch.until("CancelHop")


async def recorded(database: Path, trace: Path) -> None:
    """Serve, walk, and write down what the hosts told."""
    watch = Watch()
    caller = Caller(asyncio.get_running_loop(), watch)
    hear: Probe = caller.hear
    async with await SqlStore.open(sqlite_file(database), probe=hear) as store:
        peers, members = Direct(caller), Membership(HOSTS)
        for host in HOSTS:
            peers.engines[host] = Engine(
                host,
                store=store,
                namespace=NamespaceView(host, probe=hear),
                membership=MembershipView(host, members, probe=hear),
                gauges=open_metrics(host),
                limits=BacklogLimits(block_size=3),
                peers=peers,
                hop_limits=HopLimits(retry_seconds=0.1),
                probe=hear,
            )
        watch.probe = recorder = RunRecorder(*peers.engines.values())
        await walked(Tree(caller, peers.engines, members, watch))
        recorder.write(trace, at_rest=False)
        watch.probe = silent
        for engine in peers.engines.values():
            await engine.shutdown()


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> TraceVerdict:
    folder = tmp_path_factory.mktemp("hops")
    asyncio.run(recorded(folder / "matching.db", folder / "run.ndjson"))
    return check_trace(folder / "run.ndjson")


def test_a_recorded_run_with_hops_is_accepted(verdict: TraceVerdict) -> None:
    assert (verdict.word, verdict.reason) == (Word.ACCEPTED, "every step is allowed")


def test_the_recorded_run_makes_hops_of_both_kinds_and_hears_what_became_of_them(verdict: TraceVerdict) -> None:
    assert verdict.actions.keys() >= {"Forward", "ArrivePoll", "Resume", "CancelHop"}
    assert verdict.actions.keys() >= {"Offer", "ArriveTask", "Decline", "Conclude"}


def test_the_partitions_between_are_partitions_of_the_run_and_children(verdict: TraceVerdict) -> None:
    numbered = {number: str(key(number)) for number in (0, 1, 3, 4)}

    assert verdict.constants["Partition"] == frozenset(numbered.values())
    assert verdict.constants["Child"] == frozenset(numbered.values()) - {numbered[0]}
    assert verdict.constants["Place"].m[numbered[4]] == ("shop/orders/workflow", 4)
