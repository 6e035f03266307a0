"""Who waits for a manager, what happens to them when it fails or moves, and what a shutdown waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from conformance.simulation.loop import SimulationLoop
from matching.engine import Engine
from matching.errors import StoreError, Unavailable
from matching.identity import Host, Owner, PartitionKey, PollId, TaskId, TaskType, Worker
from matching.lifetime import LifetimeOptions
from matching.membership import Membership, MembershipView
from matching.namespace import NamespaceView
from matching.requests import PollRequest, Task
from matching.store import Lease
from tests.matching.test_engine import OneRecord

PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)
H1, H2 = Host("h1"), Host("h2")
T1 = Task(TaskId("t1"), PARTITION)
OPTIONS = LifetimeOptions(emit_seconds=None, idle_seconds=None, load_retry_seconds=2.0)


class Slow(OneRecord):
    """A store that answers what a load asks for when it is told to, or fails."""

    def __init__(self) -> None:
        self.loads = 0
        self.answer: Lease | Exception | None = None

    async def metadata(self, owner: Owner) -> Lease:
        self.loads += 1
        while self.answer is None:
            await asyncio.sleep(0.1)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def delete(self, owner: Owner, range_id: int, upto: int) -> None: ...


@pytest.fixture
def loop() -> Iterator[SimulationLoop]:
    loop = SimulationLoop()
    yield loop
    loop.cancel_everything()
    loop.close()


@pytest.fixture
def store() -> Slow:
    return Slow()


@pytest.fixture
def membership() -> MembershipView:
    return MembershipView(H1, Membership([H1]))


@pytest.fixture
def engine(store: Slow, membership: MembershipView) -> Engine:
    return Engine(H1, store=store, namespace=NamespaceView(H1), membership=membership, options=OPTIONS)


def a_poll(seconds: float = 60.0) -> PollRequest:
    return PollRequest(PollId("p1"), Worker("w1"), PARTITION, seconds)


def give_away(loop: SimulationLoop, membership: MembershipView) -> None:
    """Let the host hear that another one owns everything."""
    loop.call_soon(membership.hear, membership.known.change([H2]))
    loop.run()


def test_who_waits_for_a_load_that_is_overtaken_by_new_owners_is_sent_to_them(
    loop: SimulationLoop, engine: Engine, store: Slow, membership: MembershipView
) -> None:
    polling, adding = loop.create_task(engine.poll(a_poll())), loop.create_task(engine.add_task(T1))
    loop.run()
    give_away(loop, membership)

    assert polling.result() is None
    assert isinstance(adding.exception(), Unavailable)
    assert store.loads == 1


def test_who_waits_stays_where_the_partition_has_come_back_meanwhile(
    loop: SimulationLoop, engine: Engine, store: Slow, membership: MembershipView
) -> None:
    polling = loop.create_task(engine.poll(a_poll()))
    loop.run()
    away = membership.known.change([H2])
    loop.call_soon(membership.hear, away)
    loop.call_soon(membership.hear, away.change([H1]))
    store.answer = Lease(0, 0)
    loop.run()
    loop.advance(1.0)
    loop.run()

    assert polling.result() == T1


def test_after_a_load_that_failed_nobody_begins_another_for_a_while(
    loop: SimulationLoop, engine: Engine, store: Slow
) -> None:
    store.answer = StoreError("away")
    adding = [loop.create_task(engine.add_task(T1)) for _ in range(5)]
    loop.run()
    loop.advance(1.0)
    loop.run()
    adding += [loop.create_task(engine.add_task(T1)) for _ in range(5)]
    loop.run()
    early = store.loads
    loop.advance(2.5)
    loop.run()

    assert early == 1
    assert store.loads == 2
    assert not any(add.done() for add in adding)


def test_why_a_load_failed_is_known_until_another_serves(loop: SimulationLoop, engine: Engine, store: Slow) -> None:
    store.answer = StoreError("away")
    loop.call_soon(engine.load, PARTITION)
    loop.run()
    failure = engine.registry.failure(PARTITION)
    store.answer = Lease(0, 0)
    loop.call_soon(engine.load, PARTITION)
    loop.run()

    assert str(failure) == "away"
    assert engine.registry.failure(PARTITION) is None


def test_who_waits_for_a_second_load_goes_on_when_an_operators_load_serves(
    loop: SimulationLoop, engine: Engine, store: Slow
) -> None:
    store.answer = StoreError("away")
    polling = loop.create_task(engine.poll(a_poll()))
    loop.run()
    store.answer = Lease(0, 0)
    loop.call_soon(engine.load, PARTITION)
    loop.run()

    assert polling.result() == T1
    assert loop.time() == 0.0


def test_a_bug_in_what_a_load_asks_for_is_told_and_leaves_nobody_waiting_for_that_load(
    loop: SimulationLoop, engine: Engine, store: Slow
) -> None:
    store.answer = ZeroDivisionError("a bug")
    loop.call_soon(engine.load, PARTITION)
    loop.run()
    stopping: asyncio.Task[None] = loop.create_task(engine.shutdown())
    loop.run()

    assert dict(engine.managers) == {}
    assert any("a bug" in mistake for mistake in loop.mistakes)
    assert isinstance(stopping.exception(), ZeroDivisionError)


def test_a_shutdown_that_was_interrupted_is_waited_for_by_the_next(
    loop: SimulationLoop, engine: Engine, store: Slow
) -> None:
    loop.call_soon(engine.load, PARTITION)
    loop.run()
    first = loop.create_task(engine.shutdown())
    loop.run()
    first.cancel()
    second = loop.create_task(engine.shutdown())
    loop.run()
    early = second.done()
    store.answer = Lease(0, 0)
    loop.advance(1.0)
    loop.run()

    assert first.cancelled()
    assert not early
    assert second.done()


def test_a_shutdown_sends_away_who_waits_for_the_next_load(loop: SimulationLoop, engine: Engine, store: Slow) -> None:
    store.answer = StoreError("away")
    polling = loop.create_task(engine.poll(a_poll()))
    loop.run()
    loop.create_task(engine.shutdown())
    loop.run()

    assert polling.result() is None
    assert loop.time() == 0.0


def test_who_waits_for_a_second_load_is_sent_to_the_new_owners_at_once(
    loop: SimulationLoop, engine: Engine, store: Slow, membership: MembershipView
) -> None:
    store.answer = StoreError("away")
    polling, adding = loop.create_task(engine.poll(a_poll())), loop.create_task(engine.add_task(T1))
    loop.run()
    give_away(loop, membership)

    assert polling.result() is None
    assert isinstance(adding.exception(), Unavailable)
    assert (store.loads, loop.time()) == (1, 0.0)


def test_who_waited_where_another_host_is_the_owner_is_refused_whatever_ended_the_load(
    loop: SimulationLoop, engine: Engine, membership: MembershipView, store: Slow
) -> None:
    give_away(loop, membership)
    adding = loop.create_task(engine.add_task(T1))
    loop.run()
    loop.call_soon(engine.unload, PARTITION)
    loop.run()

    assert isinstance(adding.exception(), Unavailable)
    assert store.loads == 1


def test_who_comes_first_where_another_host_is_the_owner_is_served(
    loop: SimulationLoop, engine: Engine, membership: MembershipView, store: Slow
) -> None:
    store.answer = Lease(0, 0)
    give_away(loop, membership)
    polling = loop.create_task(engine.poll(a_poll()))
    loop.run()

    assert polling.result() == T1
