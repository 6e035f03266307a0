"""The tests that every store of the backlog must pass, whatever it keeps its records in.

A store joins by a subclass of `StoreContract` with a fixture ``bench``; one whose
records outlive the store joins by `DurableStoreContract`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import pytest

from matching.errors import LeaseLost
from matching.identity import EventId, Host, Item, Owner, PartitionKey, TaskId, TaskType, Version
from matching.requests import Task
from matching.store import BacklogStore, Batch, Lease, Record

__all__ = ["ACTIVITIES", "ORDERS", "OTHER", "OWNER", "Bench", "DurableStoreContract", "Step", "StoreContract", "record"]

ORDERS = PartitionKey("shop", "orders", TaskType.WORKFLOW)
ACTIVITIES = PartitionKey("shop", "orders", TaskType.ACTIVITY)
OWNER = Owner(Host("h1"), ORDERS, 1)
OTHER = Owner(Host("h2"), ORDERS, 1)
NAME = "shop/orders/workflow/0"
MANY = 100

T = TypeVar("T")
Step = tuple[str | int | tuple[str, ...], ...]


class Bench(Protocol):
    """Where one store is tried out: it opens the store, runs a story with it, and closes it."""

    told: list[Step]
    """What the store's probe was told, in order."""

    def run(self, story: Callable[[BacklogStore], Awaitable[T]]) -> T: ...


def record(record_id: int, name: str | None = None, partition: PartitionKey = ORDERS) -> Record:
    """A record of a task that bears its id's number, such as t3."""
    return Record(record_id, Task(TaskId(name or f"t{record_id}"), partition))


