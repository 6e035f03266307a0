"""A shard's transfer queue: brings each intent to Matching, and removes it once that has accepted it.

Four rules:

1. Each intent has a task of its own: one that fails, or waits, blocks no other.
2. One intent has at most one add under way.  A refusal, or an answer that was lost, is followed
   by another add, under a task id of its own.
3. An intent is removed only after an acceptance, or when its item does not count any more.  After
   an acceptance it is not added again: an uncertain removal is tried again.
4. Who calls add tells that it was called and what came back; the store tells what was removed.
"""

from __future__ import annotations

from typing import Protocol

from matching.errors import MatchingError
from matching.history.backoff import Backoff
from matching.history.executions import Executions, Loaded
from matching.history.store import Intent
from matching.history.work import Work
from matching.identity import Item, TaskId
from matching.requests import Task

__all__ = ["Adds", "TaskIds", "TransferProcessor"]


class Adds(Protocol):
    """The port to the Matching host that owns the task's partition."""

    async def add_task(self, task: Task) -> None:
        """Give a task to Matching, which answers for it from then on.

        Raises:
            MatchingError: it does not, or no answer came; the task may be there all the same.
        """
        ...


class TaskIds(Protocol):
    """Where the ids of tasks come from."""

    def take(self) -> TaskId | None:
        """Give an id that no task ever had, or None where there is none just now."""
        ...


class TransferProcessor:
    """Works on the intents of one shard."""

    def __init__(
        self, executions: Executions, *, matching: Adds, task_ids: TaskIds, work: Work, backoff: Backoff
    ) -> None:
        self._executions = executions
        self._matching = matching
        self._task_ids = task_ids
        self._work = work
        self._backoff = backoff
        # A dictionary keeps the order in which they were taken up.
        self._at_work: dict[Item, None] = {}

    @property
    def at_work(self) -> tuple[Item, ...]:
        """The items whose intents are being brought or removed now."""
        return tuple(self._at_work)

    def follow(self, loaded: Loaded) -> None:
        """Take up the intents of an execution that are not at work yet."""
        for intent in loaded.intents.values():
            if intent.item not in self._at_work:
                self._at_work[intent.item] = None
                self._work.spawn(self._bring(loaded, intent), f"transfer {intent.item}")

    async def _bring(self, loaded: Loaded, intent: Intent) -> None:
        accepted = await self._add(loaded, intent)
        await self._backoff.insist(lambda: self._remove(intent, accepted))
        del self._at_work[intent.item]

    async def _add(self, loaded: Loaded, intent: Intent) -> TaskId | None:
        """Add the intent's task until it is accepted, or does not count any more; give the accepted task's id."""
        tries = 0
        while loaded.has_due(intent.item):
            task_id = self._task_ids.take()
            if task_id is not None:
                try:
                    await self._matching.add_task(Task(task_id, intent.partition, intent.version, intent.item))
                except MatchingError:
                    pass
                else:
                    return task_id
            await self._backoff.wait(tries)
            tries += 1
        return None

    async def _remove(self, intent: Intent, accepted: TaskId | None) -> None:
        """Remove the intent, if it is still there. (RemoveIntent, DiscardIntent)"""
        async with self._executions.hold(intent.run_id) as loaded:
            if intent.item not in loaded.intents:
                return
            draft = loaded.draft()
            if accepted is not None:
                draft.remove_intent(intent.item, accepted)
            else:
                draft.discard_intent(intent.item)
            await self._executions.commit(loaded, draft)
