"""An owner of a shard that is killed, and what must be so of its executions afterwards.

Three rules:

1. The owner says what it asks before it asks, and what was confirmed after.  Of an
   execution with its intents it says a digest, which each change makes another; but two
   that close a run may leave it alike, and then the later may be what took effect.
2. What it said is all that the ledger knows; what it finds fault with it gives as sentences.
3. What was asked and not confirmed may be so or not, but an execution and its intents are of one change.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import attrs

from matching.adapters.database import Database
from matching.adapters.history import SqlHistoryStore
from matching.errors import LeaseLost, RowChanged
from matching.history.draft import Draft
from matching.history.store import Change, Contents, Execution, HistoryStore, Intent, Phase, TaskOptions, Timer
from matching.identity import PartitionKey, RunId
from tests.killed.nursery import Say

__all__ = ["SHARD", "HistoryLedger", "Run", "ShardOwner", "runs_of", "work_at_history"]

SHARD = 3
RUNS = 4
LAST_VERSION = 7
"""How many runs are open at once, and at which row version a run is closed."""

WORKFLOW = TaskOptions(PartitionKey.parse("shop/orders/workflow/0"))
ACTIVITY = TaskOptions(PartitionKey.parse("shop/orders/activity/1"), schedule_to_start=2.5)


@attrs.frozen
class Run:
    """An execution and its intents."""

    execution: Execution
    intents: tuple[Intent, ...] = ()

    @property
    def digest(self) -> int:
        """What tells this from every other state of the run."""
        return zlib.crc32(repr(self).encode())

    def after(self, change: Change) -> Run:
        """The run as a change leaves it."""
        intents = {intent.item: intent for intent in self.intents}
        for part in change.parts:
            for item in part.removed:
                del intents[item]
            intents.update({intent.item: intent for intent in part.added})
        return Run(change.execution, tuple(intents.values()))


def runs_of(contents: Contents) -> dict[RunId, Run]:
    """The runs that a shard holds; every intent is some run's."""
    runs = {row.run_id: Run(row) for row in contents.executions}
    for intent in contents.intents:
        found = runs[intent.run_id]
        runs[intent.run_id] = Run(found.execution, (*found.intents, intent))
    return runs


async def work_at_history(database: str | Database, chance: Random, say: Say) -> None:
    """Own the shard, and again after each loss."""
    async with await SqlHistoryStore.open(database) as store:
        while True:
            try:
                await ShardOwner(store, chance, say).work()
            except (LeaseLost, RowChanged):
                say("lost")


class ShardOwner:
    """One ownership of the shard: its range id, and what its runs are."""

    def __init__(self, store: HistoryStore, chance: Random, say: Say) -> None:
        self.range_id = 0
        self.runs: dict[RunId, Run] = {}
        self._store = store
        self._chance = chance
        self._say = say
        self._changes = 0

    async def work(self) -> None:
        """Take the shard, then change its runs until it is lost."""
        await self.take()
        while True:
            await self.change_some()

    async def take(self) -> None:
        """Take the shard, and load what it holds."""
        self._say("take")
        self.range_id = await self._store.take_shard(SHARD)
        self._say("took", self.range_id)
        self.runs = runs_of(await self._store.load(SHARD, self.range_id))
        for run in self.runs.values():
            self._say("found", self.range_id, run.execution.run_id, run.execution.row_version, run.digest)
        self._say("loaded", self.range_id)

    async def change_some(self) -> None:
        """Change two runs at once, each of them open or new."""
        chosen = [self._change_of(run) for run in self._chance.sample(self._open_runs(), 2)]
        for error in await asyncio.gather(*map(self._apply, chosen), return_exceptions=True):
            if error is not None:
                raise error

    def _open_runs(self) -> list[Run]:
        ready = [run for run in self.runs.values() if run.execution.open][:RUNS]
        new = [RunId(f"r{self.range_id}-{self._changes}-{each}") for each in range(RUNS - len(ready))]
        return [*ready, *(Run(Execution(run_id, 0, WORKFLOW, unseen=True)) for run_id in new)]

    def _change_of(self, run: Run) -> Change:
        self._changes += 1
        draft = Draft(run.execution)
        # Its name is given once, so no two changes leave an open run alike.
        draft.start_timer(Timer(f"{self.range_id}.{self._changes}", 1.0))
        for intent in run.intents[: self._chance.randint(0, 2)]:
            draft.discard_intent(intent.item)
        if run.execution.row_version + 1 == LAST_VERSION:
            draft.close()
        else:
            self._go_on(draft)
        return draft.change()

    def _go_on(self, draft: Draft) -> None:
        for event in draft.execution.events:
            if event.phase is Phase.STARTED and self._chance.random() < 0.7:
                draft.complete(event)
            elif event.phase is Phase.SCHEDULED and self._chance.random() < 0.5:
                draft.record_start(event, self._changes)
        if self._chance.random() < 0.5:
            draft.schedule(ACTIVITY)

    async def _apply(self, change: Change) -> None:
        before = self.runs.get(change.run_id) or Run(change.execution)
        after = before.after(change)
        said = (change.run_id, change.expected + 1)
        self._say("apply", *said, after.digest, self.range_id)
        try:
            await self._store.apply(SHARD, self.range_id, change)
        except RowChanged:
            self._say("changed", *said)
            raise
        self._say("applied", *said)
        self.runs[change.run_id] = after


