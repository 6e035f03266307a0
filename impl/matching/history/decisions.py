"""How History decides a start call, and whether a completion counts.

Two rules:

1. The order of the checks is the real server's, which differs by kind: it says which of
   two reasons is told where both hold.
2. Nothing here changes anything: the caller holds the execution's lock, and its row is certain.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from types import MappingProxyType

from matching.history.store import Execution, Phase, ScheduledEvent
from matching.identity import EventId, Item, TaskType
from matching.starts import StartOutcome

__all__ = ["CHECKS", "OUTCOMES", "Decision", "decide_start", "find_started"]


class Decision(enum.Enum):
    """What becomes of a start call; the values of refusals are the specification's words."""

    RECORD = "record"
    AGAIN = "again"
    TAKEN = "taken"
    GONE = "gone"
    STALE = "stale"


OUTCOMES: Mapping[Decision, StartOutcome] = MappingProxyType(
    {
        Decision.RECORD: StartOutcome.STARTED,
        Decision.AGAIN: StartOutcome.STARTED,
        Decision.TAKEN: StartOutcome.ALREADY_STARTED,
        Decision.GONE: StartOutcome.NOT_FOUND,
        Decision.STALE: StartOutcome.OBSOLETE,
    }
)
"""What the caller is told of each decision, once it has taken effect."""


def _stale(event: ScheduledEvent, item: Item, request_id: int) -> Decision | None:
    return Decision.STALE if item != event.item else None


def _started(event: ScheduledEvent, item: Item, request_id: int) -> Decision | None:
    if event.phase is not Phase.STARTED:
        return None
    by_this_call = (item.attempt, request_id) == (event.attempt, event.started_by)
    return Decision.AGAIN if by_this_call else Decision.TAKEN


Check = Callable[[ScheduledEvent, Item, int], Decision | None]

# temporal: service/history/api, recordworkflowtaskstarted/api.go and recordactivitytaskstarted/api.go
CHECKS: Mapping[TaskType, tuple[Check, ...]] = MappingProxyType(
    {TaskType.WORKFLOW: (_stale, _started), TaskType.ACTIVITY: (_started, _stale)}
)
"""What is checked of an event that is there and not over, in this order."""


def decide_start(execution: Execution | None, item: Item, request_id: int) -> Decision:
    """Decide a start call on the execution that has the item's event, or on None where there is none."""
    if execution is None or not execution.open:
        return Decision.GONE
    event = execution.event(item.event_id)
    if event is None or not event.open:
        return Decision.GONE
    found = (check(event, item, request_id) for check in CHECKS[event.kind])
    return next((decision for decision in found if decision is not None), Decision.RECORD)


def find_started(execution: Execution | None, event_id: EventId, attempt: int) -> ScheduledEvent | None:
    """Give the event of which this attempt is started and counts, if there is one."""
    event = execution.event(event_id) if execution is not None else None
    if event is None or event.phase is not Phase.STARTED or event.attempt != attempt:
        return None
    return event
