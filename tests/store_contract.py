"""The tests that every store of the backlog must pass, whatever it keeps its records in.

A store joins by a subclass of `StoreContract` with a fixture ``bench``; one whose
records outlive the store joins by `DurableStoreContract`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import pytest

from matching.errors import StoreError
from matching.identity import Host, Owner, PartitionKey, TaskId, TaskType, Version
from matching.requests import Task
from matching.store import BacklogStore

__all__ = ["ACTIVITIES", "ORDERS", "OWNER", "Bench", "DurableStoreContract", "StoreContract", "task"]

ORDERS = PartitionKey("shop", "orders", TaskType.WORKFLOW)
ACTIVITIES = PartitionKey("shop", "orders", TaskType.ACTIVITY)
OWNER = Owner(Host("h1"), ORDERS, 1)

T = TypeVar("T")
Step = tuple[str | int | tuple[str, ...], ...]


class Bench(Protocol):
    """Where one store is tried out: it opens the store, runs a story with it, and closes it."""

    told: list[Step]
    """What the store's probe was told, in order."""

    def run(self, story: Callable[[BacklogStore], Awaitable[T]]) -> T: ...


def task(name: str, partition: PartitionKey = ORDERS, version: str = "unversioned") -> Task:
    return Task(TaskId(name), partition, Version(version))


