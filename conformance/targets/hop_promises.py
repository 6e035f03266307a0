"""What makers of hops promise beside the specification, which owes no cancel, knows no seconds, and asks any host.

Four rules:

1. Whoever waits for a hop no longer has cancelled it, so that nothing waits above for nobody.
2. A hop of a poll has the deadline of the call below.
3. A hop goes to the host that owns the parent, as far as its maker knows.
4. A manager whose stored task nobody took offers none before the time of a retry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conformance.refinement.books import Books
from conformance.simulation.network import HopCall, SimulatedNetwork
from conformance.simulation.store import name_of
from conformance.targets.hops import is_awaited
from conformance.targets.limits import SLACK_SECONDS
from matching.caller import Caller
from matching.engine import Engine
from matching.hops import HopLimits
from matching.identity import Owner, PollId, TaskId
from matching.requests import PollRequest

__all__ = ["HopPromises"]


class HopPromises:
    """Hears the steps of all managers, and sees the hops that are under way."""

    def __init__(
        self,
        engines: Sequence[Engine],
        network: SimulatedNetwork,
        caller: Caller,
        books: Books,
        now: Callable[[], float],
    ) -> None:
        self.broken: str | None = None
        """The first promise that was not kept."""
        self._engines = engines
        self._network = network
        self._caller = caller
        self._books = books
        self._now = now
        self._retry_seconds = HopLimits().retry_seconds
        self._stored: dict[str, Owner] = {}
        """By hop who offers a stored task."""
        self._in_vain_at: dict[Owner, float] = {}
        """When each manager heard last that nobody took what it has stored, or heard nothing."""

    def hear(self, action: str, args: tuple[object, ...]) -> None:
        """Note a step, and whether it kept what is promised."""
        match action, args:
            case (("Forward" | "Offer"), (str(behalf), str(hop_id), str(host))):
                if (call := self._network.calls.get(hop_id)) is not None:
                    self._check_host(call, host)
                    self._check_deadline(call, behalf)
                if action == "Offer":
                    self._check_offer(hop_id, host)
            case "Conclude", (_, str(hop_id), _) if self._books.came.get(hop_id) == ("canceled",):
                self._end_in_vain(hop_id)
            case "Retract", (_, str(hop_id), _):
                self._end_in_vain(hop_id)
            case _:
                pass

    def look(self) -> str | None:
        """Say for which hop nobody waits, and it was not cancelled; nothing may be about to happen now."""
        for call in self._network.calls.values():
            if not call.answer.done() and not is_awaited(self._engines, call.name):
                return f"nobody waits for the answer to {call.name} any more, and it was not cancelled"
        return None

    def _check_host(self, call: HopCall, host: str) -> None:
        hosts = self._engine(host).membership.known
        if hosts.hosts and call.host != (owner := hosts.route(call.hop.partition)):
            self._break(f"{call.name} goes to {call.host}, and {host} knows that {call.hop.partition} is of {owner}")

    def _check_deadline(self, call: HopCall, behalf: str) -> None:
        below = self._caller.polls.get(PollId(behalf))
        if below is not None and isinstance(call.hop, PollRequest) and call.hop.deadline != below.request.deadline:
            later = call.hop.deadline - below.request.deadline
            self._break(f"{call.name} has a deadline {later:+g} s from that of {behalf}")

    def _check_offer(self, hop_id: str, host: str) -> None:
        self._stored.pop(hop_id, None)
        for manager in self._engine(host).managers.values():
            offers = {} if manager.forwarder is None else manager.forwarder.offers
            if (offer := offers.get(TaskId(hop_id))) is not None and offer.record is not None:
                self._stored[hop_id] = manager.owner
                waited = self._now() - self._in_vain_at.get(manager.owner, -self._retry_seconds)
                if waited < self._retry_seconds - SLACK_SECONDS:
                    retry = f"{waited:g} of {self._retry_seconds:g} s after nobody took one"
                    self._break(f"{name_of(manager.owner)} offers a stored task {retry}")

    def _end_in_vain(self, hop_id: str) -> None:
        if (owner := self._stored.pop(hop_id, None)) is not None:
            self._in_vain_at[owner] = self._now()

    def _engine(self, host: str) -> Engine:
        return next(engine for engine in self._engines if engine.host == host)

    def _break(self, promise: str) -> None:
        self.broken = self.broken or promise
