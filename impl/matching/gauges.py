"""What a host shows to operators of the managers that it has loaded.

Four rules:

1. Every series of a backlog bears a complete label set.  The namespace's state in it
   is that in which the generation began, for as long as the generation lives.
2. One object owns the series of one generation, and can name every one that it wrote.
3. A stop sets each of them to zero and is final: a tick that comes later shows nothing.
4. Whoever has the clock lets dead series be removed ``DEAD_SERIES_SECONDS`` after the
   stop, so that they stay bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import attrs

from matching.identity import Owner, Version
from matching.namespace import NamespaceState

__all__ = ["DEAD_SERIES_SECONDS", "NO_GAUGES", "Gauges", "GenerationGauges", "SeriesLabels"]

DEAD_SERIES_SECONDS = 300.0
"""How long a series reads zero before it is removed: several times what lies between two scrapes."""


@attrs.frozen
class SeriesLabels:
    """The complete label set of one series, its values as a scrape has them."""

    namespace: str
    family: str
    type: str
    partition: str
    version: str
    host: str
    generation: str
    namespace_state: str

    @classmethod
    def of(cls, owner: Owner, version: Version, state: NamespaceState) -> SeriesLabels:
        """The labels of one physical queue under one generation of its partition's manager."""
        partition = owner.partition
        return cls(
            partition.namespace,
            partition.family,
            partition.task_type.value,
            str(partition.partition),
            version,
            owner.host,
            str(owner.generation),
            state.value,
        )


class GenerationGauges(Protocol):
    """Everything that is shown of one generation of one partition's manager."""

    @property
    def series(self) -> Mapping[SeriesLabels, int]:
        """What each series reads that this generation ever wrote, until it is removed."""
        ...

    def show(self, version: Version, records: int) -> None:
        """Show how many durable records the backlog of a version has; after a stop, show nothing."""
        ...

    def unload(self) -> None:
        """Count the manager as loaded no more; a second time there is nothing to do."""
        ...

    def stop(self) -> None:
        """Set every series to zero, for good, and unload; a second time there is nothing to do."""
        ...

    def remove(self) -> None:
        """Remove every series of a generation that was stopped; a second time there is nothing to do."""
        ...


class Gauges(Protocol):
    """Everything that one host shows."""

    def load(self, owner: Owner, state: NamespaceState) -> GenerationGauges:
        """Count a manager as loaded, and give what will show it; its namespace is in this state now."""
        ...


class _NothingShown:
    """Shows nothing of a generation."""

    @property
    def series(self) -> Mapping[SeriesLabels, int]:
        return {}

    def show(self, version: Version, records: int) -> None: ...

    def unload(self) -> None: ...

    def stop(self) -> None: ...

    def remove(self) -> None: ...


class _NoGauges:
    def load(self, owner: Owner, state: NamespaceState) -> GenerationGauges:
        return _NothingShown()


NO_GAUGES: Gauges = _NoGauges()
"""What a host has that shows nothing."""
