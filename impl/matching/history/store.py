"""The port to the durable state of a shard: its executions, and what they still have to bring to Matching.

Six rules that every store keeps:

1. A change is one transaction on one execution: all its parts take effect at one moment, or none.
2. It takes effect only while its range id is the shard's and the row has the version that the
   change expects; each change raises the row's version by one.
3. ``LeaseLost`` and ``RowChanged`` say that there was no effect, and that there will be none.
   ``StoreError`` says nothing about the effect: the caller must live with both.
4. An answer, an error included, comes when the call is decided: what reads after it, under
   the same range id, sees what became of it.  (A database whose connection broke is asked again
   under the lock that the change would hold.)
5. The store tells the probe the step of each part, in their order, when the change takes effect
   and before it answers.  It tells nothing else.
6. A caller that leaves stops neither a takeover nor a change.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

import attrs

from matching.identity import UNVERSIONED, EventId, Item, PartitionKey, RunId, TaskType, Version

__all__ = [
    "TRANSITIONS",
    "Change",
    "Contents",
    "Execution",
    "HistoryStore",
    "Intent",
    "Part",
    "Phase",
    "ScheduledEvent",
    "Step",
    "TaskOptions",
    "Timer",
]

Step = tuple[str | int, ...]
"""The action's name and its arguments, as the probe is told; empty for what the specification does not see."""


class Phase(enum.Enum):
    """Where a scheduled event stands; an event that History does not have is in no phase."""

    SCHEDULED = "scheduled"
    STARTED = "started"
    DONE = "done"
    GONE = "gone"


TRANSITIONS: Mapping[Phase, frozenset[Phase]] = MappingProxyType(
    {
        Phase.SCHEDULED: frozenset({Phase.SCHEDULED, Phase.STARTED, Phase.DONE, Phase.GONE}),
        Phase.STARTED: frozenset({Phase.SCHEDULED, Phase.DONE, Phase.GONE}),
        Phase.DONE: frozenset(),
        Phase.GONE: frozenset(),
    }
)
"""A scheduled event that stays so has other options; a started one that is scheduled again has its next attempt."""


@attrs.frozen
class TaskOptions:
    """Where an event's tasks go, and how long and how often they are tried; times are in seconds, None is no limit."""

    partition: PartitionKey
    version: Version = UNVERSIONED
    start_to_close: float = 10.0
    schedule_to_start: float | None = None
    most_attempts: int | None = None


@attrs.frozen
class ScheduledEvent:
    """An event of an execution that a worker has to do; attempts count from 1, stamps from 0.

    ``started_by`` is the request id of the start call that started the attempt, while it is started.
    """

    event_id: EventId
    run_id: RunId
    options: TaskOptions
    phase: Phase = Phase.SCHEDULED
    attempt: int = 1
    stamp: int = 0
    started_by: int | None = None

    @property
    def kind(self) -> TaskType:
        """Whether a workflow worker or an activity worker has to do it."""
        return self.options.partition.task_type

    @property
    def item(self) -> Item:
        """What of this event counts now."""
        return Item(self.event_id, self.attempt, self.stamp)

    @property
    def open(self) -> bool:
        """Tell whether a worker may still start or complete it."""
        return self.phase in (Phase.SCHEDULED, Phase.STARTED)


@attrs.frozen
class Timer:
    """A timer of a workflow that has not fired; the wait is in seconds, anew after each load of its shard."""

    timer_id: str
    wait: float


@attrs.frozen
class Execution:
    """One run of a workflow, as one row; ``options`` are those of its workflow tasks.

    ``unseen`` tells that something happened which no started workflow task has seen.
    ``events`` are in the order in which they were scheduled, also those that are over.
    """

    run_id: RunId
    row_version: int
    options: TaskOptions
    open: bool = True
    unseen: bool = False
    events: tuple[ScheduledEvent, ...] = ()
    timers: tuple[Timer, ...] = ()

    def event(self, event_id: EventId) -> ScheduledEvent | None:
        """Find an event by its id."""
        return next((event for event in self.events if event.event_id == event_id), None)


@attrs.frozen
class Intent:
    """An item that has still to be brought to Matching, whose it is, and where it goes; known by its item."""

    item: Item
    run_id: RunId
    partition: PartitionKey
    version: Version


@attrs.frozen
class Part:
    """One step of a change: what it is called, the execution after it, the intents that come and go with it."""

    step: Step
    execution: Execution
    added: tuple[Intent, ...] = ()
    removed: tuple[Item, ...] = ()


@attrs.frozen
class Change:
    """One transaction on one execution; ``expected`` is its row version until then, 0 where there is no row yet.

    The execution after each part has the row version ``expected + 1``.
    """

    run_id: RunId
    expected: int
    parts: tuple[Part, ...] = attrs.field(validator=attrs.validators.min_len(1))

    @property
    def execution(self) -> Execution:
        """The row as the change leaves it."""
        return self.parts[-1].execution


@attrs.frozen
class Contents:
    """What a shard holds, or what it holds of one run: executions and intents, each in the order of their making."""

    executions: tuple[Execution, ...] = ()
    intents: tuple[Intent, ...] = ()


class HistoryStore(Protocol):
    """Durable executions by shard, and who may change them."""

    async def take_shard(self, shard: int) -> int:
        """Raise the shard's range id by one, whoever held it, and give it: every earlier holder is fenced.

        Raises:
            StoreError: the takeover was not confirmed.
        """
        ...

    async def load(self, shard: int, range_id: int, run_id: RunId | None = None) -> Contents:
        """Give everything that the shard holds, or what it holds of one run.

        Raises:
            LeaseLost: the range id was raised since.
            StoreError: the read failed.
        """
        ...

    async def apply(self, shard: int, range_id: int, change: Change) -> None:
        """Let the change take effect, and tell its steps.

        Raises:
            LeaseLost: the range id was raised since; nothing was changed.
            RowChanged: the row has another version; nothing was changed.
            StoreError: the change was not confirmed.
        """
        ...
