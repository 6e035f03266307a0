"""What clients ask of the hosts in one run: a list that is drawn from a seed.

Three rules:

1. A list is plain data, and says which host is asked: mostly the owner of the partition, as a router would have it.
2. Patient polls are longer than any run: whoever waits in vain is cancelled by the driver, never by the clock.
3. A list begins with a scene in which a hop must be made; what follows is drawn request by request.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

import attrs

from matching.identity import Host, PartitionKey
from matching.membership import Membership

__all__ = [
    *["HOSTS", "MEMBERS", "NUMBERS", "PATIENT_SECONDS", "QUEUE"],
    *["Add", "Leave", "Pause", "Poll", "Request", "Until", "as_json", "draw", "key"],
]

HOSTS: Final = (Host("h1"), Host("h2"))
MEMBERS: Final = Membership(HOSTS)
QUEUE: Final = "shop/orders/workflow"

PATIENT_SECONDS: Final = 30.0
SHORT_SECONDS: Final = (0.2, 0.4, 0.7)
PAUSES_SECONDS: Final = (0.0, 0.005, 0.02, 0.08)
NUMBERS: Final = (0, 1, 2, 3, 5)
"""The partitions that are called: a root, its two children, and a child of each, of two hosts."""
ROOT_HOST: Final = MEMBERS.route(PartitionKey.parse(f"{QUEUE}/0"))
ELSEWHERE: Final = 0.2
"""How often another host than the owner is asked."""


@attrs.frozen
class Poll:
    """A worker polls a host for a task of a partition, and waits for so long."""

    poll: str
    host: str
    partition: int
    seconds: float


@attrs.frozen
class Add:
    """A producer adds a task to a partition, by way of a host."""

    task: str
    host: str
    partition: int


@attrs.frozen
class Leave:
    """Whoever made that call, of poll or of add, cancels it."""

    call: str


@attrs.frozen
class Pause:
    """Nobody asks for anything for so long."""

    seconds: float


@attrs.frozen
class Until:
    """Nobody asks for anything until a host has taken such a step, once more than before; for a while at most."""

    host: str
    action: str


Request = Poll | Add | Leave | Pause | Until


def key(number: int) -> PartitionKey:
    """A partition of the one task queue."""
    return PartitionKey.parse(f"{QUEUE}/{number}")


def as_json(request: Request) -> dict[str, Any]:
    """The request as a trace tells it."""
    return {"do": type(request).__name__.lower(), **attrs.asdict(request)}


def draw(seed: int, *, length: int = 12) -> list[Request]:
    """The list of that seed."""
    drawn = _Drawn(Random(seed))
    drawn.scene()
    while len(drawn.requests) < length:
        drawn.more()
    return drawn.requests


@attrs.define
class _Drawn:
    """A list that grows."""

    chance: Random
    requests: list[Request] = attrs.field(factory=list)
    polls: int = 0
    adds: int = 0
    calls: list[str] = attrs.field(factory=list)
    """Those that nobody has cancelled, though they may be over."""

    def scene(self) -> None:
        """A poll and a task that can meet at the root only, either of them first; or a poll that leaves it again."""
        child, other = self.chance.sample(NUMBERS[1:], 2)
        match self.chance.randrange(3):
            case 0:
                self.poll(child, PATIENT_SECONDS)
                self.requests.append(Until(ROOT_HOST, "Register"))
                self.add(other)
            case 1:
                self.add(child)
                self.requests.append(Until(ROOT_HOST, "Decline"))
                self.poll(self.chance.choice((0, other)), PATIENT_SECONDS)
            case _:
                self.poll(child, PATIENT_SECONDS)
                self.requests.append(Until(ROOT_HOST, "ArrivePoll"))
                self.leave(self.calls[-1])

    def more(self) -> None:
        """One request, and mostly a pause."""
        number = self.chance.choice(NUMBERS)
        match self.chance.choices(("poll", "short", "add", "leave"), (3, 2, 4, 2))[0]:
            case "poll":
                self.poll(number, PATIENT_SECONDS)
            case "short":
                self.poll(number, self.chance.choice(SHORT_SECONDS))
            case "add":
                self.add(number)
            case _ if self.calls:
                self.leave(self.chance.choice(self.calls[-3:]))
        self.pause(self.chance.choice(PAUSES_SECONDS))

    def poll(self, number: int, seconds: float) -> None:
        self.polls += 1
        self.calls.append(f"p{self.polls}")
        self.requests.append(Poll(self.calls[-1], self._host(number), number, seconds))

    def add(self, number: int) -> None:
        self.adds += 1
        self.calls.append(f"t{self.adds}")
        self.requests.append(Add(self.calls[-1], self._host(number), number))

    def leave(self, call: str) -> None:
        self.calls.remove(call)
        self.requests.append(Leave(call))

    def pause(self, seconds: float) -> None:
        if seconds:
            self.requests.append(Pause(seconds))

    def _host(self, number: int) -> str:
        owner = MEMBERS.route(key(number))
        if self.chance.random() >= ELSEWHERE:
            return owner
        return next(host for host in HOSTS if host != owner)
