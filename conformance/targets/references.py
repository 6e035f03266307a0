"""Whether anything still refers to a task, as far as a driver can see; if not, its id may stand for another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.simulation.store import Call
from conformance.targets.hops import has_hops
from matching.identity import TaskId
from matching.manager import PartitionManager

if TYPE_CHECKING:
    from conformance.targets.simulation import Simulation

__all__ = ["is_free"]


def is_free(run: Simulation, task: str) -> bool:
    """Tell whether an add may bear this id."""
    task_id = TaskId(task)
    books = run.recorder.books
    if task not in books.queue:
        return True
    return (
        task in books.added
        and books.carries.get(task) not in run.history.held().intents
        and task_id not in run.caller.adds
        and run.loop.idle
        and task_id not in run.stored()
        and not has_hops(run, task)
        and task_id not in run.network.passed.values()
        and not any(_mentions(call, task_id) for call in run.store.calls.values())
        and not any(_knows(manager, task_id) for manager in run.seen_managers)
    )


def _knows(manager: PartitionManager, task_id: TaskId) -> bool:
    held = [poll.holding.task for poll in manager.polls.values() if poll.holding is not None]
    known = [record.task for record in manager.backlog.memory.known()]
    return any(task.task_id == task_id for task in (*held, *known, *manager.backlog.writing))


def _mentions(call: Call, task_id: TaskId) -> bool:
    """A read that nobody waits for any more brings nothing."""
    found = call.result.records if call.kind == "read" and call.result and not call.answer.cancelled() else ()
    return any(record.task.task_id == task_id for record in (*call.records, *found))
