"""``matching dispatch``: what each answer of History does to a record.

A delivery has two identities: the event, which is started once, and the task, of which there may
be several.  Five workflows show success, a retryable failure, a duplicate, an obsolete task and
an event that is not there any more.  It runs in real time over a SQLite file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from matching.adapters.opening import sqlite_file
from matching.history.store import TaskOptions
from matching.probe import Attach
from matching.walkthroughs.stage import Stage, staged
from matching.walkthroughs.tour import PATIENT_SECONDS, WORKFLOWS

__all__ = ["dispatch"]

SHORT_SECONDS = 0.3


async def dispatch(say: Callable[[str], None], attach: Attach | None = None) -> None:
    """Walk through the outcomes; ``attach`` makes the probe that listens to the run.

    Raises:
        StuckError: the service did not take a step that it owes.
    """
    say(f"One host h1, one shard of History, partition {WORKFLOWS}, SQLite in a file.")
    with tempfile.TemporaryDirectory(prefix="matching-dispatch-") as folder:
        async with staged(say, WORKFLOWS, sqlite_file(Path(folder) / "matching.db"), attach) as stage:
            for outcome in (_success, _retryable, _duplicate, _obsolete, _not_found):
                await outcome(stage)


async def _success(stage: Stage) -> None:
    stage.title("1. started: the worker gets the task, and its record goes")
    await _store(stage, "order-1", "t1")
    stage.poll("p1", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Return p1", "EndDelete")


async def _retryable(stage: Stage) -> None:
    stage.title("2. retryable: nobody can tell, so the record stays, and is offered again a moment later")
    await _store(stage, "order-2", "t2")
    stage.workflows.failing_starts = 1
    stage.asked("the next start call does not reach History")
    stage.poll("p2", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Keep t2", "Return p2", "EndDelete")


async def _duplicate(stage: Stage) -> None:
    stage.title("3. already started: an answer to an add was lost, so there are two tasks of one event; one is dropped")
    stage.workflows.losing_adds = 1
    stage.asked("start the workflow order-3; the answer to the next add is lost")
    await stage.workflows.start("order-3", TaskOptions(WORKFLOWS))
    await stage.told("EndWrite t3", "RemoveIntent t4", "ReadBacklog")
    stage.poll("p3", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Return p3")
    stage.poll("p4", "w2", seconds=SHORT_SECONDS)
    await stage.told("Drop t4", "Return p4")


async def _obsolete(stage: Stage) -> None:
    stage.title("4. obsolete: the event has other options by now, which another task brings; the older one is dropped")
    await _store(stage, "order-4", "t5")
    stage.asked("change the options of order-4/1")
    await stage.workflows.update("order-4/1", TaskOptions(WORKFLOWS, start_to_close=20.0))
    await stage.told("RemoveIntent t6", "ReadBacklog")
    stage.poll("p5", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Drop t5", "Return p5", "EndDelete")


async def _not_found(stage: Stage) -> None:
    stage.title("5. not found: the workflow was terminated while its task was stored; the task is dropped")
    await _store(stage, "order-5", "t7")
    stage.asked("terminate the workflow order-5")
    await stage.workflows.terminate("order-5")
    await stage.told("Close order-5/1")
    stage.poll("p6", "w1", seconds=SHORT_SECONDS)
    await stage.told("Drop t7", "Return p6")


async def _store(stage: Stage, run: str, task: str) -> None:
    """A workflow begins, and its first task is stored."""
    stage.asked(f"start the workflow {run}")
    await stage.workflows.start(run, TaskOptions(WORKFLOWS))
    await stage.told(f"AnswerAdd {task}", f"RemoveIntent {task}", "ReadBacklog")