class HistoryLedger:
    """What owners asked and were confirmed, and what is wrong if this is all.

    Of two owners that live at once the lines are heard in no particular order: what an owner
    found is held against what was confirmed before it was born, once everything is heard.
    """

    def __init__(self) -> None:
        self.faults: list[str] = []
        self._taken: set[int] = {0}
        self._asked: dict[tuple[str, int], dict[int, int]] = {}
        self._confirmed: dict[str, int] = {}
        self._confirmed_before: dict[str, int] = {}
        self._found: dict[int, dict[str, tuple[int, int]]] = {}
        self._loaded: list[int] = []
        self._fences: list[tuple[int, Mapping[RunId, int]]] = []

    def hear(self, line: list[Any]) -> None:
        """Note what an owner said."""
        match line:
            case ["take" | "lost"]:
                pass
            case ["took", range_id]:
                if range_id in self._taken:
                    self.faults.append(f"range id {range_id} was given twice")
                self._taken.add(range_id)
                self._found[range_id] = {}
            case ["found", range_id, run_id, version, digest]:
                self._found[range_id][run_id] = version, digest
            case ["loaded", range_id]:
                self._loaded.append(range_id)
            case ["apply", run_id, version, digest, range_id]:
                asked = self._asked.setdefault((run_id, version), {})
                asked[digest] = max(range_id, asked.get(digest, 0))
            case ["applied", run_id, version]:
                self._confirmed[run_id] = max(version, self._confirmed.get(run_id, 0))
            case ["changed", run_id, version]:
                self.faults.append(f"run {run_id} was changed before version {version} by somebody else than its owner")
            case _:
                raise AssertionError(f"an owner said {line}")

    def fence(self, range_id: int, contents: Contents) -> None:
        """Note what was there when somebody else had taken the shard: nothing that was asked before may be added."""
        self._fences.append((range_id, {row.run_id: row.row_version for row in contents.executions}))

    def look(self, contents: Contents) -> None:
        """Find what cannot be, after all that was heard."""
        runs = {run_id: (run.execution.row_version, run.digest) for run_id, run in runs_of(contents).items()}
        for range_id in self._loaded:
            self.faults += self._faults_of(self._found[range_id], self._confirmed_before)
        self.faults += self._faults_of(runs, self._confirmed)
        self.faults += self._late(runs)
        self._loaded.clear()
        self._confirmed_before = dict(self._confirmed)

    def _faults_of(self, found: Mapping[Any, tuple[int, int]], confirmed: Mapping[str, int]) -> Iterator[str]:
        for run_id, version in confirmed.items():
            there, _ = found.get(run_id, (0, 0))
            if there < version:
                yield f"version {version} of run {run_id} is confirmed, and {there} is there"
        for run_id, (version, digest) in found.items():
            if digest not in self._asked.get((run_id, version), {}):
                yield f"run {run_id} with its intents is not what version {version} was to be"

    def _late(self, runs: Mapping[RunId, tuple[int, int]]) -> Iterator[str]:
        for run_id, (version, digest) in runs.items():
            asked_under = self._asked.get((run_id, version), {}).get(digest, 0)
            for range_id, there in self._fences:
                if asked_under < range_id and version > there.get(run_id, 0):
                    yield f"run {run_id} was changed after another owner had taken over, at {range_id}"
