"""``matching lifecycle``: what becomes of a partition's manager when its namespace fails over and comes back.

It runs in real time over a SQLite file, and shows after each of six steps what `matching inspect` shows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from matching.adapters.opening import sqlite_file
from matching.history.commands import CompleteWorkflow
from matching.history.store import TaskOptions
from matching.identity import UNVERSIONED, Host
from matching.lifetime import LifetimeOptions
from matching.probe import Attach
from matching.walkthroughs.stage import H1, Stage, staged
from matching.walkthroughs.tour import PATIENT_SECONDS, WORKFLOWS

__all__ = ["lifecycle"]

SHORT_SECONDS = 0.2
HOSTS: Mapping[Host, LifetimeOptions] = {H1: LifetimeOptions(emit_seconds=0.05)}


async def lifecycle(say: Callable[[str], None], attach: Attach | None = None) -> None:
    """Walk through the steps; ``attach`` makes the probe that listens to the run.

    Raises:
        StuckError: the service did not take a step that it owes.
    """
    say(f"One host h1 that serves History's shard 0 and {WORKFLOWS}, SQLite in a file, a gauge every 50 ms.")
    with tempfile.TemporaryDirectory(prefix="matching-lifecycle-") as folder:
        async with staged(say, WORKFLOWS, sqlite_file(Path(folder) / "matching.db"), attach, HOSTS) as stage:
            for step in (_load, _failover, _old_callback, _passive_poll, _reload, _complete):
                await step(stage)
                await stage.inspected()


async def _load(stage: Stage) -> None:
    stage.title("1. The partition is loaded while its namespace is active, and has one durable task")
    stage.asked("start the workflow order-1")
    await stage.workflows.start("order-1", TaskOptions(WORKFLOWS))
    await stage.told("RemoveIntent t1", "ReadBacklog")
    await stage.told("Emit")


async def _failover(stage: Stage) -> None:
    stage.title(
        "2. The namespace fails over: the manager stops, its series read zero, its caches go, its backlog stays"
    )
    stage.failover(active=False)
    await stage.told("Stop")


async def _old_callback(stage: Stage) -> None:
    stage.title("3. A callback of the old generation comes late: it shows nothing, for its generation has stopped")
    [old] = [manager for manager in stage.engine.registry.known if not manager.life.alive]
    stage.asked(f"generation {old.owner.generation} shows 1 record")
    before = stage.metrics[H1].scrape()
    old.life.gauges.show(UNVERSIONED, 1)
    after = stage.metrics[H1].scrape()
    stage.say(f"   happened  {'a scrape reads the same' if before == after else 'a scrape reads something else'}")


async def _passive_poll(stage: Stage) -> None:
    stage.title("4. A poll at the passive cluster loads a generation that says so, and gets no task")
    stage.poll("p1", "w1", seconds=SHORT_SECONDS)
    await stage.told("Return p1")
    await stage.told("Emit")


async def _reload(stage: Stage) -> None:
    stage.title("5. The namespace comes back: the next generation is active and reads the old backlog")
    stage.failover(active=True)
    await stage.told("Stop")
    stage.asked(f"load {WORKFLOWS}")
    stage.caller.order_load(stage.engine, WORKFLOWS)
    await stage.told("ReadBacklog")
    await stage.told("Emit")


async def _complete(stage: Stage) -> None:
    stage.title("6. A worker polls and completes the workflow")
    stage.poll("p2", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Return p2", "EndDelete")
    stage.asked("w1 completes order-1/1, and with it the workflow")
    stage.workflows.complete("p2", [CompleteWorkflow()])
    await stage.told("ToldComplete order-1/1")
    await stage.told("Emit")
