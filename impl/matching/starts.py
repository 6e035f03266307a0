"""What Matching asks History before it hands a task over, and what it makes of each answer.

Two rules:

1. The answer decides what becomes of the task, by one table that is total over the
   outcomes; a task that waits and a record that is read back are treated alike.
2. An answer that does not come, or says that nobody knows, is RETRYABLE: the task is kept.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from matching.identity import Item, TaskType

__all__ = ["DISPOSITIONS", "NO_HISTORY", "Disposition", "StartOutcome", "Starts"]


class StartOutcome(enum.Enum):
    """How History decided a start call."""

    STARTED = "started"
    ALREADY_STARTED = "already started"
    NOT_FOUND = "not found"
    OBSOLETE = "obsolete"
    RETRYABLE = "retryable"


class Disposition(enum.Enum):
    """What becomes of the task."""

    DELIVER = "deliver"
    DROP = "drop"
    KEEP = "keep"


# temporal: service/matching/matching_engine.go, PollWorkflowTaskQueue and PollActivityTaskQueue
DISPOSITIONS: Mapping[StartOutcome, Disposition] = MappingProxyType(
    {
        StartOutcome.STARTED: Disposition.DELIVER,
        StartOutcome.ALREADY_STARTED: Disposition.DROP,
        StartOutcome.NOT_FOUND: Disposition.DROP,
        StartOutcome.OBSOLETE: Disposition.DROP,
        StartOutcome.RETRYABLE: Disposition.KEEP,
    }
)


class Starts(Protocol):
    """The port to the History host that owns the run's shard."""

    async def record_started(self, kind: TaskType, item: Item, request_id: int) -> StartOutcome:
        """Ask History to record that this attempt is started by this request.

        The same request id again gets the same answer while its attempt counts.

        Raises:
            Unavailable: no answer came; the start may be recorded all the same.
        """
        ...


class _NoHistory:
    """Where there is no History, nobody knows of any event."""

    async def record_started(self, kind: TaskType, item: Item, request_id: int) -> StartOutcome:
        return StartOutcome.NOT_FOUND


NO_HISTORY: Starts = _NoHistory()
