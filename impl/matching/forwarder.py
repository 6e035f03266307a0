"""What one generation of a child's manager has asked of its parent, and waits for.

Four rules:

1. A poll goes on to the parent only where the manager knows that it has nothing for it: it
   has the lease, has read all that there can be, and nothing of that version is unfinished.
   From then on the poll waits for its hop, and nowhere else.
2. A hop that fails ends its poll.  Nobody can tell whether the hop waits above, and a poll
   that went on here could be given two tasks.
3. A task that is offered is in nobody's hand here until the offer is answered or given up.
   Its call of add offers it once; a stored one is offered again and again, one at a time.
4. Stop is final: every hop is cancelled, and what is answered later changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import attrs

from matching.backlog import Backlog
from matching.errors import Unavailable
from matching.hops import HopLimits, OfferAnswer, Peers, carry_poll, carry_task
from matching.identity import Host, Owner, PartitionKey, PollId, TaskId, Version
from matching.probe import Probe
from matching.registration import Registration, State
from matching.requests import Task
from matching.store import Record

__all__ = ["Forwarder", "Offer", "Upward"]

T = TypeVar("T")


@attrs.define(eq=False)
class Offer:
    """A task that the parent was offered: stored, or in the hand of a call of add that waits."""

    task: Task
    hop_id: TaskId
    call: asyncio.Future[OfferAnswer]
    record: Record | None
    known: OfferAnswer | None = None
    """What became of it; None where nobody has heard."""
    _answer: asyncio.Future[OfferAnswer | None] = attrs.field(
        factory=lambda: asyncio.get_running_loop().create_future()
    )

    async def settled(self) -> OfferAnswer | None:
        """Wait until the offer is answered, or was given up."""
        return await self._answer

    def settle(self, answer: OfferAnswer | None) -> None:
        """Let the call of add go on that waits for it, if it waits still."""
        self.known = answer
        if not self._answer.done():
            self._answer.set_result(answer)


@attrs.frozen(eq=False)
class Upward:
    """The way to a parent: ``route`` tells on which host it is to be asked now."""

    parent: PartitionKey
    peers: Peers
    route: Callable[[PartitionKey], Host]
    limits: HopLimits


class Forwarder:
    """Makes the hops of one manager.

    ``active`` tells whether the namespace is, ``end`` ends a poll of the manager, and ``again`` is called when an offer
    has been answered or given up: tasks and polls may meet that could not before.
    """

    def __init__(
        self,
        owner: Owner,
        upward: Upward,
        *,
        backlog: Backlog,
        probe: Probe,
        active: Callable[[], bool],
        end: Callable[[Registration, State], object],
        again: Callable[[], None],
    ) -> None:
        self._owner = owner
        self._parent = upward.parent
        self._peers = upward.peers
        self._route = upward.route
        self._limits = upward.limits
        self._backlog = backlog
        self._probe = probe
        self._end = end
        self._active = active
        self._retry_timer: asyncio.TimerHandle | None = None
        self._again = again
        self._polls: dict[PollId, asyncio.Future[Task | None]] = {}
        self.offers: dict[TaskId, Offer] = {}
        self._calls: set[asyncio.Future[Any]] = set()

    # Polls

    def may_send_on(self, version: Version) -> bool:
        """Tell whether a poll of that version goes on to the parent."""
        range_id, next_id, read_level, _ = self._backlog.levels
        if range_id == 0 or read_level != next_id - 1 or len(self._polls) >= self._limits.most_polls:
            return False
        return all(record.task.version != version for record in self._backlog.memory.known())

    def send_on(self, registration: Registration) -> None:
        """Let a poll wait at the parent, and no longer here. (Forward)"""
        hop_id = self._peers.new_poll_id()
        host, owner = self._route(self._parent), self._owner
        hop = carry_poll(registration.request, hop_id, self._parent, owner.host, owner.generation)
        call = self._polls[hop_id] = asyncio.ensure_future(self._peers.poll(host, hop))
        registration.hop_id = hop_id
        registration.move(State.FORWARDED)
        self._watch(call, lambda done: registration.wake_up())
        self._probe("Forward", registration.request.poll_id, hop_id, owner.host)

    def resume(self, registration: Registration) -> None:
        """Hear what became of a hop, in the handler that waits for it. (Resume, Break)"""
        hop_id = registration.hop_id
        assert hop_id is not None
        call = self._polls[hop_id]
        if call.cancelled() or call.exception() is not None:
            self._end(registration, State.UNANSWERED)
            self._probe("Break", registration.request.poll_id)
        else:
            registration.passed = call.result()
            self._end(registration, State.ANSWERED)
            self._probe("Resume", registration.request.poll_id, hop_id)

    def let_go(self, registration: Registration) -> None:
        """Wait no longer for the hop of a poll that ends."""
        if registration.hop_id is not None and (call := self._polls.pop(registration.hop_id, None)) is not None:
            call.cancel()

    # Tasks

    def offer(self, task: Task, record: Record | None = None) -> Offer:
        """Offer a task to the parent that meets no poll here. (Offer)"""
        hop_id = self._peers.new_task_id()
        host, owner = self._route(self._parent), self._owner
        hop = carry_task(task, hop_id, self._parent, owner.host, owner.generation)
        deadline = asyncio.get_running_loop().time() + self._limits.offer_seconds
        call = asyncio.ensure_future(self._peers.offer(host, hop, deadline))
        offer = self.offers[hop_id] = Offer(task, hop_id, call, record)
        self._watch(call, lambda done: self._concluded(offer, done))
        self._probe("Offer", task.task_id, hop_id, owner.host)
        return offer

    @property
    def retry_timer(self) -> asyncio.TimerHandle | None:
        """The timer after which a stored task is offered again."""
        return self._retry_timer

    def offer_stored(self) -> None:
        """Offer a stored task, unless one is offered, or one was not taken just now. (Offer)"""
        if self._retry_timer is not None or not self._active():
            return
        if any(offer.record is not None for offer in self.offers.values()):
            return
        record = next(self._backlog.memory.available(), None)
        if record is not None:
            self._backlog.memory.hold(record)
            self.offer(record.task, record)

    def _take_back(self, record: Record | None, answer: OfferAnswer | None) -> None:
        """Finish a stored task that was taken or dropped; what was not waits its turn."""
        if record is None:
            return
        if answer in (OfferAnswer.TAKEN, OfferAnswer.DROPPED):
            self._backlog.finish(record)
            return
        self._backlog.memory.postpone(record)
        self._retry_timer = asyncio.get_running_loop().call_later(self._limits.retry_seconds, self._try_again)

    def _try_again(self) -> None:
        self._retry_timer = None
        self.offer_stored()

    def _concluded(self, offer: Offer, call: asyncio.Future[OfferAnswer]) -> None:
        """Hear the answer to an offer for which somebody waits still. (Conclude)"""
        if call.cancelled() or call.exception() is not None:
            self.retract(offer)
        elif self.offers.pop(offer.hop_id, None) is not None:
            answer = call.result()
            self._take_back(offer.record, answer)
            self._probe("Conclude", offer.task.task_id, offer.hop_id, self._owner.host)
            self._settle(offer, answer)

    def retract(self, offer: Offer) -> None:
        """Give up an offer, if it is not answered. (Retract)"""
        if self.offers.pop(offer.hop_id, None) is not None:
            offer.call.cancel()
            self._take_back(offer.record, None)
            self._probe("Retract", offer.task.task_id, offer.hop_id, self._owner.host)
            self._settle(offer, None)

    def _settle(self, offer: Offer, answer: OfferAnswer | None) -> None:
        offer.settle(answer)
        self._again()

    # Its end

    def stop(self) -> None:
        """Cancel every hop; whoever waits for an offer hears that nobody can tell."""
        if self._retry_timer is not None:
            self._retry_timer.cancel()
        offers = list(self.offers.values())
        self.offers.clear()
        for offer in offers:
            offer.call.cancel()
            offer.settle(None)
        for call in self._polls.values():
            call.cancel()
        self._polls.clear()

    @property
    def quiet(self) -> bool:
        """Tell whether no hop is under way any more."""
        return not self._calls

    async def stopped(self) -> None:
        """Wait until it is quiet, after it was told to stop."""
        while self._calls:
            await asyncio.wait(list(self._calls))

    def _watch(self, call: asyncio.Future[T], then: Callable[[asyncio.Future[T]], None]) -> None:
        self._calls.add(call)

        def ended(done: asyncio.Future[T]) -> None:
            self._calls.discard(call)
            bug = None if done.cancelled() else done.exception()
            if bug is not None and not isinstance(bug, Unavailable):
                raise bug
            then(done)

        call.add_done_callback(ended)
