"""``matching metrics``: what a scrape reads of two partitions, and what an export that drops labels makes of it.

It runs in real time over a SQLite file; the samples are those of a scrape.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs

from matching.adapters.opening import open_metrics, sqlite_file
from matching.gauges import SeriesLabels
from matching.identity import UNVERSIONED, Host, Owner, PartitionKey, TaskType, Version
from matching.lifetime import LifetimeOptions
from matching.namespace import NamespaceState
from matching.probe import Attach
from matching.walkthroughs.stage import H1, Stage, staged

__all__ = ["collapsed", "metrics"]

ROOT = PartitionKey("shop", "orders", TaskType.WORKFLOW)
CHILD = PartitionKey("shop", "orders", TaskType.WORKFLOW, 1)
NEXT_VERSION = Version("v2")
PATIENT_SECONDS = 30.0
HOSTS: Mapping[Host, LifetimeOptions] = {H1: LifetimeOptions(emit_seconds=0.05)}
DROPPED = ("partition", "version")
"""The labels without which an export costs less and tells less."""


async def metrics(say: Callable[[str], None], attach: Attach | None = None) -> None:
    """Walk through the stops; ``attach`` makes the probe that listens to the run.

    Raises:
        StuckError: the service did not take a step that it owes.
    """
    say("One host h1, two partitions of the workflow queue shop/orders, SQLite in a file, a gauge every 50 ms.")
    with tempfile.TemporaryDirectory(prefix="matching-metrics-") as folder:
        async with staged(say, ROOT, sqlite_file(Path(folder) / "matching.db"), attach, HOSTS) as stage:
            for stop in (_two_partitions, _two_versions):
                await stop(stage)


async def _two_partitions(stage: Stage) -> None:
    stage.title("1. Tasks wait at partition 1, and a worker at partition 0")
    for name in ("t1", "t2", "t3"):
        stage.add(name, partition=CHILD)
    stage.poll("p1", "w1", seconds=PATIENT_SECONDS)
    await stage.told("AnswerAdd t1", "AnswerAdd t2", "AnswerAdd t3", "Register p1")
    await stage.told(f"Emit {H1} {ROOT}", f"Emit {H1} {CHILD}")
    _exported(stage.say, stage.metrics[H1].backlog())
    stage.say(
        "   told by the whole: partition 1 needs a poll; told by the rest: orders has a backlog, and a worker waits"
    )


async def _two_versions(stage: Stage) -> None:
    stage.title("2. Synthetic samples: of two deployment versions one has lost its workers")
    host = Host("synthetic")
    shown = open_metrics(host)
    generation = shown.load(Owner(host, ROOT, 1), NamespaceState.ACTIVE)
    generation.show(UNVERSIONED, 0)
    generation.show(NEXT_VERSION, 7)
    _exported(stage.say, shown.backlog())
    stage.say("   told by the whole: v2 needs polls; told by the rest: orders has a backlog of 7")


def _exported(say: Callable[[str], None], samples: Mapping[SeriesLabels, int]) -> None:
    say("   scraped")
    for labels, records in samples.items():
        say(f"     {_line(attrs.asdict(labels))}  {records}")
    say(f"   exported without {' and '.join(DROPPED)}")
    for kept, records in collapsed(samples, DROPPED).items():
        say(f"     {_line(dict(kept))}  {records}")


def collapsed(samples: Mapping[SeriesLabels, int], dropped: Sequence[str]) -> dict[tuple[tuple[str, str], ...], int]:
    """Sum what series read that differ only in the labels that are dropped."""
    totals: dict[tuple[tuple[str, str], ...], int] = {}
    for labels, records in samples.items():
        kept = tuple((name, value) for name, value in attrs.asdict(labels).items() if name not in dropped)
        totals[kept] = totals.get(kept, 0) + records
    return totals


def _line(labels: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in labels.items())
