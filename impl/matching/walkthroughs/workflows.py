"""Workflows on a stage: one shard of History, its transfer queue, and workers that complete what they were given.

Three rules:

1. A worker completes only what a poll of its own returned.
2. The first start calls can be made to fail, as a History that is overloaded does; nothing else is arranged.
3. What is told of workflows is what History's store holds.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from random import Random

from matching.adapters.history import SqlHistoryStore
from matching.caller import Caller
from matching.engine import Engine
from matching.errors import MatchingError, Unavailable
from matching.history.commands import Command, TaskToken
from matching.history.shard import Shard
from matching.history.store import TaskOptions
from matching.identity import EventId, Item, PollId, RunId, TaskId, TaskType
from matching.probe import Probe
from matching.requests import Task
from matching.starts import StartOutcome

__all__ = ["Workflows"]


class Workflows:
    """History as a walkthrough has it; it is a `Starts` for the engine."""

    def __init__(self, store: SqlHistoryStore, caller: Caller, probe: Probe) -> None:
        self.failing_starts = 0
        """How many start calls from now on do not arrive."""
        self.losing_adds = 0
        """How many answers to adds from now on are lost."""
        self._store = store
        self._caller = caller
        self._probe = probe
        self._engine: Engine | None = None
        self._given: dict[PollId, Item] = {}
        self._calls: set[asyncio.Task[None]] = set()
        self._tasks = 0
        self._shard: Shard | None = None

    async def open(self, engine: Engine) -> None:
        """Take the shard, whose tasks go to this engine."""
        self._engine = engine
        self._shard = Shard(self._store, self, task_ids=self, chance=Random(0), probe=self._probe)
        self._shard.start()
        await self._shard.ready()

    async def close(self) -> None:
        """Stop the shard, and wait until nothing of it runs any more."""
        if self._shard is not None:
            self._shard.stop()
            await self._shard.stopped()
        if self._calls:
            await asyncio.wait(self._calls)

    @property
    def shard(self) -> Shard:
        assert self._shard is not None
        return self._shard

    # What the shard asks of Matching, and Matching of the shard

    def take(self) -> TaskId | None:
        self._tasks += 1
        return TaskId(f"t{self._tasks}")

    async def add_task(self, task: Task) -> None:
        assert self._engine is not None
        answer = self._caller.add_task(self._engine, task)
        if self.losing_adds:
            self.losing_adds -= 1
            self._caller.lose_add(task.task_id, interrupt=False)
        try:
            await asyncio.shield(answer)
        except asyncio.CancelledError:
            self._caller.lose_add(task.task_id, interrupt=True)
            raise

    async def record_started(self, kind: TaskType, item: Item, request_id: int) -> StartOutcome:
        if self.failing_starts:
            self.failing_starts -= 1
            self._probe("FailStart", item.event_id, item.attempt, item.stamp, request_id)
            raise Unavailable("History is overloaded; ask again")
        return await self.shard.record_started(kind, item, request_id)

    # Clients and workers

    async def start(self, run: str, options: TaskOptions) -> None:
        """Begin a run."""
        await self.shard.start_workflow(RunId(run), options)

    async def terminate(self, run: str) -> None:
        """Close a run from outside."""
        await self.shard.terminate_workflow(RunId(run))

    async def update(self, event: str, options: TaskOptions) -> None:
        """Give a scheduled event other options."""
        await self.shard.update_options(EventId(event), options)

    def note(self, poll_id: PollId, call: asyncio.Task[Task | None]) -> None:
        """Note what a worker's poll returned, once it has."""

        def returned(done: asyncio.Task[Task | None]) -> None:
            task = None if done.cancelled() or done.exception() is not None else done.result()
            if task is not None and task.item is not None:
                self._given[poll_id] = task.item

        call.add_done_callback(returned)

    def complete(self, poll: str, commands: Sequence[Command] = ()) -> None:
        """Let the worker complete what this poll returned."""
        item = self._given[PollId(poll)]
        call = asyncio.get_running_loop().create_task(self._complete(item, commands))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    async def _complete(self, item: Item, commands: Sequence[Command]) -> None:
        token = TaskToken.of(item)
        with contextlib.suppress(MatchingError):  # the worker is refused, which History tells
            if self._kind(item) is TaskType.ACTIVITY:
                await self.shard.complete_activity(token)
            else:
                await self.shard.complete_workflow_task(token, commands)
            self._probe("ToldComplete", item.event_id, item.attempt)

    def _kind(self, item: Item) -> TaskType:
        runs = self.shard.executions
        return next(each.kind for run in runs for each in run.events if each.event_id == item.event_id)

    async def now(self) -> str:
        """What History holds: each event and where it stands, and what it still has to bring to Matching."""
        contents = await self._store.durable()
        events = [
            f"{event.event_id} {event.phase.value}" + (f" (attempt {event.attempt})" if event.attempt > 1 else "")
            for run in contents.executions
            for event in run.events
        ]
        intents = [f"{intent.item.event_id}" for intent in contents.intents]
        return f"History {', '.join(events) or 'nothing'} · intents {', '.join(intents) or 'none'}"
