"""A poll's registration: its life cycle, its timer, and who wakes its handler.

Three rules keep a poll from losing a task:

1. The state says how the poll ends, and only the state.  The waiter carries
   no result; it wakes the handler, which then looks at the state.  No
   exception decides an outcome.
2. A caller that has left shows at once: the event loop cancels the waiter
   before the handler runs again, so ``can_receive`` is false from that moment.
3. A state changes along ``TRANSITIONS`` or not at all.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable, Mapping
from types import MappingProxyType

import attrs

from matching.holding import Holding
from matching.identity import PollId
from matching.requests import PollRequest, Task

__all__ = ["TRANSITIONS", "Registration", "State"]


class State(enum.Enum):
    """Where a poll stands between its arrival and its end; after DROPPED and KEPT its handler asks anew.

    What is FORWARDED waits for the answer to a hop, and ends ANSWERED, with or without a task, or UNANSWERED.
    """

    WAITING = "waiting"
    FORWARDED = "forwarded"
    ANSWERED = "answered"
    UNANSWERED = "unanswered"
    MATCHED = "matched"
    ASKING = "asking"
    DELIVERED = "delivered"
    DROPPED = "dropped"
    KEPT = "kept"
    EXPIRED = "expired"
    INTERRUPTED = "interrupted"
    UNLOADED = "unloaded"


TRANSITIONS: Mapping[State, frozenset[State]] = MappingProxyType(
    {
        State.WAITING: frozenset({State.MATCHED, State.FORWARDED, State.EXPIRED, State.INTERRUPTED, State.UNLOADED}),
        State.FORWARDED: frozenset(
            {State.ANSWERED, State.UNANSWERED, State.EXPIRED, State.INTERRUPTED, State.UNLOADED}
        ),
        State.ANSWERED: frozenset(),
        State.UNANSWERED: frozenset(),
        State.MATCHED: frozenset({State.ASKING, State.DELIVERED, State.INTERRUPTED, State.UNLOADED}),
        State.ASKING: frozenset({State.DELIVERED, State.DROPPED, State.KEPT, State.INTERRUPTED}),
        State.DELIVERED: frozenset(),
        State.DROPPED: frozenset(),
        State.KEPT: frozenset(),
        State.EXPIRED: frozenset(),
        State.INTERRUPTED: frozenset(),
        State.UNLOADED: frozenset(),
    }
)


@attrs.define(eq=False)
class Registration:
    """One poll under one generation of a partition manager."""

    request: PollRequest
    generation: int
    state: State = State.WAITING
    holding: Holding | None = None
    hop_id: PollId | None = None
    """The hop that was made on the poll's behalf."""
    passed: Task | None = None
    """The task with which the hop was answered."""
    _waiter: asyncio.Future[None] | None = None
    _timer: asyncio.TimerHandle | None = None

    def start_timer(self, expire: Callable[[Registration], None]) -> None:
        """Let the deadline settle this poll, unless something else does first."""
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        self._timer = loop.call_at(self.request.deadline, expire, self)

    def wake_up(self) -> None:
        """Let the handler look at what it waits for, if it still waits."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def can_receive(self, now: float) -> bool:
        """Tell whether the poll may be given a task at this moment."""
        if self.state is not State.WAITING or self._waiter is None:
            return False
        return now < self.request.deadline and not self._waiter.done()

    def move(self, state: State, holding: Holding | None = None) -> Holding | None:
        """Go to another state; give what the poll held before.

        That wakes the handler and stops the timer, unless the poll is forwarded and waits on.
        """
        assert state in TRANSITIONS[self.state], f"{self.state} does not lead to {state}"
        held, self.holding = self.holding, holding
        self.state = state
        if state is State.FORWARDED:
            return held
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.wake_up()
        return held

    async def wake(self) -> None:
        """Wait until the poll does not wait here any more, and its hop is answered, or the caller leaves."""
        assert self._waiter is not None
        await self._waiter
