"""A shard of History on the simulated loop and store, with a Matching and workers that tests play.

Three rules:

1. Every step, History's, the store's and what the test plays, is judged by ``spec/Delivery.tla``
   as it is told, and with it what is durable.
2. The first divergence is kept, for an exception in a probe is lost in somebody's callback;
   ``close`` raises it, and every mistake that asyncio would only log.
3. A shard that has lost its range id is replaced, as a host does that still has the shard.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import attrs

from conformance.judge import Divergence, Judge
from conformance.judging.profile import Profile
from conformance.paths import spec_directory
from conformance.refinement.books import Ids
from conformance.refinement.delivery import HISTORY_PART, MODULE, Held, Scheduled, to_value
from conformance.simulation.history_store import HistoryCall, SimulatedHistoryStore
from conformance.simulation.loop import SimulationLoop
from matching.errors import MatchingError, Unavailable
from matching.history.commands import TaskToken
from matching.history.shard import Shard
from matching.history.store import Contents, Execution, ScheduledEvent, TaskOptions
from matching.identity import EventId, Item, PartitionKey, RunId, TaskId
from matching.request_ids import RequestIds
from matching.requests import Task
from matching.starts import DISPOSITIONS, Disposition, StartOutcome
from tests.history.played import PlayedIds, PlayedMatching

WORKFLOWS = PartitionKey.parse("shop/orders/workflow/0")
ACTIVITIES = PartitionKey.parse("shop/orders/activity/0")
WORKFLOW = TaskOptions(WORKFLOWS)
ACTIVITY = TaskOptions(ACTIVITIES)

RUNS = ("r1", "r2", "r3")
IDS = Ids(
    hosts=("h1", "h2"),
    partitions=(str(WORKFLOWS), str(ACTIVITIES)),
    polls=("p1", "p2", "p3"),
    tasks=tuple(f"t{number}" for number in range(1, 61)),
    events=tuple(f"{run}/{number}" for run in RUNS for number in range(1, 21)),
)

T = TypeVar("T")


class Referee:
    """A probe that judges what it is told, and looks at what is durable whenever it is told something."""

    def __init__(self) -> None:
        profile = Profile(spec_directory() / "Delivery.tla", Path(__file__).with_name("delivery.cfg"))
        ids = {"Host": IDS.hosts, "Partition": IDS.partitions, "Poll": IDS.polls, "Task": IDS.tasks}
        self.steps: list[tuple[str | int, ...]] = []
        self.divergence: Divergence | None = None
        self.durable: Callable[[], Contents] = Contents
        self.judge = Judge(profile.model({**ids, "Event": IDS.events}), {MODULE: HISTORY_PART})
        self.divergence = self.judge.begin(self._seen())

    def __call__(self, action: str, *args: str | int | tuple[str, ...]) -> None:
        self.steps.append((action, *[arg for arg in args if not isinstance(arg, tuple)]))
        if self.divergence is None:
            self.divergence = self.judge.step(action, args, self._seen())

    def look(self) -> None:
        """Compare what is durable with the last step: nothing may have changed since."""
        if self.divergence is None:
            self.divergence = self.judge.observe(self._seen())

    def _seen(self) -> dict[str, Any]:
        held = held_of(self.durable())
        raw = (
            tuple((each.event, each.phase) for each in held.events),
            tuple((each.event, each.attempt) for each in held.events),
            tuple((each.event, each.stamp) for each in held.events),
            tuple((each.event, each.starter) for each in held.events if each.starter is not None),
            held.intents,
        )
        return {name: to_value(name, value, IDS) for name, value in zip(HISTORY_PART, raw, strict=True)}


def held_of(contents: Contents) -> Held:
    """What is durable, as the specification's variables are read from it."""
    events = [event for execution in contents.executions for event in execution.events]
    return Held(
        tuple(Scheduled(each.event_id, each.phase.value, each.attempt, each.stamp, each.started_by) for each in events),
        frozenset(attrs.astuple(intent.item) for intent in contents.intents),
    )


