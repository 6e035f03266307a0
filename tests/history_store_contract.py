"""The tests that every store of History must pass, whatever it keeps its rows in.

A store joins by a subclass of `HistoryStoreContract` with a fixture ``bench``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import attrs
import pytest

from matching.errors import LeaseLost, RowChanged
from matching.history.draft import Draft
from matching.history.store import (
    Change,
    Contents,
    Execution,
    HistoryStore,
    Intent,
    Part,
    Phase,
    ScheduledEvent,
    TaskOptions,
    Timer,
)
from matching.identity import EventId, Item, PartitionKey, RunId, TaskId, Version

__all__ = ["HistoryBench", "HistoryStoreContract", "Step"]

T = TypeVar("T")
Step = tuple[str | int | tuple[str, ...], ...]

RUN, OTHER_RUN = RunId("orders/2026 r1"), RunId("r2")
WORKFLOW = TaskOptions(PartitionKey.parse("shop/orders/workflow/0"))
ACTIVITY = TaskOptions(PartitionKey.parse("shop/orders/activity/3"), Version("v2"), 0.25, 1.5, 3)


class HistoryBench(Protocol):
    """Where one store is tried out: it opens the store, runs a story with it, and closes it."""

    told: list[Step]
    """What the store's probe was told, in order."""

    def run(self, story: Callable[[HistoryStore], Awaitable[T]]) -> T: ...


def begin(run_id: RunId = RUN) -> Change:
    """A change that makes a row, with one event and its intent."""
    return Draft.begin(run_id, WORKFLOW).change()


def rich(begun: Change) -> Change:
    """A change of every kind of thing that a row can hold."""
    draft = Draft(begun.execution)
    draft.record_start(draft.execution.events[0], 7)
    draft.complete(draft.execution.events[0])
    draft.schedule(ACTIVITY)
    draft.restamp(draft.execution.events[1], attrs.evolve(ACTIVITY, schedule_to_start=None, most_attempts=None))
    draft.record_start(draft.execution.events[1], 2**62)
    draft.start_timer(Timer("tea", 0.5))
    draft.start_timer(Timer("", 2.0))
    return draft.change()


