"""What one generation of a manager knows of its partition's backlog.

A record is known while it is available, in a poll's hand, or handed over and
not yet surely deleted.  A read brings in only what is not known.  A record
whose delete was confirmed while a read was under way stays known until that
read is answered: the answer may be older than the delete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from matching.identity import TaskId
from matching.requests import Task

__all__ = ["BacklogMemory"]


class BacklogMemory:
    """The records that a manager may offer, and those it must not offer again."""

    def __init__(self) -> None:
        self._available: dict[TaskId, Task] = {}
        self._held: dict[TaskId, Task] = {}
        self._deleting: dict[TaskId, Task] = {}
        self._deleted_during_read: dict[TaskId, Task] = {}
        self._reading = False
        self._places: dict[TaskId, int] = {}
        self._next_place = 0

    def available(self) -> Iterator[Task]:
        """Give the records in nobody's hand, in the order in which they came."""
        return iter(self._available.values())

    def known(self) -> Iterator[Task]:
        """Give every record that a read would not bring in."""
        for part in (self._available, self._held, self._deleting, self._deleted_during_read):
            yield from part.values()

    def first(self, suits: Callable[[Task], bool]) -> Task | None:
        """Give the oldest available record that suits."""
        return next(filter(suits, self._available.values()), None)

    def hold(self, task: Task) -> None:
        """Put an available record into a hand."""
        self._held[task.task_id] = self._available.pop(task.task_id)

    def release(self, task: Task) -> None:
        """Take a record back from a hand, to its old place among the others."""
        self._available[task.task_id] = self._held.pop(task.task_id)
        places = self._places
        self._available = dict(sorted(self._available.items(), key=lambda record: places[record[0]]))

    def hand_over(self, task: Task) -> None:
        """Note that a held record went to a worker and must now be deleted."""
        self._deleting[task.task_id] = self._held.pop(task.task_id)
        del self._places[task.task_id]

    def confirm_delete(self, task: Task) -> None:
        """Note that the record is gone."""
        del self._deleting[task.task_id]
        if self._reading:
            self._deleted_during_read[task.task_id] = task

    def doubt_delete(self, task: Task) -> None:
        """Forget a record whose delete was not confirmed: a read tells whether it is still there."""
        del self._deleting[task.task_id]

    def begin_read(self) -> None:
        """Note that a read starts: it cannot show records deleted before this moment."""
        self._reading = True

    def end_read(self) -> None:
        """Note that the read is over, with an answer or without."""
        self._reading = False
        self._deleted_during_read.clear()

    def bring_in(self, records: Iterable[Task]) -> None:
        """Take the answer of a read."""
        known = (self._available, self._held, self._deleting, self._deleted_during_read)
        for task in records:
            if not any(task.task_id in part for part in known):
                self._available[task.task_id] = task
                self._places[task.task_id] = self._next_place
                self._next_place += 1
        self.end_read()

    def clear(self) -> None:
        """Forget everything: the generation has stopped."""
        for part in (self._available, self._held, self._deleting, self._deleted_during_read):
            part.clear()
        self._places.clear()
