"""What History promises by time, of which the specification says nothing: when an attempt ends, and what follows.

Four rules:

1. No attempt is ended by time before its time: start-to-close counts from the start, schedule-to-start
   from when the attempt was due.
2. A started attempt whose time is over is followed by another where the options allow one more, and
   by none where they do not.
3. A run at rest has no attempt and no timer whose time is over.
4. The steps are heard as the store tells them; the options are those that it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.simulation.history_store import SimulatedHistoryStore
from conformance.targets.limits import SLACK_SECONDS
from matching.history.store import Execution, Phase, ScheduledEvent

__all__ = ["TimeLimits"]


class TimeLimits:
    """Hears the steps of one History, and knows since when each attempt is due or started."""

    def __init__(self, store: SimulatedHistoryStore, now: Callable[[], float]) -> None:
        self.broken: str | None = None
        """The first promise that was not kept."""
        self._store = store
        self._now = now
        self._due_since: dict[str, float] = {}
        self._started_at: dict[str, float] = {}

    def hear(self, action: str, args: tuple[object, ...]) -> None:
        """Note a step of History, and whether it came in its time."""
        match action:
            case "Schedule":
                self._due_since[str(args[0])] = self._now()
            case "RecordStart":
                self._started_at.setdefault(str(args[0]), self._now())
            case "TryAgain":
                event = self._store.event(str(args[0]))
                self._check_another(event, event.attempt - 1)
                self._due_since[event.event_id] = self._now()
                self._started_at.pop(event.event_id, None)
            case "GiveUp":
                self._check_end(self._store.event(str(args[0])))
            case _:
                pass

    def overdue(self) -> str | None:
        """Say what time should have ended of what the store holds, if nothing is to come any more."""
        return next((late for run in self._store.durable().executions if run.open for late in _late(run)), None)

    def _check_another(self, event: ScheduledEvent, attempt: int) -> None:
        most = event.options.most_attempts
        if most is not None and attempt >= most:
            self._break(f"{event.event_id} is tried again after attempt {attempt}, and may be tried {most} times")
        self._check_wait(event, attempt, self._started_at.get(event.event_id), event.options.start_to_close)

    def _check_end(self, event: ScheduledEvent) -> None:
        most, started_at = event.options.most_attempts, self._started_at.get(event.event_id)
        if started_at is None:
            self._check_wait(event, event.attempt, self._due_since.get(event.event_id), event.options.schedule_to_start)
        elif most is None or event.attempt < most:
            self._break(f"{event.event_id} is given up after attempt {event.attempt}, and may be tried again")
        else:
            self._check_wait(event, event.attempt, started_at, event.options.start_to_close)

    def _check_wait(self, event: ScheduledEvent, attempt: int, since: float | None, wait: float | None) -> None:
        waited = self._now() - since if since is not None else 0.0
        if wait is None or waited < wait - SLACK_SECONDS:
            limit = "has no limit" if wait is None else f"has {wait:g} s"
            self._break(f"attempt {attempt} of {event.event_id} is ended by time after {waited:g} s, and {limit}")

    def _break(self, promise: str) -> None:
        self.broken = self.broken or promise


def _late(run: Execution) -> Iterator[str]:
    for event in run.events:
        if event.phase is Phase.STARTED:
            yield f"attempt {event.attempt} of {event.event_id} is started, and time does not end it"
        elif event.phase is Phase.SCHEDULED and event.options.schedule_to_start is not None:
            yield f"attempt {event.attempt} of {event.event_id} is not started in time, and time does not end it"
    for timer in run.timers:
        yield f"{timer.timer_id} of {run.run_id} does not fire"
