"""Which slots of hops a run can give back: nobody waits for the call, and nothing refers to it.

One rule: it is asked only when no callback is queued, so that whatever has ended has returned.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from conformance.simulation.store import Effect
from matching.identity import PollId, TaskId
from matching.registration import State

if TYPE_CHECKING:
    from conformance.targets.simulation import Simulation
    from matching.engine import Engine

__all__ = ["forget_hops", "has_hops", "has_lost_hops", "is_awaited"]


def has_hops(run: Simulation, call_id: str) -> bool:
    """Tell whether a hop on behalf of this call is not forgotten."""
    return any(entry[0] == call_id for entry in run.recorder.books.hop.values())


def has_lost_hops(run: Simulation) -> bool:
    """Tell whether a hop that is not forgotten has not arrived."""
    books = run.recorder.books
    return any(hop not in books.wanted and hop not in books.queue for hop in books.hop)


def is_awaited(engines: Iterable[Engine], hop_id: str) -> bool:
    """Tell whether a manager waits for the answer to a hop."""
    for engine in engines:
        for manager in engine.managers.values():
            if manager.forwarder is not None and TaskId(hop_id) in manager.forwarder.offers:
                return True
            if any(poll.hop_id == hop_id and poll.state is State.FORWARDED for poll in manager.polls.values()):
                return True
    return False


def forget_hops(run: Simulation) -> None:
    """Forget every hop that may be forgotten, those above first. (ForgetPoll, LoseHop, ForgetTask)"""
    again = True
    while again and not run.over:
        again = any(_forget(run, hop_id) for hop_id in reversed(list(run.recorder.books.hop)))


def _forget(run: Simulation, hop_id: str) -> bool:
    books = run.recorder.books
    if has_hops(run, hop_id) or is_awaited(run.engines, hop_id):
        return False
    is_poll = hop_id in run.world.hop_polls
    call = run.network.calls.get(hop_id)
    if call is not None and not (call.effect is Effect.FAILED and call.is_deserted):
        return False
    if not is_poll and _is_referred_to(run, TaskId(hop_id)):
        return False
    run.network.calls.pop(hop_id, None)
    if is_poll:
        if PollId(hop_id) in run.caller.polls:
            return False
        run.recorder("ForgetPoll" if hop_id in books.wanted else "LoseHop", hop_id)
        run.network.passed.pop(hop_id, None)
        return True
    run.recorder("ForgetTask", hop_id)
    return True


def _is_referred_to(run: Simulation, hop_id: TaskId) -> bool:
    behalf = run.recorder.books.hop[hop_id][0]
    is_written = any(task.task_id == behalf for manager in run.seen_managers for task in manager.backlog.writing)
    is_arriving = not is_written and (TaskId(behalf) in run.caller.adds or TaskId(behalf) in run.caller.offers)
    if hop_id in run.caller.offers or is_arriving:
        return True
    held = [poll.holding for manager in run.seen_managers for poll in manager.polls.values()]
    if any(holding is not None and holding.task.task_id == hop_id for holding in held):
        return True
    return bool(run.received(hop_id)) or hop_id in run.network.passed.values()
