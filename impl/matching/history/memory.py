"""A shard's durable state in memory: the reference for what a store of History does.

Two rules:

1. What is done ``nowait`` takes effect, and is told, before it returns: for whoever decides himself
   when a call takes effect.
2. The port does the same at once, and answers.
"""

from __future__ import annotations

import attrs

from matching.errors import LeaseLost, RowChanged
from matching.history.draft import run_of
from matching.history.store import Change, Contents, Execution, Intent
from matching.identity import EventId, Item, RunId
from matching.probe import Probe, silent

__all__ = ["MemoryHistoryStore"]


@attrs.define
class _Shard:
    range_id: int = 0
    executions: dict[RunId, Execution] = attrs.field(factory=dict)
    intents: dict[Item, Intent] = attrs.field(factory=dict)


class MemoryHistoryStore:
    """A `HistoryStore` that answers every call at once."""

    def __init__(self, probe: Probe = silent) -> None:
        self._probe = probe
        self._shards: dict[int, _Shard] = {}

    # The port

    async def take_shard(self, shard: int) -> int:
        return self.take_shard_nowait(shard)

    async def load(self, shard: int, range_id: int, run_id: RunId | None = None) -> Contents:
        return self.load_nowait(shard, range_id, run_id)

    async def apply(self, shard: int, range_id: int, change: Change) -> None:
        self.apply_nowait(shard, range_id, change)

    # The same, without an answer that could come later

    def take_shard_nowait(self, shard: int) -> int:
        held = self._shards.setdefault(shard, _Shard())
        held.range_id += 1
        return held.range_id

    def load_nowait(self, shard: int, range_id: int, run_id: RunId | None = None) -> Contents:
        contents = self._fenced(shard, range_id)
        if run_id is None:
            return Contents(tuple(contents.executions.values()), tuple(contents.intents.values()))
        return Contents(
            tuple(row for row in contents.executions.values() if row.run_id == run_id),
            tuple(intent for intent in contents.intents.values() if intent.run_id == run_id),
        )

    def apply_nowait(self, shard: int, range_id: int, change: Change) -> None:
        held = self._fenced(shard, range_id)
        row = held.executions.get(change.run_id)
        if (version := row.row_version if row is not None else 0) != change.expected:
            raise RowChanged(f"run {change.run_id} has row version {version}, not {change.expected}; load it again")
        for part in change.parts:
            held.executions[change.run_id] = part.execution
            for item in part.removed:
                del held.intents[item]
            held.intents.update({intent.item: intent for intent in part.added})
            if part.step:
                action, *args = part.step
                self._probe(str(action), *args)

    # For those who look on

    def durable(self, shard: int = 0) -> Contents:
        """Give what the shard holds now, whoever has it."""
        held = self._shards.setdefault(shard, _Shard())
        return Contents(tuple(held.executions.values()), tuple(held.intents.values()))

    def forget(self, shard: int, event_id: EventId) -> None:
        """Let an event of a closed run go, once nothing refers to it. (ForgetEvent)"""
        held = self._shards[shard]
        run = held.executions[run_of(event_id)]
        assert not run.open, f"run {run.run_id} may still need {event_id}"
        kept = tuple(event for event in run.events if event.event_id != event_id)
        held.executions[run.run_id] = attrs.evolve(run, events=kept)
        self._probe("ForgetEvent", event_id)

    def _fenced(self, shard: int, range_id: int) -> _Shard:
        held = self._shards.setdefault(shard, _Shard())
        if held.range_id != range_id:
            raise LeaseLost(f"shard {shard} has range id {held.range_id}, not {range_id}")
        return held
