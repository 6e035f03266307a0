"""``python -m bench.lies``: does a scrape ever read of a manager that has stopped what is not so any more?

One host serves some partitions with an emitter that ticks every millisecond.  Each is loaded, filled, polled
and unloaded, thousands of times, by order and by failovers, while a thread scrapes ``/metrics`` over HTTP
as fast as it can.  A scrape lies where it reads

- more than zero of a generation whose Stop was told before the scrape began;
- a label set that is no generation's: its namespace state is not that in which the generation was loaded;
- more than zero under another namespace state than the present one, where that had settled before the scrape
  began and was the same when it ended;
- more records than were brought to the partition by the end of the scrape, less those that had been handed over at the
  last tick before it began: what a host hands over between two ticks it cannot show yet.

Exit 1 where a scrape lied, and where no scrape read anything of which it could have lied.
"""

from __future__ import annotations

import asyncio
import http.client
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random
from time import perf_counter

import attrs
import click

from conformance.cli.running import run_and_leave
from matching.adapters.exposition import PATH, Exposition
from matching.adapters.metrics import HostMetrics, backlog_of
from matching.adapters.opening import open_metrics, sqlite_file
from matching.adapters.sql import SqlStore
from matching.engine import Engine
from matching.gauges import SeriesLabels
from matching.identity import UNVERSIONED, Host, PartitionKey, PollId, TaskId, TaskType, Worker
from matching.lifetime import LifetimeOptions
from matching.namespace import HERE, THERE, NamespaceState, NamespaceView
from matching.requests import PollRequest, Task

__all__ = ["Book", "Report", "Scraper", "command", "measure"]

H1 = Host("h1")
PARTITIONS = tuple(PartitionKey("shop", "orders", TaskType.WORKFLOW, number) for number in range(4))
OPTIONS = LifetimeOptions(emit_seconds=0.001, idle_seconds=None, dead_series_seconds=0.1)
MOST_TASKS = 4
MOST_LOADED_SECONDS = 0.01
FAILOVER_SECONDS = 0.15
POLL_SECONDS = 0.005


@attrs.frozen(kw_only=True)
class Report:
    """What was done, what was read, and how much of that was not so."""

    unloads: int
    failovers: int
    scrapes: int
    living: int
    """Series above zero, which tell of a backlog."""
    zeros: int
    """Series at zero of generations that had stopped."""
    lies: tuple[str, ...]
    seconds: float

    @property
    def worth_something(self) -> bool:
        """Tell whether there was anything to lie about."""
        return bool(self.unloads and self.living and self.zeros)

    def __str__(self) -> str:
        told = [
            f"{self.unloads:,} unloads, {self.failovers} failovers, {self.scrapes:,} scrapes in {self.seconds:.1f} s",
            f"read {self.living:,} series above zero, and {self.zeros:,} at zero of generations that had stopped",
            f"lies {len(self.lies)}",
            *self.lies[:5],
        ]
        return "\n".join(told)


class Book:
    """What the host told, for a thread that reads it; every entry is made in one step and never changed."""

    def __init__(self) -> None:
        self.told: Counter[str] = Counter()
        self.dead: dict[tuple[str, int], None] = {}
        """The partition and number of each generation whose stop was told."""
        self.labels: dict[SeriesLabels, None] = {}
        """The label set of each generation."""
        self.settled: tuple[int, NamespaceState] | None = (1, NamespaceState.ACTIVE)
        """The namespace's revision and state, unless unloads for it may still be on their way."""
        self.engine: Engine | None = None
        self.brought: Counter[PartitionKey] = Counter()
        self.handed_over: Counter[PartitionKey] = Counter()
        self.shown_without: Counter[PartitionKey] = Counter()
        """How many tasks of each partition had been handed over at its last tick."""

    def __call__(self, action: str, *args: str | int | tuple[str, ...]) -> None:
        self.told[action] += 1
        if action == "Load":
            assert self.engine is not None
            manager = self.engine.managers[PartitionKey.parse(str(args[1]))]
            self.labels[SeriesLabels.of(manager.owner, UNVERSIONED, self.engine.namespace.state)] = None
        elif action == "Stop":
            self.dead[str(args[1]), int(str(args[2]))] = None
        elif action == "Emit":
            partition = PartitionKey.parse(str(args[1]))
            self.shown_without[partition] = self.handed_over[partition]


