"""The count of lies in ``bench``: none of the host as it is, and some of every host that is broken."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from bench import lies
from bench.lies import Book, Scraper, measure
from matching.adapters.metrics import GenerationSeries, HostMetrics
from matching.engine import Engine
from matching.gauges import SeriesLabels
from matching.identity import UNVERSIONED, Host, Owner, PartitionKey, TaskType, Version
from matching.lifetime import Lifetime
from matching.namespace import NamespaceState
from matching.registry import ManagerRegistry

ACTIVE, PASSIVE = NamespaceState.ACTIVE, NamespaceState.PASSIVE
PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)
OWNER = Owner(Host("h1"), PARTITION, 1)
KEY = (str(PARTITION), 1)


def lies_of(dead: set[tuple[str, int]], present: NamespaceState | None, most: int = 3) -> list[str]:
    """The lies in a scrape that reads 3 active records of a generation."""
    metrics, book = HostMetrics(Host("h1")), Book()
    metrics.load(OWNER, ACTIVE).show(UNVERSIONED, 3)
    book.labels[SeriesLabels.of(OWNER, UNVERSIONED, ACTIVE)] = None
    scraper = Scraper(book, 0)
    scraper.compare(metrics.scrape(), dead, present, {PARTITION: most})
    return scraper.lies


@pytest.mark.parametrize("present", [ACTIVE, None])
def test_a_backlog_that_is_there_is_no_lie(present: NamespaceState | None) -> None:
    assert lies_of(set(), present) == []


def test_records_of_a_generation_that_had_stopped_are_a_lie() -> None:
    assert lies_of({KEY}, None) == [f"3 records of {KEY}, which had stopped"]


def test_records_under_another_state_than_the_present_one_are_a_lie() -> None:
    assert lies_of(set(), PASSIVE) == [f"3 records of {KEY} as active, and all was passive"]


def test_more_records_than_there_are_are_a_lie() -> None:
    assert lies_of(set(), ACTIVE, most=2) == [f"3 records of {KEY}, which has 2"]


def test_what_was_handed_over_since_the_last_tick_is_not_missed_yet() -> None:
    book = Book()
    book.handed_over[PARTITION] = 2
    book("Emit", "h1", str(PARTITION), 1)
    book.handed_over[PARTITION] = 5

    assert book.shown_without == {PARTITION: 2}


def test_a_host_that_is_scraped_between_a_hand_over_and_its_next_tick_tells_no_lie(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scrape, unload, scraped = Scraper._scrape, Engine.unload, threading.Event()

    def tell(scraper: Scraper) -> None:
        scrape(scraper)
        scraped.set()

    def after_a_scrape(engine: Engine, partition: PartitionKey) -> None:
        for _ in range(2):  # the first to end may have begun before the hand-over
            scraped.clear()
            assert scraped.wait(timeout=10)
        unload(engine, partition)

    monkeypatch.setattr(Scraper, "_scrape", tell)
    monkeypatch.setattr(Engine, "unload", after_a_scrape)

    assert asyncio.run(measure(60, "sqlite://")).lies == ()


def test_a_label_set_that_is_no_generations_is_a_lie() -> None:
    metrics = HostMetrics(Host("h1"))
    metrics.load(OWNER, ACTIVE).show(Version("v2"), 0)
    scraper = Scraper(Book(), 0)
    scraper.compare(metrics.scrape(), set(), None, {})

    assert len(scraper.lies) == 1


def test_a_host_as_it_is_tells_no_lie() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "bench.lies", "--unloads", "60"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "lies 0" in ran.stdout.splitlines()


def _zeros_nothing(series: GenerationSeries) -> None:
    series.unload()


def _emits_for_ever(life: Lifetime) -> None:
    """An emitter that no stop ends, and that looks at no phase."""
    asyncio.get_running_loop().call_later(0.001, life._tick)
    life.gauges.show(UNVERSIONED, 1)


def _ignores_the_namespace(registry: ManagerRegistry, before: NamespaceState, after: NamespaceState) -> None:
    return


def _shows_one_too_many(series: GenerationSeries, version: Version, records: int) -> None:
    series._write(SeriesLabels.of(series._owner, version, series._state), records + 1)


def _tags_with_the_other_state(life: HostMetrics, owner: Owner, state: NamespaceState) -> GenerationSeries:
    return GenerationSeries(owner, PASSIVE if state is ACTIVE else ACTIVE, life._readings)


@pytest.mark.parametrize(
    ("where", "name", "broken"),
    [
        (GenerationSeries, "stop", _zeros_nothing),
        (ManagerRegistry, "_namespace_changed", _ignores_the_namespace),
        (HostMetrics, "load", _tags_with_the_other_state),
        (GenerationSeries, "show", _shows_one_too_many),
    ],
    ids=["zeros nothing", "ignores the namespace", "tags with the other state", "shows one too many"],
)
def test_a_broken_host_is_caught_in_a_lie(
    monkeypatch: pytest.MonkeyPatch, where: type, name: str, broken: Callable[..., object]
) -> None:
    monkeypatch.setattr(where, name, broken)
    monkeypatch.setattr(GenerationSeries, "remove", lambda _: None)

    assert asyncio.run(measure(60, "sqlite://")).lies != ()


def test_an_emitter_that_outlives_its_stop_is_caught_in_a_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lifetime, "_tick", _emits_for_ever)
    monkeypatch.setattr(GenerationSeries, "stop", _zeros_and_goes_on)
    monkeypatch.setattr(GenerationSeries, "remove", lambda _: None)

    assert asyncio.run(measure(60, "sqlite://")).lies != ()


def _zeros_and_goes_on(series: GenerationSeries) -> None:
    series.unload()
    for labels in series.series:
        series._write(labels, 0)


def test_scrapes_that_read_nothing_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lies, "OPTIONS", attrs.evolve(lies.OPTIONS, emit_seconds=None))

    assert not asyncio.run(measure(1, "sqlite://")).worth_something
