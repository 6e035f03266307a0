"""One host that serves until it is told to stop: its engine, its store, where it is called and where it is scraped.

Five rules:

1. It serves the partitions that it was told to load and, where it is called, those that calls name.  It hears no
   news: the hosts are those that it was told of, and the namespace is active.
2. A signal ends it as an operator's order would: it loads nothing any more, unloads everything, and lets every
   call of the store take effect, as long as the database answers.  A second one does what it does elsewhere; one
   that is ignored stays so.
3. It says that it serves when everything is loaded: what is there to be refused, a port that is taken, a database
   that cannot be written, a partition that cannot be loaded, is refused before.
4. Metrics can be scraped until everything is unloaded.
5. Where it is called, it is so until everything is unloaded: polls end empty, and adds are refused, with an answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from matching.adapters.exposition import Exposition
from matching.adapters.opening import new_request_id, open_edge, open_metrics
from matching.adapters.rpc.addresses import Calls
from matching.adapters.sql import SqlStore
from matching.adapters.steps import StepsFile
from matching.backlog import BacklogLimits
from matching.caller import Caller
from matching.engine import Engine
from matching.errors import StoreError
from matching.identity import Host, PartitionKey
from matching.inspect import inspect
from matching.lifetime import LifetimeOptions
from matching.membership import Membership, MembershipView
from matching.namespace import NamespaceView
from matching.probe import Probe, silent
from matching.starts import NO_HISTORY, Starts

__all__ = ["serve"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_USUAL_LIMITS = BacklogLimits()
ALLOCATIONS_PER_COLLECTION: Final = 20_000
"""How many objects more than were freed make the collector look at the youngest; Python's own figure is 700."""


async def serve(
    say: Callable[[str], None],
    host: Host,
    *,
    database: str,
    metrics_port: int,
    partitions: Sequence[PartitionKey],
    options: LifetimeOptions,
    limits: BacklogLimits = _USUAL_LIMITS,
    calls: Calls | None = None,
    starts: Starts = NO_HISTORY,
    steps: Path | None = None,
    seconds: float | None = None,
) -> None:
    """Serve these partitions until a signal, or for so many seconds; ``say`` prints a line.

    Raises:
        MissingLibrary: what the database, the metrics or the calls need is not installed.
        PortUnusable: nothing can be scraped or called on the port.
        UrlUnusable: the URL names no database.
        StoreError: the database cannot be opened or written, or does not give what a partition needs.
        OSError: the steps cannot be written.
    """
    metrics = open_metrics(host)
    edge = None if calls is None else open_edge(host, calls)
    hosts = Membership([host, *(() if calls is None else calls.peers)])
    engine: Engine | None = None

    async def inspected() -> dict[str, Any]:
        if engine is None:
            raise StoreError("the host has not opened its database yet; ask again")
        return {"partitions": [each.as_json() for each in await inspect(engine, store.count)]}

    with _told_to_stop(seconds) as stop, _writing(steps, host, hosts) as probe:
        caller = Caller(asyncio.get_running_loop(), probe)
        async with (
            Exposition.open(metrics, metrics_port, inspected) as exposition,
            edge or contextlib.nullcontext(),
            await SqlStore.open(database, probe=caller.hear) as store,
        ):
            await store.try_writing()
            engine = Engine(
                host,
                store=store,
                namespace=NamespaceView(host, probe=caller.hear),
                membership=MembershipView(host, hosts, probe=caller.hear),
                gauges=metrics,
                starts=starts,
                request_ids=new_request_id,
                limits=limits,
                options=options,
                peers=None if edge is None else edge.peers,
                probe=caller.hear,
            )
            try:
                if edge is not None:
                    await edge.serve(engine, caller)
                await _unless(stop, _load(engine, caller, partitions))
                if not stop.is_set():
                    called = "" if edge is None else f"call {edge.address}, "
                    _spare_the_collector()
                    say(f"{host} serves {len(partitions)} partitions, {called}scrape {exposition.url}")
                await stop.wait()
                say(f"{host} shuts down")
            finally:
                store.hurry()
                await engine.shutdown()
                if edge is not None:
                    await edge.close()


def _spare_the_collector() -> None:
    """Let no answer wait while garbage is sought: what a host is made of is none, and a call leaves little."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(ALLOCATIONS_PER_COLLECTION)


@contextlib.contextmanager
def _writing(steps: Path | None, host: Host, hosts: Membership) -> Iterator[Probe]:
    """The probe that writes each step, or none."""
    if steps is None:
        yield silent
        return
    with StepsFile(steps, host, hosts.hosts, asyncio.get_running_loop().time) as written:
        yield written


async def _load(engine: Engine, caller: Caller, partitions: Sequence[PartitionKey]) -> None:
    """Load the partitions, all at once, and wait for each."""
    for partition in partitions:
        caller.order_load(engine, partition)
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
