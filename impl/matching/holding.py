"""A task on its way to a poll, and where it goes if it does not get there.

A task comes from the memory of a manager, where it has a record, or straight
from a call of add, which waits to learn what became of its task.
"""

from __future__ import annotations

import asyncio
import enum

import attrs

from matching.requests import Task
from matching.store import Record

__all__ = ["Fate", "Handover", "Holding"]


class Fate(enum.Enum):
    """What became of a task that was in a poll's hand."""

    DONE = "done"
    """It was handed over."""
    DROPPED = "dropped"
    """It need not be handed over any more."""
    BACK = "back"
    """It did not get there, and may be offered again at once."""
    OWED = "owed"
    """Nobody can tell, and it must be stored."""


@attrs.define(eq=False)
class Handover:
    """The question that a call of add waits for: what became of my task?"""

    fate: Fate | None = None
    """What the call of add was told."""
    _answer: asyncio.Future[Fate] = attrs.field(factory=lambda: asyncio.get_running_loop().create_future())

    def settle(self, fate: Fate) -> bool:
        """Answer the call of add; tell whether it is still there to hear it."""
        if self._answer.done():
            return False
        self.fate = fate
        self._answer.set_result(fate)
        return True

    async def settled(self) -> Fate:
        """Wait until the task has left the poll's hand."""
        return await self._answer


@attrs.frozen(eq=False)
class Holding:
    """A task in a poll's hand: it has a record, or a call of add that waits."""

    task: Task
    record: Record | None = None
    handover: Handover | None = None

    @classmethod
    def of_record(cls, record: Record) -> Holding:
        """What a poll holds that was given a record from memory."""
        return cls(record.task, record=record)
