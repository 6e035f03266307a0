"""Workflows begin, are worked on and end; what dispatch is and is not."""

import pytest

from matching.errors import AlreadyExists, InvalidArgument, NotFound
from matching.history.commands import CompleteWorkflow, ScheduleActivity, StartTimer
from matching.history.store import Phase
from matching.identity import EventId, RunId
from matching.starts import StartOutcome
from tests.history.bench import ACTIVITY, WORKFLOW, Bench


def test_a_workflow_begins_with_a_workflow_task_that_is_brought_to_matching(bench: Bench) -> None:
    bench.begin().result()

    assert bench.referee.steps == [
        ("Schedule", "r1/1"),
        ("Transfer", "t1", "r1/1", 1, 0),
        ("Store", "t1"),
        ("AnswerAdd", "t1", "accepted"),
        ("RemoveIntent", "t1"),
    ]
    assert bench.intents == []


def test_a_run_cannot_begin_twice(bench: Bench) -> None:
    bench.begin()

    with pytest.raises(AlreadyExists):
        bench.begin().result()


def test_an_offered_task_is_started_and_completed_by_its_token(bench: Bench) -> None:
    bench.begin()
    outcome = bench.offer("t1").result()
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [CompleteWorkflow()])).result()

    assert outcome is StartOutcome.STARTED
    assert bench.told("RecordStart", "Complete") == [("RecordStart", "r1/1", 1, 0, 1), ("Complete", "r1/1", 1)]
    assert not bench.execution().open


def test_an_activity_stays_in_flight_while_another_workflow_completes(bench: Bench) -> None:
    bench.begin("r1")
    bench.offer("t1")
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [ScheduleActivity(ACTIVITY)]))
    bench.offer("t2")
    bench.begin("r2")
    bench.offer("t3")
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[2], [CompleteWorkflow()])).result()
    in_flight = bench.event("r1/2")
    bench.ask(bench.shard.complete_activity(bench.tokens[1])).result()

    assert in_flight.phase is Phase.STARTED
    assert bench.event("r1/2").phase is Phase.DONE
    assert bench.told("Complete")[-1] == ("Complete", "r1/2", 1)


def test_a_completed_activity_calls_for_a_workflow_task(bench: Bench) -> None:
    start_activity(bench)
    bench.ask(bench.shard.complete_activity(bench.tokens[1])).result()

    assert bench.told("Complete", "Schedule")[-2:] == [("Complete", "r1/2", 1), ("Schedule", "r1/3")]
    assert bench.event("r1/3").options == WORKFLOW


def test_one_pending_workflow_task_sees_all_that_happened_before_it_starts(bench: Bench) -> None:
    bench.begin()
    bench.offer("t1")
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [ScheduleActivity(ACTIVITY)] * 2))
    bench.offer("t2")
    bench.offer("t3")
    bench.ask(bench.shard.complete_activity(bench.tokens[1])).result()
    bench.ask(bench.shard.complete_activity(bench.tokens[2])).result()

    assert bench.told("Schedule")[3:] == [("Schedule", "r1/4")]


def test_what_happens_while_a_workflow_task_is_started_calls_for_the_next_one(bench: Bench) -> None:
    bench.begin()
    bench.offer("t1")
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [ScheduleActivity(ACTIVITY)] * 2))
    bench.offer("t2")
    bench.offer("t3")
    bench.ask(bench.shard.complete_activity(bench.tokens[1]))
    bench.offer("t4")
    bench.ask(bench.shard.complete_activity(bench.tokens[2]))
    before = bench.told("Schedule")
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[3], [])).result()

    assert before[-1] == ("Schedule", "r1/4")
    assert bench.told("Schedule")[-1] == ("Schedule", "r1/5")


def test_a_workflow_task_that_decides_nothing_leaves_the_workflow_asleep(bench: Bench) -> None:
    bench.begin()
    bench.offer("t1")
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [])).result()

    assert bench.told("Schedule") == [("Schedule", "r1/1")]
    assert bench.execution().open


def test_a_second_completion_by_the_same_token_is_refused(bench: Bench) -> None:
    start_activity(bench)
    bench.ask(bench.shard.complete_activity(bench.tokens[1]))

    with pytest.raises(NotFound):
        bench.ask(bench.shard.complete_activity(bench.tokens[1])).result()
    assert bench.told("RefuseComplete") == [("RefuseComplete", "r1/2", 1)]


def test_the_end_of_a_workflow_takes_its_open_activities_along(bench: Bench) -> None:
    start_activity(bench)
    bench.ask(bench.shard.terminate_workflow(RunId("r1"))).result()

    with pytest.raises(NotFound):
        bench.ask(bench.shard.complete_activity(bench.tokens[1])).result()
    assert bench.told("Close", "RefuseComplete") == [("Close", "r1/2"), ("RefuseComplete", "r1/2", 1)]
    assert bench.event("r1/1").phase is Phase.DONE


def test_a_workflow_ends_once(bench: Bench) -> None:
    bench.begin()
    bench.ask(bench.shard.terminate_workflow(RunId("r1"))).result()

    with pytest.raises(NotFound):
        bench.ask(bench.shard.terminate_workflow(RunId("r1"))).result()


def test_other_options_need_another_task_and_make_the_old_one_stale(bench: Bench) -> None:
    bench.begin()
    bench.ask(bench.shard.update_options(EventId("r1/1"), WORKFLOW)).result()

    assert bench.told("Restamp", "Transfer")[1:] == [("Restamp", "r1/1"), ("Transfer", "t2", "r1/1", 1, 1)]
    assert bench.offer("t1").result() is StartOutcome.OBSOLETE
    assert bench.offer("t2").result() is StartOutcome.STARTED


def test_options_do_not_change_once_the_event_is_started(bench: Bench) -> None:
    bench.begin()
    bench.offer("t1")

    with pytest.raises(NotFound):
        bench.ask(bench.shard.update_options(EventId("r1/1"), WORKFLOW)).result()


def test_an_event_keeps_its_kind(bench: Bench) -> None:
    bench.begin()

    with pytest.raises(InvalidArgument):
        bench.ask(bench.shard.update_options(EventId("r1/1"), ACTIVITY)).result()


def test_a_workflow_needs_a_partition_for_workflow_tasks(bench: Bench) -> None:
    with pytest.raises(InvalidArgument):
        bench.begin(options=ACTIVITY).result()


@pytest.mark.parametrize(
    "commands",
    [
        [CompleteWorkflow(), StartTimer("tea", 1.0)],
        [StartTimer("tea", 1.0), StartTimer("tea", 2.0)],
        [ScheduleActivity(WORKFLOW)],
    ],
    ids=["something after the end", "one timer twice", "an activity among workflow tasks"],
)
def test_a_workflow_task_with_commands_that_cannot_be_changes_nothing(bench: Bench, commands: list[object]) -> None:
    bench.begin()
    bench.offer("t1")
    before = bench.execution()

    with pytest.raises(InvalidArgument):
        bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], commands)).result()  # type: ignore[arg-type]
    assert bench.execution() == before


def test_a_token_is_for_its_own_kind_of_task(bench: Bench) -> None:
    bench.begin()
    bench.offer("t1")

    with pytest.raises(InvalidArgument):
        bench.ask(bench.shard.complete_activity(bench.tokens[0])).result()


def start_activity(bench: Bench) -> None:
    """A workflow has an activity, which is started: its token is the second."""
    bench.begin()
    bench.offer("t1")
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [ScheduleActivity(ACTIVITY)]))
    bench.offer("t2")
