"""The ids of start calls: a task keeps its own on a host until an answer is certain.

So a start whose answer was lost is known again to History when the task is offered the
next time; a fresh id for each offer would be told that another call started it.
"""

from __future__ import annotations

from collections.abc import Callable

from matching.identity import PartitionKey, TaskId
from matching.requests import Task

__all__ = ["RequestIds"]


class RequestIds:
    """What one host knows of starts that are not certain; ``draw`` gives an id that nobody has."""

    def __init__(self, draw: Callable[[], int]) -> None:
        self._draw = draw
        self._kept: dict[PartitionKey, dict[TaskId, int]] = {}

    def __len__(self) -> int:
        """How many are kept."""
        return sum(map(len, self._kept.values()))

    def of(self, task: Task) -> int:
        """Give the task's id, a new one where it has none."""
        kept = self._kept.setdefault(task.partition, {})
        if task.task_id not in kept:
            kept[task.task_id] = self._draw()
        return kept[task.task_id]

    def settle(self, task: Task) -> None:
        """Note that the answer is certain, or that the task has gone from the host."""
        self._kept.get(task.partition, {}).pop(task.task_id, None)

    def forget(self, partition: PartitionKey) -> None:
        """Forget what was known of a partition: its manager has stopped."""
        self._kept.pop(partition, None)
