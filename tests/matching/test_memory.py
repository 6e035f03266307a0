"""A generation's memory: what a read brings in, what it does not, and in which order records are offered."""

import pytest

from matching.identity import PartitionKey, TaskId, TaskType
from matching.memory import BacklogMemory
from matching.requests import Task

PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)
T1, T2, T3 = (Task(TaskId(name), PARTITION) for name in ("t1", "t2", "t3"))


@pytest.fixture
def memory() -> BacklogMemory:
    """A memory into which a read brought t1, t2 and t3."""
    memory = BacklogMemory()
    memory.begin_read()
    memory.bring_in([T1, T2, T3])
    return memory


def names(memory: BacklogMemory) -> list[str]:
    return [task.task_id for task in memory.available()]


def test_records_are_offered_in_the_order_in_which_they_came(memory: BacklogMemory) -> None:
    assert names(memory) == ["t1", "t2", "t3"]


def test_the_first_that_suits_is_the_oldest_that_suits(memory: BacklogMemory) -> None:
    assert memory.first(lambda task: task is not T1) is T2


def test_nothing_suits_where_nothing_is_available(memory: BacklogMemory) -> None:
    memory.clear()

    assert memory.first(lambda task: True) is None


def test_a_held_record_is_not_offered(memory: BacklogMemory) -> None:
    memory.hold(T2)

    assert names(memory) == ["t1", "t3"]


def test_a_released_record_is_offered_at_its_old_place(memory: BacklogMemory) -> None:
    memory.hold(T1)
    memory.hold(T2)
    memory.release(T2)
    memory.release(T1)

    assert names(memory) == ["t1", "t2", "t3"]


def test_a_record_that_came_later_stays_behind_one_that_is_released(memory: BacklogMemory) -> None:
    later = Task(TaskId("t0"), PARTITION)
    memory.hold(T3)
    memory.bring_in([T1, T2, T3, later])
    memory.release(T3)

    assert names(memory) == ["t1", "t2", "t3", "t0"]


def test_a_second_read_brings_in_nothing_twice(memory: BacklogMemory) -> None:
    memory.hold(T1)
    memory.hold(T2)
    memory.hand_over(T2)
    memory.bring_in([T1, T2, T3])

    assert names(memory) == ["t3"]


def test_a_record_deleted_while_a_read_was_under_way_is_not_brought_back_by_it(memory: BacklogMemory) -> None:
    memory.hold(T1)
    memory.hand_over(T1)
    memory.begin_read()
    memory.confirm_delete(T1)
    memory.bring_in([T1, T2, T3])

    assert names(memory) == ["t2", "t3"]


def test_a_record_deleted_before_a_read_is_forgotten_at_once(memory: BacklogMemory) -> None:
    memory.hold(T1)
    memory.hand_over(T1)
    memory.confirm_delete(T1)

    assert T1 not in memory.known()


def test_a_record_deleted_during_a_read_that_failed_is_forgotten(memory: BacklogMemory) -> None:
    memory.hold(T1)
    memory.hand_over(T1)
    memory.begin_read()
    memory.confirm_delete(T1)
    memory.end_read()

    assert T1 not in memory.known()


def test_a_record_whose_delete_is_in_doubt_is_offered_again_if_a_read_shows_it(memory: BacklogMemory) -> None:
    memory.hold(T1)
    memory.hand_over(T1)
    memory.doubt_delete(T1)
    memory.bring_in([T1, T2, T3])

    assert sorted(names(memory)) == ["t1", "t2", "t3"]


def test_everything_that_a_read_would_not_bring_in_is_known(memory: BacklogMemory) -> None:
    memory.hold(T1)
    memory.hold(T2)
    memory.hand_over(T2)

    assert sorted(task.task_id for task in memory.known()) == ["t1", "t2", "t3"]


def test_a_generation_that_stopped_knows_nothing(memory: BacklogMemory) -> None:
    memory.hold(T1)
    memory.clear()

    assert list(memory.known()) == []
