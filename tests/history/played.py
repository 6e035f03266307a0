"""The Matching that a test plays: it is told what becomes of each task, and decides nothing by itself."""

from __future__ import annotations

import asyncio
import enum
from collections import deque
from collections.abc import Iterable

import attrs

from matching.errors import Unavailable
from matching.identity import TaskId
from matching.probe import Probe
from matching.requests import Task

__all__ = ["Fate", "PlayedIds", "PlayedMatching"]


class Fate(enum.Enum):
    """What Matching makes of a call of add."""

    STORED = "stored"
    REFUSED = "refused"
    STORED_UNANSWERED = "stored, and the answer is lost"
    UNANSWERED = "not stored, and the answer is lost"
    HANGING = "stored, and not answered yet"


class PlayedMatching:
    """The port to Matching: each call of add meets the next fate, the last of which stays."""

    def __init__(self, probe: Probe) -> None:
        self.fates: deque[Fate] = deque([Fate.STORED])
        self.stored: dict[TaskId, Task] = {}
        self.hanging: dict[TaskId, asyncio.Future[None]] = {}
        self._probe = probe

    async def add_task(self, task: Task) -> None:
        assert task.item is not None
        self._probe("Transfer", task.task_id, *attrs.astuple(task.item))
        fate = self.fates.popleft() if len(self.fates) > 1 else self.fates[0]
        if fate in (Fate.STORED, Fate.STORED_UNANSWERED, Fate.HANGING):
            self.stored[task.task_id] = task
            self._probe("Store", task.task_id)
        if fate is Fate.HANGING:
            self.hanging[task.task_id] = asyncio.get_running_loop().create_future()
            try:
                await self.hanging[task.task_id]
            except asyncio.CancelledError:
                self._probe("AnswerAdd", task.task_id, "lost")
                raise
        self._probe("AnswerAdd", task.task_id, _ANSWERS[fate])
        if _ANSWERS[fate] != "accepted":
            raise Unavailable(fate.value)


_ANSWERS = {
    Fate.STORED: "accepted",
    Fate.REFUSED: "refused",
    Fate.STORED_UNANSWERED: "lost",
    Fate.UNANSWERED: "lost",
    Fate.HANGING: "accepted",
}


class PlayedIds:
    """Task ids in their order, while they are given out at all."""

    def __init__(self, ids: Iterable[str]) -> None:
        self.giving = True
        self._left = deque(ids)

    def take(self) -> TaskId | None:
        return TaskId(self._left.popleft()) if self.giving and self._left else None
