"""A shard ends, by a crash or by another's takeover, and another goes on from what is durable."""

from matching.errors import Unavailable
from matching.history.commands import StartTimer
from matching.history.shard import SHARD_TRANSITIONS, ShardState
from matching.identity import EventId, Item, RunId, TaskType
from matching.starts import StartOutcome
from tests.history.bench import WORKFLOW, Bench
from tests.history.played import Fate


def test_an_intent_that_was_not_accepted_is_brought_after_a_restart(bench: Bench) -> None:
    bench.matching.fates.appendleft(Fate.HANGING)
    bench.begin()
    bench.restart()

    assert bench.told("Transfer", "AnswerAdd", "RemoveIntent") == [
        ("Transfer", "t1", "r1/1", 1, 0),
        ("AnswerAdd", "t1", "lost"),
        ("Transfer", "t2", "r1/1", 1, 0),
        ("AnswerAdd", "t2", "accepted"),
        ("RemoveIntent", "t2"),
    ]


def test_a_start_is_known_after_a_restart(bench: Bench) -> None:
    bench.matching.fates.appendleft(Fate.STORED_UNANSWERED)
    bench.begin()
    bench.advance(1)
    bench.offer("t1")
    bench.restart()

    assert bench.offer("t2").result() is StartOutcome.ALREADY_STARTED
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [])).result()


def test_time_outs_are_awaited_anew_after_a_restart(bench: Bench) -> None:
    bench.begin()
    bench.offer("t1")
    bench.advance(6)
    bench.restart()
    bench.advance(6)
    before = bench.told("TryAgain")
    bench.advance(4)

    assert before == []
    assert bench.told("TryAgain") == [("TryAgain", "r1/1")]


def test_timers_are_awaited_anew_after_a_restart(bench: Bench) -> None:
    bench.begin()
    bench.offer("t1")
    bench.ask(bench.shard.complete_workflow_task(bench.tokens[0], [StartTimer("tea", 3.0)])).result()
    bench.restart()
    bench.advance(3)

    assert bench.told("Schedule") == [("Schedule", "r1/1"), ("Schedule", "r1/2")]


def test_after_a_stop_nothing_is_told_and_everything_is_unavailable(bench: Bench) -> None:
    bench.matching.fates.append(Fate.REFUSED)
    bench.begin("r1")
    bench.begin("r2")
    bench.offer("t1")
    bench.shard.stop()
    bench.shard.stop()
    bench.loop.run()
    timers = bench.loop.due_times()
    steps = list(bench.referee.steps)
    late = bench.ask(bench.shard.record_started(TaskType.WORKFLOW, Item(EventId("r1/1"), 1, 0), 5))
    bench.advance(100)

    assert timers == []
    assert isinstance(late.exception(), Unavailable)
    assert bench.referee.steps == steps
    assert bench.shard.state is ShardState.STOPPED


def test_callers_of_a_shard_that_stops_are_answered(slow: Bench) -> None:
    call = slow.begin()
    slow.shard.stop()
    slow.loop.run()

    assert isinstance(call.exception(), Unavailable)
    assert slow.told("Schedule") == []


def test_a_stop_is_waited_for(slow: Bench) -> None:
    slow.begin()
    slow.shard.stop()
    stopped = slow.ask(slow.shard.stopped())

    assert stopped.result() is None


def test_a_change_that_a_stopped_shard_asked_for_still_takes_effect(slow: Bench) -> None:
    slow.begin()
    slow.shard.stop()
    slow.loop.run()
    slow.answer("apply")
    slow.shard = slow.new_shard()
    slow.answer_all()

    assert slow.told("Schedule", "RemoveIntent") == [("Schedule", "r1/1"), ("RemoveIntent", "t1")]


def test_a_change_that_comes_after_the_takeover_has_no_effect(slow: Bench) -> None:
    slow.begin()
    old = next(slow.store.waiting())
    slow.shard.stop()
    slow.loop.run()
    slow.shard = slow.new_shard()
    slow.answer("take")
    slow.store.commit(old)
    slow.store.reply(old)
    slow.answer_all()

    assert slow.told("Schedule") == []
    assert slow.shard.executions == ()


def test_a_shard_that_was_taken_over_stops_by_itself(bench: Bench) -> None:
    old = bench.shard
    bench.begin()
    bench.shard = bench.new_shard()
    steps = list(bench.referee.steps)
    call = bench.ask(old.start_workflow(RunId("r2"), WORKFLOW))

    assert isinstance(call.exception(), Unavailable)
    assert old.state is ShardState.STOPPED
    assert bench.referee.steps == steps


def test_a_late_takeover_of_a_stopped_shard_object_costs_the_shard_only_time(taking: Bench) -> None:
    adrift = next(taking.store.waiting())
    taking.restart()
    taking.store.commit(taking.store.calls["take shard 0 2"])
    taking.store.reply(taking.store.calls["take shard 0 2"])
    taking.store.commit(adrift)
    taking.store.reply(adrift)
    taking.loop.run()
    taking.answer_all()
    taking.begin()
    taking.answer_all()

    assert taking.shard.state is ShardState.SERVING
    assert taking.told("RemoveIntent") == [("RemoveIntent", "t1")]


def test_a_takeover_of_which_nobody_knows_is_tried_again(taking: Bench) -> None:
    taking.answer("take", lost=True)
    taking.advance(1)
    taking.answer("take")
    taking.answer("load", fail=True)
    taking.advance(1)
    taking.answer("take")
    taking.answer("load")

    assert taking.shard.state is ShardState.SERVING


def test_a_shard_says_when_it_serves(taking: Bench) -> None:
    ready = taking.ask(taking.shard.ready())
    before = ready.done()
    taking.answer_all()

    assert not before
    assert ready.result() is None


def test_who_waits_for_a_shard_that_stops_is_told(taking: Bench) -> None:
    ready = taking.ask(taking.shard.ready())
    taking.shard.stop()
    taking.loop.run()

    assert isinstance(ready.exception(), Unavailable)


def test_the_life_cycle_of_a_shard_is_told_for_every_state() -> None:
    assert set(SHARD_TRANSITIONS) == set(ShardState)
    assert SHARD_TRANSITIONS[ShardState.STOPPED] == frozenset()
