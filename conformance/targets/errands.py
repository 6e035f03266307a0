"""What each request of a driver does to a simulated run.

Two rules:

1. A request is checked first and gives the work to be done: what cannot be carried out is a
   `RequestError`, and nothing has happened.
2. What callers, clusters and operators do is a callback, as everything is on a loop: others that are
   queued before it still run first.  Only time moves, and stores answer, in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from conformance.simulation.store import Effect
from conformance.targets.host_errands import OF_HOSTS
from conformance.targets.requests import RequestError, milliseconds, one_of
from conformance.targets.rest import EVERY_KIND, SERVED_KINDS, come_to_rest, serve
from conformance.targets.work import Errand, Request, Work, host_of, later, partition_of
from matching.engine import Engine
from matching.identity import PollId, TaskId, Version, Worker
from matching.requests import PollRequest, Task

if TYPE_CHECKING:
    from conformance.targets.simulation import PendingCall, Simulation

__all__ = ["ERRANDS"]

# Workers and producers


def _poll(run: Simulation, request: Request) -> Work:
    poll_id = PollId(one_of(request["poll"], run.free_polls(), "a poll that can be started"))
    worker = Worker(one_of(request["worker"], run.world.workers, "a worker"))
    version = Version(one_of(request["version"], run.world.versions, "a version"))
    deadline = run.loop.time() + milliseconds(request["wait_ms"])
    poll = PollRequest(poll_id, worker, partition_of(run, request), deadline, version)
    return partial(_start_poll, run, host_of(run, request), poll)


def _start_poll(run: Simulation, engine: Engine, poll: PollRequest) -> None:
    if poll.poll_id in run.recorder.books.answer:
        run.recorder("ForgetPoll", poll.poll_id)
    call = run.caller.start_poll(engine, poll)
    call.add_done_callback(run.note_received)
    run.caller.time_passes(run.loop.time())


def _add(run: Simulation, request: Request) -> Work:
    task_id = TaskId(one_of(request["task"], run.free_tasks(), "a task that can be added"))
    version = Version(one_of(request["version"], run.world.versions, "a version"))
    return partial(_add_task, run, host_of(run, request), Task(task_id, partition_of(run, request), version))


def _add_task(run: Simulation, engine: Engine, task: Task) -> None:
    if task.task_id in run.recorder.books.queue:
        for poll in run.received(task.task_id):
            run.recorder("ForgetPoll", poll)
        run.recorder("ForgetTask", task.task_id)
    run.caller.add_task(engine, task)


def _forget(run: Simulation, request: Request) -> Work:
    books = run.recorder.books
    if "poll" in request:
        return partial(run.recorder, "ForgetPoll", one_of(request["poll"], books.answer, "a poll with an answer"))
    if "event" in request:
        return partial(run.history.forget, one_of(request["event"], run.over_events(), "an event nobody refers to"))
    forgettable = [task for task in run.free_tasks() if task in books.queue and not run.received(task)]
    return partial(run.recorder, "ForgetTask", one_of(request["task"], forgettable, "a task nobody refers to"))


def _leave(run: Simulation, request: Request) -> Work:
    poll_id = PollId(one_of(request["poll"], run.open_polls(), "a poll whose caller waits"))
    if request.get("at_once"):
        # The caller's own code, before anything that is queued runs: its call may not have begun yet.
        return partial(_leave_poll, run, poll_id)
    return later(run, run.caller.leave, poll_id)


def _leave_poll(run: Simulation, poll_id: PollId) -> None:
    run.caller.leave(poll_id)


def _lose(run: Simulation, request: Request) -> Work:
    task_id = TaskId(one_of(request["task"], run.open_adds(), "an add that is not answered"))
    return partial(run.caller.lose_add, task_id, interrupt=bool(request.get("interrupt")))


# Time, stores and History's calls


def _advance(run: Simulation, request: Request) -> Work:
    until = round(run.loop.time() + milliseconds(request["by_ms"]), 3)
    rotate = request.get("rotate", 0)
    if isinstance(rotate, bool) or not isinstance(rotate, int) or rotate < 0:
        raise RequestError(f"rotate is {rotate!r}; it is a number of timers")
    return partial(run.move_time, until, rotate)


def _store(run: Simulation, request: Request) -> Work:
    calls = {call.name: call for call in run.calls()}
    call = calls[one_of(request["call"], list(calls), "a call that waits")]
    effect, answer = request.get("effect"), request.get("answer")
    if effect not in (None, "commit", "fail") or answer not in (None, "ok", "error"):
        raise RequestError("a store request has the effect commit or fail, and the answer ok or error")
    if (effect is None) is (call.effect is Effect.PENDING):
        raise RequestError(f"{call.name}: the effect is {call.effect.value} and can be chosen once")
    return partial(_decide, run, call, effect, answer)


def _decide(run: Simulation, call: PendingCall, effect: str | None, answer: str | None) -> None:
    actor = run.actor(call)
    if effect == "commit":
        actor.commit(call)
    elif effect == "fail":
        actor.fail(call)
    if answer is not None:
        call.answered = True
        run.loop.call_soon(partial(actor.reply, call, lost=answer == "error"))


def _serve(run: Simulation, request: Request) -> Work:
    return partial(serve, run, one_of(request.get("kind", EVERY_KIND), SERVED_KINDS, "a kind of calls"))


# Workflows


def _workflow(run: Simulation, request: Request) -> Work:
    return later(
        run, run.history.start_workflow, one_of(request["execution"], run.history.free_runs(), "a run that can begin")
    )


def _terminate(run: Simulation, request: Request) -> Work:
    return later(
        run, run.history.terminate_workflow, one_of(request["execution"], run.history.open_runs(), "a run that is open")
    )


def _restamp(run: Simulation, request: Request) -> Work:
    return later(
        run, run.history.restamp, one_of(request["event"], run.history.waiting_events(), "an event that waits")
    )


def _complete(run: Simulation, request: Request) -> Work:
    items = {f"{item.event_id}.{item.attempt}": item for item in run.history.tokens}
    item = items[one_of(request["token"], list(items), "what a worker was given")]
    decides = request.get("decides", "nothing")
    if decides not in run.history.next_commands(item.event_id):
        raise RequestError(f"{decides!r} is not what a workflow can decide here")
    return later(run, run.history.complete, item, decides)


def _restart(run: Simulation, request: Request) -> Work:
    return later(run, run.history.restart)


# Callbacks


def _run(run: Simulation, request: Request) -> Work:
    return run.run


def _turn(run: Simulation, request: Request) -> Work:
    return run.turn


def _settle(run: Simulation, request: Request) -> Work:
    return partial(come_to_rest, run)


ERRANDS: Mapping[str, Errand] = {
    **OF_HOSTS,
    "poll": _poll,
    "add": _add,
    "leave": _leave,
    "lose": _lose,
    "forget": _forget,
    "advance": _advance,
    "store": _store,
    "serve": _serve,
    "workflow": _workflow,
    "terminate": _terminate,
    "restamp": _restamp,
    "complete": _complete,
    "restart": _restart,
    "run": _run,
    "turn": _turn,
    "settle": _settle,
}
