"""One host that serves until it is told to stop: its engine, its store, and where it is scraped.

Four rules:

1. There is no remote edge yet: what it serves are the partitions that it was told to load, and what it shows.
2. A signal ends it as an operator's order would: it loads nothing any more, unloads everything, and lets every
   call of the store take effect, as long as the database answers.  A second one does what it does elsewhere; one
   that is ignored stays so.
3. It says that it serves when everything is loaded: what is there to be refused, a port that is taken, a database
   that cannot be written, a partition that cannot be loaded, is refused before.
4. Metrics can be scraped until everything is unloaded.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

from matching.adapters.exposition import Exposition
from matching.adapters.opening import open_metrics
from matching.adapters.sql import SqlStore
from matching.engine import Engine
from matching.errors import StoreError
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
        UrlUnusable: the URL names no database.
        StoreError: the database cannot be opened or written, or does not give what a partition needs.
    """
    metrics = open_metrics(host)
    engine: Engine | None = None

    async def inspected() -> dict[str, Any]:
        if engine is None:
            raise StoreError("the host has not opened its database yet; ask again")
        return {"partitions": [each.as_json() for each in await inspect(engine, store.count)]}

    with _told_to_stop(seconds) as stop:
        async with (
            Exposition.open(metrics, metrics_port, inspected) as exposition,
            await SqlStore.open(database) as store,
        ):
            await store.try_writing()
            engine = Engine(host, store=store, namespace=NamespaceView(host), gauges=metrics, options=options)
            try:
                await _unless(stop, _load(engine, partitions))
                if not stop.is_set():
                    say(f"{host} serves {len(partitions)} partitions, scrape {exposition.url}")
                await stop.wait()
                say(f"{host} shuts down")
            finally:
                store.hurry()
                await engine.shutdown()


async def _load(engine: Engine, partitions: Sequence[PartitionKey]) -> None:
    """Load the partitions, all at once, and wait for each."""
    for partition in partitions:
        engine.load(partition)
    for partition in partitions:
        while engine.registry.ready(partition) is None:
            if (failure := engine.registry.failure(partition)) is not None:
                raise failure
            await engine.registry.until_ready(partition)


async def _unless(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
    """Do the work, unless somebody says stop before it is done."""
    working, stopping = asyncio.create_task(work), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        if not working.done():
            working.cancel()
        await asyncio.wait([working, stopping])
    if not working.cancelled():
        working.result()


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
