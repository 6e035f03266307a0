"""What time does to an execution: time-outs of its events, and timers of its workflow.

Two rules:

1. What is awaited follows from the execution alone; an alarm that nothing awaits any more
   is cancelled, and one that has rung stays until the execution has changed by it.
2. No clock outlives its host: after a load every wait begins anew.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable, Iterator

import attrs

from matching.history.draft import Draft
from matching.history.store import Execution, Phase
from matching.identity import EventId, RunId

__all__ = ["Alarm", "Alarms", "Cause", "alarms_of", "ring"]


class Cause(enum.Enum):
    """Why an alarm rings."""

    SCHEDULE_TO_START = "schedule to start"
    START_TO_CLOSE = "start to close"
    TIMER = "timer"


@attrs.frozen
class Alarm:
    """Something that happens after a wait in seconds; ``name`` is an event's id, or a timer's."""

    cause: Cause
    run_id: RunId
    name: str
    attempt: int
    wait: float


def alarms_of(execution: Execution | None) -> Iterator[Alarm]:
    """Everything that an execution awaits."""
    if execution is None or not execution.open:
        return
    run_id = execution.run_id
    for event in execution.events:
        options = event.options
        if event.phase is Phase.STARTED:
            yield Alarm(Cause.START_TO_CLOSE, run_id, event.event_id, event.attempt, options.start_to_close)
        elif event.phase is Phase.SCHEDULED and options.schedule_to_start is not None:
            yield Alarm(Cause.SCHEDULE_TO_START, run_id, event.event_id, event.attempt, options.schedule_to_start)
    for timer in execution.timers:
        yield Alarm(Cause.TIMER, run_id, timer.timer_id, 0, timer.wait)


def ring(draft: Draft, alarm: Alarm) -> None:
    """Let the awaited happen. (TryAgain, GiveUp; a timer that fires is no step of its own)"""
    if alarm.cause is Cause.TIMER:
        draft.fire(next(timer for timer in draft.execution.timers if timer.timer_id == alarm.name))
        return
    event = draft.execution.event(EventId(alarm.name))
    assert event is not None
    most = event.options.most_attempts
    if alarm.cause is Cause.START_TO_CLOSE and (most is None or event.attempt < most):
        draft.try_again(event)
    else:
        draft.give_up(event)


class Alarms:
    """Alarms of all executions of one shard; ``rings`` is called with each whose wait is over."""

    def __init__(self, rings: Callable[[Alarm], None]) -> None:
        self._rings = rings
        self._set: dict[RunId, dict[Alarm, asyncio.TimerHandle]] = {}

    def follow(self, run_id: RunId, execution: Execution | None) -> None:
        """Await what the execution, as it is now, awaits."""
        before = self._set.pop(run_id, {})
        after: dict[Alarm, asyncio.TimerHandle] = {}
        for alarm in alarms_of(execution):
            known = before.pop(alarm) if alarm in before else None
            after[alarm] = known or self._begin(alarm)
        for handle in before.values():
            handle.cancel()
        if after:
            self._set[run_id] = after

    def stop(self) -> None:
        """Await nothing any more."""
        for run_id in list(self._set):
            self.follow(run_id, None)

    def _begin(self, alarm: Alarm) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(alarm.wait, self._rings, alarm)
