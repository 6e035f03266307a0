"""``matching failover-metrics``: what a dashboard of active backlog reads on the cluster that becomes active.

Two hosts of this cluster differ in one setting, ``unload_on_namespace_state_change``: it is off at h1 and on
at h2.  Each has loaded a partition with a backlog while the namespace was active elsewhere.  What is told of
the dashboard is what scrapes of the two hosts read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from matching.adapters.opening import sqlite_file
from matching.identity import Host, PartitionKey, TaskType
from matching.lifetime import LifetimeOptions
from matching.membership import Membership
from matching.namespace import NamespaceState
from matching.probe import Attach
from matching.walkthroughs.stage import H1, Stage, staged

__all__ = ["failover_metrics"]

H2 = Host("h2")
IDLE_SECONDS = 2.0
HOSTS: Mapping[Host, LifetimeOptions] = {
    H1: LifetimeOptions(unload_on_namespace_state_change=False, emit_seconds=0.05, idle_seconds=IDLE_SECONDS),
    H2: LifetimeOptions(unload_on_namespace_state_change=True, emit_seconds=0.05),
}
SETTINGS = {H1: "off", H2: "on"}


def _owned_by(host: Host) -> PartitionKey:
    membership = Membership(HOSTS)
    partitions = (PartitionKey("shop", "orders", TaskType.WORKFLOW, number) for number in count())
    return next(each for each in partitions if membership.route(each) == host)


AT: Mapping[Host, PartitionKey] = {host: _owned_by(host) for host in HOSTS}
"""The partition that each host serves here."""


async def failover_metrics(say: Callable[[str], None], attach: Attach | None = None) -> None:
    """Walk through the stops; ``attach`` makes the probe that listens to the run.

    Raises:
        StuckError: the service did not take a step that it owes.
    """
    say("Two hosts of the cluster here, over one SQLite file; unload_on_namespace_state_change is off at h1, on at h2.")
    with tempfile.TemporaryDirectory(prefix="matching-failover-metrics-") as folder:
        async with staged(say, AT[H1], sqlite_file(Path(folder) / "matching.db"), attach, HOSTS) as stage:
            for stop in (_standby, _failover, _next_add, _idle):
                await stop(stage)
                await _dashboard(stage)
            await stage.inspected()


async def _standby(stage: Stage) -> None:
    stage.title(
        "1. This cluster is standby: each host loads a partition with one durable task, and reports it as passive"
    )
    stage.failover(active=False)
    stage.add("t1", partition=AT[H1], host=H1)
    stage.add("t2", partition=AT[H2], host=H2)
    await stage.told("AnswerAdd t1", "AnswerAdd t2")
    await stage.told("Emit h1", "Emit h2")


async def _failover(stage: Stage) -> None:
    stage.title("2. The namespace fails over to this cluster: h1 keeps its manager, h2 stops it under the old tag")
    stage.failover(active=True)
    await stage.told("Stop h2")
    await stage.told("Emit h1")


async def _next_add(stage: Stage) -> None:
    stage.title(
        "3. The next add: at h2 it loads a generation that says active, at h1 the old one goes on saying passive"
    )
    stage.add("t3", partition=AT[H1], host=H1)
    stage.add("t4", partition=AT[H2], host=H2)
    await stage.told("AnswerAdd t3", "AnswerAdd t4", "ReadBacklog h2")
    await stage.told("Emit h1", "Emit h2")


async def _idle(stage: Stage) -> None:
    stage.title(f"4. The lie at h1 ends when its partition has been idle for {IDLE_SECONDS:g} s, and is loaded again")
    await stage.told("Idle h1", "Stop h1")
    stage.asked(f"load {AT[H1]}")
    stage.caller.order_load(stage.engine, AT[H1])
    await stage.told("ReadBacklog h1")
    await stage.told("Emit h1", "Emit h2")


async def _dashboard(stage: Stage) -> None:
    for host, metrics in stage.metrics.items():
        read = dict.fromkeys(NamespaceState, 0)
        for labels, records in metrics.backlog().items():
            read[NamespaceState(labels.namespace_state)] += records
        shown = ", ".join(f"{state.value} {records}" for state, records in read.items())
        durable = await stage.count(AT[host])
        is_now = stage.engines[host].namespace.state.value
        stage.say(f"   dashboard {host}, flag {SETTINGS[host]:<3}  {shown}   (namespace {is_now}, {durable} durable)")
