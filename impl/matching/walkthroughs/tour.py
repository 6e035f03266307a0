"""``matching tour``: from a client to what is durable, and back through a worker, in six steps.

It runs in real time over a SQLite file.  At each step it tells what was asked, the steps that
History and Matching took, what calls returned, and what is durable by now.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from matching.adapters.opening import sqlite_file
from matching.history.commands import CompleteWorkflow, ScheduleActivity
from matching.history.store import TaskOptions
from matching.identity import PartitionKey, TaskType
from matching.probe import Attach
from matching.walkthroughs.stage import Stage, staged

__all__ = ["ACTIVITIES", "PATIENT_SECONDS", "WORKFLOWS", "tour"]

WORKFLOWS = PartitionKey("shop", "orders", TaskType.WORKFLOW)
ACTIVITIES = PartitionKey("shop", "orders", TaskType.ACTIVITY)
PATIENT_SECONDS = 30.0


async def tour(say: Callable[[str], None], attach: Attach | None = None) -> None:
    """Walk through the steps; ``attach`` makes the probe that listens to the run.

    Raises:
        StuckError: the service did not take a step that it owes.
    """
    say("One host h1 that serves History's shard 0 and both partitions of shop/orders, SQLite in a file.")
    with tempfile.TemporaryDirectory(prefix="matching-tour-") as folder:
        async with staged(say, WORKFLOWS, sqlite_file(Path(folder) / "matching.db"), attach) as stage:
            for step in (_start, _stored, _poll, _activity, _second_task, _complete):
                await step(stage)


async def _start(stage: Stage) -> None:
    stage.title("1. A client starts a workflow: History schedules its first task, and an intent to bring it")
    stage.asked("start the workflow order-1")
    await stage.workflows.start("order-1", TaskOptions(WORKFLOWS))
    await stage.told("Schedule order-1/1")


async def _stored(stage: Stage) -> None:
    stage.title("2. The transfer queue adds it; nobody polls, so it gets a record, and then the intent goes")
    await stage.told("AnswerAdd t1", "RemoveIntent t1", "ReadBacklog")


async def _poll(stage: Stage) -> None:
    stage.title("3. A worker polls: History records the start first, and then the worker gets the task")
    stage.poll("p1", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Return p1", "EndDelete")


async def _activity(stage: Stage) -> None:
    stage.title("4. The worker completes the workflow task: an activity is scheduled, and meets a worker that waits")
    stage.poll("p2", "w2", seconds=PATIENT_SECONDS, partition=ACTIVITIES)
    await stage.told("Register p2")
    stage.asked("w1 completes order-1/1 and schedules an activity")
    stage.workflows.complete("p1", [ScheduleActivity(TaskOptions(ACTIVITIES))])
    await stage.told("ToldComplete order-1/1", "Return p2", "RemoveIntent t2")


async def _second_task(stage: Stage) -> None:
    stage.title("5. The activity is completed, and the workflow has to see that: its next task is scheduled")
    stage.asked("w2 completes order-1/2")
    stage.workflows.complete("p2")
    await stage.told("ToldComplete order-1/2", "RemoveIntent t3", "ReadBacklog")


async def _complete(stage: Stage) -> None:
    stage.title("6. Poll and complete the workflow")
    stage.poll("p3", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Return p3", "EndDelete")
    stage.asked("w1 completes order-1/3, and with it the workflow")
    stage.workflows.complete("p3", [CompleteWorkflow()])
    await stage.told("ToldComplete order-1/3")
