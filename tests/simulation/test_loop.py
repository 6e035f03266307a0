"""The simulation's event loop: an ordinary one, but for its clock."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from conformance.simulation import loop as module
from conformance.simulation.loop import BusyLoopError, SimulationLoop


@pytest.fixture
def loop() -> Iterator[SimulationLoop]:
    loop = SimulationLoop()
    yield loop
    loop.close()


@pytest.fixture
def seen() -> list[str]:
    return []


def test_callbacks_run_first_in_first_out(loop: SimulationLoop, seen: list[str]) -> None:
    loop.call_soon(seen.append, "first")
    loop.call_soon(seen.append, "second")
    loop.run()

    assert seen == ["first", "second"]


def test_what_a_callback_queues_runs_behind_what_is_queued_already(loop: SimulationLoop, seen: list[str]) -> None:
    loop.call_soon(lambda: loop.call_soon(seen.append, "queued by the first"))
    loop.call_soon(seen.append, "second")
    loop.run()

    assert seen == ["second", "queued by the first"]


def test_one_turn_leaves_what_it_queues(loop: SimulationLoop, seen: list[str]) -> None:
    loop.call_soon(lambda: loop.call_soon(seen.append, "later"))
    loop.turn()

    assert seen == []
    assert not loop.idle


def test_time_stands_still_while_callbacks_run(loop: SimulationLoop, seen: list[str]) -> None:
    loop.call_later(1.0, seen.append, "late")
    loop.run()

    assert loop.time() == 0.0
    assert seen == []


def test_timers_run_in_the_order_of_their_times_however_far_time_moves(loop: SimulationLoop, seen: list[str]) -> None:
    loop.call_at(2.0, seen.append, "two")
    loop.call_at(1.0, seen.append, "one")
    loop.advance(5.0)
    loop.run()

    assert seen == ["one", "two"]


def test_a_timer_is_due_at_its_time_and_not_before(loop: SimulationLoop, seen: list[str]) -> None:
    loop.call_at(1.0, seen.append, "due")
    loop.advance(0.999)
    loop.run()

    assert seen == []
    assert loop.due_times() == [1.0]


@pytest.mark.parametrize(("rotate", "order"), [(0, "abc"), (1, "bca"), (2, "cab"), (3, "abc")])
def test_which_of_equal_timers_comes_first_is_the_drivers_choice(
    loop: SimulationLoop, seen: list[str], rotate: int, order: str
) -> None:
    loop.call_at(1.0, seen.append, "a")
    loop.call_at(1.0, seen.append, "b")
    loop.call_at(1.0, seen.append, "c")
    loop.advance(1.0, rotate_ties=rotate)
    loop.run()

    assert "".join(seen) == order


def test_the_driver_does_not_turn_around_timers_of_different_times(loop: SimulationLoop, seen: list[str]) -> None:
    loop.call_at(1.0, seen.append, "one")
    loop.call_at(2.0, seen.append, "two")
    loop.advance(2.0, rotate_ties=1)
    loop.run()

    assert seen == ["one", "two"]


def test_a_cancelled_timer_is_no_moment_to_move_the_clock_to(loop: SimulationLoop) -> None:
    loop.call_at(1.0, print).cancel()

    assert loop.due_times() == []


def test_a_timer_that_is_cancelled_after_it_became_due_does_not_run(loop: SimulationLoop, seen: list[str]) -> None:
    timer = loop.call_at(1.0, seen.append, "due")
    loop.advance(1.0)
    timer.cancel()
    loop.run()

    assert seen == []


def test_time_does_not_go_back(loop: SimulationLoop) -> None:
    loop.advance(1.0)

    with pytest.raises(AssertionError, match="time does not go back"):
        loop.advance(0.5)


def test_a_look_is_taken_after_each_callback(loop: SimulationLoop, seen: list[str]) -> None:
    loop.after_callback = lambda: seen.append("look")
    loop.call_soon(seen.append, "one")
    loop.call_soon(seen.append, "two")
    loop.run()

    assert seen == ["one", "look", "two", "look"]


def test_a_cancelled_callback_is_not_run_and_not_looked_at(loop: SimulationLoop, seen: list[str]) -> None:
    loop.after_callback = lambda: seen.append("look")
    loop.call_soon(seen.append, "cancelled").cancel()
    loop.run()

    assert seen == []


def test_callbacks_that_never_come_to_rest_are_told_and_not_waited_for(
    loop: SimulationLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_CALLBACKS", 10)

    def again() -> None:
        loop.call_soon(again)

    loop.call_soon(again)

    with pytest.raises(BusyLoopError, match=r"10 callbacks ran at 0.0 s"):
        loop.run()


def test_nobody_gets_a_thread(loop: SimulationLoop) -> None:
    with pytest.raises(RuntimeError, match="no threads"):
        loop.run_in_executor(None, print)


def test_nobody_can_call_in_from_a_thread(loop: SimulationLoop) -> None:
    with pytest.raises(RuntimeError, match="no threads"):
        loop.call_soon_threadsafe(print)


def test_the_loop_starts_no_thread_of_its_own(loop: SimulationLoop) -> None:
    before = threading.active_count()
    loop.create_task(asyncio.sleep(0))
    loop.run()

    assert threading.active_count() == before


def test_a_mistake_in_a_callback_is_kept(loop: SimulationLoop) -> None:
    loop.call_soon(lambda: [].pop())
    loop.run()

    assert len(loop.mistakes) == 1
    assert "IndexError('pop from empty list')" in loop.mistakes[0]


def test_a_callback_behind_a_mistake_still_runs(loop: SimulationLoop, seen: list[str]) -> None:
    loop.call_soon(lambda: [].pop())
    loop.call_soon(seen.append, "after")
    loop.run()

    assert seen == ["after"]


def test_a_task_that_was_made_here_can_ask_for_the_running_loop(loop: SimulationLoop) -> None:
    async def ask() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    asking = loop.create_task(ask())
    loop.run()

    assert asking.result() is loop


def test_no_loop_is_running_between_two_runs(loop: SimulationLoop) -> None:
    loop.call_soon(list)
    loop.run()

    with pytest.raises(RuntimeError, match="no running event loop"):
        asyncio.get_running_loop()


def test_the_loop_that_was_running_outside_is_running_again_afterwards() -> None:
    async def outside() -> bool:
        inner = SimulationLoop()
        inner.run()
        inner.close()
        return asyncio.get_running_loop() is not inner

    assert asyncio.run(outside())


def test_a_sleep_ends_when_time_has_moved_that_far(loop: SimulationLoop) -> None:
    """CASES 138: a clock that somebody else stops makes a sleep endless."""
    sleeping = loop.create_task(asyncio.sleep(1.0))
    loop.run()
    loop.advance(1.0)
    loop.run()

    assert sleeping.done()


def test_a_timeout_is_a_timeout_of_the_loops_own_time(loop: SimulationLoop) -> None:
    """CASES 138, 140: whatever waits, waits by the one clock."""

    async def patient() -> str:
        try:
            async with asyncio.timeout(2.0):
                await asyncio.sleep(60.0)
        except TimeoutError:
            return f"timed out at {asyncio.get_running_loop().time()}"
        return "slept"

    waiting = loop.create_task(patient())
    loop.run()
    loop.advance(2.0)
    loop.run()

    assert waiting.result() == "timed out at 2.0"


def test_with_nothing_ready_and_no_timer_a_run_ends_and_shows_what_waits(loop: SimulationLoop) -> None:
    """CASES 138: what can never go on is seen, not waited for."""
    waiting = loop.create_task(forever())
    loop.run()

    assert loop.idle
    assert loop.due_times() == []
    assert not waiting.done()
    assert loop.cancel_everything() == []


async def forever() -> None:
    await asyncio.get_running_loop().create_future()


def test_a_task_that_would_not_end_is_named(loop: SimulationLoop) -> None:
    """CASES 142: a slow cleanup is told by name, not waited for."""

    async def stubborn() -> None:
        try:
            await forever()
        except asyncio.CancelledError:
            await forever()

    working = loop.create_task(stubborn(), name="slow cleanup")
    loop.run()

    assert loop.cancel_everything() == ["slow cleanup"]
    assert loop.cancel_everything() == []
    assert working.cancelled()


def test_timers_are_those_that_are_still_to_come(loop: SimulationLoop, seen: list[str]) -> None:
    loop.call_later(1.0, seen.append, "first")
    second = loop.call_later(2.0, seen.append, "second")
    loop.call_later(3.0, seen.append, "third").cancel()
    loop.advance(1.0)

    assert loop.timers(lambda callback, args: "second" in args or "first" in args) == [second]
    assert loop.timers(lambda callback, args: "third" in args) == []
