"""A task on its way to a poll, and where it goes if it does not get there.

A task comes from the memory of a manager, where it has a record, or straight
from a call of add, which waits to learn whether its task was handed over.
"""

from __future__ import annotations

import asyncio

import attrs

from matching.requests import Task

__all__ = ["Handover", "Holding"]


@attrs.define(eq=False)
class Handover:
    """The question that a call of add waits for: was my task handed over?"""

    _answer: asyncio.Future[bool] = attrs.field(factory=lambda: asyncio.get_running_loop().create_future())

    def settle(self, *, taken: bool) -> None:
        """Answer the call of add, which may itself have gone."""
        if not self._answer.done():
            self._answer.set_result(taken)

    async def taken(self) -> bool:
        """Wait until a worker has the task (true), or it comes back (false)."""
        return await self._answer


@attrs.frozen(eq=False)
class Holding:
    """A task in a poll's hand; ``handover`` is None for a task that has a record."""

    task: Task
    handover: Handover | None = None
