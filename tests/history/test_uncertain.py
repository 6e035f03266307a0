"""Where the store does not say what became of a call: each call both ways, and what is done then."""

import asyncio
from collections.abc import Callable

import pytest

from matching.errors import AlreadyExists, NotFound, Unavailable
from matching.history.commands import ScheduleActivity
from matching.history.draft import Draft
from matching.history.store import Timer
from matching.identity import EventId, RunId
from matching.starts import StartOutcome
from tests.history.bench import ACTIVITY, WORKFLOW, Bench

Call = Callable[[Bench], asyncio.Task[None]]


def begun(bench: Bench) -> Bench:
    """A run with a workflow task that Matching has."""
    bench.begin()
    bench.answer_all()
    return bench


def started(bench: Bench) -> Bench:
    """The same, and the task is started: its token is the first."""
    begun(bench).offer("t1")
    bench.answer_all()
    return bench


def in_activity(bench: Bench) -> Bench:
    """A run with a started activity: its token is the second."""
    started(bench)
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [ScheduleActivity(ACTIVITY)]))
    bench.answer_all()
    bench.offer("t2")
    bench.answer_all()
    return bench


CALLS: dict[str, tuple[Callable[[Bench], Bench], Call, tuple[str | int, ...]]] = {
    "start_workflow": (lambda bench: bench, lambda bench: bench.begin(), ("Schedule", "r1/1")),
    "terminate_workflow": (
        begun,
        lambda bench: bench.ask(bench.shard.terminate_workflow(RunId("r1"))),
        ("Close", "r1/1"),
    ),
    "update_options": (
        begun,
        lambda bench: bench.ask(bench.shard.update_options(EventId("r1/1"), WORKFLOW)),
        ("Restamp", "r1/1"),
    ),
    "complete_workflow_task": (
        started,
        lambda bench: bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [])),
        ("Complete", "r1/1", 1),
    ),
    "complete_activity": (
        in_activity,
        lambda bench: bench.ask(bench.shard.complete_activity(bench.tokens[1])),
        ("Complete", "r1/2", 1),
    ),
}

every_call = pytest.mark.parametrize("name", CALLS)


@every_call
def test_a_change_that_was_applied_with_an_error_is_found_and_confirmed(slow: Bench, name: str) -> None:
    prepare, call, step = CALLS[name]
    pending = call(prepare(slow))
    slow.answer("apply", lost=True)
    slow.answer("load")

    assert pending.result() is None
    assert slow.told(str(step[0])).count(step) == 1


@every_call
def test_a_change_that_was_not_applied_is_refused_and_can_be_asked_for_again(slow: Bench, name: str) -> None:
    prepare, call, step = CALLS[name]
    refused = call(prepare(slow))
    slow.answer("apply", fail=True)
    slow.answer("load")
    again = call(slow)
    slow.answer_all()

    assert isinstance(refused.exception(), Unavailable)
    assert again.result() is None
    assert slow.told(str(step[0])).count(step) == 1


@every_call
def test_where_nobody_knows_the_row_is_loaded_before_the_next_decision(slow: Bench, name: str) -> None:
    prepare, call, step = CALLS[name]
    unknown = call(prepare(slow))
    slow.answer("apply", lost=True)
    slow.answer("load", fail=True)
    again = call(slow)
    asked = slow.asked()
    slow.answer_all()

    assert isinstance(unknown.exception(), Unavailable)
    assert asked == ["load"]
    assert name == "update_options" or isinstance(again.exception(), AlreadyExists | NotFound)
    assert slow.told(str(step[0])).count(step) == 1 + (name == "update_options")


def test_a_start_that_was_applied_with_an_error_is_started_and_told_once(slow: Bench) -> None:
    call = begun(slow).offer("t1")
    slow.answer("apply", lost=True)
    slow.answer("load")

    assert call.result() is StartOutcome.STARTED
    assert slow.told("RecordStart") == [("RecordStart", "r1/1", 1, 0, 1)]


def test_a_start_of_which_nobody_knows_is_found_when_the_same_request_comes_again(slow: Bench) -> None:
    call = begun(slow).offer("t1")
    slow.answer("apply", lost=True)
    slow.answer("load", fail=True)
    again = slow.offer("t1")
    slow.answer_all()

    assert call.result() is StartOutcome.RETRYABLE
    assert again.result() is StartOutcome.STARTED
    assert slow.told("RecordStart", "LoseAnswer", "Deliver") == [
        ("RecordStart", "r1/1", 1, 0, 1),
        ("LoseAnswer", "p1"),
        ("RecordStart", "r1/1", 1, 0, 1),
        ("Deliver", "t1", "p1"),
    ]


def test_a_run_of_which_nobody_knows_is_worked_on_though_nobody_asks(slow: Bench) -> None:
    slow.begin()
    slow.answer("apply", lost=True)
    slow.answer("load", fail=True)
    slow.advance(1)
    slow.answer("load", fail=True)
    slow.advance(1)
    slow.answer_all()

    assert slow.told("Transfer") == [("Transfer", "t1", "r1/1", 1, 0)]


def test_the_shard_doubts_a_run_as_often_as_it_must(slow: Bench) -> None:
    begun(slow)
    slow.ask(slow.shard.update_options(EventId("r1/1"), WORKFLOW))
    slow.answer("apply", lost=True)
    slow.answer("load", fail=True)
    slow.advance(1)
    slow.answer_all()
    slow.ask(slow.shard.update_options(EventId("r1/1"), WORKFLOW))
    slow.answer("apply", lost=True)
    slow.answer("load", fail=True)
    slow.advance(1)
    slow.answer_all()

    assert slow.told("Transfer")[-1] == ("Transfer", "t3", "r1/1", 1, 2)


def test_a_run_is_loaded_again_by_one_who_tries(slow: Bench) -> None:
    slow.begin()
    slow.answer("apply", lost=True)
    slow.answer("load", fail=True)
    slow.advance(1)
    slow.answer("load", fail=True)
    slow.advance(1)
    slow.answer("load", fail=True)

    assert slow.asked() == []
    assert len(slow.loop.due_times()) == 1


def test_a_row_that_another_changed_is_loaded_again_before_the_next_try(slow: Bench) -> None:
    """Nobody else has the range id, so nobody does; a shard that is wrong about that stays right about the row."""
    draft = Draft(begun(slow).execution())
    draft.start_timer(Timer("tea", 100.0))
    slow.ask(slow.store.apply(0, 1, draft.change()))
    slow.answer_all()
    refused = slow.ask(slow.shard.terminate_workflow(RunId("r1")))
    slow.answer("apply")
    slow.answer("load")
    again = slow.ask(slow.shard.terminate_workflow(RunId("r1")))
    slow.answer_all()

    assert isinstance(refused.exception(), Unavailable)
    assert again.result() is None
    assert slow.told("Close") == [("Close", "r1/1")]
