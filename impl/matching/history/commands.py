"""What workers give back: tokens of what they were given, and what a workflow decided."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from matching.errors import InvalidArgument
from matching.history.draft import Draft, run_of
from matching.history.store import Execution, TaskOptions, Timer
from matching.identity import EventId, Item, RunId, TaskType

__all__ = [
    "Command",
    "CompleteWorkflow",
    "ScheduleActivity",
    "StartTimer",
    "TaskToken",
    "obey",
    "refuse_what_cannot_be",
]


@attrs.frozen
class TaskToken:
    """What a worker has of the attempt that it was given; it completes that attempt and no other."""

    run_id: RunId
    event_id: EventId
    attempt: int

    @classmethod
    def of(cls, item: Item) -> TaskToken:
        """The token of an item that was handed over."""
        return cls(run_of(item.event_id), item.event_id, item.attempt)


@attrs.frozen
class ScheduleActivity:
    """An activity is to be done."""

    options: TaskOptions


@attrs.frozen
class StartTimer:
    """The workflow wants to be woken after a wait in seconds."""

    timer_id: str
    wait: float = attrs.field(validator=attrs.validators.ge(0))


@attrs.frozen
class CompleteWorkflow:
    """The workflow is over, whatever of it is still open."""


Command = ScheduleActivity | StartTimer | CompleteWorkflow


def refuse_what_cannot_be(execution: Execution, commands: Sequence[Command]) -> None:
    """Look at all commands before any is obeyed.

    Raises:
        InvalidArgument: the workflow cannot want this.
    """
    timers = {timer.timer_id for timer in execution.timers}
    for position, command in enumerate(commands, 1):
        match command:
            case ScheduleActivity(options) if options.partition.task_type is not TaskType.ACTIVITY:
                raise InvalidArgument(f"{options.partition} takes no activities; name a partition for them")
            case StartTimer(timer_id) if timer_id in timers:
                raise InvalidArgument(f"timer {timer_id!r} runs already; give each timer its own id")
            case StartTimer(timer_id):
                timers.add(timer_id)
            case CompleteWorkflow() if position < len(commands):
                raise InvalidArgument("nothing follows the completion of a workflow; put it last")
            case _:
                pass


def obey(draft: Draft, commands: Sequence[Command]) -> None:
    """Do what the workflow decided. (Schedule, Close)"""
    for command in commands:
        match command:
            case ScheduleActivity(options):
                draft.schedule(options)
            case StartTimer(timer_id, wait):
                draft.start_timer(Timer(timer_id, wait))
            case CompleteWorkflow():
                draft.close()
