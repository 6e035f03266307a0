"""What each variable of ``spec/PartitionLifetime.tla`` means in the running system.

| variable | where it is read |
|---|---|
| running, generation | the engines' registries, by host and partition |
| lives | the same: every generation of which the registry still tells, its phase, its tag and its parts |
| process | the same: whether the host loads, closes or has ended |
| tally, gauges | the text of a scrape of each host, as an operator reads it |
| clusters, owners | the world's books: what was changed, by revision and by ownership generation |
| revision, ownership | the hosts' views of namespace and membership |

Not observed: ``sought``, ``called`` and ``samples``, which the service's own steps tell; ``waiting``, ``holder``
and ``stored`` are other parts' variables.

A scrape is read again where its registry counts a change since the last one; what changes without being counted is
found when the view is told to read anew, as an operator does now and then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from prometheus_client.parser import text_string_to_metric_families

from conformance.refinement.books import Books, Ids, total
from conformance.tla.values import boolean, make_function
from matching.adapters.metrics import BACKLOG, LOADED, HostMetrics
from matching.engine import Engine
from matching.identity import PartitionKey
from matching.membership import Membership

__all__ = ["BOOKS_PART", "HOSTS_PART", "MODULE", "OBSERVED", "PartitionLifetimeView", "owners_of", "to_value"]

MODULE: Final = "PartitionLifetime"
HOSTS_PART: Final = ("running", "generation", "lives", "process", "tally", "gauges", "revision", "ownership")
BOOKS_PART: Final = ("clusters", "owners")
OBSERVED: Final = (
    "running",
    "generation",
    "lives",
    "process",
    "tally",
    "gauges",
    "clusters",
    "owners",
    "revision",
    "ownership",
)

TELLS_OF_NO_HOST: Final = -1
"""What no host holds: a scrape that does not tell how many managers its own host has, or tells so of another."""

Shown = tuple[int, frozenset[tuple[Any, ...]]]


class PartitionLifetimeView:
    """Reads the observed variables of engines, as plain hashable data."""

    def __init__(self, engines: Sequence[Engine], books: Books) -> None:
        self._engines = engines
        self._books = books
        self._read: dict[str, tuple[HostMetrics, int, Shown]] = {}

    def part(self) -> tuple[Any, ...]:
        """running, generation, lives, process, tally, gauges, revision, ownership."""
        running: list[Any] = []
        generations: list[Any] = []
        lives: dict[tuple[str, str], list[Any]] = {}
        process: list[Any] = []
        tally: list[Any] = []
        gauges: list[Any] = []
        for engine in self._engines:
            host, registry = engine.host, engine.registry
            running += [(host, str(partition)) for partition in registry.managers]
            generations += [((host, str(partition)), count) for partition, count in registry.generations.items()]
            for manager in registry.known:
                life = manager.life
                lives.setdefault((host, str(life.owner.partition)), []).append(
                    (life.owner.generation, life.phase.value, life.tag.value, life.ready)
                )
            process.append((host, registry.process.value))
            loaded, shown = self._scraped(engine)
            tally.append((host, loaded))
            gauges += shown
        return (
            frozenset(running),
            tuple(generations),
            frozenset([(manager, frozenset(each)) for manager, each in lives.items()]),
            tuple(process),
            tuple(tally),
            frozenset(gauges),
            tuple([(engine.host, engine.namespace.known.revision) for engine in self._engines]),
            tuple([(engine.host, engine.membership.known.generation) for engine in self._engines]),
        )

    def read_anew(self) -> None:
        """Let the next look read every scrape again, whatever its registry counts."""
        self._read.clear()

    def books_part(self) -> tuple[Any, ...]:
        """clusters, owners."""
        return tuple(self._books.clusters), tuple(self._books.owners)

    def _scraped(self, engine: Engine) -> Shown:
        metrics = engine.gauges
        if not isinstance(metrics, HostMetrics):
            return 0, frozenset()
        read = self._read.get(engine.host)
        if read is None or read[0] is not metrics or read[1] != metrics.changes:
            read = self._read[engine.host] = metrics, metrics.changes, _parse(metrics.scrape(), engine.host)
        return read[2]


def _parse(text: str, host: str) -> Shown:
    """How many managers the scrape of a host tells of, and its series of backlogs with what they read."""
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    loaded = {sample.labels["host"]: int(sample.value) for sample in samples if sample.name == LOADED}
    shown = [(*_identity(sample.labels), int(sample.value)) for sample in samples if sample.name == BACKLOG]
    return (loaded[host] if [*loaded] == [host] else TELLS_OF_NO_HOST), frozenset(shown)


def _identity(labels: dict[str, str]) -> tuple[str, str, int, str]:
    """Which series it is; a label that does not follow from the others makes it that of no known partition."""
    partition = "/".join(labels[name] for name in ("namespace", "family", "type", "partition"))
    known = partition if labels["version"] == "unversioned" else f"{partition} {labels['version']}"
    return labels["host"], known, int(labels["generation"]), labels["namespace_state"]


def owners_of(membership: Membership, partitions: Sequence[str]) -> Any:
    """Who owns each partition, as a function."""
    return make_function({each: str(membership.route(PartitionKey.parse(each))) for each in partitions})


def to_value(variable: str, raw: Any, ids: Ids) -> Any:
    """The TLA+ value of one observed variable."""
    managers = [(host, partition) for host in ids.hosts for partition in ids.partitions]
    match variable:
        case "running":
            return make_function({key: boolean(key in raw) for key in managers})
        case "generation":
            return total(managers, dict(raw), 0)
        case "lives":
            return total(managers, {key: frozenset(map(_life, each)) for key, each in raw}, frozenset())
        case "gauges":
            return frozenset(make_function(dict(zip(_READING, each, strict=True))) for each in raw)
        case "process":
            return total(ids.hosts, dict(raw), "up")
        case "tally":
            return total(ids.hosts, dict(raw), 0)
        case "revision" | "ownership":
            return total(ids.hosts, dict(raw), 1)
        case "clusters":
            return tuple(raw)
        case "owners":
            return tuple([owners_of(membership, ids.partitions) for membership in raw])
        case _:
            raise KeyError(variable)


_READING: Final = ("host", "partition", "generation", "state", "value")


def _life(each: tuple[int, str, str, frozenset[Any]]) -> Any:
    generation, phase, tag, ready = each
    parts = frozenset(part.value for part in ready)
    return make_function({"generation": generation, "phase": phase, "tag": tag, "ready": parts})
