"""What each variable of ``spec/Backlog.tla`` means in the running system.

| variable | where it is read |
|---|---|
| lease, floor, records | the store's own: range ids, saved ack levels, records by id |
| range, next, read, ack | the engines' managers that run and hold a lease, by host and partition; else 0 |

Not observed: ``unfinished`` (it is what PollRegistration's ``loaded`` and ``hand`` show, and the
specification says so), ``confirmed``, and the calls of the store, which its own steps tell:
``claims``, ``adrift``, ``reads``, ``saves``, ``writes`` and ``deletes``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import attrs

from conformance.refinement.books import Ids, total
from conformance.tla.values import make_function
from matching.engine import Engine
from matching.identity import PartitionKey

__all__ = ["LEVELS_PART", "MODULE", "OBSERVED", "STORE_PART", "BacklogView", "Durable", "to_value"]

MODULE: Final = "Backlog"
LEVELS_PART: Final = ("range", "next", "read", "ack")
STORE_PART: Final = ("lease", "floor", "records")
OBSERVED: Final = STORE_PART + LEVELS_PART


@attrs.frozen
class Durable:
    """What the store has of one partition; records by id, as the ids of their tasks."""

    lease: int
    floor: int
    records: tuple[tuple[int, str], ...]


class BacklogView:
    """Reads the observed variables, as plain hashable data."""

    def __init__(
        self, engines: Sequence[Engine], durable: Callable[[], Sequence[tuple[PartitionKey, Durable]]]
    ) -> None:
        self._engines = engines
        self._durable = durable

    def part(self) -> tuple[Any, ...]:
        """lease, floor, records, range, next, read, ack."""
        held = [(str(partition), durable) for partition, durable in self._durable()]
        levels = [
            ((engine.host, str(partition)), manager.backlog.levels)
            for engine in self._engines
            for partition, manager in engine.managers.items()
            if manager.backlog.running and manager.backlog.range_id
        ]
        return (
            tuple([(partition, durable.lease) for partition, durable in held]),
            tuple([(partition, durable.floor) for partition, durable in held]),
            frozenset([(partition, *record) for partition, durable in held for record in durable.records]),
            *(tuple([(manager, each[position]) for manager, each in levels]) for position in range(4)),
        )


def to_value(variable: str, raw: Any, ids: Ids) -> Any:
    """The TLA+ value of one observed variable."""
    match variable:
        case "lease" | "floor":
            return total(ids.partitions, dict(raw), 0)
        case "records":
            fields = ("partition", "id", "task")
            return frozenset(make_function(dict(zip(fields, each, strict=True))) for each in raw)
        case _:
            return total([(host, partition) for host in ids.hosts for partition in ids.partitions], dict(raw), 0)