class Scraper:
    """Scrapes and compares, in a thread of its own, until it is told to stop."""

    def __init__(self, book: Book, port: int) -> None:
        self.scrapes = self.living = self.zeros = 0
        self.lies: list[str] = []
        self.failure: BaseException | None = None
        self._book = book
        self._port = port
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scraper")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._over.is_set():
                self._scrape()
        except Exception as error:
            self.failure = error

    def _scrape(self) -> None:
        dead, settled, gone = set(self._book.dead.copy()), self._book.settled, self._book.shown_without.copy()
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)) as connection:
            connection.request("GET", PATH)
            text = connection.getresponse().read().decode()
        present = settled if settled == self._book.settled else None
        most = self._book.brought.copy()
        most.subtract(gone)
        self.compare(text, dead, None if present is None else present[1], most)

    def compare(
        self, text: str, dead: set[tuple[str, int]], present: NamespaceState | None, most: Mapping[PartitionKey, int]
    ) -> None:
        """Count what a scrape read, and keep each lie of it."""
        self.scrapes += 1
        for labels, records in backlog_of(text).items():
            partition = "/".join((labels.namespace, labels.family, labels.type, labels.partition))
            key = (partition, int(labels.generation))
            self.living += records > 0
            self.zeros += records == 0 and key in dead
            if labels not in self._book.labels:
                self.lies.append(f"{labels} is no generation's")
            elif records and key in dead:
                self.lies.append(f"{records} records of {key}, which had stopped")
            elif records and present is not None and labels.namespace_state != present.value:
                self.lies.append(f"{records} records of {key} as {labels.namespace_state}, and all was {present.value}")
            elif records > most.get(PartitionKey.parse(partition), 0):
                self.lies.append(f"{records} records of {key}, which has {most.get(PartitionKey.parse(partition), 0)}")


class Operators:
    """Whoever loads, fills, polls and unloads the host's partitions."""

    def __init__(self, engine: Engine, book: Book, unloads: int) -> None:
        self._engine = engine
        self._book = book
        self._unloads = unloads
        self._numbers = count(1)

    @property
    def over(self) -> bool:
        return len(self._book.dead) >= self._unloads

    async def use(self, partition: PartitionKey, chance: Random) -> None:
        """Fill a partition, let some of its tasks be polled, and unload it, again and again."""
        loop = asyncio.get_running_loop()
        while not self.over:
            for _ in range(chance.randint(1, MOST_TASKS)):
                self._book.brought[partition] += 1
                await self._engine.add_task(Task(TaskId(f"t{next(self._numbers)}"), partition))
            await asyncio.sleep(chance.uniform(0, MOST_LOADED_SECONDS))
            for _ in range(chance.randint(0, MOST_TASKS)):
                poll = PollId(f"p{next(self._numbers)}")
                request = PollRequest(poll, Worker("w"), partition, loop.time() + POLL_SECONDS)
                self._book.handed_over[partition] += await self._engine.poll(request) is not None
            self._engine.unload(partition)

    async def fail_over(self) -> None:
        """Let the namespace leave this cluster and come back, again and again."""
        namespace = self._engine.namespace
        while not self.over:
            await asyncio.sleep(FAILOVER_SECONDS)
            self._book.settled = None
            news = namespace.known.failover(THERE if namespace.active else HERE)
            namespace.hear(news)
            for _ in range(3):
                await asyncio.sleep(0)  # an unload is a step of its own, and a stop the one after
            self._book.settled = news.revision, namespace.state


async def measure(unloads: int, database: str) -> Report:
    """Unload so often over this database while scrapes go on, and give what they read."""
    book, metrics = Book(), open_metrics(H1)
    async with await SqlStore.open(database) as store, Exposition.open(metrics, 0) as exposition:
        engine = book.engine = _host(store, metrics, book)
        scraper = Scraper(book, exposition.port)
        operators = Operators(engine, book, unloads)
        began = perf_counter()
        scraper.start()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(operators.fail_over())
                for number, partition in enumerate(PARTITIONS):
                    group.create_task(operators.use(partition, Random(number)))
            await engine.shutdown()
        finally:
            await asyncio.to_thread(scraper.stop)
    if scraper.failure is not None:
        raise scraper.failure
    return Report(
        unloads=len(book.dead),
        failovers=book.told["HearNamespace"],
        scrapes=scraper.scrapes,
        living=scraper.living,
        zeros=scraper.zeros,
        lies=tuple(scraper.lies),
        seconds=perf_counter() - began,
    )


def _host(store: SqlStore, metrics: HostMetrics, book: Book) -> Engine:
    namespace = NamespaceView(H1, probe=book)
    return Engine(H1, store=store, namespace=namespace, gauges=metrics, options=OPTIONS, probe=book)


@click.command()
@click.option("--unloads", type=click.IntRange(min=1), default=2_000, show_default=True)
def command(unloads: int) -> int:
    """Scrape a host while its partitions are unloaded under load, and count what scrapes read that is not so."""
    with tempfile.TemporaryDirectory(prefix="matching-lies-") as folder:
        report = asyncio.run(measure(unloads, sqlite_file(Path(folder) / "matching.db")))
    click.echo(str(report))
    if not report.worth_something:
        click.echo("no scrape read anything of which it could have lied; unload more often", err=True)
    return 0 if report.worth_something and not report.lies else 1


if __name__ == "__main__":
    run_and_leave(command, "python -m bench.lies")
