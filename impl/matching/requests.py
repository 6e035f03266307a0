"""What callers send, and what they get."""

from __future__ import annotations

import attrs

from matching.identity import UNVERSIONED, Item, PartitionKey, PollId, TaskId, Version, Worker

__all__ = ["PollRequest", "Task"]


@attrs.frozen
class Task:
    """A task as its producer adds it and as a worker receives it; without an item it needs no start."""

    task_id: TaskId
    partition: PartitionKey
    version: Version = UNVERSIONED
    item: Item | None = None


@attrs.frozen
class PollRequest:
    """One call of a worker that waits for one task.

    ``deadline`` is a time of the running event loop, in seconds.
    """

    poll_id: PollId
    worker: Worker
    partition: PartitionKey
    deadline: float
    version: Version = UNVERSIONED
