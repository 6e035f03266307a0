"""What each variable of ``spec/Forwarding.tla`` that is its own means in the running system.

| variable | where it is read |
|---|---|
| hop | the books: what a manager makes a call for, and, once that has arrived, what its parent received |

Not observed: ``back`` (polls that go on where they were; where they wait shows in ``registrations``).

Two rules:

1. Whoever carries hops notes what its maker hands over (`note_sent`), before that tells of the call, and what the
   parent receives (`note_poll`, `note_task`), before the arrival is told.  What arrives replaces what was sent: a field
   that is lost on the way is a change of ``hop`` that no step explains.
2. Where nobody carries them, as in a run that is only recorded, a hop is what its maker shows of it and what the call
   below asked for, and what arrives is taken to be what was sent.
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
    *("arrive_poll", "arrive_task", "note_hop", "note_poll", "note_sent", "note_task", "offer", "send", "to_value"),
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


# What whoever carries hops notes


def note_sent(books: Books, made: PollRequest | Task) -> None:
    """Note a hop as its maker hands it over, before the maker tells of it."""
    if isinstance(made, Task):
        _note(books, made.task_id, made.forward_info, (str(made.partition), made.version))
    else:
        _note(books, made.poll_id, made.forward_info, (made.worker, str(made.partition), made.version))


def note_poll(books: Books, received: PollRequest) -> None:
    """Note a poll as its parent receives it, before its arrival is told."""
    note_sent(books, received)
    books.wanted[received.poll_id] = (received.worker, str(received.partition), received.version)


def note_task(books: Books, received: Task) -> None:
    """Note a task as its parent receives it, with what it stands for, before its arrival is told."""
    note_sent(books, received)
    books.queue[received.task_id] = (str(received.partition), received.version)
    if received.item is not None:
        books.carries[received.task_id] = (received.item.event_id, received.item.attempt, received.item.stamp)


def note_hop(books: Books, received: PollRequest | Task) -> None:
    """Note a hop as its parent received it."""
    if isinstance(received, PollRequest):
        note_poll(books, received)
    else:
        note_task(books, received)


def _note(books: Books, hop: str, info: ForwardInfo | None, carried: tuple[str, ...]) -> None:
    books.hop.pop(hop, None)
    if info is not None:
        made = (info.behalf, info.first, info.host, str(info.source), info.generation, str(info.origin))
        books.hop[hop] = (*made, carried)


# What is taken to be so where nobody has noted it


def send(books: Books, poll: str, call: Call) -> None:
    """Take a manager's call on behalf of a poll to ask what the poll asked."""
    if poll in books.wanted:
        worker, _, version = books.wanted[poll]
        _make(books, poll, call, (worker, _parent(call), version))


def offer(books: Books, task: str, call: Call) -> None:
    """Take a manager's call on behalf of a task to be of the same version."""
    if task in books.queue:
        _make(books, task, call, (_parent(call), books.queue[task][1]))


def _parent(call: Call) -> str:
    return str(parent_of(PartitionKey.parse(call[2])))


def _make(books: Books, behalf: str, call: Call, carried: tuple[str, ...]) -> None:
    hop, host, source, generation = call
    below = books.hop.get(behalf)
    first, origin = (behalf, source) if below is None else (below[1], below[5])
    books.hop.setdefault(hop, (behalf, first, host, source, generation, origin, carried))


def arrive_poll(books: Books, hop: str) -> None:
    """Take a poll to arrive as it was sent."""
    if hop in books.hop:
        books.wanted.setdefault(hop, books.hop[hop][-1])


def arrive_task(books: Books, hop: str, host: str) -> None:
    """Take a task to arrive at the host as it was sent, and to stand for what the task below stands for."""
    books.arrived[hop] = host
    if hop in books.hop and hop not in books.queue:
        behalf, *_, books.queue[hop] = books.hop[hop]
        if behalf in books.carries:
            books.carries[hop] = books.carries[behalf]
