"""Time-outs and timers, on a clock that moves when the test says so."""

from typing import Any

import attrs
import pytest

from matching.errors import NotFound
from matching.history.commands import CompleteWorkflow, ScheduleActivity, StartTimer
from matching.identity import EventId
from matching.starts import StartOutcome
from tests.history.bench import ACTIVITY, WORKFLOW, Bench
from tests.history.played import Fate


def schedule_activity(bench: Bench, **options: Any) -> None:
    """A workflow has an activity with these options, of which Matching has the task t2."""
    bench.begin()
    bench.offer("t1")
    activity = ScheduleActivity(attrs.evolve(ACTIVITY, **options))
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [activity])).result()


def test_a_started_attempt_that_takes_too_long_is_tried_again(bench: Bench) -> None:
    schedule_activity(bench, start_to_close=5.0)
    bench.offer("t2")
    bench.advance(4.9)
    early = bench.told("TryAgain")
    bench.advance(0.1)

    assert early == []
    assert bench.told("TryAgain", "Transfer")[2:] == [("TryAgain", "r1/2"), ("Transfer", "t3", "r1/2", 2, 0)]
    assert bench.offer("t3").result() is StartOutcome.STARTED


def test_a_late_worker_is_refused_and_the_next_attempts_worker_is_not(bench: Bench) -> None:
    schedule_activity(bench, start_to_close=5.0)
    bench.offer("t2")
    bench.advance(5)
    bench.offer("t3")

    with pytest.raises(NotFound):
        bench.ask(bench.shard.complete_activity(bench.tokens[1])).result()
    bench.ask(bench.shard.complete_activity(bench.tokens[2])).result()
    assert bench.told("RefuseComplete", "Complete")[1:] == [
        ("RefuseComplete", "r1/2", 1),
        ("Complete", "r1/2", 2),
    ]


def test_the_last_attempt_that_takes_too_long_is_given_up_and_the_workflow_learns_it(bench: Bench) -> None:
    schedule_activity(bench, start_to_close=5.0, most_attempts=2)
    bench.offer("t2")
    bench.advance(5)
    bench.offer("t3")
    bench.advance(5)

    assert bench.told("TryAgain", "GiveUp", "Schedule")[2:] == [
        ("TryAgain", "r1/2"),
        ("GiveUp", "r1/2"),
        ("Schedule", "r1/3"),
    ]


def test_an_attempt_that_nobody_starts_in_time_is_given_up(bench: Bench) -> None:
    schedule_activity(bench, schedule_to_start=3.0)
    bench.advance(3)

    assert bench.told("GiveUp") == [("GiveUp", "r1/2")]
    assert bench.offer("t2").result() is StartOutcome.NOT_FOUND


def test_a_start_ends_the_wait_for_it(bench: Bench) -> None:
    schedule_activity(bench, schedule_to_start=3.0, start_to_close=100.0)
    bench.offer("t2")
    bench.advance(50)

    assert bench.told("GiveUp", "TryAgain") == []


def test_a_completion_ends_the_wait_for_it(bench: Bench) -> None:
    schedule_activity(bench, start_to_close=5.0)
    bench.offer("t2")
    bench.ask(bench.shard.complete_activity(bench.tokens[1])).result()

    assert bench.loop.due_times() == []


def test_a_wait_goes_on_while_the_execution_changes_otherwise(bench: Bench) -> None:
    bench.begin()
    bench.offer("t1")
    slow, quick = attrs.evolve(ACTIVITY, start_to_close=5.0), ACTIVITY
    commands = [ScheduleActivity(slow), ScheduleActivity(quick)]
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], commands))
    bench.offer("t2")
    bench.offer("t3")
    bench.advance(4)
    bench.ask(bench.shard.complete_activity(bench.tokens[2])).result()
    bench.advance(1)

    assert bench.told("TryAgain") == [("TryAgain", "r1/2")]


