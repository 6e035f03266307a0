"""What each variable of ``spec/PollRegistration.tla`` means in the running system.

| variable | where it is read |
|---|---|
| registrations | every manager that was ever seen, stopped ones too: polls in its table that wait without a task |
| sent | the same: polls in its table that are forwarded, and the calls that wait for them at the parent |
| hand | the same: polls in its table that hold a task |
| asking | the same: polls in its table whose handler asks History |
| lent | the same: the tasks that it has offered to the parent, and the calls that offer them |
| loaded | the same: the records in its memory that nobody holds |
| backlog | the store's own records |
| wanted, expired, left, answer | the callers' side: what was asked, when its time ran out, what came back |
| queue, arrived, added | the callers' side: what was added, at which host, and what the call returned |

Not observed, so that the specification alone says what they are: ``settled``
(it is judged by what the caller's call returned), ``write`` and ``fetched``
(the store's affair, told by its own steps), ``done``, ``delivered``, ``dropped``.

What a driver does to bring about each action stands in ``provoking.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from conformance.refinement.books import Books, Ids, total
from conformance.tla.values import make_function
from matching.engine import Engine
from matching.identity import TaskId
from matching.manager import PartitionManager
from matching.registration import State

__all__ = [
    "BOOKS_PART",
    "MANAGERS_PART",
    "MODULE",
    "OBSERVED",
    "PollRegistrationView",
    "may_owe_a_match",
    "to_value",
]

MODULE: Final = "PollRegistration"

OBSERVED: Final = (
    "wanted",
    "registrations",
    "sent",
    "hand",
    "asking",
    "expired",
    "left",
    "answer",
    "queue",
    "arrived",
    "lent",
    "added",
    "backlog",
    "loaded",
)


def may_owe_a_match(engine: Engine) -> bool:
    """Tell whether it is worth asking the specification: somewhere a task in memory stands beside a poll."""
    return any(
        manager.polls and any(True for _ in manager.backlog.memory.available()) for manager in engine.managers.values()
    )


class PollRegistrationView:
    """Reads the observed variables of engines and their store, as plain hashable data."""

    def __init__(self, engines: Sequence[Engine], stored: Callable[[], Iterable[TaskId]], books: Books) -> None:
        self._engines = engines
        self._stored = stored
        self._books = books
        self._seen: dict[int, PartitionManager] = {}

    @property
    def seen(self) -> Iterable[PartitionManager]:
        """Every manager that was ever looked at, in that order; stopped ones too."""
        return self._seen.values()

    def managers_part(self) -> tuple[Any, ...]:
        """registrations, sent, hand, asking, lent, backlog, loaded."""
        for engine in self._engines:
            for manager in engine.managers.values():
                self._seen[id(manager)] = manager
        loaded: dict[tuple[str, str], list[str]] = {}
        registrations: dict[str, list[Any]] = {}
        sent: dict[str, list[Any]] = {}
        lent: dict[str, list[Any]] = {}
        hand: dict[str, list[Any]] = {}
        asking: list[str] = []
        for manager in self._seen.values():
            owner = manager.owner
            tasks = [str(record.task.task_id) for record in manager.backlog.memory.available()]
            if tasks:
                loaded.setdefault((owner.host, str(owner.partition)), []).extend(tasks)
            for hop_id, offer in manager.forwarder.offers.items() if manager.forwarder is not None else ():
                made = (hop_id, owner.host, str(owner.partition), owner.generation)
                lent.setdefault(offer.task.task_id, []).append(made)
            for poll_id, poll in manager.polls.items():
                if poll.state is State.FORWARDED:
                    sent.setdefault(poll_id, []).append(
                        (poll.hop_id, owner.host, str(owner.partition), poll.generation)
                    )
                elif poll.holding is None:
                    request = poll.request
                    registrations.setdefault(poll_id, []).append(
                        (owner.host, str(owner.partition), poll.generation, request.version, request.worker)
                    )
                else:
                    hand.setdefault(poll_id, []).append((owner.host, poll.generation, poll.holding.task.task_id))
                    if poll.state is State.ASKING:
                        asking.append(poll_id)
        return (
            frozenset([(poll_id, frozenset(each)) for poll_id, each in registrations.items()]),
            frozenset([(poll_id, frozenset(each)) for poll_id, each in sent.items()]),
            frozenset([(poll_id, frozenset(each)) for poll_id, each in hand.items()]),
            frozenset(asking),
            frozenset([(task_id, frozenset(each)) for task_id, each in lent.items()]),
            frozenset(self._stored()),
            frozenset([(manager, frozenset(tasks)) for manager, tasks in loaded.items()]),
        )

    def books_part(self) -> tuple[Any, ...]:
        """wanted, expired, left, answer, queue, arrived, added."""
        books = self._books
        return (
            frozenset(books.wanted.items()),
            frozenset(books.expired),
            frozenset(books.left),
            frozenset(books.answer.items()),
            frozenset(books.queue.items()),
            frozenset(books.arrived.items()),
            frozenset(books.added.items()),
        )


MANAGERS_PART: Final = (
    "registrations",
    "sent",
    "hand",
    "asking",
    "lent",
    "backlog",
    "loaded",
)
BOOKS_PART: Final = ("wanted", "expired", "left", "answer", "queue", "arrived", "added")


def to_value(variable: str, raw: Any, ids: Ids) -> Any:
    """The TLA+ value of one observed variable."""
    managers = [(host, partition) for host in ids.hosts for partition in ids.partitions]
    match variable:
        case "registrations":
            return total(ids.polls, {poll: _records(_REGISTRATION, each) for poll, each in raw}, frozenset())
        case "sent":
            return total(ids.polls, {poll: _records(_CALL, each) for poll, each in raw}, frozenset())
        case "lent":
            return total(ids.tasks, {task: _records(_CALL, each) for task, each in raw}, frozenset())
        case "hand":
            return total(ids.polls, {poll: _records(_HOLDING, each) for poll, each in raw}, frozenset())
        case "loaded":
            return total(managers, dict(raw), frozenset())
        case "wanted" | "answer":
            return total(ids.polls, dict(raw), ())
        case "queue":
            return total(ids.tasks, dict(raw), ())
        case "arrived":
            return total(ids.tasks, {task: frozenset({host}) for task, host in raw}, frozenset())
        case "added":
            return total(ids.tasks, dict(raw), "none")
        case "expired" | "left" | "backlog" | "asking":
            return frozenset(raw)
        case _:
            raise KeyError(variable)


_REGISTRATION: Final = ("host", "partition", "generation", "version", "worker")
_CALL: Final = ("call", "host", "partition", "generation")
_HOLDING: Final = ("host", "generation", "task")


def _records(fields: tuple[str, ...], each: Iterable[tuple[Any, ...]]) -> frozenset[Any]:
    return frozenset(make_function(dict(zip(fields, values, strict=True))) for values in each)
