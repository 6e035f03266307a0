"""What happens to an execution, step by step, as one change in the making.

Three rules:

1. Nothing here waits, tells or remembers: a draft is made of a row, and gives a `Change`.
2. Each part is one step of ``spec/Delivery.tla``, named in its method's docstring.
3. A change leaves no execution asleep: where something happened that no started workflow
   task has seen, a workflow task is pending.  What it has seen is settled when it starts.
"""

from __future__ import annotations

from typing import Any

import attrs

from matching.history.store import (
    TRANSITIONS,
    Change,
    Execution,
    Intent,
    Part,
    Phase,
    ScheduledEvent,
    Step,
    TaskOptions,
    Timer,
)
from matching.identity import EventId, Item, RunId, TaskId, TaskType

__all__ = ["Draft", "run_of"]


def run_of(event_id: EventId) -> RunId:
    """The run whose event this is: an event's id is its run's, a slash, and its number in the run."""
    return RunId(event_id.rpartition("/")[0])


class Draft:
    """Parts of one change on one execution."""

    def __init__(self, execution: Execution) -> None:
        self._expected = execution.row_version
        self._parts: list[Part] = []
        self.execution = attrs.evolve(execution, row_version=self._expected + 1)

    @classmethod
    def begin(cls, run_id: RunId, options: TaskOptions) -> Draft:
        """A new execution, of which no workflow task has seen anything."""
        return cls(Execution(run_id, 0, options, unseen=True))

    def change(self) -> Change:
        """What was drafted, with the workflow task that it calls for. (Schedule)"""
        if self.execution.open and self.execution.unseen and not self._workflow_task_pending():
            self.schedule(self.execution.options)
        return Change(self.execution.run_id, self._expected, tuple(self._parts))

    # Events

    def schedule(self, options: TaskOptions) -> None:
        """The next event, with its first attempt due. (Schedule)"""
        run_id, events = self.execution.run_id, self.execution.events
        event = ScheduledEvent(EventId(f"{run_id}/{len(events) + 1}"), run_id, options)
        self._part(("Schedule", event.event_id), added=(_intent(event),), events=(*events, event))

    def record_start(self, event: ScheduledEvent, request_id: int) -> None:
        """A start call starts the attempt; a workflow task sees all that has happened. (RecordStart)"""
        seen: dict[str, Any] = {"unseen": False} if event.kind is TaskType.WORKFLOW else {}
        self._move(
            ("RecordStart", event.event_id, event.attempt, event.stamp, request_id),
            event,
            Phase.STARTED,
            {"started_by": request_id},
            **seen,
        )

    def complete(self, event: ScheduledEvent) -> None:
        """The worker has done it. (Complete)"""
        unseen = self.execution.unseen or event.kind is TaskType.ACTIVITY
        self._move(("Complete", event.event_id, event.attempt), event, Phase.DONE, unseen=unseen)

    def try_again(self, event: ScheduledEvent) -> None:
        """The next attempt is due. (TryAgain)"""
        next_attempt = {"attempt": event.attempt + 1, "started_by": None}
        self._move(("TryAgain", event.event_id), event, Phase.SCHEDULED, next_attempt)

    def give_up(self, event: ScheduledEvent) -> None:
        """The event is over without a completion, which the workflow has to see. (GiveUp)"""
        self._move(("GiveUp", event.event_id), event, Phase.DONE, unseen=True)

    def restamp(self, event: ScheduledEvent, options: TaskOptions) -> None:
        """Other options count: only a new task will do. (Restamp)"""
        other = {"stamp": event.stamp + 1, "options": options}
        self._move(("Restamp", event.event_id), event, Phase.SCHEDULED, other)

    def close(self) -> None:
        """The execution is over, and its open events and timers with it. (Close)"""
        for event in self.execution.events:
            if event.open:
                self._move(("Close", event.event_id), event, Phase.GONE)
        self._part((), open=False, unseen=False, timers=())

    # Timers

    def start_timer(self, timer: Timer) -> None:
        """A timer of the workflow begins; no step of the specification."""
        self._part((), timers=(*self.execution.timers, timer))

    def fire(self, timer: Timer) -> None:
        """The timer fires, which the workflow has to see; no step of the specification."""
        self._part((), timers=tuple(each for each in self.execution.timers if each != timer), unseen=True)

    # Intents

    def remove_intent(self, item: Item, task_id: TaskId) -> None:
        """Matching has accepted the task. (RemoveIntent)"""
        self._part(("RemoveIntent", task_id), removed=(item,))

    def discard_intent(self, item: Item) -> None:
        """The item does not count any more. (DiscardIntent)"""
        self._part(("DiscardIntent", item.event_id, item.attempt, item.stamp), removed=(item,))

    def _workflow_task_pending(self) -> bool:
        return any(event.open and event.kind is TaskType.WORKFLOW for event in self.execution.events)

    def _move(
        self, step: Step, event: ScheduledEvent, phase: Phase, details: dict[str, Any] | None = None, **others: Any
    ) -> None:
        """Move an event to a phase; one that is scheduled by it needs to be brought to Matching."""
        assert phase in TRANSITIONS[event.phase], f"{event.phase} does not lead to {phase}"
        moved = attrs.evolve(event, phase=phase, **(details or {}))
        events = tuple(moved if each == event else each for each in self.execution.events)
        added = (_intent(moved),) if phase is Phase.SCHEDULED else ()
        self._part(step, added=added, events=events, **others)

    def _part(
        self, step: Step, *, added: tuple[Intent, ...] = (), removed: tuple[Item, ...] = (), **others: Any
    ) -> None:
        self.execution = attrs.evolve(self.execution, **others)
        self._parts.append(Part(step, self.execution, added, removed))


def _intent(event: ScheduledEvent) -> Intent:
    return Intent(event.item, event.run_id, event.options.partition, event.options.version)
