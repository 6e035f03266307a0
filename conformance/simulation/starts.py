"""Start calls from Matching to History, each a thing that the driver chooses about.

Five rules:

1. A call waits until the driver decides whether it arrives.  One that does not is told as
   FailStart; of one that does History tells what it decided.
2. Its answer comes when History is done and the driver wants it to.  An answer that is lost is
   told as LoseAnswer, if its asker still waits; the call may take effect all the same.
3. An asker that leaves does not stop its call.
4. A call that has ended with nobody knowing what became of it is told as StrayEnds, once it
   cannot take effect any more.
5. The service's own steps are heard on their way to the probe: they say who asks, and what
   was decided.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import attrs

from conformance.simulation.store import Effect
from matching.errors import MatchingError, Unavailable
from matching.identity import Item, TaskType
from matching.probe import Probe
from matching.starts import StartOutcome, Starts

__all__ = ["SimulatedStarts", "StartCall"]

_DECISIONS = frozenset({"RecordStart", "RefuseStart", "FailStart"})


@attrs.define(eq=False, kw_only=True)
class StartCall:
    """One start call, known by what it asks."""

    name: str
    kind: str = "start"
    task_type: TaskType
    item: Item
    request_id: int
    answer: asyncio.Future[StartOutcome]
    effect: Effect = Effect.PENDING
    answered: bool = False
    """Whether the driver has nothing left to choose."""
    replied: bool = False
    served: bool = False
    decided: bool = False
    """Whether the specification knows what became of it."""
    done: asyncio.Task[StartOutcome] | None = None
    """History's work on it."""

    @property
    def asked(self) -> tuple[str | int, ...]:
        return self.item.event_id, self.item.attempt, self.item.stamp, self.request_id


class SimulatedStarts:
    """A `Starts` between the engines and whoever is History at the moment."""

    def __init__(self, loop: asyncio.AbstractEventLoop, probe: Probe, history: Callable[[], Starts]) -> None:
        self.calls: dict[str, StartCall] = {}
        self._loop = loop
        self._probe = probe
        self._history = history
        self._polls: dict[int, str] = {}
        self._adrift: list[StartCall] = []
        self._made = 0

    async def record_started(self, kind: TaskType, item: Item, request_id: int) -> StartOutcome:
        self._made += 1
        name = f"start {item.event_id}.{item.attempt}.{item.stamp} {request_id}/{self._made}"
        call = self.calls[name] = StartCall(
            name=name, task_type=kind, item=item, request_id=request_id, answer=self._loop.create_future()
        )
        return await call.answer

    def hear(self, action: str, args: tuple[object, ...]) -> None:
        """Note who asks, and what was decided."""
        if action == "Ask":
            _, poll, request_id = args
            assert isinstance(request_id, int)
            self._polls[request_id] = str(poll)
        elif action in _DECISIONS:
            call = next((each for each in self.flying() if each.asked == args[:4]), None)
            if call is not None:
                call.decided = True

    # The driver's side

    def waiting(self) -> Iterator[StartCall]:
        """The calls of which something is left to choose, oldest first."""
        return (call for call in list(self.calls.values()) if not call.answered)

    def flying(self) -> Iterator[StartCall]:
        """The calls of which nobody knows yet what became of them, whether or not somebody waits."""
        return (call for call in (*self.calls.values(), *self._adrift) if not call.decided)

    def commit(self, call: StartCall) -> None:
        """Let the call arrive."""
        call.effect = Effect.COMMITTED
        call.done = self._loop.create_task(self._history().record_started(call.task_type, call.item, call.request_id))
        call.done.set_name(call.name)
        call.done.add_done_callback(lambda _: self._arrived(call))

    def fail(self, call: StartCall) -> None:
        """Let the call never arrive."""
        call.effect = Effect.FAILED
        self._probe("FailStart", *call.asked)

    def reply(self, call: StartCall, *, lost: bool = False) -> None:
        """Let the answer come as soon as there is one, or never."""
        call.answered = call.replied = True
        if lost and call.effect is not Effect.FAILED and not call.answer.done():
            self._probe("LoseAnswer", self._polls[call.request_id])
            self._refuse(call)
        if call.effect is Effect.FAILED or call.served:
            self._end(call)

    def end_strays(self, may_come: Callable[[StartCall], bool]) -> None:
        """Tell of each call that has ended undecided, and cannot take effect any more."""
        for call in list(self._adrift):
            if call.decided or not may_come(call):
                self._adrift.remove(call)
                if not call.decided:
                    call.decided = True
                    self._probe("StrayEnds", *call.asked)

    def _arrived(self, call: StartCall) -> None:
        """History has done its work, or stopped."""
        call.served = True
        assert call.done is not None
        error = None if call.done.cancelled() else call.done.exception()
        if error is not None and not isinstance(error, MatchingError):
            raise error
        if call.replied:
            self._end(call)

    def _end(self, call: StartCall) -> None:
        """Both sides are done with the call: its asker gets what there is, if it still waits."""
        del self.calls[call.name]
        if not call.decided:
            self._adrift.append(call)
        if call.answer.done():
            return
        if call.effect is Effect.FAILED:
            self._refuse(call)
        elif call.done is None or call.done.cancelled() or call.done.exception() is not None:
            self._probe("LoseAnswer", self._polls[call.request_id])
            self._refuse(call)
        else:
            call.answer.set_result(call.done.result())

    def _refuse(self, call: StartCall) -> None:
        if not call.answer.done():
            call.answer.set_exception(Unavailable(f"{call.name}: no answer"))
