"""What one host holds of each partition that it has ever loaded, for an operator who looks.

Three rules:

1. A look changes nothing.  What a host has in memory is read in one step; how many records are
   durable is asked of the store before it.
2. What is shown of a generation comes from that generation, and of the host from its views: a namespace
   revision and an ownership generation stand side by side and never for one another.
3. What was emitted is counted over every generation whose series are still there, dead ones too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from matching.engine import Engine
from matching.gauges import SeriesLabels
from matching.identity import UNVERSIONED, Host, OwnershipGeneration, PartitionKey, Revision, TaskType
from matching.lifetime import Part, Phase
from matching.manager import PartitionManager
from matching.namespace import NamespaceState
from matching.wording import printable

__all__ = ["Inspection", "inspect", "read", "table"]

NOT_LOADED = "not loaded"
STATES = tuple(state.value for state in NamespaceState)


@attrs.frozen(kw_only=True)
class Inspection:
    """One partition at one host.

    Of a partition that is not loaded the generation is that of its last load, and there are no labels.
    """

    partition: PartitionKey
    host: Host
    generation: int
    state: str
    """The phase of the generation's life, or that it is not loaded."""
    ownership_generation: OwnershipGeneration
    owned: bool
    """Whether the host believes to own the partition."""
    namespace_revision: Revision
    namespace_state: str
    durable_backlog: int
    """Durable records, finished ones too until they are deleted."""
    loaded_queues: tuple[str, ...]
    """The physical queues whose backlog is in memory, by version."""
    waiting_polls: tuple[str, ...]
    in_flight: tuple[str, ...]
    """Tasks in the hand of a poll that were not handed over, also under stopped generations that are still shown."""
    user_data_version: int | None
    """The version that is cached; None where none is."""
    labels: SeriesLabels | None
    emitted: Mapping[str, int]
    """What the partition's series read together, by the namespace's state in their labels."""

    def as_json(self) -> dict[str, Any]:
        """Give everything under its name, the identity as its four levels."""
        found = attrs.asdict(self, recurse=False)
        partition, emitted = found.pop("partition"), found.pop("emitted")
        identity = (partition.namespace, partition.family, partition.task_type.value, partition.partition)
        return {
            **dict(zip(_IDENTITY, identity, strict=True)),
            **found,
            "labels": None if self.labels is None else attrs.asdict(self.labels),
            "emitted_backlog_by_namespace_state": dict(emitted),
        }


async def inspect(engine: Engine, count: Callable[[PartitionKey], Awaitable[int]]) -> list[Inspection]:
    """Look at every partition that the engine has ever loaded; ``count`` gives how many records one has.

    Raises:
        StoreError: the durable records cannot be counted.
    """
    partitions = sorted(engine.generations)
    counts = [await count(partition) for partition in partitions]
    return [_inspect(engine, *each) for each in zip(partitions, counts, strict=True)]


def _inspect(engine: Engine, partition: PartitionKey, durable_backlog: int) -> Inspection:
    known = [each for each in engine.registry.known if each.owner.partition == partition]
    manager = engine.managers.get(partition)
    return Inspection(
        partition=partition,
        host=engine.host,
        generation=engine.generations[partition],
        state=NOT_LOADED if manager is None else manager.life.phase.value,
        ownership_generation=engine.membership.known.generation,
        owned=engine.membership.owns(partition),
        namespace_revision=engine.namespace.known.revision,
        namespace_state=engine.namespace.state.value,
        durable_backlog=durable_backlog,
        loaded_queues=(UNVERSIONED,) if manager is not None and manager.backlog.running else (),
        waiting_polls=_waiting(manager),
        in_flight=tuple(task for each in known for task in _in_hand(each)),
        user_data_version=_user_data_version(manager),
        labels=None if manager is None else SeriesLabels.of(manager.owner, UNVERSIONED, manager.life.tag),
        emitted=_emitted(known),
    )


def _waiting(manager: PartitionManager | None) -> tuple[str, ...]:
    polls = {} if manager is None else manager.polls
    return tuple(poll_id for poll_id, poll in polls.items() if poll.holding is None)


