"""The port to the durable backlog.

Five rules that every store keeps, and that ``tests/store_contract.py`` holds:

1. A call takes effect at one moment, or never; its answer comes later.
2. ``StoreError`` says nothing about the effect: the caller must live with both.
3. Records are known by task id; reading gives them in the order of their commit.
4. The store tells the probe what took effect, before it answers and in the order
   in which it happened: CommitWrite, FailWrite, ServeRead, CommitDelete.
5. A caller that leaves stops neither a write nor a delete.  A read that nobody
   waits for any more is told to nobody.
"""

from __future__ import annotations

from typing import Protocol

from matching.identity import Owner, TaskId
from matching.requests import Task

__all__ = ["BacklogStore"]


class BacklogStore(Protocol):
    """Durable records of tasks, by partition."""

    async def append(self, task: Task) -> None:
        """Make a record of the task durable.

        The same task again makes no second record, and keeps its place: a caller that was
        not confirmed may ask again.  A task id that has a record of another task is refused.

        Raises:
            StoreError: the write was not confirmed.
        """
        ...

    async def read(self, owner: Owner) -> list[Task]:
        """Give every record of the owner's partition, oldest first.

        Raises:
            StoreError: the read failed.
        """
        ...

    async def delete(self, owner: Owner, task_id: TaskId) -> None:
        """Remove one record of the owner's partition; one that is gone already is no error.

        Raises:
            StoreError: the delete was not confirmed.
        """
        ...
