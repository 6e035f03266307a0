"""Hops over RPC: what is carried, how they end, and what is told of those of which nobody can tell anything."""

import asyncio
import socket
from collections.abc import Awaitable, Callable

import attrs
import pytest

from matching.adapters.rpc.addresses import Address
from matching.adapters.rpc.peers import GrpcPeers
from matching.errors import InvalidArgument, MatchingError, StickyUnsupported, Unavailable
from matching.hops import OfferAnswer, carry_poll, carry_task
from matching.identity import EventId, Host, Item, PartitionKey, PollId, TaskId, TaskType, Version
from matching.requests import PollRequest, Task
from tests.matching.rpc import ROOT, Stub, poll_at, run, stubbed

H1, H2 = Host("h1"), Host("h2")
CHILD = PartitionKey("shop", "orders", TaskType.WORKFLOW, 1)
TASK = Task(TaskId("t1"), CHILD, Version("v2"), Item(EventId("e1"), 3, 1))


def in_seconds(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


def poll_hop(seconds: float = 20.0) -> PollRequest:
    below = attrs.evolve(poll_at(in_seconds(seconds)), partition=CHILD, version=Version("v2"))
    return carry_poll(below, PollId("p1-hop"), ROOT, H1, 4)


def task_hop() -> Task:
    return carry_task(TASK, TaskId("t1-hop"), ROOT, H1, 4)


def test_a_poll_arrives_with_every_field_and_is_answered() -> None:
    async def answer(request: PollRequest) -> Task | None:
        return task_hop()

    async def work() -> None:
        stub = Stub(poll=answer)
        async with stubbed(stub) as address:
            peers, hop = GrpcPeers(H1, {H2: address}), poll_hop()
            answered = await peers.poll(H2, hop)
            arrived = stub.came.get_nowait()
            await peers.close()

        assert answered == task_hop()
        assert isinstance(arrived, PollRequest)
        assert attrs.evolve(arrived, deadline=hop.deadline) == hop
        assert hop.deadline - 1 < arrived.deadline < hop.deadline

    run(work)


@pytest.mark.parametrize("answer", OfferAnswer)
def test_a_task_arrives_with_every_field_and_is_answered(answer: OfferAnswer) -> None:
    async def answers(task: Task) -> OfferAnswer | None:
        return answer

    async def work() -> None:
        stub = Stub(add=answers)
        async with stubbed(stub) as address:
            peers = GrpcPeers(H1, {H2: address})
            answered = await peers.offer(H2, task_hop(), in_seconds(20))
            await peers.close()

        assert answered is answer
        assert stub.came.get_nowait() == task_hop()

    run(work)


def test_a_hop_is_under_way_before_it_is_awaited() -> None:
    async def work() -> None:
        stub = Stub()
        async with stubbed(stub) as address:
            peers = GrpcPeers(H1, {H2: address})
            hop = peers.poll(H2, poll_hop())
            await stub.came.get()
            hop.cancel()
            await peers.close()

    run(work)


def test_a_hop_that_is_cancelled_is_cancelled_where_it_is_served() -> None:
    async def work() -> None:
        stub = Stub()
        async with stubbed(stub) as address:
            peers = GrpcPeers(H1, {H2: address})
            hops: list[asyncio.Task[object]] = [
                asyncio.ensure_future(peers.poll(H2, poll_hop())),
                asyncio.ensure_future(peers.offer(H2, task_hop(), in_seconds(20))),
            ]
            came = [await stub.came.get() for _ in hops]
            for hop in hops:
                hop.cancel()
            cancelled = [await stub.cancelled.get() for _ in hops]
            await asyncio.wait(hops)
            await peers.close()

        assert all(hop.cancelled() for hop in hops)
        assert sorted(map(repr, cancelled)) == sorted(map(repr, came))

    run(work)


Hop = Callable[[GrpcPeers], Awaitable[object]]
HOPS: list[Hop] = [
    lambda peers: peers.poll(H2, poll_hop(0.3)),
    lambda peers: peers.offer(H2, task_hop(), in_seconds(0.3)),
]


@pytest.mark.parametrize("hop", HOPS, ids=["poll", "offer"])
def test_a_hop_to_a_host_that_does_not_answer_ends_at_its_deadline(hop: Hop) -> None:
    async def work() -> float:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            peers = GrpcPeers(H1, {H2: Address("127.0.0.1", silent.getsockname()[1])})
            began = in_seconds(0)
            with pytest.raises(Unavailable, match="did not answer in time"):
                await hop(peers)
            took = in_seconds(0) - began
            await peers.close()
            return took

    assert 0.29 < run(work) < 5


@pytest.mark.parametrize("hop", HOPS, ids=["poll", "offer"])
def test_a_hop_to_a_host_that_is_not_there_fails_at_once(hop: Hop) -> None:
    async def work() -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        peers = GrpcPeers(H1, {H2: Address("127.0.0.1", port)})
        with pytest.raises(Unavailable, match="refused"):
            await hop(peers)
        await peers.close()

    run(work)


@pytest.mark.parametrize("hop", HOPS, ids=["poll", "offer"])
def test_a_hop_to_a_host_of_which_nobody_has_heard_fails(hop: Hop) -> None:
    async def work() -> None:
        with pytest.raises(Unavailable, match="h1 does not reach h2"):
            await hop(GrpcPeers(H1, {}))

    run(work)


@pytest.mark.parametrize("refusal", [InvalidArgument, StickyUnsupported, Unavailable])
def test_a_hop_that_is_refused_says_nothing_about_what_became_of_it(refusal: type[MatchingError]) -> None:
    async def refuse(request: PollRequest) -> Task | None:
        raise refusal("not here")

    async def work() -> None:
        async with stubbed(Stub(poll=refuse)) as address:
            peers = GrpcPeers(H1, {H2: address})
            with pytest.raises(Unavailable, match="not here"):
                await peers.poll(H2, poll_hop())
            await peers.close()

    run(work)


def test_an_offer_that_is_answered_as_an_add_says_nothing_about_what_became_of_it() -> None:
    async def accept(task: Task) -> OfferAnswer | None:
        return None

    async def work() -> None:
        async with stubbed(Stub(add=accept)) as address:
            peers = GrpcPeers(H1, {H2: address})
            with pytest.raises(Unavailable, match="did not take the offer"):
                await peers.offer(H2, task_hop(), in_seconds(20))
            await peers.close()

    run(work)


def test_a_hop_that_waits_when_its_host_closes_fails_and_is_not_cancelled() -> None:
    async def work() -> None:
        stub = Stub()
        async with stubbed(stub) as address:
            peers = GrpcPeers(H1, {H2: address})
            hop = peers.poll(H2, poll_hop())
            await stub.came.get()
            await peers.close()
            with pytest.raises(Unavailable, match="nobody waits any more"):
                await hop

    run(work)


def test_a_hop_to_the_host_itself_needs_no_rpc() -> None:
    async def taken(task: Task) -> OfferAnswer | None:
        return OfferAnswer.TAKEN

    async def work() -> None:
        peers, stub = GrpcPeers(H1, {}), Stub(add=taken)
        peers.own = stub
        hop = peers.poll(H1, poll_hop())
        request = await stub.came.get()
        hop.cancel()

        assert await stub.cancelled.get() is request
        assert await peers.offer(H1, task_hop(), in_seconds(20)) is OfferAnswer.TAKEN

    run(work)


def test_an_offer_to_the_host_itself_ends_at_its_deadline() -> None:
    async def work() -> None:
        peers = GrpcPeers(H1, {})
        stub = peers.own = Stub()
        with pytest.raises(Unavailable, match="in time"):
            await peers.offer(H1, task_hop(), in_seconds(0.05))

        assert stub.cancelled.get_nowait() == task_hop()

    run(work)


def test_two_lives_of_a_host_draw_no_id_in_common() -> None:
    async def work() -> list[str]:
        lives = [GrpcPeers(H1, {}), GrpcPeers(H1, {})]
        return [name for life in lives for _ in range(50) for name in (life.new_poll_id(), life.new_task_id())]

    names = run(work)

    assert len({*names}) == len(names)
    assert all(name.startswith("h1-") for name in names)
