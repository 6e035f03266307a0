"""What callers send, and what they get; a hop is a request too, made by a manager on behalf of another."""

from __future__ import annotations

import attrs

from matching.identity import UNVERSIONED, Host, Item, PartitionKey, PollId, TaskId, Version, Worker

__all__ = ["ForwardInfo", "PollRequest", "Task"]


@attrs.frozen
class ForwardInfo:
    """Where a hop comes from: which manager makes it, on behalf of which call, and where that call began.

    ``behalf`` is the call below, ``first`` the client's; ``source`` is the partition of the
    one, ``origin`` that of the other.
    """

    behalf: PollId | TaskId
    first: PollId | TaskId
    host: Host
    generation: int
    source: PartitionKey
    origin: PartitionKey


@attrs.frozen
class Task:
    """A task as its producer adds it and as a worker receives it; without an item it needs no start."""

    task_id: TaskId
    partition: PartitionKey
    version: Version = UNVERSIONED
    item: Item | None = None
    forward_info: ForwardInfo | None = None


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
    forward_info: ForwardInfo | None = None
