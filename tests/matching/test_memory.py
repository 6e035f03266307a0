"""A generation's memory: what a read brings in, in which order records are offered, and how far it is done."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matching.identity import PartitionKey, TaskId, TaskType
from matching.memory import BacklogMemory
from matching.requests import Task
from matching.store import Batch, Record

PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)


def a_record(record_id: int) -> Record:
    return Record(record_id, Task(TaskId(f"t{record_id}"), PARTITION))


R1, R2, R3 = map(a_record, (1, 2, 3))


@pytest.fixture
def memory() -> BacklogMemory:
    """A memory into which a read brought the records 1, 2 and 3."""
    memory = BacklogMemory()
    memory.bring_in(Batch((R1, R2, R3), upto=3))
    return memory


def ids(memory: BacklogMemory) -> list[int]:
    return [record.record_id for record in memory.available()]


def finish(memory: BacklogMemory, *records: Record) -> None:
    for record in records:
        memory.hold(record)
        memory.finish(record)


def test_records_are_offered_in_the_order_of_their_ids(memory: BacklogMemory) -> None:
    assert ids(memory) == [1, 2, 3]


def test_the_first_that_suits_is_the_oldest_that_suits(memory: BacklogMemory) -> None:
    assert memory.first(lambda task: task is not R1.task) is R2


def test_nothing_suits_where_nothing_is_available(memory: BacklogMemory) -> None:
    memory.clear()

    assert memory.first(lambda task: True) is None


def test_a_held_record_is_not_offered_and_not_finished(memory: BacklogMemory) -> None:
    memory.hold(R2)

    assert ids(memory) == [1, 3]
    assert memory.unfinished == 3


def test_a_released_record_is_offered_at_its_old_place(memory: BacklogMemory) -> None:
    memory.hold(R1)
    memory.hold(R2)
    memory.release(R2)
    memory.release(R1)

    assert ids(memory) == [1, 2, 3]


def test_a_postponed_record_is_offered_behind_the_others(memory: BacklogMemory) -> None:
    memory.hold(R1)
    memory.postpone(R1)

    assert ids(memory) == [2, 3, 1]


def test_what_a_later_read_brings_in_stands_behind_what_was_there(memory: BacklogMemory) -> None:
    memory.hold(R3)
    memory.bring_in(Batch((a_record(5),), upto=6))
    memory.release(R3)

    assert ids(memory) == [1, 2, 3, 5]


def test_a_read_goes_on_behind_what_was_read_also_where_no_record_is(memory: BacklogMemory) -> None:
    memory.bring_in(Batch((), upto=9))

    assert memory.read_level == 9
    with pytest.raises(AssertionError):
        memory.bring_in(Batch((a_record(9),), upto=10))


def test_the_ack_level_stands_before_the_first_record_that_is_not_finished(memory: BacklogMemory) -> None:
    finish(memory, R2)
    early = memory.ack_level
    finish(memory, R1)

    assert early == 0
    assert memory.ack_level == 2


def test_the_ack_level_jumps_gaps_once_everything_before_is_finished(memory: BacklogMemory) -> None:
    memory.bring_in(Batch((a_record(7),), upto=8))
    finish(memory, R1, R2, R3)
    early = memory.ack_level
    finish(memory, a_record(7))

    assert early == 6
    assert memory.ack_level == 8


def test_a_held_record_holds_the_ack_level_back(memory: BacklogMemory) -> None:
    memory.hold(R1)
    finish(memory, R2, R3)

    assert memory.ack_level == 0


def test_a_generation_begins_behind_what_an_earlier_one_was_done_with() -> None:
    memory = BacklogMemory()
    memory.begin(4)

    assert (memory.read_level, memory.ack_level) == (4, 4)


def test_every_record_that_is_not_finished_is_known(memory: BacklogMemory) -> None:
    memory.hold(R1)
    finish(memory, R2)

    assert sorted(record.record_id for record in memory.known()) == [1, 3]


def test_a_generation_that_stopped_knows_nothing(memory: BacklogMemory) -> None:
    memory.hold(R1)
    memory.clear()

    assert list(memory.known()) == []
    assert memory.unfinished == 0


@given(st.permutations(range(1, 9)), st.integers(0, 8))
def test_in_whatever_order_records_are_finished_the_ack_level_never_passes_one_that_is_not(
    order: list[int], finished: int
) -> None:
    memory = BacklogMemory()
    memory.bring_in(Batch(tuple(map(a_record, range(1, 9))), upto=8))
    finish(memory, *map(a_record, order[:finished]))

    assert memory.ack_level == min(order[finished:], default=9) - 1
