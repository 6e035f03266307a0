"""What a scrape of a host reads: of each generation its own series, zero after a stop, and nothing once removed."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from matching.adapters.metrics import BACKLOG, LOADED, GenerationSeries, HostMetrics
from matching.adapters.opening import open_metrics
from matching.errors import MissingLibrary
from matching.gauges import Gauges, GenerationGauges, SeriesLabels
from matching.identity import UNVERSIONED, Host, Owner, PartitionKey, TaskType, Version
from matching.namespace import NamespaceState

ACTIVE, PASSIVE = NamespaceState.ACTIVE, NamespaceState.PASSIVE
H1 = Host("h1")
V2 = Version("v2")
PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)
FIRST, SECOND = Owner(H1, PARTITION, 1), Owner(H1, PARTITION, 2)

Readings = dict[SeriesLabels, float]
Order = tuple[str, int] | tuple[str, int, Version, int]

NAMES = st.text(min_size=1).filter(lambda text: "/" not in text)
GENERATIONS = st.sampled_from([0, 1])
ORDERS = st.one_of(
    st.tuples(st.sampled_from(["unload", "stop", "stop and remove"]), GENERATIONS),
    st.tuples(st.just("show"), GENERATIONS, st.sampled_from([UNVERSIONED, V2]), st.integers(0, 2)),
)


@pytest.fixture
def metrics() -> HostMetrics:
    return HostMetrics(H1)


@pytest.fixture
def first(metrics: HostMetrics) -> GenerationSeries:
    """A generation that began while the namespace was active, and has shown two versions."""
    first = metrics.load(FIRST, ACTIVE)
    first.show(UNVERSIONED, 3)
    first.show(V2, 1)
    return first


def backlog(metrics: HostMetrics) -> Readings:
    """What a scrape reads of the backlogs, per complete label set."""
    samples = _samples(metrics, BACKLOG)
    return {SeriesLabels(**labels): value for labels, value in samples}


def loaded(metrics: HostMetrics) -> float:
    """How many managers a scrape reads to be loaded."""
    [(labels, value)] = _samples(metrics, LOADED)
    assert labels == {"host": "h1"}
    return value


def _samples(metrics: HostMetrics, name: str) -> list[tuple[dict[str, str], float]]:
    [family] = [each for each in text_string_to_metric_families(metrics.scrape()) if each.name == name]
    assert family.type == "gauge"
    return [(sample.labels, sample.value) for sample in family.samples]


def carry_out(order: Order, generations: Sequence[GenerationGauges]) -> None:
    match order:
        case ("show", int(number), version, records):
            generations[number].show(version, records)
        case ("unload", number):
            generations[number].unload()
        case ("stop", number):
            generations[number].stop()
        case ("stop and remove", number):
            generations[number].stop()
            generations[number].remove()


def carry_out_all(orders: Iterable[Order], generations: Sequence[GenerationGauges]) -> None:
    for order in orders:
        carry_out(order, generations)


def scrapes_after_each(
    orders: Iterable[Order], generations: Sequence[GenerationGauges], metrics: HostMetrics
) -> Iterator[tuple[int, str]]:
    for order in orders:
        carry_out(order, generations)
        yield metrics.changes, metrics.scrape()


def expected(owner: Owner, state: NamespaceState, orders: list[Order]) -> Readings:
    """What a scrape reads of a generation after these orders."""
    names = [order[0] for order in orders]
    if "stop and remove" in names:
        return {}
    before_stop = orders[: names.index("stop")] if "stop" in names else orders
    shown = {order[2]: order[3] for order in before_stop if len(order) == 4}
    return {
        SeriesLabels.of(owner, version, state): 0 if "stop" in names else records for version, records in shown.items()
    }


def is_loaded(orders: list[Order]) -> bool:
    return all(order[0] == "show" for order in orders)


# Series


def test_a_series_bears_every_label(metrics: HostMetrics) -> None:
    metrics.load(Owner(H1, PartitionKey("shop", "orders", TaskType.ACTIVITY, 5), 7), PASSIVE).show(V2, 3)

    assert backlog(metrics) == {SeriesLabels("shop", "orders", "activity", "5", "v2", "h1", "7", "passive"): 3}


@given(NAMES, NAMES, NAMES)
def test_a_label_is_read_back_as_it_was_whatever_is_in_it(namespace: str, family: str, version: str) -> None:
    metrics = HostMetrics(H1)
    partition = PartitionKey(namespace, family, TaskType.WORKFLOW)
    metrics.load(Owner(H1, partition, 1), ACTIVE).show(Version(version), 1)

    assert backlog(metrics) == {SeriesLabels.of(Owner(H1, partition, 1), Version(version), ACTIVE): 1}


@given(st.lists(ORDERS, max_size=10))
def test_a_scrape_reads_of_each_generation_what_was_shown_of_it_until_its_stop_and_then_zero_or_nothing(
    orders: list[Order],
) -> None:
    metrics = HostMetrics(H1)
    generations = [metrics.load(FIRST, ACTIVE), metrics.load(SECOND, PASSIVE)]
    of_first, of_second = ([order for order in orders if order[1] == number] for number in (0, 1))
    carry_out_all(orders, generations)

    assert backlog(metrics) == expected(FIRST, ACTIVE, of_first) | expected(SECOND, PASSIVE, of_second)
    assert loaded(metrics) == is_loaded(of_first) + is_loaded(of_second)
    assert [dict(each.series) for each in generations] == [
        expected(FIRST, ACTIVE, of_first),
        expected(SECOND, PASSIVE, of_second),
    ]


@given(st.lists(ORDERS, max_size=10))
def test_a_change_is_counted_if_and_only_if_a_scrape_reads_it(orders: list[Order]) -> None:
    metrics = HostMetrics(H1)
    generations = [metrics.load(FIRST, ACTIVE), metrics.load(SECOND, PASSIVE)]
    seen = [(metrics.changes, metrics.scrape()), *scrapes_after_each(orders, generations, metrics)]

    assert [before[0] < after[0] for before, after in pairwise(seen)] == [
        before[1] != after[1] for before, after in pairwise(seen)
    ]


# A stop


def test_a_stop_sets_every_series_that_was_ever_written_to_zero(metrics: HostMetrics, first: GenerationSeries) -> None:
    """FAULTS Z24"""
    written = set(first.series)
    first.stop()

    assert len(written) == 2
    assert backlog(metrics) == dict.fromkeys(written, 0)


def test_a_tick_that_comes_after_the_stop_shows_nothing(metrics: HostMetrics, first: GenerationSeries) -> None:
    """FAULTS Z26"""
    first.stop()
    before = metrics.scrape()
    first.show(V2, 5)
    first.show(Version("v3"), 5)

    assert metrics.scrape() == before


def test_a_tick_that_comes_after_the_removal_brings_no_series_back(
    metrics: HostMetrics, first: GenerationSeries
) -> None:
    first.stop()
    first.remove()
    first.show(V2, 5)

    assert backlog(metrics) == {}


def test_a_tick_between_unload_and_stop_is_shown_and_then_zero(metrics: HostMetrics, first: GenerationSeries) -> None:
    first.unload()
    first.show(UNVERSIONED, 4)
    shown = backlog(metrics)
    first.stop()

    assert shown[SeriesLabels.of(FIRST, UNVERSIONED, ACTIVE)] == 4
    assert set(backlog(metrics).values()) == {0}


def test_a_generation_is_stopped_under_the_state_in_which_it_began(
    metrics: HostMetrics, first: GenerationSeries
) -> None:
    """FAULTS Z27"""
    second = metrics.load(SECOND, PASSIVE)
    second.show(UNVERSIONED, 3)
    first.stop()

    assert {(labels.generation, labels.namespace_state, value) for labels, value in backlog(metrics).items()} == {
        ("1", "active", 0),
        ("2", "passive", 3),
    }


def test_a_stop_that_is_repeated_counts_once(metrics: HostMetrics, first: GenerationSeries) -> None:
    """FAULTS Z09"""
    metrics.load(SECOND, ACTIVE)
    first.unload()
    first.stop()
    first.stop()
    first.unload()

    assert loaded(metrics) == 1


def test_series_are_removed_only_after_a_stop(first: GenerationSeries) -> None:
    with pytest.raises(AssertionError, match="before its stop"):
        first.remove()


# Hosts


def test_a_host_shows_through_a_registry_of_its_own() -> None:
    assert loaded(open_metrics(H1)) == 0


def test_without_prometheus_client_the_error_names_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "matching.adapters.metrics")
    monkeypatch.setitem(sys.modules, "prometheus_client", None)

    with pytest.raises(MissingLibrary, match=r"metrics needs .* pip install 'matching-conformance\[service\]'"):
        open_metrics(H1)


def test_a_host_that_has_loaded_nothing_says_so(metrics: HostMetrics) -> None:
    assert (loaded(metrics), backlog(metrics)) == (0, {})


def test_two_hosts_in_one_process_show_nothing_of_each_other(metrics: HostMetrics, first: GenerationSeries) -> None:
    other = HostMetrics(Host("h2"))

    assert backlog(other) == {}
    assert set(backlog(metrics)) == set(first.series)


def test_a_host_shows_no_manager_of_another(metrics: HostMetrics) -> None:
    with pytest.raises(AssertionError, match="is no manager of h1"):
        metrics.load(Owner(Host("h2"), PARTITION, 1), ACTIVE)


def test_a_scrape_writes_the_same_text_after_the_same_orders(metrics: HostMetrics, first: GenerationSeries) -> None:
    again = HostMetrics(H1)
    gauges: Gauges = again
    carry_out_all([("show", 0, UNVERSIONED, 3), ("show", 0, V2, 1)], [gauges.load(FIRST, ACTIVE)])

    assert again.scrape() == metrics.scrape()
