"""The network between hosts, each hop over it a thing that the driver chooses about.

Five rules:

1. A hop is under way until the driver decides whether it arrives.  One that does not is
   answered with an error, or not at all.
2. Its answer comes when the parent is done and the driver wants it to.  One that is lost is
   an error to whoever waits; the parent goes on, for it knows of nothing.
3. Who waits no longer sends a cancel.  It arrives where the answer would have come, or is lost
   as that would have been; a hop may arrive after that.
4. What the parent received is told as it was received.
5. Ids of hops are slots.  Where all are taken the run is ``full``, and says nothing more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Iterator, MutableMapping, Sequence
from functools import partial
from typing import Any

import attrs

from conformance.simulation.store import Effect
from matching.caller import Caller
from matching.engine import Engine
from matching.errors import Unavailable
from matching.hops import OfferAnswer
from matching.identity import Host, PollId, TaskId
from matching.requests import PollRequest, Task

__all__ = ["HOP_KINDS", "HopCall", "SimulatedNetwork"]

TURNS_UNTIL_HEARD = 3
"""After how many turns of the loop whoever waits for a hop has heard of its end."""
HOP_KINDS = ("poll", "offer")
"""The kinds of hops."""


@attrs.define(eq=False, kw_only=True)
class HopCall:
    """One hop: a poll or an offer, and where it goes."""

    name: str
    kind: str
    hop: PollRequest | Task
    host: Host
    answer: asyncio.Future[Any]
    effect: Effect = Effect.PENDING
    answered: bool = False
    """Whether the driver has nothing left to choose."""
    replied: bool = False
    """Whether the answer, or a cancel, comes as soon as there is one."""
    is_lost: bool = False
    """Whether neither answer nor cancel arrives."""
    serving: asyncio.Task[Any] | None = None
    """The parent's work on it."""

    @property
    def hop_id(self) -> PollId | TaskId:
        return self.hop.poll_id if isinstance(self.hop, PollRequest) else self.hop.task_id

    @property
    def is_deserted(self) -> bool:
        """Whether nobody waits for its answer."""
        return self.answer.cancelled()


