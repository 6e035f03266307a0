"""What one generation of a manager has read of its partition's backlog, and how far it is done with it.

Three rules:

1. A record that was read is unfinished until its task is handed over or dropped.  While
   unfinished it is available, or in a poll's hand.
2. Every record up to the ack level is finished; the ack level moves over finished
   records only, in the order of their ids, whatever the order in which they finished.
3. Ids that no record bears are gaps: the read level jumps them, and the ack level follows.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator

from matching.requests import Task
from matching.store import Batch, Record

__all__ = ["BacklogMemory"]


class BacklogMemory:
    """The records that a manager may offer, and the levels that follow from them."""

    def __init__(self) -> None:
        self.read_level = 0
        self.ack_level = 0
        self._available: OrderedDict[int, Record] = OrderedDict()
        self._held: dict[int, Record] = {}
        self._unfinished: deque[int] = deque()
        self._finished: set[int] = set()

    def begin(self, level: int) -> None:
        """Begin behind the level up to which an earlier owner was done."""
        self.read_level = self.ack_level = level

    @property
    def unfinished(self) -> int:
        """How many records were read and are not finished."""
        return len(self._available) + len(self._held)

    def available(self) -> Iterator[Record]:
        """Give the records in nobody's hand, in the order in which they are offered."""
        return iter(self._available.values())

    def known(self) -> Iterator[Record]:
        """Give every record that is not finished."""
        yield from self._available.values()
        yield from self._held.values()

    def first(self, suits: Callable[[Task], bool]) -> Record | None:
        """Give the first available record whose task suits."""
        return next((record for record in self._available.values() if suits(record.task)), None)

    def bring_in(self, batch: Batch) -> None:
        """Take the answer of a read, which goes on behind the read level."""
        for record in batch.records:
            assert record.record_id > self.read_level
            self._available[record.record_id] = record
            self._unfinished.append(record.record_id)
        self.read_level = batch.upto
        self._move()

    def hold(self, record: Record) -> None:
        """Put an available record into a hand."""
        self._held[record.record_id] = self._available.pop(record.record_id)

    def release(self, record: Record) -> None:
        """Take a record back from a hand, to its old place among the others."""
        self._available[record.record_id] = self._held.pop(record.record_id)
        self._available = OrderedDict(sorted(self._available.items()))

    def postpone(self, record: Record) -> None:
        """Take a record back from a hand, behind the others: it must not keep them waiting."""
        self._available[record.record_id] = self._held.pop(record.record_id)

    def finish(self, record: Record) -> None:
        """Note that the task of a held record was handed over, or need not be."""
        del self._held[record.record_id]
        self._finished.add(record.record_id)
        self._move()

    def clear(self) -> None:
        """Forget every record: the generation has stopped."""
        for part in (self._available, self._held, self._unfinished, self._finished):
            part.clear()

    def _move(self) -> None:
        while self._unfinished and self._unfinished[0] in self._finished:
            self._finished.remove(self._unfinished.popleft())
        self.ack_level = self._unfinished[0] - 1 if self._unfinished else self.read_level
