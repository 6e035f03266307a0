"""History in a simulated run: a shard over a store, its calls to Matching, and the workers that complete.

Three rules:

1. A worker completes only what a poll was answered with, as a token says; it may do so late, or again.
2. Adds of the transfer processor go to the host that is home at the moment; ids of tasks are
   those of the world that no task has.
3. What a worker is told of its completion is told by the worker's side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from random import Random

from conformance.refinement.delivery import Held, Scheduled
from conformance.simulation.history_store import SimulatedHistoryStore
from conformance.simulation.starts import SimulatedStarts, StartCall
from matching.errors import MatchingError
from matching.history.commands import Command, CompleteWorkflow, ScheduleActivity, StartTimer, TaskToken
from matching.history.draft import run_of
from matching.history.shard import Shard
from matching.history.store import Execution, Phase, TaskOptions
from matching.identity import EventId, Item, PartitionKey, RunId, TaskId, TaskType, Version
from matching.probe import Probe
from matching.requests import Task

__all__ = ["HistorySide"]

START_TO_CLOSE = 2.0
SCHEDULE_TO_START = 5.0
MOST_ATTEMPTS = 2


class HistorySide:
    """One shard of History and all that it talks to; ``add`` calls add, ``free`` gives an id for a task."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        probe: Probe,
        *,
        add: Callable[[Task], asyncio.Future[None]],
        give_up: Callable[[TaskId], None],
        free: Callable[[], TaskId | None],
        partitions: Sequence[PartitionKey],
        events: Sequence[str],
        prompt: bool,
    ) -> None:
        self.store = SimulatedHistoryStore(loop, probe, prompt=prompt)
        self.starts = SimulatedStarts(loop, probe, lambda: self.shard)
        self.tokens: list[Item] = []
        """What workers were given, in the order in which they got it."""
        self.lacks_ids = False
        """Whether the last transfer found no id for its task."""
        self._loop = loop
        self._probe = probe
        self._add = add
        self._give_up = give_up
        self._free = free
        self._partitions = partitions
        self._events = events
        self._calls: set[asyncio.Task[None]] = set()
        self.shard = self._begin()

    def _begin(self) -> Shard:
        shard = Shard(self.store, self, task_ids=self, chance=Random(0), probe=self._probe, lost=self._taken)
        self._loop.call_soon(self._start, shard)
        return shard

    def _start(self, shard: Shard) -> None:
        if shard is self.shard:
            shard.start()

    def _taken(self, shard: Shard) -> None:
        """Make another, where a takeover that came late has fenced the one that serves."""
        if shard is self.shard:
            self.shard = self._begin()

    # What the shard asks of Matching

    async def add_task(self, task: Task) -> None:
        try:
            await asyncio.shield(self._add(task))
        except asyncio.CancelledError:
            self._give_up(task.task_id)
            raise

    def take(self) -> TaskId | None:
        found = self._free()
        self.lacks_ids = found is None
        return found

    # What is asked of it

    def start_workflow(self, run: str) -> None:
        """Begin a run."""
        self._call(self.shard.start_workflow(RunId(run), self._options(TaskType.WORKFLOW)), f"start {run}")

    def terminate_workflow(self, run: str) -> None:
        """Close a run from outside."""
        self._call(self.shard.terminate_workflow(RunId(run)), f"terminate {run}")

    def restamp(self, event: str) -> None:
        """Give an event other options."""
        found = self.store.event(event)
        self._call(self.shard.update_options(EventId(event), found.options), f"restamp {event}")

    def complete(self, item: Item, then: str) -> None:
        """Let the worker complete what it was given."""
        self._call(self._complete(item, then), f"complete {item}")

    async def _complete(self, item: Item, then: str) -> None:
        token = TaskToken.of(item)
        if self.store.event(item.event_id).kind is TaskType.ACTIVITY:
            await self.shard.complete_activity(token)
        else:
            await self.shard.complete_workflow_task(token, self._commands(then))
        self._probe("ToldComplete", item.event_id, item.attempt)

    def forget(self, event: str) -> None:
        """Let an event of a closed run go, as retention does."""
        self.tokens = [item for item in self.tokens if item.event_id != event]
        self.store.forget(EventId(event))

    def restart(self) -> None:
        """Stop the shard, and let another object go on from what is durable."""
        self.shard.stop()
        self.shard = self._begin()

    def _commands(self, then: str) -> list[Command]:
        match then:
            case "activity":
                return [ScheduleActivity(self._options(TaskType.ACTIVITY))]
            case "timer":
                return [StartTimer("timer", 1.0)]
            case "close":
                return [CompleteWorkflow()]
            case _:
                return []

    def _options(self, kind: TaskType) -> TaskOptions:
        """Activities have to be started in time, and are tried again; so a run needs few names for its events."""
        partition = next(each for each in self._partitions if each.task_type is kind)
        return TaskOptions(
            partition,
            Version("unversioned"),
            start_to_close=START_TO_CLOSE,
            schedule_to_start=None if kind is TaskType.WORKFLOW else SCHEDULE_TO_START,
            most_attempts=None if kind is TaskType.WORKFLOW else MOST_ATTEMPTS,
        )

    def _call(self, work: Coroutine[None, None, None], name: str) -> None:
        call = self._loop.create_task(work)
        call.set_name(name)
        self._calls.add(call)
        call.add_done_callback(self._ended)

    def _ended(self, call: asyncio.Task[None]) -> None:
        self._calls.discard(call)
        # A worker or a client may be refused.
        if not call.cancelled() and (error := call.exception()) and not isinstance(error, MatchingError):
            raise error

    # What is seen of it

    def free_runs(self) -> list[str]:
        """Runs that were not begun."""
        begun = {run.run_id for run in self._executions()}
        runs = dict.fromkeys(run_of(EventId(event)) for event in self._events)
        return [run for run in runs if run not in begun and self.has_room(run)]

    def open_runs(self) -> list[str]:
        """Runs that are not over."""
        return [run.run_id for run in self._executions() if run.open]

    def waiting_events(self) -> list[str]:
        """Events that are scheduled and not started."""
        return [each.event_id for run in self._executions() for each in run.events if each.phase is Phase.SCHEDULED]

    def over_events(self) -> list[str]:
        """Events of closed runs that change no more, to which no call of History refers."""
        if self._calls or self.store.calls:
            return []
        asked = {call.item.event_id for call in self.starts.flying()}
        changing = {intent.run_id for intent in self.store.durable().intents}  # an intent goes with a change of its row
        over = [run for run in self._executions() if not run.open and run.run_id not in changing]
        return [each.event_id for run in over for each in run.events if each.event_id not in asked]

    def next_commands(self, event: str) -> list[str]:
        """What a workflow may decide when this event is completed."""
        more = ["activity", "timer"] if self.has_room(run_of(EventId(event))) else []
        return ["nothing", *more, "close"]

    def _executions(self) -> tuple[Execution, ...]:
        return self.store.durable().executions

    def received(self, item: Item | None) -> None:
        """Note that a worker was given something."""
        if item is not None and item not in self.tokens:
            self.tokens.append(item)

    def held(self) -> Held:
        """What its store holds."""
        contents = self.store.durable()
        return Held(
            tuple(
                [
                    Scheduled(event.event_id, event.phase.value, event.attempt, event.stamp, event.started_by)
                    for execution in contents.executions
                    for event in execution.events
                ]
            ),
            frozenset([(each.item.event_id, each.item.attempt, each.item.stamp) for each in contents.intents]),
        )

    def has_room(self, run_id: str) -> bool:
        """Tell whether the world has names for two more events of a run, besides those that it will have anyhow."""
        names = sum(event.startswith(f"{run_id}/") for event in self._events)
        run = next((each for each in self._executions() if each.run_id == run_id), None)
        if run is None:
            return names >= 1
        to_come = len(run.timers) + sum(each.open and each.kind is TaskType.ACTIVITY for each in run.events)
        return names >= len(run.events) + to_come + 3

    def settle_strays(self) -> None:
        """Tell of start calls that cannot take effect any more."""
        self.starts.end_strays(self._may_come)

    def _may_come(self, call: StartCall) -> bool:
        """Whether a change that is not decided yet would still record this start; no change says what it is about."""
        return any(each.kind == "apply" for each in self.store.calls.values())