class StoreContract:
    """What holds of every store."""

    # The lease

    def test_the_first_takeover_gets_range_id_one_and_no_ack_level(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Lease:
            return await store.take_lease(OWNER, 0)

        assert bench.run(story) == Lease(range_id=1, ack_level=0)

    def test_each_takeover_raises_the_range_id_by_one_whoever_held_it(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[int]:
            return [(await store.take_lease(owner, 0)).range_id for owner in (OWNER, OTHER, OTHER, OWNER)]

        assert bench.run(story) == [1, 2, 3, 4]

    def test_a_takeover_from_the_range_id_that_is_held_succeeds(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Lease:
            held = await store.take_lease(OWNER, 0)
            return await store.take_lease(OWNER, held.range_id)

        assert bench.run(story) == Lease(range_id=2, ack_level=0)

    @pytest.mark.parametrize("held", [1, 3])
    def test_a_takeover_from_another_range_id_has_no_effect(self, bench: Bench, held: int) -> None:
        async def story(store: BacklogStore) -> Lease:
            await store.take_lease(OWNER, 0)
            await store.take_lease(OTHER, 0)
            with pytest.raises(LeaseLost):
                await store.take_lease(OWNER, held)
            return await store.take_lease(OTHER, 2)

        assert bench.run(story) == Lease(range_id=3, ack_level=0)

    def test_a_lease_that_nobody_took_cannot_be_held(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Lease:
            with pytest.raises(LeaseLost):
                await store.take_lease(OWNER, 1)
            return await store.take_lease(OWNER, 0)

        assert bench.run(story) == Lease(range_id=1, ack_level=0)

    def test_takeovers_at_once_get_different_range_ids(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Lease]:
            return await asyncio.gather(*(store.take_lease(Owner(Host(f"h{n}"), ORDERS, 1), 0) for n in range(10)))

        assert sorted(lease.range_id for lease in bench.run(story)) == list(range(1, 11))

    # Fencing

    def test_a_write_under_a_range_id_that_was_raised_has_no_effect(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            await store.take_lease(OTHER, 0)
            with pytest.raises(LeaseLost):
                await store.append(OWNER, 1, [record(1), record(2)])
            return await store.read(OTHER, 0, 10, MANY)

        assert bench.run(story) == Batch((), upto=10)

    @pytest.mark.parametrize("range_id", [0, 2])
    def test_a_write_under_a_range_id_that_nobody_got_has_no_effect(self, bench: Bench, range_id: int) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            with pytest.raises(LeaseLost):
                await store.append(OWNER, range_id, [record(1)])
            return await store.read(OWNER, 0, 10, MANY)

        assert bench.run(story) == Batch((), upto=10)

    def test_a_write_before_any_takeover_has_no_effect(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            with pytest.raises(LeaseLost):
                await store.append(OWNER, 1, [record(1)])
            return await store.read(OWNER, 0, 10, MANY)

        assert bench.run(story) == Batch((), upto=10)

    def test_a_saving_under_a_range_id_that_was_raised_has_no_effect(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Lease:
            await store.take_lease(OWNER, 0)
            await store.take_lease(OTHER, 0)
            with pytest.raises(LeaseLost):
                await store.save_ack_level(OWNER, 1, 7)
            return await store.take_lease(OTHER, 2)

        assert bench.run(story) == Lease(range_id=3, ack_level=0)

    def test_the_lease_of_one_partition_fences_no_other(self, bench: Bench) -> None:
        other = Owner(Host("h2"), ACTIVITIES, 1)

        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            await store.take_lease(other, 0)
            await store.take_lease(other, 0)
            await store.append(OWNER, 1, [record(1)])
            return await store.read(OWNER, 0, 10, MANY)

        assert bench.run(story) == Batch((record(1),), upto=10)

    def test_whoever_was_fenced_may_still_read_and_delete(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> tuple[Batch, Batch]:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(1), record(2)])
            await store.take_lease(OTHER, 0)
            seen = await store.read(OWNER, 0, 10, MANY)
            await store.delete(OWNER, 1, 1)
            return seen, await store.read(OTHER, 0, 10, MANY)

        assert bench.run(story) == (Batch((record(1), record(2)), upto=10), Batch((record(2),), upto=10))

    # Records

    def test_a_record_gives_back_everything_that_its_task_had(self, bench: Bench) -> None:
        partition = PartitionKey("shop", "orders/éu", TaskType.ACTIVITY, 7)
        owner = Owner(Host("h1"), partition, 1)
        whole = Record(3, Task(TaskId("t1"), partition, Version("v2"), Item(EventId("e1"), attempt=2, stamp=5)))
        plain = Record(2**40, Task(TaskId("t2"), partition))

        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(owner, 0)
            await store.append(owner, 1, [whole, plain])
            return await store.read(owner, 0, 2**41, MANY)

        assert bench.run(story) == Batch((whole, plain), upto=2**41)

    def test_records_are_read_in_the_order_of_their_ids(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(9), record(10)])
            await store.append(OWNER, 1, [record(2)])
            return await store.read(OWNER, 0, 10, MANY)

        assert bench.run(story) == Batch((record(2), record(9), record(10)), upto=10)

    def test_a_read_leaves_the_records_where_they_are(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> tuple[Batch, Batch]:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(1)])
            return await store.read(OWNER, 0, 1, MANY), await store.read(OWNER, 0, 1, MANY)

        assert bench.run(story) == (Batch((record(1),), upto=1), Batch((record(1),), upto=1))

    @pytest.mark.parametrize(
        "other",
        [
            ACTIVITIES,
            PartitionKey("shop", "orders", TaskType.WORKFLOW, 1),
            PartitionKey("shop", "bills", TaskType.WORKFLOW),
            PartitionKey("depot", "orders", TaskType.WORKFLOW),
        ],
        ids=["type", "number", "family", "namespace"],
    )
    def test_a_partition_has_ids_levels_and_records_of_its_own(self, bench: Bench, other: PartitionKey) -> None:
        stranger = Owner(Host("h1"), other, 1)

        async def story(store: BacklogStore) -> tuple[Batch, Lease]:
            await store.take_lease(OWNER, 0)
            await store.take_lease(stranger, 0)
            await store.append(OWNER, 1, [record(1)])
            await store.append(stranger, 1, [record(1, "t9", other)])
            await store.save_ack_level(stranger, 1, 1)
            await store.delete(stranger, 1, 1)
            return await store.read(OWNER, 0, 10, MANY), await store.take_lease(OWNER, 0)

        assert bench.run(story) == (Batch((record(1),), upto=10), Lease(range_id=2, ack_level=0, records=1))

    # Batches

    def test_a_read_gives_what_lies_behind_where_it_begins_up_to_where_it_ends(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(number) for number in range(1, 8)])
            return await store.read(OWNER, 2, 5, MANY)

        assert bench.run(story) == Batch((record(3), record(4), record(5)), upto=5)

    def test_a_batch_that_is_cut_ends_at_its_last_record(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(2), record(4), record(6)])
            return await store.read(OWNER, 0, 10, limit=2)

        assert bench.run(story) == Batch((record(2), record(4)), upto=4)

    def test_a_batch_that_is_just_full_is_not_cut(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(2), record(4)])
            return await store.read(OWNER, 0, 10, limit=2)

        assert bench.run(story) == Batch((record(2), record(4)), upto=10)

    def test_batches_one_after_the_other_give_every_record_once(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Record]:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(3 * number) for number in range(1, 24)])
            return await _read_on(store, 0, 100, limit=5)

        assert bench.run(story) == [record(3 * number) for number in range(1, 24)]

    def test_a_partition_without_records_reads_as_nothing(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            return await store.read(OWNER, 3, 8, MANY)

        assert bench.run(story) == Batch((), upto=8)

    # Deletes and levels

    def test_a_delete_removes_the_records_up_to_its_id_and_no_others(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(1), record(2), record(4)])
            await store.delete(OWNER, 1, 3)
            return await store.read(OWNER, 0, 10, MANY)

        assert bench.run(story) == Batch((record(4),), upto=10)

    def test_deleting_what_is_gone_already_is_no_error(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(1)])
            await store.delete(OWNER, 1, 1)
            await store.delete(OWNER, 1, 1)
            return await store.read(OWNER, 0, 10, MANY)

        assert bench.run(story) == Batch((), upto=10)

    def test_a_takeover_tells_the_ack_level_that_was_saved_last(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Lease:
            await store.take_lease(OWNER, 0)
            await store.save_ack_level(OWNER, 1, 4)
            await store.save_ack_level(OWNER, 1, 7)
            return await store.take_lease(OTHER, 0)

        assert bench.run(story) == Lease(range_id=2, ack_level=7)

    def test_a_takeover_tells_how_many_records_are_behind_the_ack_level(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> tuple[Lease, Lease]:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(2), record(4), record(6)])
            await store.save_ack_level(OWNER, 1, 2)
            return await store.metadata(OWNER), await store.take_lease(OTHER, 0)

        assert bench.run(story) == (Lease(1, 2, records=2), Lease(2, 2, records=2))

    def test_a_takeover_leaves_records_and_ack_level_as_they_are(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> tuple[Lease, Batch]:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(1), record(2)])
            await store.save_ack_level(OWNER, 1, 1)
            await store.take_lease(OTHER, 0)
            return await store.take_lease(OWNER, 2), await store.read(OWNER, 0, 10, MANY)

        assert bench.run(story) == (Lease(range_id=3, ack_level=1, records=1), Batch((record(1), record(2)), upto=10))

    # What is told

    def test_each_effect_is_told_before_its_call_returns(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[list[Step]]:
            return [
                await _told_by(bench, store.take_lease(OWNER, 0)),
                await _told_by(bench, store.append(OWNER, 1, [record(1), record(2), record(3)])),
                await _told_by(bench, store.read(OWNER, 0, 9, limit=2)),
                await _told_by(bench, store.read(OWNER, 0, 9, MANY)),
                await _told_by(bench, store.save_ack_level(OWNER, 1, 2)),
                await _told_by(bench, store.delete(OWNER, 1, 2)),
            ]

        assert bench.run(story) == [
            [("TakeLease", "h1", NAME)],
            [("CommitWrite", "t1"), ("CommitWrite", "t2"), ("CommitWrite", "t3")],
            [("ServeRead", "h1", NAME, 2)],
            [("ServeRead", "h1", NAME, 9)],
            [("CommitSave", "h1", NAME, 1)],
            [("CommitDelete", NAME, 1, 2)],
        ]

    def test_what_is_fenced_is_told_as_fenced(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> None:
            await store.take_lease(OWNER, 0)
            await store.take_lease(OTHER, 0)
            with pytest.raises(LeaseLost):
                await store.take_lease(OWNER, 1)
            with pytest.raises(LeaseLost):
                await store.append(OWNER, 1, [record(1), record(2)])
            with pytest.raises(LeaseLost):
                await store.save_ack_level(OWNER, 1, 7)

        bench.run(story)

        assert bench.told[2:] == [
            ("FenceClaim", "h1", NAME),
            ("FenceWrite", "t1"),
            ("FenceWrite", "t2"),
            ("FenceSave", "h1", NAME, 1),
        ]

    def test_writes_at_once_are_told_in_the_order_in_which_they_were_asked(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            await asyncio.gather(*(store.append(OWNER, 1, [record(number)]) for number in range(1, 21)))
            return await store.read(OWNER, 0, 20, MANY)

        read = bench.run(story)

        assert [("CommitWrite", each.task.task_id) for each in read.records] == bench.told[1:21]

    # Callers that leave

    def test_a_takeover_whose_caller_has_left_takes_effect_and_is_told_as_adrift(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Lease:
            await _left(store.take_lease(OWNER, 0))
            return await store.take_lease(OTHER, 0)

        lease = bench.run(story)

        assert lease == Lease(range_id=2, ack_level=0)
        assert bench.told == [("TakeAdrift", NAME, 0), ("TakeLease", "h2", NAME)]

    def test_a_takeover_that_is_fenced_and_whose_caller_has_left_ends_adrift(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Lease:
            await store.take_lease(OWNER, 0)
            await store.take_lease(OTHER, 0)
            await _left(store.take_lease(OWNER, 1))
            return await store.take_lease(OTHER, 2)

        lease = bench.run(story)

        assert lease == Lease(range_id=3, ack_level=0)
        assert bench.told[2:] == [("EndAdrift", NAME, 1), ("TakeLease", "h2", NAME)]

    def test_a_write_whose_caller_has_left_takes_effect_and_is_told(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            await _left(store.append(OWNER, 1, [record(1)]))
            return await store.read(OWNER, 0, 1, MANY)

        read = bench.run(story)

        assert read == Batch((record(1),), upto=1)
        assert bench.told[1] == ("CommitWrite", "t1")

    def test_a_write_whose_caller_has_left_is_fenced_all_the_same(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            takeover = asyncio.ensure_future(store.take_lease(OTHER, 0))
            await asyncio.sleep(0)
            await _left(store.append(OWNER, 1, [record(1)]))
            await takeover
            return await store.read(OTHER, 0, 1, MANY)

        read = bench.run(story)

        assert read == Batch((), upto=1)
        assert bench.told[1:3] == [("TakeLease", "h2", NAME), ("FenceWrite", "t1")]

    def test_a_saving_whose_caller_has_left_takes_effect_and_is_told(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Lease:
            await store.take_lease(OWNER, 0)
            await _left(store.save_ack_level(OWNER, 1, 5))
            return await store.take_lease(OTHER, 0)

        lease = bench.run(story)

        assert lease == Lease(range_id=2, ack_level=5)
        assert bench.told[1] == ("CommitSave", "h1", NAME, 1)

    def test_a_delete_whose_caller_has_left_takes_effect_and_is_told(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> Batch:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(1)])
            await _left(store.delete(OWNER, 1, 1))
            return await store.read(OWNER, 0, 1, MANY)

        read = bench.run(story)

        assert read == Batch((), upto=1)
        assert bench.told[2] == ("CommitDelete", NAME, 1, 1)

    def test_a_read_that_nobody_waits_for_is_told_to_nobody(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> None:
            await _left(store.read(OWNER, 0, 1, MANY))
            await store.take_lease(OWNER, 0)

        bench.run(story)

        assert bench.told == [("TakeLease", "h1", NAME)]


class DurableStoreContract(StoreContract):
    """What holds besides of a store whose records outlive it: each ``run`` opens it anew."""

    def test_records_lease_and_ack_level_outlive_their_store(self, bench: Bench) -> None:
        async def first(store: BacklogStore) -> None:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(1), record(2)])
            await store.save_ack_level(OWNER, 1, 1)

        async def second(store: BacklogStore) -> tuple[Lease, Batch]:
            return await store.take_lease(OWNER, 1), await store.read(OWNER, 1, 9, MANY)

        bench.run(first)

        assert bench.run(second) == (Lease(range_id=2, ack_level=1, records=1), Batch((record(2),), upto=9))

    def test_a_delete_outlives_its_store(self, bench: Bench) -> None:
        async def first(store: BacklogStore) -> None:
            await store.take_lease(OWNER, 0)
            await store.append(OWNER, 1, [record(1)])
            await store.delete(OWNER, 1, 1)

        async def second(store: BacklogStore) -> Batch:
            return await store.read(OWNER, 0, 9, MANY)

        bench.run(first)

        assert bench.run(second) == Batch((), upto=9)

    def test_a_range_id_is_fenced_after_a_reopening_too(self, bench: Bench) -> None:
        async def first(store: BacklogStore) -> None:
            await store.take_lease(OWNER, 0)
            await store.take_lease(OTHER, 0)

        async def second(store: BacklogStore) -> Batch:
            with pytest.raises(LeaseLost):
                await store.append(OWNER, 1, [record(1)])
            await store.append(OTHER, 2, [record(2)])
            return await store.read(OTHER, 0, 9, MANY)

        bench.run(first)

        assert bench.run(second) == Batch((record(2),), upto=9)


async def _read_on(store: BacklogStore, after: int, upto: int, limit: int) -> list[Record]:
    """Read batch after batch until the end."""
    batch = await store.read(OWNER, after, upto, limit)
    rest = await _read_on(store, batch.upto, upto, limit) if batch.upto < upto else []
    return [*batch.records, *rest]


async def _told_by(bench: Bench, call: Awaitable[object]) -> list[Step]:
    """What is told from the call to its answer."""
    before = len(bench.told)
    await call
    return bench.told[before:]


async def _left(call: Awaitable[object]) -> None:
    """Make a call, and leave as soon as the store has been asked."""
    caller = asyncio.ensure_future(call)
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
