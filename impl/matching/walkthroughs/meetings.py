"""``matching meetings``: every way in which a poll and a task meet, or miss each other, at one partition.

It runs in real time over a SQLite file.  At each stop it tells what was asked, the
steps that the service took, what the callers' calls returned, and how things stand.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path

from matching.adapters.opening import sqlite_file
from matching.identity import PartitionKey, PollId, TaskType, Version
from matching.probe import Attach
from matching.walkthroughs.stage import Stage, staged

__all__ = ["meetings"]

PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)
NEXT_VERSION = Version("v2")
PATIENT_SECONDS = 30.0
SHORT_SECONDS = 0.2


async def meetings(say: Callable[[str], None], attach: Attach | None = None) -> None:
    """Walk through the stops; ``attach`` makes the probe that listens to the run.

    Raises:
        StuckError: the service did not take a step that it owes.
    """
    say(f"One host h1, one namespace, partition {PARTITION}, SQLite in a file.")
    with tempfile.TemporaryDirectory(prefix="matching-meetings-") as folder:
        async with staged(say, PARTITION, sqlite_file(Path(folder) / "backlog.db"), attach) as stage:
            for stop in (_sync_match, _backlog, _deadline, _caller_leaves, _unload, _passive, _block):
                await stop(stage)


async def _sync_match(stage: Stage) -> None:
    stage.title("1. A task meets a waiting poll: it is handed over, and nothing is written")
    stage.poll("p1", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Register p1", "Lead")
    stage.add("t1")
    await stage.told("Return p1", "AnswerAdd t1")


async def _backlog(stage: Stage) -> None:
    stage.title("2. A task that meets no poll is stored; a later poll takes it; then its record is deleted")
    stage.add("t2")
    await stage.told("AnswerAdd t2", "ReadBacklog")
    stage.poll("p2", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Return p2", _deleted(1, 1))


async def _deadline(stage: Stage) -> None:
    stage.title("3. A deadline ends a poll empty")
    stage.poll("p3", "w1", seconds=SHORT_SECONDS)
    await stage.told("Return p3")


async def _caller_leaves(stage: Stage) -> None:
    stage.title("4. A caller leaves: its poll goes; in the very tick of a match the task comes back")
    stage.poll("p4", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Register p4")
    stage.asked("p4's caller leaves")
    stage.caller.leave(PollId("p4"))
    await stage.told("Return p4")
    stage.poll("p5", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Register p5")
    stage.add("t3")
    # The add runs first and matches; the caller leaves before the poll's handler runs again.
    asyncio.get_running_loop().call_soon(stage.caller.leave, PollId("p5"))
    stage.asked("p5's caller leaves in the same tick")
    await stage.told("Return p5", "AnswerAdd t3", "ReadBacklog")
    stage.poll("p6", "w2", seconds=PATIENT_SECONDS)
    await stage.told("Return p6", _deleted(1, 2))


async def _unload(stage: Stage) -> None:
    stage.title("5. An unload ends waiting polls empty; the backlog stays, and the next generation reads it")
    stage.add("t4", version=NEXT_VERSION)
    await stage.told("AnswerAdd t4", "ReadBacklog")
    stage.poll("p7", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Register p7")
    stage.asked("unload the manager")
    stage.caller.order_unload(stage.engine, PARTITION)
    await stage.told("Return p7", "EndSave")
    stage.poll("p8", "w2", seconds=PATIENT_SECONDS, version=NEXT_VERSION)
    await stage.told("Return p8", _deleted(2, 3))


async def _passive(stage: Stage) -> None:
    stage.title(
        "6. A passive namespace lets polls wait and stores tasks, and hands nothing out; a failover ends the poll"
    )
    stage.failover(active=False)
    stage.poll("p9", "w1", seconds=PATIENT_SECONDS)
    stage.add("t5")
    await stage.told("Register p9", "AnswerAdd t5", "ReadBacklog")
    stage.failover(active=True)
    await stage.told("Return p9")
    stage.poll("p10", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Return p10", _deleted(4, 9))


async def _block(stage: Stage) -> None:
    stage.title("7. A range id has three ids for records; when they have run out, the next is taken first")
    for name in ("t6", "t7", "t8", "t9"):
        stage.add(name)
    await stage.told("AnswerAdd t6", "AnswerAdd t7", "AnswerAdd t8", "AnswerAdd t9", "ReadBacklog")
    for name in ("p11", "p12", "p13", "p14"):
        stage.poll(name, "w1", seconds=PATIENT_SECONDS)
    await stage.told("Return p11", "Return p12", "Return p13", "Return p14", _deleted(5, 13))


def _deleted(range_id: int, upto: int) -> str:
    """The step with which a delete of the records up to that id is over."""
    return f"EndDelete {PARTITION} {range_id} {upto}"
