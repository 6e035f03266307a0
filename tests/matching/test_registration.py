"""A registration's life cycle: the table is total, an end is an end, and no exception decides one."""

from collections.abc import Iterator

import pytest

from conformance.simulation.loop import SimulationLoop
from matching.holding import Holding
from matching.identity import PartitionKey, PollId, TaskId, TaskType, Worker
from matching.registration import TRANSITIONS, Registration, State
from matching.requests import PollRequest, Task

ENDS = (State.DELIVERED, State.EXPIRED, State.INTERRUPTED, State.UNLOADED)
FORBIDDEN = [(before, after) for before in State for after in State if after not in TRANSITIONS[before]]


@pytest.fixture
def loop() -> Iterator[SimulationLoop]:
    loop = SimulationLoop()
    yield loop
    loop.close()


def registered(loop: SimulationLoop, *, deadline: float = 10.0) -> Registration:
    """A poll that has just arrived at generation 1."""
    request = PollRequest(PollId("p1"), Worker("w1"), PartitionKey("shop", "orders", TaskType.WORKFLOW), deadline)

    async def arrive() -> Registration:
        return Registration(request, 1)

    arriving = loop.create_task(arrive())
    loop.run()
    return arriving.result()


def waiting(loop: SimulationLoop) -> Registration:
    """A poll that waits, whose deadline settles nothing."""
    registration = registered(loop)

    async def wait() -> None:
        registration.start_timer(lambda _: None)

    loop.create_task(wait())
    loop.run()
    return registration


def in_state(loop: SimulationLoop, state: State) -> Registration:
    registration = registered(loop)
    registration.state = state
    return registration


def test_the_table_says_for_every_state_where_it_leads() -> None:
    assert set(TRANSITIONS) == set(State)


@pytest.mark.parametrize("state", ENDS)
def test_an_end_leads_nowhere(state: State) -> None:
    assert TRANSITIONS[state] == frozenset()


def test_every_state_but_the_first_is_reached_from_another() -> None:
    assert frozenset().union(*TRANSITIONS.values()) == set(State) - {State.WAITING}


@pytest.mark.parametrize(("before", "after"), FORBIDDEN, ids=str)
def test_a_move_that_the_table_does_not_have_is_a_bug(loop: SimulationLoop, before: State, after: State) -> None:
    registration = in_state(loop, before)

    with pytest.raises(AssertionError, match="does not lead to"):
        registration.move(after)


@pytest.mark.parametrize("state", [state for state in State if state in TRANSITIONS[State.WAITING]])
def test_every_move_out_of_waiting_wakes_the_handler(loop: SimulationLoop, state: State) -> None:
    registration = registered(loop)
    handler = loop.create_task(registration.wake())
    loop.run()

    registration.move(state)
    loop.run()

    assert handler.done()


def test_a_poll_can_receive_before_its_deadline_and_not_at_it(loop: SimulationLoop) -> None:
    registration = waiting(loop)

    assert registration.can_receive(9.999)
    assert not registration.can_receive(10.0)


def test_a_poll_whose_caller_left_cannot_receive_though_its_handler_has_not_run(loop: SimulationLoop) -> None:
    registration = waiting(loop)
    handler = loop.create_task(registration.wake())
    loop.run()

    handler.cancel()

    assert registration.state is State.WAITING
    assert not registration.can_receive(0.0)


def test_a_settled_poll_has_no_timer_left(loop: SimulationLoop) -> None:
    registration = registered(loop)
    starting = loop.create_task(started(registration))
    loop.run()

    registration.move(State.UNLOADED)

    assert starting.done()
    assert loop.due_times() == []


async def started(registration: Registration) -> None:
    registration.start_timer(expire)


def expire(registration: Registration) -> None:
    registration.move(State.EXPIRED)


def test_a_timer_that_is_queued_already_does_nothing_after_another_end(loop: SimulationLoop) -> None:
    registration = registered(loop, deadline=1.0)
    loop.create_task(started(registration))
    loop.run()

    loop.advance(1.0)
    registration.move(State.UNLOADED)
    loop.run()

    assert registration.state is State.UNLOADED
    assert loop.mistakes == []


def test_the_move_that_ends_a_poll_gives_back_what_was_in_its_hand(loop: SimulationLoop) -> None:
    registration = registered(loop)
    holding = Holding(Task(TaskId("t1"), registration.request.partition))

    registration.move(State.MATCHED, holding)

    assert registration.move(State.INTERRUPTED) is holding
    assert registration.holding is None


def test_waiting_is_not_decided_by_an_exception(loop: SimulationLoop) -> None:
    registration = waiting(loop)
    handler = loop.create_task(registration.wake())
    loop.run()

    registration.move(State.MATCHED)
    handler.cancel()
    loop.run()

    assert handler.cancelled()
    assert registration.state is State.MATCHED