class HistoryStoreContract:
    """What holds of every store."""

    # Who has the shard

    def test_each_takeover_raises_the_range_id_by_one(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> list[int]:
            return [await store.take_shard(0), await store.take_shard(0), await store.take_shard(0)]

        assert bench.run(story) == [1, 2, 3]

    def test_shards_are_taken_and_hold_rows_apart(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> tuple[int, Contents]:
            await store.apply(0, await store.take_shard(0), begin())
            return await store.take_shard(1), await store.load(1, 1)

        assert bench.run(story) == (1, Contents())

    def test_who_lost_the_shard_changes_nothing_and_is_told(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> Contents:
            await store.take_shard(0)
            await store.take_shard(0)
            with pytest.raises(LeaseLost):
                await store.apply(0, 1, begin())
            return await store.load(0, 2)

        assert bench.run(story) == Contents()
        assert bench.told == []

    def test_who_lost_the_shard_reads_nothing(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> None:
            await store.take_shard(0)
            await store.take_shard(0)
            with pytest.raises(LeaseLost):
                await store.load(0, 1)

        bench.run(story)

    def test_who_never_took_the_shard_changes_nothing(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> None:
            with pytest.raises(LeaseLost):
                await store.apply(0, 1, begin())

        bench.run(story)

    def test_the_next_owner_finds_what_the_one_before_left(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> Contents:
            await store.apply(0, await store.take_shard(0), begin())
            return await store.load(0, await store.take_shard(0))

        assert bench.run(story) == Contents((begin().execution,), begin().parts[0].added)

    # Changes

    def test_a_row_comes_back_as_it_was_written(self, bench: HistoryBench) -> None:
        change = rich(begin())

        async def story(store: HistoryStore) -> Contents:
            await store.apply(0, await store.take_shard(0), begin())
            await store.apply(0, 1, change)
            return await store.load(0, 1, RUN)

        assert bench.run(story).executions == (change.execution,)

    def test_a_closed_row_comes_back_as_it_was_written(self, bench: HistoryBench) -> None:
        draft = Draft(begin().execution)
        draft.close()
        change = draft.change()

        async def story(store: HistoryStore) -> Contents:
            await store.apply(0, await store.take_shard(0), begin())
            await store.apply(0, 1, change)
            return await store.load(0, 1)

        assert bench.run(story).executions == (change.execution,)

    @pytest.mark.parametrize("expected", [0, 2])
    def test_a_change_of_another_row_version_has_no_effect(self, bench: HistoryBench, expected: int) -> None:
        async def story(store: HistoryStore) -> Contents:
            await store.apply(0, await store.take_shard(0), begin())
            with pytest.raises(RowChanged):
                await store.apply(0, 1, attrs.evolve(begin(), expected=expected))
            return await store.load(0, 1)

        assert bench.run(story).executions == (begin().execution,)
        assert bench.told == [("Schedule", f"{RUN}/1")]

    def test_a_change_of_a_row_that_is_not_there_has_no_effect(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> Contents:
            await store.take_shard(0)
            with pytest.raises(RowChanged):
                await store.apply(0, 1, attrs.evolve(begin(), expected=1))
            return await store.load(0, 1)

        assert bench.run(story) == Contents()

    def test_of_two_changes_at_once_one_takes_effect(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> tuple[BaseException | None, ...]:
            await store.apply(0, await store.take_shard(0), begin())
            change = rich(begin())
            return await asyncio.gather(store.apply(0, 1, change), store.apply(0, 1, change), return_exceptions=True)

        answers = bench.run(story)

        assert [type(answer) for answer in answers if answer is not None] == [RowChanged]

    def test_a_change_keeps_to_its_own_row(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> tuple[Contents, Contents]:
            await store.apply(0, await store.take_shard(0), begin())
            await store.apply(0, 1, begin(OTHER_RUN))
            await store.apply(0, 1, rich(begin()))
            return await store.load(0, 1, OTHER_RUN), await store.load(0, 1)

        one, everything = bench.run(story)

        assert one == Contents((begin(OTHER_RUN).execution,), begin(OTHER_RUN).parts[0].added)
        assert [row.run_id for row in everything.executions] == [RUN, OTHER_RUN]

    def test_a_run_that_is_not_there_has_nothing(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> Contents:
            return await store.load(0, await store.take_shard(0), RUN)

        assert bench.run(story) == Contents()

    # Intents

    def test_intents_come_and_go_with_their_parts_and_keep_the_order_of_their_making(self, bench: HistoryBench) -> None:
        change = rich(begin())
        draft = Draft(change.execution)
        draft.remove_intent(Item(EventId(f"{RUN}/1"), 1, 0), TaskId("t1"))
        removal = draft.change()

        async def story(store: HistoryStore) -> Contents:
            await store.apply(0, await store.take_shard(0), begin())
            await store.apply(0, 1, change)
            await store.apply(0, 1, removal)
            return await store.load(0, 1)

        event = EventId(f"{RUN}/2")
        assert bench.run(story).intents == tuple(
            Intent(Item(event, 1, stamp), RUN, ACTIVITY.partition, ACTIVITY.version) for stamp in (0, 1)
        )

    def test_an_intent_can_come_and_go_in_one_change(self, bench: HistoryBench) -> None:
        draft = Draft.begin(RUN, WORKFLOW)
        draft.schedule(WORKFLOW)
        draft.discard_intent(draft.execution.events[0].item)
        change = draft.change()

        async def story(store: HistoryStore) -> Contents:
            await store.apply(0, await store.take_shard(0), change)
            return await store.load(0, 1)

        assert bench.run(story).intents == ()

    # What is told

    def test_the_steps_are_told_in_their_order_and_before_the_answer(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> list[Step]:
            await store.apply(0, await store.take_shard(0), begin())
            await store.apply(0, 1, rich(begin()))
            return list(bench.told)

        assert bench.run(story) == [
            ("Schedule", f"{RUN}/1"),
            ("RecordStart", f"{RUN}/1", 1, 0, 7),
            ("Complete", f"{RUN}/1", 1),
            ("Schedule", f"{RUN}/2"),
            ("Restamp", f"{RUN}/2"),
            ("RecordStart", f"{RUN}/2", 1, 1, 2**62),
        ]

    def test_a_part_that_is_no_step_is_not_told(self, bench: HistoryBench) -> None:
        event = ScheduledEvent(EventId("r2/1"), OTHER_RUN, ACTIVITY, Phase.DONE, 2, 1, 5)
        row = Execution(OTHER_RUN, 1, WORKFLOW, events=(event,))

        async def story(store: HistoryStore) -> Contents:
            await store.apply(0, await store.take_shard(0), Change(OTHER_RUN, 0, (Part((), row),)))
            return await store.load(0, 1)

        assert bench.run(story) == Contents((row,))
        assert bench.told == []

    # Callers

    def test_a_caller_that_leaves_stops_neither_a_takeover_nor_a_change(self, bench: HistoryBench) -> None:
        async def story(store: HistoryStore) -> Contents:
            await left(store.take_shard(0))
            await left(store.apply(0, 1, begin()))
            return await store.load(0, 1)

        assert bench.run(story).executions == (begin().execution,)


async def left(call: Awaitable[object]) -> None:
    """Make a call and leave it at its first wait."""
    task = asyncio.ensure_future(call)
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
