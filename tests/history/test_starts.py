"""Start calls against a running shard: their answers, their callers, their order."""

import pytest

from matching.errors import InvalidArgument, Unavailable
from matching.identity import EventId, Item, TaskType
from matching.starts import StartOutcome
from tests.history.bench import Bench
from tests.history.played import Fate
from tests.history.test_workflows import start_activity


def test_the_same_request_again_is_started_again(slow: Bench) -> None:
    slow.begin()
    slow.answer_all()
    first = slow.offer("t1")
    first.cancel()
    slow.answer_all()
    again = slow.offer("t1")

    assert first.cancelled()
    assert again.result() is StartOutcome.STARTED
    assert slow.told("RecordStart") == [("RecordStart", "r1/1", 1, 0, 1)] * 2


def test_another_request_is_told_that_the_attempt_is_taken(bench: Bench) -> None:
    bench.matching.fates.extendleft([Fate.STORED_UNANSWERED])
    bench.begin()
    bench.advance(1)
    bench.offer("t1")

    assert bench.offer("t2", host="h2").result() is StartOutcome.ALREADY_STARTED
    assert bench.told("RefuseStart") == [("RefuseStart", "r1/1", 1, 0, 2, "taken")]


def test_an_event_that_is_over_is_not_found(bench: Bench) -> None:
    bench.matching.fates.extendleft([Fate.STORED_UNANSWERED])
    bench.begin()
    bench.advance(1)
    bench.offer("t1")
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], []))

    assert bench.offer("t2").result() is StartOutcome.NOT_FOUND
    assert bench.told("RefuseStart") == [("RefuseStart", "r1/1", 1, 0, 2, "gone")]


def test_a_start_whose_write_surely_failed_is_retryable_and_told_so(slow: Bench) -> None:
    slow.begin()
    slow.answer_all()
    call = slow.offer("t1")
    slow.answer("apply", fail=True)
    slow.answer("load")

    assert call.result() is StartOutcome.RETRYABLE
    assert slow.told("FailStart", "Keep") == [("FailStart", "r1/1", 1, 0, 1), ("Keep", "t1", "p1")]


def test_of_two_calls_at_once_one_starts_the_attempt(slow: Bench) -> None:
    slow.matching.fates.extendleft([Fate.STORED_UNANSWERED])
    slow.begin()
    slow.answer_all()
    slow.advance(1)
    slow.answer_all()
    calls = [slow.offer("t1", "p1", "h1"), slow.offer("t2", "p2", "h2")]
    asked = slow.asked()
    slow.answer_all()

    assert asked == ["apply"]
    assert [call.result() for call in calls] == [StartOutcome.STARTED, StartOutcome.ALREADY_STARTED]


def test_a_start_and_a_completion_wait_for_one_another(slow: Bench) -> None:
    slow.begin()
    slow.answer_all()
    slow.offer("t1")
    slow.answer_all()
    completion = slow.ask(slow.shard.complete_workflow_task(slow.tokens[0], []))
    late = slow.ask(slow.shard.record_started(TaskType.WORKFLOW, Item(EventId("r1/1"), 1, 0), 1), run=False)
    late.cancel()
    slow.answer_all()

    assert completion.done()
    assert late.cancelled()
    assert slow.told("RecordStart", "RefuseStart", "Complete")[1:] == [("Complete", "r1/1", 1)]


def test_one_slow_execution_holds_up_no_other(slow: Bench) -> None:
    slow.begin("r1")
    slow.begin("r2")
    slow.store.commit(slow.store.calls["apply r2#1"])
    slow.store.reply(slow.store.calls["apply r2#1"])
    slow.loop.run()

    assert slow.told("Schedule", "Transfer") == [("Schedule", "r2/1"), ("Transfer", "t1", "r2/1", 1, 0)]


def test_a_caller_that_leaves_before_its_turn_starts_nothing(slow: Bench) -> None:
    slow.matching.fates.extendleft([Fate.STORED_UNANSWERED])
    slow.begin()
    slow.answer_all()
    slow.advance(1)
    slow.answer_all()
    first, second = slow.offer("t1", "p1", "h1"), slow.offer("t2", "p2", "h2")
    second.cancel()
    slow.answer("apply", fail=True)
    slow.answer("load")

    assert first.result() is StartOutcome.RETRYABLE
    assert slow.asked() == []
    assert slow.told("RecordStart", "RefuseStart") == []


def test_a_caller_that_leaves_later_stops_nothing(slow: Bench) -> None:
    slow.begin()
    slow.answer_all()
    call = slow.offer("t1")
    call.cancel()
    slow.loop.run()
    slow.answer_all()

    assert slow.told("GiveBack", "RecordStart") == [("GiveBack", "t1", "p1"), ("RecordStart", "r1/1", 1, 0, 1)]
    assert [event.started_by for event in slow.shard.executions[0].events] == [1]


def test_an_event_of_the_other_kind_is_asked_wrongly(bench: Bench) -> None:
    start_activity(bench)

    with pytest.raises(InvalidArgument):
        bench.ask(bench.shard.record_started(TaskType.WORKFLOW, Item(EventId("r1/2"), 1, 0), 9)).result()


def test_a_shard_that_does_not_serve_yet_is_unavailable(slow: Bench) -> None:
    slow.shard.stop()
    slow.shard = slow.new_shard()
    call = slow.begin()

    assert isinstance(call.exception(), Unavailable)
