"""What a host shows is read as an operator reads it: whether or not the host has counted that something changed."""

import attrs
import pytest
from prometheus_client import Gauge

from conformance.judge import Kind
from conformance.machines.lifetime import LIFETIME_WORLD
from conformance.targets.simulation import Simulation
from matching.adapters.metrics import BACKLOG, LOADED, HostMetrics
from matching.gauges import SeriesLabels
from matching.identity import UNVERSIONED, Host, Owner, PartitionKey
from matching.namespace import NamespaceState

WORLD = LIFETIME_WORLD
PARTITION = "shop/bills/workflow/0"
LABELS = SeriesLabels.of(Owner(Host("h1"), PartitionKey.parse(PARTITION), 1), UNVERSIONED, NamespaceState.ACTIVE)


@pytest.fixture
def run(simulation: Simulation) -> Simulation:
    simulation.request({"do": "load", "partition": PARTITION, "run": True})
    assert simulation.divergence is None
    return simulation


def gauge(run: Simulation, name: str) -> Gauge:
    """The host's own gauge, of which a change is counted only by who changes it through the host."""
    metrics = run.engine.gauges
    assert isinstance(metrics, HostMetrics)
    found = metrics._readings.registry._names_to_collectors[name]
    assert isinstance(found, Gauge)
    return found


def found_wrong(run: Simulation) -> tuple[Kind, str | None]:
    run.run()
    assert run.divergence is not None
    return run.divergence.kind, run.divergence.variable


def test_a_series_that_is_shown_and_not_counted_is_seen(run: Simulation) -> None:
    gauge(run, BACKLOG).labels(*attrs.astuple(LABELS)).set(3)

    assert found_wrong(run) == (Kind.UNREPORTED_CHANGE, "gauges")


def test_managers_that_a_host_tells_of_under_another_name_are_seen(run: Simulation) -> None:
    gauge(run, LOADED).labels("h9").set(0)

    assert found_wrong(run) == (Kind.UNREPORTED_CHANGE, "tally")
