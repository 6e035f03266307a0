"""What the transfer queue's processor does with each answer of Matching and of the store."""

import itertools
from random import Random

import pytest

from matching.history.backoff import Backoff
from matching.identity import EventId, Item, RunId, TaskId
from matching.starts import StartOutcome
from tests.history.bench import Bench
from tests.history.played import Fate

ITEM = Item(EventId("r1/1"), 1, 0)


def test_an_intent_stays_until_matching_has_accepted_it(bench: Bench) -> None:
    bench.matching.fates.appendleft(Fate.HANGING)
    bench.begin()
    before = bench.intents, bench.shard.in_transfer
    bench.matching.hanging[TaskId("t1")].set_result(None)
    bench.loop.run()

    assert before == ([ITEM], (ITEM,))
    assert (bench.intents, bench.shard.in_transfer) == ([], ())
    assert bench.told("RemoveIntent") == [("RemoveIntent", "t1")]


@pytest.mark.parametrize("fate", [Fate.REFUSED, Fate.UNANSWERED, Fate.STORED_UNANSWERED])
def test_an_intent_that_was_not_accepted_is_brought_again_as_another_task(bench: Bench, fate: Fate) -> None:
    bench.matching.fates.appendleft(fate)
    bench.begin()
    bench.advance(0.1)

    assert bench.told("Transfer", "RemoveIntent") == [
        ("Transfer", "t1", "r1/1", 1, 0),
        ("Transfer", "t2", "r1/1", 1, 0),
        ("RemoveIntent", "t2"),
    ]


def test_an_intent_has_at_most_one_add_under_way(bench: Bench) -> None:
    bench.matching.fates.appendleft(Fate.HANGING)
    bench.begin()
    bench.ask(bench.shard.terminate_workflow(RunId("r1"))).result()
    bench.advance(60)

    assert bench.told("Transfer") == [("Transfer", "t1", "r1/1", 1, 0)]


@pytest.mark.parametrize("fate", [Fate.HANGING, Fate.REFUSED])
def test_an_intent_that_is_not_accepted_yet_blocks_no_other(bench: Bench, fate: Fate) -> None:
    bench.matching.fates.appendleft(fate)
    bench.begin("r1")
    bench.begin("r2")

    assert bench.told("RemoveIntent") == [("RemoveIntent", "t2")]


def test_an_intent_that_was_started_before_the_answer_came_is_removed_all_the_same(bench: Bench) -> None:
    bench.matching.fates.appendleft(Fate.HANGING)
    bench.begin()
    started = bench.offer("t1").result()
    bench.matching.hanging[TaskId("t1")].set_result(None)
    bench.loop.run()

    assert started is StartOutcome.STARTED
    assert bench.told("RecordStart", "RemoveIntent") == [
        ("RecordStart", "r1/1", 1, 0, 1),
        ("RemoveIntent", "t1"),
    ]


def test_an_intent_that_does_not_count_any_more_is_discarded(bench: Bench) -> None:
    bench.matching.fates.appendleft(Fate.REFUSED)
    bench.begin()
    bench.ask(bench.shard.terminate_workflow(RunId("r1"))).result()
    bench.advance(1)

    assert bench.told("Transfer", "DiscardIntent") == [
        ("Transfer", "t1", "r1/1", 1, 0),
        ("DiscardIntent", "r1/1", 1, 0),
    ]
    assert bench.intents == []


def test_where_no_task_id_is_free_the_intent_waits(bench: Bench) -> None:
    bench.task_ids.giving = False
    bench.begin()
    bench.advance(1)
    before = bench.told("Transfer")
    bench.task_ids.giving = True
    bench.advance(2)

    assert before == []
    assert bench.told("RemoveIntent") == [("RemoveIntent", "t1")]


@pytest.mark.parametrize("fail", [True, False], ids=["not applied", "applied"])
def test_an_uncertain_removal_is_tried_again_and_the_task_is_not_added_again(slow: Bench, fail: bool) -> None:
    slow.begin()
    slow.answer("apply")
    slow.answer("apply", fail=fail, lost=True)
    slow.answer("load", fail=True)
    slow.advance(1)
    slow.answer_all()
    slow.advance(1)
    slow.answer_all()

    assert slow.told("Transfer", "RemoveIntent") == [("Transfer", "t1", "r1/1", 1, 0), ("RemoveIntent", "t1")]
    assert slow.intents == []


def test_waits_double_up_to_a_limit_and_are_shortened_by_chance_alone(bench: Bench) -> None:
    bench.matching.fates.extendleft([Fate.REFUSED] * 12)
    moments: list[float] = []
    bench.loop.after_callback = lambda: moments.append(bench.loop.time())
    bench.begin()
    bench.advance(100)
    waits = [later - earlier for earlier, later in itertools.pairwise(sorted(set(moments)))]
    whole = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10.0, 10.0, 10.0, 10.0, 10.0]

    assert [0.8 <= wait / most <= 1.0 for wait, most in zip(waits, whole, strict=False)] == [True] * 12
    assert len({wait / most for wait, most in zip(waits, whole, strict=False)}) > 1


def test_a_very_long_row_of_failures_still_has_a_wait(bench: Bench) -> None:
    waited = bench.ask(Backoff(Random(1), first=0.1, most=10.0).wait(10**9))
    bench.advance(10)

    assert waited.done()