def _in_hand(manager: PartitionManager) -> list[str]:
    return [poll.holding.task.task_id for poll in manager.polls.values() if poll.holding is not None]


def _user_data_version(manager: PartitionManager | None) -> int | None:
    version = None if manager is None else manager.life.fetched.get(Part.USER_DATA)
    return version if isinstance(version, int) else None


def _emitted(managers: Iterable[PartitionManager]) -> dict[str, int]:
    emitted = {state.value: 0 for state in NamespaceState}
    for manager in managers:
        for labels, records in manager.life.gauges.series.items():
            emitted[labels.namespace_state] += records
    return emitted


# As a table


def read(found: Mapping[str, Any]) -> Inspection:
    """Read back what ``as_json`` gave.

    Raises:
        KeyError, TypeError, ValueError: it is something else.
    """
    named = dict(found)
    namespace, family, kind, number = (named.pop(name) for name in _IDENTITY)
    labels = named.pop("labels")
    emitted = named.pop("emitted_backlog_by_namespace_state")
    lists: dict[str, Any] = {name: _names(named.pop(name)) for name in ("loaded_queues", "waiting_polls", "in_flight")}
    return Inspection(
        partition=PartitionKey(_name(namespace), _name(family), TaskType(kind), _number(number)),
        emitted={_one_of(state, STATES): _number(emitted[state]) for state in {**dict.fromkeys(STATES), **emitted}},
        labels=None if labels is None else SeriesLabels(**{name: _name(label) for name, label in labels.items()}),
        host=Host(_name(named.pop("host"))),
        generation=_number(named.pop("generation")),
        state=_one_of(named.pop("state"), (NOT_LOADED, *(phase.value for phase in Phase))),
        ownership_generation=OwnershipGeneration(_number(named.pop("ownership_generation"))),
        owned=_one_of(named.pop("owned"), (True, False)),
        namespace_revision=Revision(_number(named.pop("namespace_revision"))),
        namespace_state=NamespaceState(named.pop("namespace_state")).value,
        durable_backlog=_number(named.pop("durable_backlog")),
        user_data_version=None if (version := named.pop("user_data_version")) is None else _number(version),
        **lists,
        **named,
    )


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{value!r} is no name")
    return value


def _names(values: object) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError(f"{values!r} is no list of names")
    return tuple(map(_name, values))


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{value!r} is no number of things")
    return value


def _one_of(value: Any, known: Sequence[Any]) -> Any:
    if not any(value == each and value.__class__ is each.__class__ for each in known):
        raise TypeError(f"{value!r} is none of {known!r}")
    return value


_IDENTITY = ("namespace", "family", "type", "partition")


def table(inspections: Sequence[Inspection]) -> str:
    """Write a column for each partition at a host, and a row for each thing that is known of it."""
    if not inspections:
        return "nothing was loaded yet"
    columns = [{name: printable(cell) for name, cell in _column(each).items()} for each in inspections]
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _column(found: Inspection) -> dict[str, str]:
    return {
        "queue": str(found.partition),
        "host": found.host,
        "generation": f"{found.generation}, {found.state}",
        "ownership generation": f"{found.ownership_generation}, {'owned' if found.owned else 'owned by another host'}",
        "namespace revision": f"{found.namespace_revision}, {found.namespace_state}",
        "durable backlog": str(found.durable_backlog),
        "loaded queues": _listed(found.loaded_queues),
        "waiting polls": _listed(found.waiting_polls),
        "in flight": _listed(found.in_flight),
        "user data version": "none cached" if found.user_data_version is None else str(found.user_data_version),
        "labels": "none" if found.labels is None else _labelled(found.labels),
        "emitted backlog": ", ".join(f"{state} {records}" for state, records in found.emitted.items()),
    }


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _labelled(labels: SeriesLabels) -> str:
    """The labels that the rows above do not tell."""
    return f"version={labels.version} generation={labels.generation} namespace_state={labels.namespace_state}"