def test_a_workflow_task_that_takes_too_long_is_tried_again_without_end(bench: Bench) -> None:
    bench.begin()
    bench.offer("t1")
    bench.advance(10)
    bench.offer("t2")
    bench.advance(10)

    assert bench.told("TryAgain") == [("TryAgain", "r1/1")] * 2


def test_a_workflow_task_that_is_given_up_is_followed_by_another(bench: Bench) -> None:
    bench.begin(options=attrs.evolve(WORKFLOW, schedule_to_start=3.0))
    bench.advance(3)

    assert bench.told("GiveUp", "Schedule")[1:] == [("GiveUp", "r1/1"), ("Schedule", "r1/2")]


def test_other_options_begin_another_wait(bench: Bench) -> None:
    schedule_activity(bench, schedule_to_start=3.0)
    bench.advance(2)
    bench.ask(bench.shard.update_options(EventId("r1/2"), attrs.evolve(ACTIVITY, schedule_to_start=4.0))).result()
    bench.advance(3)
    before = bench.told("GiveUp")
    bench.advance(1)

    assert before == []
    assert bench.told("GiveUp") == [("GiveUp", "r1/2")]


def test_a_timer_wakes_the_workflow(bench: Bench) -> None:
    bench.begin()
    bench.offer("t1")
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [StartTimer("tea", 4.0)])).result()
    bench.advance(3.9)
    before = bench.told("Schedule")
    bench.advance(0.1)

    assert before == [("Schedule", "r1/1")]
    assert bench.told("Schedule")[1:] == [("Schedule", "r1/2")]
    assert bench.execution().timers == ()


def test_a_timer_of_a_workflow_that_is_over_does_nothing(bench: Bench) -> None:
    bench.begin()
    bench.offer("t1")
    bench.ask(
        bench.shard.complete_workflow_task(bench.tokens[0], [StartTimer("tea", 4.0), CompleteWorkflow()])
    ).result()
    before = bench.execution()
    bench.advance(10)

    assert bench.execution() == before


def test_a_timeout_and_a_completion_at_one_moment_do_not_both_count(slow: Bench) -> None:
    slow.begin()
    slow.answer_all()
    slow.offer("t1")
    slow.answer_all()
    completion = slow.ask(slow.shard.complete_workflow_task(slow.tokens[0], []))
    slow.advance(10)
    slow.answer_all()

    assert completion.result() is None
    assert slow.told("Complete", "TryAgain") == [("Complete", "r1/1", 1)]


def test_a_timeout_whose_change_was_not_confirmed_is_tried_again(slow: Bench) -> None:
    slow.begin()
    slow.answer_all()
    slow.offer("t1")
    slow.answer_all()
    slow.advance(10)
    slow.answer("apply", fail=True)
    slow.answer("load", fail=True)
    slow.advance(1)
    slow.answer_all()
    slow.advance(1)
    slow.answer_all()

    assert slow.told("TryAgain") == [("TryAgain", "r1/1")]


def test_a_timeout_that_was_applied_with_an_error_is_not_repeated(slow: Bench) -> None:
    slow.begin()
    slow.answer_all()
    slow.offer("t1")
    slow.answer_all()
    slow.advance(10)
    slow.answer("apply", lost=True)
    slow.answer("load", fail=True)
    slow.advance(5)
    slow.answer_all()
    slow.advance(5)

    assert slow.told("TryAgain") == [("TryAgain", "r1/1")]


def test_an_event_whose_time_ran_out_before_it_was_brought_is_not_brought(bench: Bench) -> None:
    bench.matching.fates.appendleft(Fate.REFUSED)
    bench.begin(options=attrs.evolve(WORKFLOW, schedule_to_start=0.05))
    bench.advance(0.12)

    assert bench.told("DiscardIntent")[0] == ("DiscardIntent", "r1/1", 1, 0)
    assert ("Transfer", "t1", "r1/1", 1, 0) in bench.told("Transfer")
    assert ("Transfer", "r1/1", 1, 0) not in [(step[0], *step[2:]) for step in bench.told("Transfer")[1:]]
