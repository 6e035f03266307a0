"""What each variable of ``spec/PollRegistration.tla`` means in the running system.

| variable | where it is read |
|---|---|
| running, generation | the engine's managers, by partition |
| active | the namespace's state on this cluster |
| registrations | every manager that was ever seen, stopped ones too: polls in its table without a task |
| hand | the same: polls in its table that hold a task |
| loaded | the same: the records in its memory that nobody holds |
| backlog | the store's own records |
| wanted, expired, left, answer | the callers' side: what was asked, when its time ran out, what came back |
| queue, added | the callers' side: what was added, and what the call returned |

Not observed, so that the specification alone says what they are: ``settled``
(it is judged by what the caller's call returned), ``write``, ``fetched`` and
``deleting`` (the store's affair, told by its own steps), ``delivered``.

What a driver does to bring about each action stands in ``provoking.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import attrs

from conformance.tla.values import boolean, make_function
from matching.engine import Engine
from matching.identity import TaskId
from matching.manager import PartitionManager

__all__ = [
    "AWAITS_STORE",
    "AWAITS_TIME",
    "MODULE",
    "OBSERVED",
    "Books",
    "Ids",
    "PollRegistrationView",
    "may_owe_a_match",
    "to_value",
]

MODULE: Final = "PollRegistration"

OBSERVED: Final = (
    "running",
    "generation",
    "active",
    "wanted",
    "registrations",
    "hand",
    "expired",
    "left",
    "answer",
    "queue",
    "added",
    "backlog",
    "loaded",
)

AWAITS_TIME: Final = frozenset({"DeadlinePasses", "ServeRead", "ReadBacklog"})
"""What a service at rest may still owe until a timer fires; a read that failed is tried again later."""

AWAITS_STORE: Final = frozenset(
    {"CommitWrite", "FailWrite", "CommitDelete", "AnswerAdd", "Acknowledge", "AcknowledgeFails"}
)
"""What it may owe besides while calls of the store are not answered."""


@attrs.frozen(eq=False)
class Ids:
    """The sets of ids over which functions are written; known by identity, for values are remembered by them."""

    hosts: tuple[str, ...]
    partitions: tuple[str, ...]
    polls: tuple[str, ...]
    tasks: tuple[str, ...]


@attrs.define
class Books:
    """What the callers asked and what they saw; the driver keeps them."""

    wanted: dict[str, tuple[str, str, str]] = attrs.field(factory=dict)
    expired: set[str] = attrs.field(factory=set)
    left: set[str] = attrs.field(factory=set)
    answer: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    queue: dict[str, tuple[str, str]] = attrs.field(factory=dict)
    added: dict[str, str] = attrs.field(factory=dict)


def may_owe_a_match(engine: Engine) -> bool:
    """Tell whether it is worth asking the specification: somewhere a task in memory stands beside a poll."""
    return any(manager.polls and any(True for _ in manager.memory.available()) for manager in engine.managers.values())


class PollRegistrationView:
    """Reads the observed variables of one engine and its store, as plain hashable data.

    ``raw`` is cheap enough to be called after every callback; `to_value` makes
    TLA+ values of the parts that changed.
    """

    def __init__(self, engine: Engine, records: Callable[[], Iterable[TaskId]], books: Books) -> None:
        self._engine = engine
        self._records = records
        self._books = books
        self._seen: dict[int, PartitionManager] = {}

    def raw(self) -> tuple[Any, ...]:
        """Every observed variable in the order of ``OBSERVED``."""
        return self.engine_part() + self.books_part()

    def engine_part(self) -> tuple[Any, ...]:
        """running, generation, active, registrations, hand, backlog, loaded."""
        engine = self._engine
        host = engine.host
        running: list[Any] = []
        for partition, manager in engine.managers.items():
            self._seen[id(manager)] = manager
            if manager.running:
                running.append((host, str(partition)))
        loaded: dict[tuple[str, str], list[str]] = {}
        registrations: dict[str, list[Any]] = {}
        hand: dict[str, list[Any]] = {}
        for manager in self._seen.values():
            tasks = [str(task.task_id) for task in manager.memory.available()]
            if tasks:
                loaded.setdefault((host, str(manager.owner.partition)), []).extend(tasks)
            for poll_id, poll in manager.polls.items():
                if poll.holding is None:
                    request = poll.request
                    registrations.setdefault(poll_id, []).append(
                        (host, str(manager.owner.partition), poll.generation, request.version, request.worker)
                    )
                else:
                    hand.setdefault(poll_id, []).append((host, poll.generation, poll.holding.task.task_id))
        return (
            frozenset(running),
            tuple([((host, str(partition)), count) for partition, count in engine.generations.items()]),
            engine.namespace.active,
            frozenset([(poll_id, frozenset(each)) for poll_id, each in registrations.items()]),
            frozenset([(poll_id, frozenset(each)) for poll_id, each in hand.items()]),
            frozenset(self._records()),
            frozenset([(manager, frozenset(tasks)) for manager, tasks in loaded.items()]),
        )

    def books_part(self) -> tuple[Any, ...]:
        """wanted, expired, left, answer, queue, added."""
        books = self._books
        return (
            frozenset(books.wanted.items()),
            frozenset(books.expired),
            frozenset(books.left),
            frozenset(books.answer.items()),
            frozenset(books.queue.items()),
            frozenset(books.added.items()),
        )


RAW_ORDER: Final = (
    "running",
    "generation",
    "active",
    "registrations",
    "hand",
    "backlog",
    "loaded",
    "wanted",
    "expired",
    "left",
    "answer",
    "queue",
    "added",
)
"""The order of the parts of ``PollRegistrationView.raw``."""


@lru_cache(maxsize=1 << 16)
def to_value(variable: str, raw: Any, ids: Ids) -> Any:
    """The TLA+ value of one observed variable; runs come back to the same few, so they are remembered."""
    managers = [(host, partition) for host in ids.hosts for partition in ids.partitions]
    match variable:
        case "running":
            return make_function({key: boolean(key in raw) for key in managers})
        case "generation":
            return _total(managers, dict(raw), 0)
        case "active":
            return boolean(raw)
        case "registrations":
            return _total(ids.polls, {poll: _records(_REGISTRATION, each) for poll, each in raw}, frozenset())
        case "hand":
            return _total(ids.polls, {poll: _records(_HOLDING, each) for poll, each in raw}, frozenset())
        case "loaded":
            return _total(managers, dict(raw), frozenset())
        case "wanted" | "answer":
            return _total(ids.polls, dict(raw), ())
        case "queue":
            return _total(ids.tasks, dict(raw), ())
        case "added":
            return _total(ids.tasks, dict(raw), "none")
        case "expired" | "left" | "backlog":
            return frozenset(raw)
        case _:
            raise KeyError(variable)


_REGISTRATION: Final = ("host", "partition", "generation", "version", "worker")
_HOLDING: Final = ("host", "generation", "task")


def _records(fields: tuple[str, ...], each: Iterable[tuple[Any, ...]]) -> frozenset[Any]:
    return frozenset(make_function(dict(zip(fields, values, strict=True))) for values in each)


def _total(keys: Iterable[Any], known: Mapping[Any, Any], default: Any) -> Any:
    return make_function({key: known.get(key, default) for key in keys})
