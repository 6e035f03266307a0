"""A random run of History: moves of workers, Matching, the store, the clock and the host, chosen by a seed.

Two rules:

1. A move is made only where it can do something; what it does is judged by the bench.
2. A shard does not end while Matching has accepted an intent that is durable all the same: the
   specification has no History that forgets an acceptance.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from random import Random

import attrs

from conformance.simulation.store import Effect
from matching.history.commands import Command, CompleteWorkflow, ScheduleActivity, StartTimer
from matching.history.shard import ShardState
from matching.history.store import Phase, TaskOptions
from matching.identity import RunId, TaskType
from matching.request_ids import RequestIds
from matching.starts import StartOutcome
from tests.history.bench import ACTIVITY, IDS, RUNS, WORKFLOW, Bench
from tests.history.played import Fate

__all__ = ["Walk"]


@attrs.frozen
class Handler:
    """Who asks History about a task."""

    task: str
    host: str
    call: asyncio.Task[StartOutcome]


class Walk:
    """One run; ``go`` makes so many moves and then lets everything come to rest."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.bench = Bench(prompt=False, seed=seed)
        self.handlers: dict[str, Handler] = {}
        self._runs = deque(RUNS)

    def go(self, moves: int) -> None:
        for _ in range(moves):
            self.chance.choice(_MOVES)(self)
        self.rest()

    def rest(self) -> None:
        """Let everything be answered well, and time pass until nothing is tried again."""
        self.bench.matching.fates = deque([Fate.STORED])
        for _ in range(4):
            for call in list(self.bench.store.waiting()):
                if call.effect is not Effect.PENDING:
                    self.bench.store.reply(call)
            self.bench.loop.run()
            self.bench.answer_all()
            for add in self.bench.matching.hanging.values():
                if not add.done():
                    add.set_result(None)
            self.bench.answer_all()
            self.bench.advance(0.5)

    # Clients and workers

    def begin(self) -> None:
        if self._runs and self.bench.shard.state is ShardState.SERVING:
            run_id = RunId(self._runs.popleft())
            self.bench.ask(self.bench.shard.start_workflow(run_id, self._quick(WORKFLOW)), run=self._now())

    def complete(self) -> None:
        if self.bench.tokens:
            token = self.chance.choice(self.bench.tokens[-4:])
            shard = self.bench.shard
            if self.bench.event(token.event_id).kind is TaskType.ACTIVITY:
                self.bench.ask(shard.complete_activity(token), run=self._now())
            else:
                self.bench.ask(shard.complete_workflow_task(token, self._commands()), run=self._now())

    def restamp(self) -> None:
        due = [event for row in self.bench.shard.executions for event in row.events if event.phase is Phase.SCHEDULED]
        if due:
            event = self.chance.choice(due)
            self.bench.ask(self.bench.shard.update_options(event.event_id, event.options), run=self._now())

    def terminate(self) -> None:
        rows = self.bench.shard.executions
        if rows:
            self.bench.ask(self.bench.shard.terminate_workflow(self.chance.choice(rows).run_id), run=self._now())

    # Matching

    def offer(self) -> None:
        free = [poll for poll in IDS.polls if poll not in self.handlers or self.handlers[poll].call.done()]
        host = self.chance.choice(IDS.hosts)
        asked = {each.task for each in self.handlers.values() if each.host == host and not each.call.done()}
        tasks = [task for task in list(self.bench.matching.stored)[-4:] if task not in asked]
        if free and tasks:
            poll, task = self.chance.choice(free), self.chance.choice(tasks)
            self.handlers[poll] = Handler(task, host, self.bench.offer(task, poll, host, run=self._now()))

    def leave(self) -> None:
        waiting = [handler for handler in self.handlers.values() if not handler.call.done()]
        if waiting:
            self.chance.choice(waiting).call.cancel()

    def reload(self) -> None:
        host = self.chance.choice(IDS.hosts)
        self.bench.referee("Reload", host)
        self.bench.request_ids[host] = RequestIds(self.bench.draw_request)

    def fate(self) -> None:
        self.bench.matching.fates = deque([self.chance.choice(list(Fate)), Fate.STORED])

    def accept(self) -> None:
        hanging = [add for add in self.bench.matching.hanging.values() if not add.done()]
        if hanging:
            self.chance.choice(hanging).set_result(None)

    # The store, time, the host

    def decide(self) -> None:
        calls = [call for call in self.bench.store.waiting() if call.effect is Effect.PENDING]
        if calls:
            self.bench.decide(self.chance.choice(calls), fail=self.chance.random() < 0.2)

    def reply(self) -> None:
        calls = [call for call in self.bench.store.waiting() if call.effect is not Effect.PENDING]
        if calls:
            self.bench.store.reply(self.chance.choice(calls), lost=self.chance.random() < 0.2)
            if self._now():
                self.bench.loop.run()

    def answer(self) -> None:
        if calls := [call for call in self.bench.store.waiting() if call.effect is Effect.PENDING]:
            self.bench.decide(calls[0])
            self.bench.store.reply(calls[0])
            if self._now():
                self.bench.loop.run()

    def settle(self) -> None:
        self.bench.loop.run()

    def wait(self) -> None:
        self.bench.advance(self.chance.choice([0.1, 1.0, 3.0]))

    def restart(self) -> None:
        accepted = {args[1] for args in self.bench.told("AnswerAdd") if args[2] == "accepted"}
        accepted_items = {step[2:] for step in self.bench.told("Transfer") if step[1] in accepted}
        if not accepted_items & {attrs.astuple(item) for item in self.bench.intents}:
            self.bench.restart()

    def _now(self) -> bool:
        """Whether callbacks run at once, or what comes next still finds them queued."""
        return self.chance.random() < 0.7

    def _quick(self, options: TaskOptions) -> TaskOptions:
        return attrs.evolve(
            options,
            start_to_close=self.chance.choice([3.0, 100.0]),
            schedule_to_start=self.chance.choice([None, None, 4.0]),
            most_attempts=self.chance.choice([None, 2]),
        )

    def _commands(self) -> list[Command]:
        last: list[list[Command]] = [[], [], [CompleteWorkflow()]]
        count = self.chance.choice([0, 1, 1, 2])
        activities: list[Command] = [ScheduleActivity(self._quick(ACTIVITY)) for _ in range(count)]
        timers: list[Command] = [StartTimer("tea", 1.0)] if self.chance.random() < 0.3 else []
        return activities + timers + self.chance.choice(last)


_MOVES: list[Callable[[Walk], None]] = [
    *[Walk.begin] * 2,
    *[Walk.complete] * 3,
    *[Walk.offer] * 5,
    *[Walk.answer] * 8,
    *[Walk.decide] * 3,
    *[Walk.reply] * 3,
    *[Walk.settle] * 2,
    *[Walk.wait] * 2,
    Walk.restamp,
    Walk.terminate,
    Walk.leave,
    Walk.reload,
    Walk.fate,
    Walk.accept,
    Walk.restart,
]
