"""What hosts that reach one another promise beside the specification: a cancel is heard wherever the call has come.

The specification owes no `CancelHop`, since networks lose cancels.  Over gRPC, between two hosts that are there, none
is lost.  Three rules, judged from what the hosts told and from when clients gave up:

1. A call for which its caller waits no longer ends within the slack, or the host that serves it tells of its cancel.
2. The caller of a poll that is a hop is the poll on whose behalf it was made, which waits until it ends, however it
   ends.  That of an offer waits until it is answered or retracted, and a client until it is answered or cancels.
3. Nothing is promised once a host shuts down.

The slack is long for a message on one machine, and short against the patience of a poll.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Final

import attrs

from conformance.targets.grpc.hosts import Told
from matching.hops import parent_of
from matching.identity import PartitionKey

__all__ = ["SLACK_MS", "Alone", "alone", "unheard"]

SLACK_MS: Final = 2_000

_ENDS_FIRST: Final = frozenset(
    {
        *("Expire", "Refuse", "RejectPoll", "Withdraw", "Resume", "Break", "Return"),
        *("Deliver", "Drop", "Decline", "Conclude", "RefuseAdd", "RejectAdd", "AbandonAdd", "AnswerAdd"),
    }
)
"""The steps by which the call ends that they name first."""
_ENDS_SECOND: Final = frozenset({"Deliver", "GiveBack"})
"""The steps by which the poll ends that they name second."""
_CANCELS: Final = frozenset({"CancelHop", "CallerLeaves", "LeaveAdd"})
_ARRIVES: Final = frozenset({"StartPoll", "ArrivePoll", "AddTask", "ArriveTask"})
_MEETS_MANAGER: Final = frozenset({"Register", "Forward", "Take"})


@attrs.frozen
class Alone:
    """A call that a host served though nobody waited for it, and for how long: until its end or cancel, or so far."""

    call: str
    host: str
    for_ms: float
    has_ended: bool

    def __str__(self) -> str:
        return (
            f"{self.host} served {self.call} for {self.for_ms / 1000:.1f} s after its caller had stopped waiting:"
            f" no cancel came within {SLACK_MS / 1000:g} s"
        )


def alone(told: Iterable[Told], left_ms: Mapping[str, float], now_ms: float) -> list[Alone]:
    """Every call that was served while nobody waited for it, the longest first."""
    calls = _Calls(deserted=dict(left_ms))
    for step in takewhile(lambda step: step.action != "ShutDown", told):
        calls.hear(step)
        now_ms = max(now_ms, step.at_ms)
    return sorted(calls.alone(now_ms), key=lambda each: -each.for_ms)


def unheard(told: Iterable[Told], left_ms: Mapping[str, float]) -> str | None:
    """Say which cancel was not heard in time in the run so far, if one was not."""
    return next((str(each) for each in alone(told, left_ms, 0.0) if each.for_ms > SLACK_MS), None)


@attrs.define(kw_only=True)
class _Calls:
    """Who serves which call since when, and who waits for it."""

    deserted: dict[str, float]
    """When callers gave calls up."""
    arrived: dict[str, tuple[str, float]] = attrs.field(factory=dict)
    ended: dict[str, float] = attrs.field(factory=dict)
    cancelled: dict[str, float] = attrs.field(factory=dict)
    """When the host that serves a call told of its cancel."""
    behalf: dict[str, str] = attrs.field(factory=dict)
    """The poll on whose behalf a poll is a hop."""
    partitions: dict[str, PartitionKey] = attrs.field(factory=dict)
    managed: dict[str, tuple[str, str]] = attrs.field(factory=dict)
    """The host and the partition of the manager that a poll has met."""

    def hear(self, step: Told) -> None:
        """Note one step."""
        action, names = step.action, step.args
        if action in _ARRIVES:
            self.arrived.setdefault(names[0], (step.host, step.at_ms))
        if action == "StartPoll":
            self.partitions[names[0]] = PartitionKey.parse(names[2])
        elif action == "Forward":
            self.behalf[names[1]] = names[0]
            parent = parent_of(self.partitions[names[0]])
            assert parent is not None
            self.partitions[names[1]] = parent
        elif action == "Retract":
            self.deserted.setdefault(names[1], step.at_ms)
        if action in _MEETS_MANAGER:
            self.managed[names[0]] = (step.host, str(self.partitions[names[0]]))
        elif action == "Unload":
            for poll, manager in self.managed.items():
                if manager == names[:2]:
                    self.ended.setdefault(poll, step.at_ms)
        if action in _CANCELS:
            self.cancelled.setdefault(names[0], step.at_ms)
        if action in _ENDS_FIRST:
            self.ended.setdefault(names[0], step.at_ms)
        if action in _ENDS_SECOND:
            self.ended.setdefault(names[1], step.at_ms)

    def alone(self, now_ms: float) -> Iterator[Alone]:
        """The calls that were served while nobody waited."""
        for call, (host, arrived) in self.arrived.items():
            given_up = self.ended.get(self.behalf.get(call, ""), self.deserted.get(call))
            if given_up is None:
                continue
            heard = [times[call] for times in (self.ended, self.cancelled) if call in times]
            since, until = max(given_up, arrived), min(heard, default=now_ms)
            if until > since:
                yield Alone(call, host, until - since, has_ended=bool(heard))
