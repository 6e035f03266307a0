"""What each variable of ``spec/Forwarding.tla`` that is its own means in the running system.

| variable | where it is read |
|---|---|
| hop | the books: what a manager makes a call for, and, once that has arrived, what its parent received |

Not observed: ``back`` (polls that go on where they were; where they wait shows in ``registrations``).

Two rules:

1. A hop that is on its way is what its maker tells of it: which call it is for, and by which manager.  One that has
   arrived is what arrived, whatever was sent: a field that is lost on the way is a change that no step explains.
2. Whoever carries hops notes what arrives (`note_poll`, `note_task`) before the arrival is told.  Where nobody
   does, as in a run that is only recorded, what arrives is taken to be what was sent.
"""

from __future__ import annotations

from typing import Any, Final

from conformance.refinement.books import Books, Ids, total
from conformance.tla.values import make_function
from matching.hops import parent_of
from matching.identity import PartitionKey
from matching.requests import ForwardInfo, PollRequest, Task

__all__ = [
    *("BOOKS_PART", "MODULE", "OBSERVED", "Call", "ForwardingView"),
    *("arrive_poll", "arrive_task", "note_poll", "note_task", "offer", "send", "to_value"),
]

MODULE: Final = "Forwarding"
OBSERVED: Final = ("hop",)
BOOKS_PART: Final = ("hop",)

Call = tuple[str, str, str, int]
"""A call that a manager makes: its id, and host, partition and generation of its maker."""

_FIELDS: Final = ("behalf", "first", "host", "source", "generation", "origin", "carried")


class ForwardingView:
    """Reads the observed variable, as plain hashable data."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def books_part(self) -> tuple[Any, ...]:
        """hop."""
        return (frozenset(self._books.hop.items()),)


def to_value(variable: str, raw: Any, ids: Ids) -> Any:
    """The TLA+ value of the observed variable."""
    made = {hop: frozenset({make_function(dict(zip(_FIELDS, fields, strict=True)))}) for hop, fields in raw}
    return total((*ids.polls, *ids.tasks), made, frozenset())


# What is made


def send(books: Books, poll: str, call: Call) -> None:
    """Note the call that a manager makes on behalf of a poll."""
    worker, _, version = books.wanted[poll]
    _make(books, poll, call, lambda parent: (worker, parent, version))


def offer(books: Books, task: str, call: Call) -> None:
    """Note the call that a manager makes on behalf of a task."""
    _, version = books.queue[task]
    _make(books, task, call, lambda parent: (parent, version))


def _make(books: Books, behalf: str, call: Call, carried: Any) -> None:
    hop, host, source, generation = call
    parent = parent_of(PartitionKey.parse(source))
    below = books.hop.get(behalf)
    first, origin = (behalf, source) if below is None else (below[1], below[5])
    books.hop[hop] = (behalf, first, host, source, generation, origin, carried(str(parent)))


# What arrives


def note_poll(books: Books, received: PollRequest) -> None:
    """Note a poll as its parent received it."""
    asked = (str(received.worker), str(received.partition), str(received.version))
    _note(books, received.poll_id, received.forward_info, asked)
    books.wanted[received.poll_id] = asked


def note_task(books: Books, received: Task) -> None:
    """Note a task as its parent received it, with what it stands for."""
    asked = (str(received.partition), str(received.version))
    _note(books, received.task_id, received.forward_info, asked)
    books.queue[received.task_id] = asked
    if received.item is not None:
        books.carries[received.task_id] = (received.item.event_id, received.item.attempt, received.item.stamp)


def _note(books: Books, hop: str, info: ForwardInfo | None, carried: tuple[str, ...]) -> None:
    books.hop.pop(hop, None)
    if info is not None:
        origin = (str(info.source), info.generation, str(info.origin))
        books.hop[hop] = (str(info.behalf), str(info.first), str(info.host), *origin, carried)


def arrive_poll(books: Books, hop: str) -> None:
    """Note the arrival of a poll; if nobody noted what arrived, it is what was sent."""
    if hop not in books.wanted and hop in books.hop:
        books.wanted[hop] = books.hop[hop][-1]


def arrive_task(books: Books, hop: str, host: str) -> None:
    """Note the arrival of a task at a host; if nobody noted what arrived, it is what was sent."""
    books.arrived[hop] = host
    if hop not in books.queue and hop in books.hop:
        behalf, *_, carried = books.hop[hop]
        books.queue[hop] = carried
        if behalf in books.carries:
            books.carries[hop] = books.carries[behalf]
