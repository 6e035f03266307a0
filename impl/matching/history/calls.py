"""What each call does to the execution that it is about, under that execution's lock.

Two rules:

1. A call decides by what is certain, and then changes something or does not.  One whose asker
   has gone by then decides nothing.
2. The store tells what is changed, when the change takes effect.  What is decided without a
   change is told here, at the decision.
"""

from __future__ import annotations

from collections.abc import Sequence

from matching.errors import AlreadyExists, InvalidArgument, NotFound
from matching.history.alarms import Alarm, alarms_of, ring
from matching.history.commands import Command, TaskToken, obey, refuse_what_cannot_be
from matching.history.decisions import OUTCOMES, Decision, decide_start, find_started
from matching.history.draft import Draft, run_of
from matching.history.executions import Executions, Loaded, NotApplied
from matching.history.store import Phase, TaskOptions
from matching.history.work import Asker
from matching.identity import EventId, Item, RunId, TaskType
from matching.probe import Probe
from matching.starts import StartOutcome

__all__ = ["Calls"]


class Calls:
    """The calls of one shard; ``Shard`` says what each is for and what it raises."""

    def __init__(self, executions: Executions, probe: Probe) -> None:
        self._executions = executions
        self._probe = probe

    async def start_workflow(self, asker: Asker, run_id: RunId, options: TaskOptions) -> None:
        self._executions.admit(run_id)
        async with self._executions.hold(run_id, asker) as loaded:
            if loaded.execution is not None:
                raise AlreadyExists(f"there is a run {run_id}; give each run its own id")
            await self._executions.commit(loaded, Draft.begin(run_id, options))

    async def terminate_workflow(self, asker: Asker, run_id: RunId) -> None:
        async with self._executions.hold(run_id, asker) as loaded:
            if loaded.execution is None or not loaded.execution.open:
                raise NotFound(f"no run {run_id} is open")
            draft = loaded.draft()
            draft.close()
            await self._executions.commit(loaded, draft)

    async def update_options(self, asker: Asker, event_id: EventId, options: TaskOptions) -> None:
        async with self._executions.hold(run_of(event_id), asker) as loaded:
            event = loaded.event(event_id)
            if event is None or event.phase is not Phase.SCHEDULED:
                raise NotFound(f"no event {event_id} waits to be started")
            if event.kind is not options.partition.task_type:
                raise InvalidArgument(f"event {event_id} is no {options.partition.task_type.value} task")
            draft = loaded.draft()
            draft.restamp(event, options)
            await self._executions.commit(loaded, draft)

    async def record_started(self, asker: Asker, kind: TaskType, item: Item, request_id: int) -> StartOutcome:
        call = (item.event_id, item.attempt, item.stamp, request_id)
        async with self._executions.hold(run_of(item.event_id), asker) as loaded:
            _refuse_other_kind(loaded, item.event_id, kind)
            decision = decide_start(loaded.execution, item, request_id)
            if decision is Decision.RECORD:
                try:
                    await self._record(loaded, item, request_id)
                except NotApplied:
                    self._probe("FailStart", *call)
                    return StartOutcome.RETRYABLE
            elif decision is Decision.AGAIN:
                self._probe("RecordStart", *call)
            else:
                self._probe("RefuseStart", *call, decision.value)
            return OUTCOMES[decision]

    async def _record(self, loaded: Loaded, item: Item, request_id: int) -> None:
        event = loaded.event(item.event_id)
        assert event is not None
        draft = loaded.draft()
        draft.record_start(event, request_id)
        await self._executions.commit(loaded, draft)

    async def complete(self, asker: Asker, kind: TaskType, token: TaskToken, commands: Sequence[Command]) -> None:
        async with self._executions.hold(token.run_id, asker) as loaded:
            _refuse_other_kind(loaded, token.event_id, kind)
            event = find_started(loaded.execution, token.event_id, token.attempt)
            if event is None:
                self._probe("RefuseComplete", token.event_id, token.attempt)
                raise NotFound(f"attempt {token.attempt} of event {token.event_id} does not count any more")
            draft = loaded.draft()
            refuse_what_cannot_be(draft.execution, commands)
            draft.complete(event)
            obey(draft, commands)
            await self._executions.commit(loaded, draft)

    async def ring(self, alarm: Alarm) -> None:
        """Let an awaited thing happen, if it still counts."""
        async with self._executions.hold(alarm.run_id) as loaded:
            if alarm in alarms_of(loaded.execution):
                draft = loaded.draft()
                ring(draft, alarm)
                await self._executions.commit(loaded, draft)


def _refuse_other_kind(loaded: Loaded, event_id: EventId, kind: TaskType) -> None:
    event = loaded.event(event_id)
    if event is not None and event.kind is not kind:
        raise InvalidArgument(f"event {event_id} is no {kind.value} task")
