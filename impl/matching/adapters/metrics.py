"""What a host shows, as Prometheus has it: a registry of the host's own, and the text that a scrape of it reads.

Two rules:

1. Whatever changes what a scrape reads is counted, once for each series.
2. A scrape may come from another thread at any time, also in the midst of a step.
   It changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import attrs
from prometheus_client import CollectorRegistry, Gauge, generate_latest, make_wsgi_app
from prometheus_client.parser import text_string_to_metric_families

from matching.gauges import SeriesLabels
from matching.identity import Host, Owner, Version
from matching.namespace import NamespaceState

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

__all__ = ["BACKLOG", "LOADED", "GenerationSeries", "HostMetrics", "backlog_of"]

BACKLOG = "approximate_backlog_count"
LOADED = "loaded_task_queue_partition_count"
LABELS = tuple(field.name for field in attrs.fields(SeriesLabels))


class HostMetrics:
    """The registry of one host."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._readings = _Readings(host)

    @property
    def changes(self) -> int:
        """How often what a scrape reads has changed so far."""
        return self._readings.changes

    def load(self, owner: Owner, state: NamespaceState) -> GenerationSeries:
        """Count a manager of this host as loaded, and give what will show it."""
        assert owner.host == self.host, f"{owner} is no manager of {self.host}"
        self._readings.count_loaded(1)
        return GenerationSeries(owner, state, self._readings)

    def scrape(self) -> str:
        """Write all series as text, in the format of Prometheus."""
        return generate_latest(self._readings.registry).decode()

    def backlog(self) -> dict[SeriesLabels, int]:
        """Scrape, and read back what each series of a backlog reads."""
        return backlog_of(self.scrape())

    def application(self) -> WSGIApplication:
        """Give what answers a scrape over HTTP, in the format that it asks for."""
        return make_wsgi_app(self._readings.registry)


def backlog_of(scrape: str) -> dict[SeriesLabels, int]:
    """Read back what each series of a backlog reads in the text of a scrape."""
    families = text_string_to_metric_families(scrape)
    samples = [sample for family in families for sample in family.samples if sample.name == BACKLOG]
    return {SeriesLabels(**sample.labels): int(sample.value) for sample in samples}


class GenerationSeries:
    """Every series of one generation; the steps of an unload are three, for its emitter may outlast the first."""

    def __init__(self, owner: Owner, state: NamespaceState, readings: _Readings) -> None:
        self._owner = owner
        self._state = state
        self._readings = readings
        self._series: dict[SeriesLabels, int] = {}
        self._loaded = True
        self._stopped = False

    @property
    def series(self) -> Mapping[SeriesLabels, int]:
        """What each series reads that this generation ever wrote, until it is removed."""
        return MappingProxyType(self._series)

    def show(self, version: Version, records: int) -> None:
        """Show how many durable records the backlog of a version has; after a stop, show nothing. (Emit)"""
        assert records >= 0
        if not self._stopped:
            self._write(SeriesLabels.of(self._owner, version, self._state), records)

    def unload(self) -> None:
        """Count the manager as loaded no more. (Unload)"""
        if self._loaded:
            self._loaded = False
            self._readings.count_loaded(-1)

    def stop(self) -> None:
        """Set every series to zero, for good. (Stop)"""
        self.unload()
        self._stopped = True
        for labels in self._series:
            self._write(labels, 0)

    def remove(self) -> None:
        """Remove every series. (RemoveSeries)"""
        assert self._stopped, f"the series of {self._owner} are removed before its stop"
        for labels in self._series:
            self._readings.remove(labels)
        self._series.clear()

    def _write(self, labels: SeriesLabels, records: int) -> None:
        if self._series.get(labels) != records:
            self._series[labels] = records
            self._readings.set(labels, records)


class _Readings:
    """What a scrape reads, and how often that has changed."""

    def __init__(self, host: Host) -> None:
        self.registry = CollectorRegistry()
        self.changes = 0
        self._backlog = Gauge(BACKLOG, "Durable records of a physical queue.", LABELS, registry=self.registry)
        loaded = Gauge(LOADED, "Partition managers that are loaded.", ["host"], registry=self.registry)
        self._loaded = loaded.labels(host)

    def set(self, labels: SeriesLabels, records: int) -> None:
        self.changes += 1
        self._backlog.labels(*attrs.astuple(labels)).set(records)

    def remove(self, labels: SeriesLabels) -> None:
        self.changes += 1
        self._backlog.remove(*attrs.astuple(labels))

    def count_loaded(self, change: int) -> None:
        self.changes += 1
        self._loaded.inc(change)