class Bench:
    """A shard and what is around it; time stands still until ``advance``."""

    def __init__(self, *, prompt: bool = True, seed: int = 0) -> None:
        self.loop = SimulationLoop()
        self.referee = Referee()
        self.store = SimulatedHistoryStore(self.loop, self.referee, prompt=prompt)
        self.referee.durable = self.store.durable
        self.loop.after_callback = self.referee.look
        self.matching = PlayedMatching(self.referee)
        self.task_ids = PlayedIds(IDS.tasks)
        self.chance = Random(seed)
        self.draw_request = itertools.count(1).__next__
        self.request_ids = {host: RequestIds(self.draw_request) for host in IDS.hosts}
        self.tokens: list[TaskToken] = []
        self.shard = self.new_shard()

    # The shard

    def new_shard(self) -> Shard:
        """Make another shard object on the same store, and let it begin."""
        shard = self._new_shard()
        self.loop.run()
        return shard

    def _new_shard(self) -> Shard:
        shard = Shard(
            self.store,
            self.matching,
            task_ids=self.task_ids,
            chance=Random(self.chance.random()),
            probe=self.referee,
            lost=self._replace,
        )
        self.loop.call_soon(shard.start)
        return shard

    def _replace(self, lost: Shard) -> None:
        """Make another shard object, if it was not another that took the shard."""
        if lost is self.shard:
            self.shard = self._new_shard()

    def restart(self) -> None:
        """Stop the shard, and let another go on."""
        self.shard.stop()
        self.loop.run()
        self.shard = self.new_shard()

    def ask(self, work: Coroutine[Any, Any, T], *, run: bool = True) -> asyncio.Task[T]:
        """Begin a call of the shard."""
        call = self.loop.create_task(work)
        call.add_done_callback(self._note_bug)
        if run:
            self.loop.run()
        return call

    def _note_bug(self, call: asyncio.Task[Any]) -> None:
        """A refusal is the caller's affair, heard or not; anything else is a mistake."""
        if not call.cancelled() and not isinstance(error := call.exception(), MatchingError | None):
            self.loop.mistakes.append(repr(error))

    def begin(self, run_id: str = "r1", options: TaskOptions = WORKFLOW) -> asyncio.Task[None]:
        return self.ask(self.shard.start_workflow(RunId(run_id), options))

    def advance(self, seconds: float) -> None:
        """Let time pass, timer by timer."""
        until = self.loop.time() + seconds
        while (due := self.loop.due_times()) and due[0] <= until:
            self.loop.advance(max(due[0], self.loop.time()))
            self.loop.run()
        self.loop.advance(until)
        self.loop.run()

    # The store, where it is not prompt

    def answer(self, kind: str, *, fail: bool = False, lost: bool = False) -> None:
        """Let the oldest call of this kind take effect, or fail, and answer it."""
        call = next(each for each in self.store.waiting() if each.kind == kind)
        self.decide(call, fail=fail)
        self.store.reply(call, lost=lost)
        self.loop.run()

    def decide(self, call: HistoryCall, *, fail: bool = False) -> None:
        if fail:
            self.store.fail(call)
        else:
            self.store.commit(call)

    def answer_all(self) -> None:
        """Let everything that the store is asked take effect."""
        while calls := list(self.store.waiting()):
            self.answer(calls[0].kind)

    def asked(self) -> list[str]:
        """The kinds of calls that wait for the store."""
        return [call.kind for call in self.store.waiting()]

    # Matching's side

    def offer(self, task: str, poll: str = "p1", host: str = "h1", *, run: bool = True) -> asyncio.Task[StartOutcome]:
        """Have a handler ask History about a task that Matching has, and do as it is told."""
        return self.ask(self._handle(self.matching.stored[TaskId(task)], poll, host), run=run)

    async def _handle(self, task: Task, poll: str, host: str) -> StartOutcome:
        assert task.item is not None
        request = self.request_ids[host].of(task)
        self.referee("AskStart", task.task_id, host, poll, request)
        try:
            outcome = await self.shard.record_started(task.partition.task_type, task.item, request)
        except Unavailable:
            self.referee("LoseAnswer", poll)
            outcome = StartOutcome.RETRYABLE
        except asyncio.CancelledError:
            self.referee("GiveBack", task.task_id, poll)
            raise
        disposition = DISPOSITIONS[outcome]
        self.referee(disposition.value.capitalize(), task.task_id, poll)
        if disposition is not Disposition.KEEP:
            self.request_ids[host].settle(task)
        if disposition is Disposition.DELIVER:
            self.tokens.append(TaskToken.of(task.item))
        return outcome

    # What there is

    def told(self, *actions: str) -> list[tuple[str | int, ...]]:
        """The steps of these actions, each with its arguments."""
        return [step for step in self.referee.steps if step[0] in actions]

    def execution(self, run_id: str = "r1") -> Execution:
        """The row as it is durable."""
        return next(row for row in self.store.durable().executions if row.run_id == run_id)

    def event(self, event_id: str) -> ScheduledEvent:
        """The event as it is durable."""
        event = self.execution(event_id.rpartition("/")[0]).event(EventId(event_id))
        assert event is not None
        return event

    @property
    def intents(self) -> list[Item]:
        """What has durably still to be brought to Matching."""
        return [intent.item for intent in self.store.durable().intents]

    def close(self) -> None:
        """Stop everything; raise what went wrong."""
        self.shard.stop()
        self.loop.run()
        left = self.loop.cancel_everything()
        assert self.referee.divergence is None, self.referee.divergence
        assert self.loop.mistakes == []
        assert left == []
