"""``matching concurrency``: what runs at the same time, and what of it ends when.

A task comes through the transfer queue to a poll that waits; a poll meets its deadline; a manager
is unloaded and loaded again; a failover ends what waits; an activity stays in flight while another
workflow completes.  Of a poll that waits four questions are answered from the objects themselves.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path

from matching.adapters.opening import sqlite_file
from matching.history.commands import CompleteWorkflow, ScheduleActivity
from matching.history.store import TaskOptions
from matching.identity import PollId
from matching.probe import Attach
from matching.walkthroughs.stage import Stage, staged
from matching.walkthroughs.tour import ACTIVITIES, PATIENT_SECONDS, WORKFLOWS

__all__ = ["concurrency"]

SHORT_SECONDS = 0.2


async def concurrency(say: Callable[[str], None], attach: Attach | None = None) -> None:
    """Walk through the stops; ``attach`` makes the probe that listens to the run.

    Raises:
        StuckError: the service did not take a step that it owes.
    """
    say("One host h1, one shard of History, both partitions of shop/orders, SQLite in a file.")
    with tempfile.TemporaryDirectory(prefix="matching-concurrency-") as folder:
        async with staged(say, WORKFLOWS, sqlite_file(Path(folder) / "matching.db"), attach) as stage:
            for stop in (_waiting, _transfer, _deadline, _reload, _failover, _in_flight):
                await stop(stage)


async def _waiting(stage: Stage) -> None:
    stage.title("1. A worker waits for a workflow task: four questions about its poll")
    stage.poll("p1", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Register p1", "Lead")
    for question, answer in _four_questions(stage, PollId("p1")):
        stage.say(f"   {question:<24} {answer}")


async def _transfer(stage: Stage) -> None:
    stage.title("2. A task comes through History's transfer queue, and meets the poll: no record is written")
    stage.asked("start the workflow order-1")
    await stage.workflows.start("order-1", TaskOptions(WORKFLOWS))
    await stage.told("Return p1", "RemoveIntent t1")


async def _deadline(stage: Stage) -> None:
    stage.title("3. A poll meets its deadline")
    stage.poll("p2", "w1", seconds=SHORT_SECONDS)
    await stage.told("Return p2")


async def _reload(stage: Stage) -> None:
    stage.title(
        "4. The manager is unloaded with a record in its backlog; the next generation takes the lease and reads it"
    )
    stage.asked("start the workflow order-2")
    await stage.workflows.start("order-2", TaskOptions(WORKFLOWS))
    await stage.told("RemoveIntent t2", "ReadBacklog")
    stage.asked("unload the manager")
    stage.caller.order_unload(stage.engine, WORKFLOWS)
    await stage.told("Unload")
    stage.poll("p3", "w2", seconds=PATIENT_SECONDS)
    await stage.told("Return p3", "EndDelete")


async def _failover(stage: Stage) -> None:
    stage.title(
        "5. A failover unloads the manager and ends the poll that waits there; while passive nothing is handed out"
    )
    stage.poll("p4", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Register p4")
    stage.failover(active=False)
    await stage.told("Return p4", "Stop")
    stage.asked("start the workflow order-3")
    await stage.workflows.start("order-3", TaskOptions(WORKFLOWS))
    await stage.told("RemoveIntent t3", "ReadBacklog")
    stage.poll("p5", "w1", seconds=SHORT_SECONDS)
    await stage.told("Return p5")
    stage.failover(active=True)
    await stage.told("Unload", "Stop")
    stage.poll("p6", "w1", seconds=PATIENT_SECONDS)
    await stage.told("Return p6", "EndDelete")


async def _in_flight(stage: Stage) -> None:
    stage.title("6. An activity stays in flight while another workflow completes")
    stage.asked("w1 completes order-1/1 and schedules an activity")
    stage.workflows.complete("p1", [ScheduleActivity(TaskOptions(ACTIVITIES))])
    await stage.told("ToldComplete order-1/1", "RemoveIntent t4")
    stage.poll("p7", "w3", seconds=PATIENT_SECONDS, partition=ACTIVITIES)
    await stage.told("Return p7")
    stage.asked("w2 completes order-2/1, and with it the workflow order-2")
    stage.workflows.complete("p3", [CompleteWorkflow()])
    await stage.told("ToldComplete order-2/1")
    stage.asked("w3 completes the activity order-1/2, which was in flight all the time")
    stage.workflows.complete("p7")
    await stage.told("ToldComplete order-1/2", "RemoveIntent t5")


def _four_questions(stage: Stage, poll_id: PollId) -> list[tuple[str, str]]:
    """What runs, who owns it, what it waits for, what stops it: asked of a poll that waits."""
    poll = stage.caller.polls[poll_id]
    manager = stage.engine.managers[stage.partition]
    registration = manager.polls[poll_id]
    left = registration.request.deadline - asyncio.get_running_loop().time()
    frames = poll.call.get_stack()
    where = frames[-1].f_code.co_qualname if hasattr(frames[-1].f_code, "co_qualname") else frames[-1].f_code.co_name
    others = [task for task in asyncio.all_tasks() if task.get_name().startswith(str(stage.partition))]
    return [
        ("What is running?", f"the task {poll.call.get_name()!r}, suspended in {where}"),
        (
            "Who owns it?",
            f"its caller; generation {registration.generation} of the manager owns the registration, and the tasks"
            f" {', '.join(sorted(task.get_name().rpartition(' ')[2] for task in others))}",
        ),
        (
            "What is it waiting for?",
            f"state {registration.state.value}: a task of version {registration.request.version} at its partition",
        ),
        (
            "What stops it?",
            f"a task; its caller; the clock in {left:.0f} s; the manager, if it stops (now {manager.life.phase.value})",
        ),
    ]
