"""One shard of History: workflows begin, workers start and complete what they are given, time passes.

Five rules keep this module simple:

1. A public method's docstring names the actions of ``spec/Delivery.tla`` that it leads to.
2. A call of ``record_started`` that returns has been told; one that raises ``Unavailable`` has
   been told if it took effect, and will be if it does.
3. A caller that leaves before its turn is not served; afterwards it stops nothing.
4. What time does, and what has to be brought to Matching, follows from each change.
5. Stop is final.  Afterwards nothing is told, except what the store was already asked for; another
   shard object on the same store goes on from what is durable.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType

from matching.errors import InvalidArgument, Unavailable
from matching.history.alarms import Alarm, Alarms
from matching.history.backoff import Backoff
from matching.history.calls import Calls
from matching.history.commands import Command, TaskToken
from matching.history.executions import Executions, Loaded
from matching.history.processor import Adds, TaskIds, TransferProcessor
from matching.history.store import Execution, HistoryStore, Intent, TaskOptions
from matching.history.work import Work
from matching.identity import EventId, Item, RunId, TaskType
from matching.probe import Probe, silent
from matching.starts import StartOutcome

__all__ = ["SHARD_TRANSITIONS", "Shard", "ShardState"]


class ShardState(enum.Enum):
    """Where a shard object stands."""

    NEW = "new"
    TAKING = "taking"
    SERVING = "serving"
    STOPPED = "stopped"


SHARD_TRANSITIONS: Mapping[ShardState, frozenset[ShardState]] = MappingProxyType(
    {
        ShardState.NEW: frozenset({ShardState.TAKING, ShardState.STOPPED}),
        ShardState.TAKING: frozenset({ShardState.SERVING, ShardState.STOPPED}),
        ShardState.SERVING: frozenset({ShardState.STOPPED}),
        ShardState.STOPPED: frozenset(),
    }
)


Lost = Callable[["Shard"], None]


def _nothing(shard: Shard) -> None: ...


class Shard:
    """The executions of one shard on the host that has it; it is a `Starts` for Matching.

    ``lost`` is called when the shard has stopped because its range id is another's: also a
    takeover of an earlier shard object that comes late does that, so a host that still has the
    shard by membership makes another `Shard`.
    """

    def __init__(
        self,
        store: HistoryStore,
        matching: Adds,
        *,
        task_ids: TaskIds,
        chance: Random,
        probe: Probe = silent,
        number: int = 0,
        lost: Lost = _nothing,
    ) -> None:
        self.state = ShardState.NEW
        self.number = number
        self._lost = lost
        self._backoff = Backoff(chance)
        self._work = Work(f"shard {number}")
        self._taken = asyncio.Event()
        self._alarms = Alarms(self._wake)
        self._executions = Executions(
            store, number, work=self._work, backoff=self._backoff, changed=self._follow, lost=self._lose
        )
        self._calls = Calls(self._executions, probe)
        self._processor = TransferProcessor(
            self._executions, matching=matching, task_ids=task_ids, work=self._work, backoff=self._backoff
        )

    # The shard

    def start(self) -> None:
        """Take the shard, and go on from what is durable."""
        self._move(ShardState.TAKING)
        self._work.spawn(self._take(), "take")

    async def ready(self) -> None:
        """Wait until the shard serves.

        Raises:
            Unavailable: it has stopped.
        """
        await self._taken.wait()
        self._refuse_unless_serving()

    def stop(self) -> None:
        """Serve nothing any more; a second stop is nothing."""
        if self.state is ShardState.STOPPED:
            return
        self._move(ShardState.STOPPED)
        self._alarms.stop()
        self._work.stop()
        self._taken.set()

    async def stopped(self) -> None:
        """Wait until this shard, which was told to stop, does nothing any more."""
        await self._work.stopped()

    @property
    def executions(self) -> tuple[Execution, ...]:
        """The executions, as far as is known."""
        return tuple(run.execution for run in self._executions.runs.values() if run.execution is not None)

    @property
    def intents(self) -> tuple[Intent, ...]:
        """What has still to be brought to Matching, as far as is known."""
        return tuple(intent for run in self._executions.runs.values() for intent in run.intents.values())

    @property
    def in_transfer(self) -> tuple[Item, ...]:
        """What is being brought to Matching, or was brought and is being removed."""
        return self._processor.at_work

    # Clients

    async def start_workflow(self, run_id: RunId, options: TaskOptions) -> None:
        """Begin an execution, whose workflow tasks have these options. (Schedule)

        Raises:
            AlreadyExists: there is such a run.
            InvalidArgument: the options' partition is not for workflow tasks.
            Unavailable: it was not confirmed; it may have begun all the same.
        """
        if options.partition.task_type is not TaskType.WORKFLOW:
            raise InvalidArgument(f"{options.partition} takes no workflow tasks; name a partition for them")
        self._refuse_unless_serving()
        await self._work.ask(lambda asker: self._calls.start_workflow(asker, run_id, options), f"start {run_id}")

    async def terminate_workflow(self, run_id: RunId) -> None:
        """Close an execution from outside. (Close)

        Raises:
            NotFound: there is no such run, or it is over.
            Unavailable: it was not confirmed.
        """
        self._refuse_unless_serving()
        await self._work.ask(lambda asker: self._calls.terminate_workflow(asker, run_id), f"terminate {run_id}")

    async def update_options(self, event_id: EventId, options: TaskOptions) -> None:
        """Give an event that is not started other options, which need another task. (Restamp)

        Raises:
            NotFound: there is no such event, or it is started or over.
            InvalidArgument: the options are for the other kind of event.
            Unavailable: it was not confirmed.
        """
        self._refuse_unless_serving()
        await self._work.ask(lambda asker: self._calls.update_options(asker, event_id, options), f"update {event_id}")

    # Matching

    async def record_started(self, kind: TaskType, item: Item, request_id: int) -> StartOutcome:
        """Decide a start call. (RecordStart, RefuseStart, FailStart)

        Raises:
            InvalidArgument: the event is of the other kind.
            Unavailable: the start may be recorded, or not.
        """
        self._refuse_unless_serving()
        return await self._work.ask(
            lambda asker: self._calls.record_started(asker, kind, item, request_id), f"record {item}"
        )

    # Workers

    async def complete_workflow_task(self, token: TaskToken, commands: Sequence[Command]) -> None:
        """Accept what a workflow decided, if the attempt counts. (Complete, RefuseComplete)

        Raises:
            NotFound: the attempt does not count any more.
            InvalidArgument: the token is an activity's, or the commands cannot be.
            Unavailable: it was not confirmed.
        """
        self._refuse_unless_serving()
        await self._work.ask(
            lambda asker: self._calls.complete(asker, TaskType.WORKFLOW, token, commands), f"complete {token.event_id}"
        )

    async def complete_activity(self, token: TaskToken) -> None:
        """Accept that an activity is done, if the attempt counts. (Complete, RefuseComplete)

        Raises:
            NotFound: the attempt does not count any more.
            InvalidArgument: the token is a workflow task's.
            Unavailable: it was not confirmed.
        """
        self._refuse_unless_serving()
        await self._work.ask(
            lambda asker: self._calls.complete(asker, TaskType.ACTIVITY, token, ()), f"complete {token.event_id}"
        )

    # What is done in tasks of the shard

    async def _take(self) -> None:
        await self._backoff.insist(self._executions.take)
        self._move(ShardState.SERVING)
        self._taken.set()

    # What follows from a change

    def _follow(self, loaded: Loaded) -> None:
        self._alarms.follow(loaded.run_id, loaded.execution)
        self._processor.follow(loaded)

    def _wake(self, alarm: Alarm) -> None:
        self._work.spawn(self._backoff.insist(lambda: self._calls.ring(alarm)), f"ring {alarm.name}")

    def _lose(self) -> None:
        if self.state is not ShardState.STOPPED:
            self.stop()
            self._lost(self)

    def _move(self, state: ShardState) -> None:
        assert state in SHARD_TRANSITIONS[self.state], f"{self.state} does not lead to {state}"
        self.state = state

    def _refuse_unless_serving(self) -> None:
        if self.state is not ShardState.SERVING:
            raise Unavailable(f"shard {self.number} is {self.state.value}; try again, or ask the host that has it")