class StoreContract:
    """What holds of every store."""

    def test_a_partition_without_records_reads_as_nothing(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            return await store.read(OWNER)

        assert bench.run(story) == []

    def test_a_record_gives_back_everything_that_its_task_had(self, bench: Bench) -> None:
        partition = PartitionKey("shop", "orders/éu", TaskType.ACTIVITY, 7)
        whole = task("t1", partition, "v2")

        async def story(store: BacklogStore) -> list[Task]:
            await store.append(whole)
            return await store.read(Owner(Host("h1"), partition, 1))

        assert bench.run(story) == [whole]

    def test_records_are_read_in_the_order_of_their_commits(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            for name in ("t3", "t1", "t2"):
                await store.append(task(name))
            return await store.read(OWNER)

        assert bench.run(story) == [task("t3"), task("t1"), task("t2")]

    def test_records_written_at_once_are_read_in_the_order_in_which_they_were_told(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            await asyncio.gather(*(store.append(task(f"t{number}")) for number in range(20)))
            return await store.read(OWNER)

        read = bench.run(story)

        assert [("CommitWrite", record.task_id) for record in read] == bench.told[:20]

    def test_a_read_leaves_the_records_where_they_are(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> tuple[list[Task], list[Task]]:
            await store.append(task("t1"))
            return await store.read(OWNER), await store.read(OWNER)

        assert bench.run(story) == ([task("t1")], [task("t1")])

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
    def test_a_partition_reads_its_own_records_only(self, bench: Bench, other: PartitionKey) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            await store.append(task("t1", other))
            await store.append(task("t2"))
            return await store.read(OWNER)

        assert bench.run(story) == [task("t2")]

    def test_a_later_generation_reads_what_an_earlier_one_read(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            await store.append(task("t1"))
            await store.read(OWNER)
            return await store.read(Owner(Host("h1"), ORDERS, 2))

        assert bench.run(story) == [task("t1")]

    def test_a_task_that_is_appended_again_has_one_record_at_its_first_place(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            for name in ("t1", "t2", "t1"):
                await store.append(task(name))
            return await store.read(OWNER)

        assert bench.run(story) == [task("t1"), task("t2")]

    def test_a_task_id_that_has_a_record_of_another_task_is_refused(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            await store.append(task("t1"))
            with pytest.raises(StoreError):
                await store.append(task("t1", ACTIVITIES))
            return await store.read(OWNER)

        read = bench.run(story)

        assert read == [task("t1")]
        assert bench.told[:2] == [("CommitWrite", "t1"), ("FailWrite", "t1")]

    def test_a_deleted_record_is_gone_and_the_others_stay(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            await store.append(task("t1"))
            await store.append(task("t2"))
            await store.delete(OWNER, TaskId("t1"))
            return await store.read(OWNER)

        assert bench.run(story) == [task("t2")]

    def test_deleting_what_is_gone_already_is_no_error(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            await store.append(task("t1"))
            await store.delete(OWNER, TaskId("t1"))
            await store.delete(OWNER, TaskId("t1"))
            return await store.read(OWNER)

        assert bench.run(story) == []

    def test_an_owner_deletes_records_of_its_own_partition_only(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            await store.append(task("t1"))
            await store.delete(Owner(Host("h1"), ACTIVITIES, 1), TaskId("t1"))
            return await store.read(OWNER)

        assert bench.run(story) == [task("t1")]

    def test_a_deleted_task_may_be_appended_again_and_comes_last(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            await store.append(task("t1"))
            await store.append(task("t2"))
            await store.delete(OWNER, TaskId("t1"))
            await store.append(task("t1"))
            return await store.read(OWNER)

        assert bench.run(story) == [task("t2"), task("t1")]

    def test_each_effect_is_told_before_its_call_returns(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Step]:
            await store.append(task("t1"))
            written = bench.told[-1]
            await store.read(OWNER)
            served = bench.told[-1]
            await store.delete(OWNER, TaskId("t1"))
            return [written, served, bench.told[-1]]

        assert bench.run(story) == [
            ("CommitWrite", "t1"),
            ("ServeRead", "h1", "shop/orders/workflow/0"),
            ("CommitDelete", "t1", "h1", 1),
        ]

    def test_nothing_else_is_told(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> None:
            await store.append(task("t1"))
            await store.read(OWNER)
            await store.delete(OWNER, TaskId("t1"))

        bench.run(story)

        assert [step[0] for step in bench.told] == ["CommitWrite", "ServeRead", "CommitDelete"]

    def test_a_write_whose_caller_has_left_takes_effect_and_is_told(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            await _left(store.append(task("t1")))
            return await store.read(OWNER)

        read = bench.run(story)

        assert read == [task("t1")]
        assert bench.told[0] == ("CommitWrite", "t1")

    def test_a_delete_whose_caller_has_left_takes_effect_and_is_told(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> list[Task]:
            await store.append(task("t1"))
            await _left(store.delete(OWNER, TaskId("t1")))
            return await store.read(OWNER)

        read = bench.run(story)

        assert read == []
        assert bench.told[1] == ("CommitDelete", "t1", "h1", 1)

    def test_a_read_that_nobody_waits_for_is_told_to_nobody(self, bench: Bench) -> None:
        async def story(store: BacklogStore) -> None:
            await _left(store.read(OWNER))
            await store.append(task("t1"))

        bench.run(story)

        assert bench.told == [("CommitWrite", "t1")]


class DurableStoreContract(StoreContract):
    """What holds besides of a store whose records outlive it: each ``run`` opens it anew."""

    def test_a_record_outlives_its_store(self, bench: Bench) -> None:
        async def first(store: BacklogStore) -> None:
            await store.append(task("t2"))
            await store.append(task("t1"))

        async def second(store: BacklogStore) -> list[Task]:
            return await store.read(OWNER)

        bench.run(first)

        assert bench.run(second) == [task("t2"), task("t1")]

    def test_a_delete_outlives_its_store(self, bench: Bench) -> None:
        async def first(store: BacklogStore) -> None:
            await store.append(task("t1"))
            await store.delete(OWNER, TaskId("t1"))

        async def second(store: BacklogStore) -> list[Task]:
            return await store.read(OWNER)

        bench.run(first)

        assert bench.run(second) == []

    def test_a_record_written_after_a_reopening_comes_last(self, bench: Bench) -> None:
        async def first(store: BacklogStore) -> None:
            await store.append(task("t1"))
            await store.append(task("t2"))
            await store.delete(OWNER, TaskId("t2"))

        async def second(store: BacklogStore) -> list[Task]:
            await store.append(task("t0"))
            return await store.read(OWNER)

        bench.run(first)

        assert bench.run(second) == [task("t1"), task("t0")]


async def _left(call: Awaitable[object]) -> None:
    """Make a call, and leave as soon as the store has been asked."""
    caller = asyncio.ensure_future(call)
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
