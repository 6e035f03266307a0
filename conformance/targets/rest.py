"""How a simulated run is brought on: calls are answered well, time moves, until nothing is left to do.

One rule: whoever watches is asked in between whether the service owes something, of which the answers
that are still to come, and the times, account for some.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.refinement.matching import AWAITS_ANSWERS, AWAITS_ARRIVAL, AWAITS_TIME
from conformance.simulation.network import HOP_KINDS
from conformance.simulation.store import LOADED_KINDS, Effect
from conformance.targets.promises import outlived
from matching.identity import Owner
from matching.registry import Process

if TYPE_CHECKING:
    from conformance.targets.simulation import PendingCall, Simulation

__all__ = ["EVERY_KIND", "SERVED_KINDS", "come_to_rest", "serve"]

EVERY_KIND = "every"
SERVED_KINDS = (
    *(EVERY_KIND, *LOADED_KINDS, "lease", "append", "read", "save", "delete"),
    *("take", "load", "apply", "start", *HOP_KINDS),
)
"""What can be answered well by one request: all calls, or those of one kind."""
MOST_SERVED = 20
"""How many rounds of answers one request may bring."""
SETTLE_ROUNDS = 1_000
IDLE_SECONDS = 20.0
"""How long nothing happens in a run that rests although somebody tries again: twice as long as History ever waits, and
longer than a dead series is shown."""
UPKEEP = frozenset({"SaveLevel", "CommitSave", "EndSave", "Sample", "Emit"})


def serve(run: Simulation, kind: str) -> None:
    """Answer the calls of one kind, or of every kind, well, those too that this leads to, until none waits."""
    for _ in range(MOST_SERVED):
        run.run()
        if run.over:
            return
        calls = [call for call in run.calls() if kind in (call.kind, EVERY_KIND)]
        if not calls:
            break
        for call in calls:
            _answer_well(run, call)
    if not run.calls():
        run.history.settle_strays()


def come_to_rest(run: Simulation) -> None:
    """Run callbacks, answer every call well, and move time, until nothing is left to do.

    A manager that does not know that its lease was taken gets the time to save.
    """
    news_at = run.loop.time()
    saved: set[Owner] = set()
    for _ in range(SETTLE_ROUNDS):
        run.run()
        _tell_everything(run)
        run.run()
        if run.over:
            return
        calls, coming = run.calls(), run.times()
        if not calls:
            run.history.settle_strays()
        awaited = (AWAITS_ANSWERS if calls else frozenset()) | (AWAITS_TIME if calls or coming else frozenset())
        if run.loop.held:
            awaited |= AWAITS_ARRIVAL
        if run.ask_at_rest(awaited) is not None:
            return
        for call in calls:
            _answer_well(run, call)
        if calls or run.loop.held:
            continue
        if not coming or (run.loop.time() - news_at > IDLE_SECONDS and not run.caller.polls):
            unaware = {manager.owner for manager in outlived(run.engines, run.store)} - saved
            if not unaware:
                return
            saved |= unaware
            coming = run.upkeep_times()[-1:]
        seen = len(run.recorder.steps)
        if run.history.lacks_ids:
            _forget_what_is_over(run)
        run.move_time(min([coming[0], *run.watch.owed_times()]))
        run.run()
        news = run.recorder.steps[seen:]
        if any(step.action not in UPKEEP for step in news):
            news_at = run.loop.time()
    run.mistake = f"the run does not come to rest in {SETTLE_ROUNDS} rounds"


def _tell_everything(run: Simulation) -> None:
    """Let what is held back come, and tell every host that runs what it does not know."""
    for name in list(run.loop.held):
        run.loop.release(name)
    for engine in run.engines:
        if engine.registry.process is Process.ENDED:
            continue
        revision, generation = run.cluster.known[engine.host]
        if revision < len(run.cluster.namespaces):
            run.loop.call_soon(run.cluster.tell_namespace, engine.host, len(run.cluster.namespaces))
        if generation < len(run.cluster.memberships):
            run.loop.call_soon(run.cluster.tell_owners, engine.host, len(run.cluster.memberships))


def _answer_well(run: Simulation, call: PendingCall) -> None:
    actor = run.actor(call)
    if call.effect is Effect.PENDING:
        actor.commit(call)
    actor.reply(call)


def _forget_what_is_over(run: Simulation) -> None:
    """Give back the ids of tasks that nobody refers to, for there are no others."""
    for task in run.free_tasks():
        if task in run.recorder.books.queue:
            for poll in run.received(task):
                run.recorder("ForgetPoll", poll)
            run.recorder("ForgetTask", task)