class SimulatedNetwork:
    """A `Peers` that reaches the engines of one run.

    ``taken`` has the ids of hops that are not forgotten; ``received`` is told of each hop as it arrives, and
    ``came`` gets what an answer says, as the specification writes it.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        caller: Caller,
        taken: Container[str],
        received: Callable[[PollRequest | Task], None],
        came: MutableMapping[str, tuple[str, ...]],
        engine: Callable[[Host], Engine],
        polls: Sequence[str],
        tasks: Sequence[str],
    ) -> None:
        self.calls: dict[str, HopCall] = {}
        self.passed: dict[str, TaskId] = {}
        """The tasks with which hops of polls ended, until these are forgotten."""
        self.full = False
        self._loop = loop
        self._caller = caller
        self._taken = taken
        self._received = received
        self._came = came
        self._engine = engine
        self._polls = polls
        self._tasks = tasks

    # The port

    def new_poll_id(self) -> PollId:
        return PollId(self._free(self._polls))

    def new_task_id(self) -> TaskId:
        return TaskId(self._free(self._tasks))

    def _free(self, slots: Sequence[str]) -> str:
        free = next((slot for slot in slots if slot not in self._taken and slot not in self.calls), None)
        self.full = self.full or free is None
        return f"{len(self.calls)} too many" if free is None else free

    def poll(self, host: Host, request: PollRequest) -> asyncio.Future[Task | None]:
        return self._send("poll", host, request)

    def offer(self, host: Host, task: Task, deadline: float) -> asyncio.Future[OfferAnswer]:
        call = self._send("offer", host, task)
        timer = self._loop.call_at(deadline, call.cancel)
        call.add_done_callback(lambda done: timer.cancel())
        return call

    def _send(self, kind: str, host: Host, hop: PollRequest | Task) -> asyncio.Future[Any]:
        call = HopCall(
            name=str(hop.poll_id if isinstance(hop, PollRequest) else hop.task_id),
            kind=kind,
            hop=hop,
            host=host,
            answer=self._loop.create_future(),
        )
        self.calls[call.name] = call
        call.answer.add_done_callback(lambda done: self._left(call))
        return call.answer

    def _left(self, call: HopCall) -> None:
        """Send a cancel where whoever made the hop waits no longer, if the driver had decided for an answer."""
        if call.is_deserted and call.replied:
            self._loop.call_soon(self._end, call)  # whoever waited notes first that it does not

    # The driver's side

    def waiting(self) -> Iterator[HopCall]:
        """The hops of which something is left to choose, oldest first."""
        return (call for call in list(self.calls.values()) if not call.answered)

    def commit(self, call: HopCall) -> None:
        """Let the hop arrive."""
        call.effect = Effect.COMMITTED
        hop, engine = call.hop, self._engine(call.host)
        self._received(hop)
        if isinstance(hop, PollRequest):
            call.serving = self._caller.serve_poll(engine, hop)
            self._caller.time_passes(self._loop.time())
        else:
            call.serving = self._caller.serve_offer(engine, hop)
        call.serving.add_done_callback(lambda done: self._served(call))

    def fail(self, call: HopCall) -> None:
        """Let the hop never arrive."""
        call.effect = Effect.FAILED

    def reply(self, call: HopCall, *, lost: bool = False) -> None:
        """Let the answer come as soon as there is one, or the cancel if nobody waits; or neither."""
        call.answered, call.replied, call.is_lost = True, True, lost
        if lost and not call.answer.done():
            call.answer.set_exception(Unavailable(f"hop {call.name}: no answer"))
        if call.effect is Effect.FAILED or call.is_deserted or call.serving is None or call.serving.done():
            self._end(call)

    def _served(self, call: HopCall) -> None:
        """The parent is done with it."""
        assert call.serving is not None
        if call.kind == "poll" and not call.serving.cancelled() and call.serving.exception() is None:
            task = call.serving.result()
            if task is not None:
                self.passed[call.name] = task.task_id
        if call.replied:
            self._end(call)

    def _end(self, call: HopCall) -> None:
        """Both sides hear what there is to hear."""
        if self.calls.get(call.name) is not call:
            return
        if call.serving is not None and not call.serving.done():
            if call.is_deserted and not call.is_lost:
                self._cancel(call)
            return
        self.calls.pop(call.name, None)
        if call.answer.done():
            return
        bug = None if call.serving is None or call.serving.cancelled() else call.serving.exception()
        if bug is not None and not isinstance(bug, Unavailable):
            raise bug
        if call.serving is None or call.serving.cancelled() or bug is not None:
            call.answer.set_exception(Unavailable(f"hop {call.name}: no answer"))
        else:
            self._came[call.name] = _told(call.serving.result())
            call.answer.set_result(call.serving.result())

    def _cancel(self, call: HopCall) -> None:
        """Let the parent know that nobody waits."""
        if isinstance(call.hop, PollRequest):
            self._caller.leave(call.hop.poll_id)
        else:
            self._caller.cancel_offer(call.hop.task_id)

    def lose_host(self, host: Host) -> None:
        """A process ends: of what it served nobody hears any more."""
        for call in list(self.calls.values()):
            if call.host == host and call.serving is not None and not call.serving.done():
                if not call.answer.done():
                    call.answer.set_exception(Unavailable(f"hop {call.name}: {host} does not answer"))
                call.answered = call.replied = True
                self._later(TURNS_UNTIL_HEARD, partial(self._cancel, call))

    def _later(self, turns: int, work: Callable[[], None]) -> None:
        """Do it after so many turns of the loop."""
        self._loop.call_soon(work if turns == 1 else partial(self._later, turns - 1, work))


def _told(answer: Task | OfferAnswer | None) -> tuple[str, ...]:
    """How the specification writes what a hop was answered."""
    if isinstance(answer, OfferAnswer):
        return (answer.value,)
    return ("empty",) if answer is None else ("task", answer.task_id)
