"""One host that serves until it is told to stop: its engine, its store, and where it is scraped.

Three rules:

1. There is no remote edge yet: what it serves are the partitions that it was told to load, and what it shows.
2. A signal ends it as an operator's order would: it loads nothing any more, unloads everything, and lets every
   call of the store take effect.  A second one does what it does elsewhere; one that is ignored stays so.
3. Metrics can be scraped until everything is unloaded.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from matching.adapters.exposition import Exposition
from matching.adapters.opening import open_metrics
from matching.adapters.sql import SqlStore
from matching.engine import Engine
from matching.errors import Unavailable
from matching.identity import Host, PartitionKey
from matching.inspect import inspect
from matching.lifetime import LifetimeOptions
from matching.namespace import NamespaceView

__all__ = ["serve"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


async def serve(
    say: Callable[[str], None],
    host: Host,
    *,
    database: str,
    metrics_port: int,
    partitions: Sequence[PartitionKey],
    options: LifetimeOptions,
    seconds: float | None = None,
) -> None:
    """Serve these partitions until a signal, or for so many seconds; ``say`` prints a line.

    Raises:
        MissingLibrary: what the database or the metrics need is not installed.
        PortUnusable: nothing can be scraped on the port.
        StoreError: the database cannot be opened.
    """
    with _told_to_stop(seconds) as stop:
        async with await SqlStore.open(database) as store:
            metrics = open_metrics(host)
            engine = Engine(host, store=store, namespace=NamespaceView(host), gauges=metrics, options=options)

            async def inspected() -> dict[str, Any]:
                return {"partitions": [each.as_json() for each in await inspect(engine, store.count)]}

            async with Exposition.open(metrics, metrics_port, inspected) as exposition, asyncio.TaskGroup() as group:
                for partition in partitions:
                    group.create_task(_hold(engine, partition))
                try:
                    say(f"{host} serves {len(partitions)} partitions, scrape {exposition.url}")
                    await stop.wait()
                    say(f"{host} shuts down")
                finally:
                    await engine.shutdown()


async def _hold(engine: Engine, partition: PartitionKey) -> None:
    """Load a partition, as often as it takes."""
    with contextlib.suppress(Unavailable):
        while engine.registry.ready(partition) is None:
            await engine.registry.until_ready(partition)


@contextlib.contextmanager
def _told_to_stop(seconds: float | None) -> Iterator[asyncio.Event]:
    """An event that is set by a signal, or after so many seconds."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def told() -> None:
        stop.set()
        for number in heard:
            loop.remove_signal_handler(number)

    heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    for number in heard:
        loop.add_signal_handler(number, told)
    timer = None if seconds is None else loop.call_later(seconds, told)
    try:
        yield stop
    finally:
        told()
        if timer is not None:
            timer.cancel()
