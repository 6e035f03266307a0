"""A durable History whose every call is a thing that the driver chooses about.

Four rules:

1. A call waits until the driver decides its effect and, then or later, its answer.  An answer
   may be an error although the effect was; never the reverse.
2. What takes effect is told at the moment when it does, part after part.
3. A call whose caller has gone is still a call: its effect may come.  A load that nobody waits
   for has none, and goes.
4. A ``prompt`` store decides everything itself, at once and well: for drivers whose question
   is another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import attrs

from conformance.simulation.store import Effect
from matching.errors import LeaseLost, RowChanged, StoreError
from matching.history.memory import MemoryHistoryStore
from matching.history.store import Change, Contents, ScheduledEvent
from matching.identity import EventId, RunId
from matching.probe import Probe

__all__ = ["HistoryCall", "SimulatedHistoryStore"]


@attrs.define(eq=False, kw_only=True)
class HistoryCall:
    """One call of the store, known by what it asks."""

    name: str
    kind: str
    take_effect: Callable[[], Any]
    answer: asyncio.Future[Any]
    effect: Effect = Effect.PENDING
    answered: bool = False
    result: Any = None
    refusal: Exception | None = None


class SimulatedHistoryStore:
    """A `HistoryStore` in memory."""

    def __init__(self, loop: asyncio.AbstractEventLoop, probe: Probe, *, prompt: bool = False) -> None:
        self.calls: dict[str, HistoryCall] = {}
        self._loop = loop
        self._memory = MemoryHistoryStore(probe)
        self._prompt = prompt
        self._takeovers = 0

    # The port

    async def take_shard(self, shard: int) -> int:
        self._takeovers += 1
        range_id: int = await self._ask(
            "take", f"shard {shard} {self._takeovers}", lambda: self._memory.take_shard_nowait(shard)
        )
        return range_id

    async def load(self, shard: int, range_id: int, run_id: RunId | None = None) -> Contents:
        what = f"shard {shard}" if run_id is None else run_id
        contents: Contents = await self._ask(
            "load", f"{what}#{range_id}", lambda: self._memory.load_nowait(shard, range_id, run_id)
        )
        return contents

    async def apply(self, shard: int, range_id: int, change: Change) -> None:
        await self._ask(
            "apply", f"{change.run_id}#{range_id}", lambda: self._memory.apply_nowait(shard, range_id, change)
        )

    async def _ask(self, kind: str, what: str, take_effect: Callable[[], Any]) -> Any:
        name = f"{kind} {what}"
        while name in self.calls:
            name += " again"
        call = HistoryCall(name=name, kind=kind, take_effect=take_effect, answer=self._loop.create_future())
        self.calls[name] = call
        if self._prompt:
            self._loop.call_soon(self._answer_well, call)
        return await call.answer

    def _answer_well(self, call: HistoryCall) -> None:
        if call.effect is Effect.PENDING:
            self.commit(call)
            self.reply(call)

    # The driver's side

    def durable(self, shard: int = 0) -> Contents:
        """Give what the shard holds now."""
        return self._memory.durable(shard)

    def event(self, event_id: str) -> ScheduledEvent:
        """Give an event as it is now; there must be one."""
        runs = self.durable().executions
        return next(each for run in runs for each in run.events if each.event_id == event_id)

    def forget(self, event_id: EventId) -> None:
        """Let an event of a closed run go. (ForgetEvent)"""
        self._memory.forget(0, event_id)

    def waiting(self) -> Iterator[HistoryCall]:
        """The calls that are not yet answered, oldest first."""
        for name, call in list(self.calls.items()):
            if call.kind == "load" and call.answer.cancelled():
                del self.calls[name]
            elif not self._prompt:
                yield call

    def commit(self, call: HistoryCall) -> None:
        """Let the call take effect now, if its range id and row version still count."""
        assert call.effect is Effect.PENDING
        try:
            call.result = call.take_effect()
            call.effect = Effect.COMMITTED
        except (LeaseLost, RowChanged) as refusal:
            call.refusal = refusal
            call.effect = Effect.FENCED

    def fail(self, call: HistoryCall) -> None:
        """Let the call never take effect."""
        assert call.effect is Effect.PENDING
        call.effect = Effect.FAILED

    def reply(self, call: HistoryCall, *, lost: bool = False) -> None:
        """Answer a call whose effect is decided; ``lost`` makes the answer an error whatever the effect."""
        assert call.effect is not Effect.PENDING
        call.answered = True
        self.calls.pop(call.name, None)
        if call.answer.done():
            return
        if lost or call.effect is Effect.FAILED:
            call.answer.set_exception(StoreError(f"{call.name}: no answer"))
        elif call.refusal is not None:
            call.answer.set_exception(call.refusal)
        else:
            call.answer.set_result(call.result)
