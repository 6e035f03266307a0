"""The service on the simulated loop and store, driven by requests and judged as it goes.

Three rules:

1. A request is plain data, and the list of requests *is* the run: the same requests
   make the same trace, byte for byte.
2. A request says everything that is chosen: which call of the store, which caller,
   how far time moves, whether callbacks then ``run``, run for one ``turn``, or wait.
3. What a request cannot do (an id in use, a call that is not waiting) is a
   `RequestError`, and nothing has happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import attrs

from conformance.judge import Divergence, Judge, Kind
from conformance.recorder import Recorder
from conformance.refinement.backlog import BacklogView, Durable
from conformance.refinement.delivery import DeliveryView, Held
from conformance.refinement.matching import AWAITS_ANSWERS, AWAITS_TIME, OBSERVED, MatchingView
from conformance.refinement.poll_registration import PollRegistrationView, may_owe_a_match
from conformance.simulation.loop import BusyLoopError, SimulationLoop
from conformance.simulation.store import Call, Effect, SimulatedStore
from conformance.targets.requests import RequestError, milliseconds, one_of, refuse_misspelt
from conformance.targets.run import Run
from conformance.targets.world import World
from conformance.trace.errors import TraceError
from conformance.trace.header import Header
from matching.backlog import BacklogLimits
from matching.caller import Caller
from matching.engine import Engine
from matching.identity import Host, PartitionKey, PollId, TaskId, Version, Worker
from matching.manager import PartitionManager
from matching.namespace import NamespaceState
from matching.requests import PollRequest, Task

__all__ = ["RequestError", "Run", "Simulation", "judge_for", "replay"]

SETTLE_ROUNDS = 1_000
SMALL_LIMITS = BacklogLimits(block_size=3)
"""Three ids to a block, as the judge's configuration says, so that blocks run out."""

Work = Callable[[], None]


def judge_for(world: World) -> Judge:
    """A judge by the seed profile, over the ids of this world."""
    from conformance.judging.profile import judging_model

    return Judge(judging_model(world.constants), OBSERVED)


class Simulation:
    """One run of the service; call ``close`` at its end."""

    def __init__(self, world: World | None = None, *, judge: Judge | None = None) -> None:
        self.world = world or World()
        self.loop = SimulationLoop()
        self.recorder = Recorder(self.loop.time)
        self.caller = Caller(self.loop, self.recorder)
        self.store = SimulatedStore(self.loop, self.caller.hear, prompt=self.world.prompt)
        self.namespace = NamespaceState(active=self.world.active, probe=self.caller.hear)
        self.engines = [self._engine(Host(host)) for host in self.world.hosts]
        self.mistake: str | None = None
        self.end = "stopped"
        self._busy = False
        self.recorder.begin(self._view(), self._only_host(), judge=judge, ids=self.world.ids)
        self.loop.after_callback = self.recorder.look

    @property
    def engine(self) -> Engine:
        """The engine of the first host."""
        return self.engines[0]

    def _engine(self, host: Host) -> Engine:
        return Engine(host, store=self.store, namespace=self.namespace, limits=SMALL_LIMITS, probe=self.caller.hear)

    def _only_host(self) -> str | None:
        """Who takes the service's steps, where there is one; of several, the order of their steps is known."""
        return self.world.hosts[0] if len(self.world.hosts) == 1 else None

    def _view(self) -> MatchingView:
        books = self.recorder.books
        return MatchingView(
            polls=PollRegistrationView(self.engines, self._stored, books),
            store=BacklogView(self.engines, self._durable),
            events=DeliveryView(Held, books),
        )

    def _stored(self) -> list[TaskId]:
        return [record.task.task_id for queue in self.store.queues.values() for record in queue.records.values()]

    def _durable(self) -> list[tuple[PartitionKey, Durable]]:
        return [
            (
                partition,
                Durable(
                    queue.lease,
                    queue.floor,
                    tuple([(number, record.task.task_id) for number, record in queue.records.items()]),
                ),
            )
            for partition, queue in self.store.queues.items()
        ]

    @property
    def divergence(self) -> Divergence | None:
        """Where this run left the specification, if it did."""
        return self.recorder.divergence

    def request(self, request: Mapping[str, Any]) -> None:
        """Carry out one request of the driver.

        Raises:
            RequestError: it cannot be carried out here.
        """
        ready = _REQUESTS.get(str(request.get("do")))
        if ready is None:
            raise RequestError(f"{request.get('do')!r} is no request; the requests are {', '.join(_REQUESTS)}")
        refuse_misspelt(request)
        try:
            work = ready(self, request)
        except KeyError as missing:
            raise RequestError(f"the request {request['do']!r} lacks {missing}") from None
        self.recorder.request(request)
        work()
        self.recorder.look()
        if request.get("run"):
            self.run()
        elif request.get("turn"):
            self.turn()

    def run(self) -> None:
        """Run callbacks until none is left."""
        try:
            self.loop.run()
        except BusyLoopError as error:
            self._busy = True
            self.mistake = self.mistake or str(error)
        self._note_mistakes()
        if any(map(may_owe_a_match, self.engines)):
            self._rest(AWAITS_TIME | AWAITS_ANSWERS)

    def turn(self) -> None:
        """Run the callbacks that are queued now, and not those that they queue."""
        self.loop.turn()
        self._note_mistakes()

    def _note_mistakes(self) -> None:
        if self.loop.mistakes and self.mistake is None:
            self.mistake = self.loop.mistakes[0]

    # What can be asked for now

    def free_polls(self) -> list[str]:
        """Ids under which a poll can be started."""
        return [poll for poll in self.world.polls if PollId(poll) not in self.caller.polls]

    def free_tasks(self) -> list[str]:
        """Ids under which a task can be added."""
        return [task for task in self.world.tasks if self._is_free(task)]

    def open_polls(self) -> list[str]:
        """Polls whose callers still wait."""
        return [poll_id for poll_id, poll in self.caller.polls.items() if not poll.left and not poll.call.done()]

    def store_calls(self) -> list[Call]:
        """Calls of the store that are not yet answered, oldest first."""
        return list(self.store.waiting())

    def times(self) -> list[float]:
        """The moments at which something becomes due, the managers' upkeep apart."""
        deadlines = [poll.request.deadline for poll in self.caller.polls.values()]
        upkeep = [
            timer
            for engine in self.engines
            for manager in engine.managers.values()
            if (timer := manager.backlog.upkeep_timer) is not None
        ]
        return sorted({time for time in (*deadlines, *self.loop.due_times(upkeep)) if time > self.loop.time()})

    def _is_free(self, task: str) -> bool:
        """Tell whether nothing refers to the task any more, as far as the driver can see."""
        task_id = TaskId(task)
        books = self.recorder.books
        if task not in books.queue:
            return True
        return (
            task in books.added
            and task_id not in self.caller.adds
            and self.loop.idle
            and task_id not in self._stored()
            and not any(_mentions(call, task_id) for call in self.store.calls.values())
            and not any(_knows(manager, task_id) for engine in self.engines for manager in engine.managers.values())
        )

    # The end

    def settle(self) -> None:
        """Let everything come to rest: the store answers, deadlines pass, callbacks run."""
        self.request({"do": "settle"})

    def finish(self) -> Divergence | None:
        """Settle, and ask whether the specification owes nothing any more.

        A mistake does not end the run: what it left undone says more than its message.
        """
        self.settle()
        if self.divergence is None and not self._busy:
            self.end = "quiescent"
            self._rest()
        return self.divergence

    def _rest(self, waiting: frozenset[str] = frozenset()) -> Divergence | None:
        """Ask the specification what a service owes that rests here."""
        judge = self.recorder.judge
        if judge is not None and self.divergence is None:
            self.recorder.divergence = judge.rest(waiting)
        return self.recorder.divergence

    def close(self) -> list[str]:
        """End every task of the run; give the names of those that would not end."""
        self.loop.after_callback = lambda: None
        self.recorder.judge = None
        left = self.loop.cancel_everything()
        self.loop.close()
        return left

    def recorded(self, why: str = "") -> Run:
        """The run so far."""
        divergence, end = self.divergence, self.end
        if divergence is not None and divergence.kind is Kind.NOT_QUIESCENT:
            end = "quiescent"  # the run rests, and that is what the specification does not allow
        elif divergence is not None or self.mistake is not None:
            end = "failed"
        header, steps, footer = self.recorder.trace(
            end=end, ids=self.world.constants, target="simulation", why=why, setup=self.world.as_setup()
        )
        if self.mistake is not None:
            footer = attrs.evolve(footer, note=self.mistake)
        return Run(header=header, steps=steps, footer=footer, divergence=divergence, mistake=self.mistake)

    # The requests: each is checked first, and gives the work to be done

    def _poll(self, request: Mapping[str, Any]) -> Work:
        poll_id = PollId(one_of(request["poll"], self.free_polls(), "a poll that can be started"))
        partition = PartitionKey.parse(one_of(request["partition"], self.world.partitions, "a partition"))
        worker = Worker(one_of(request["worker"], self.world.workers, "a worker"))
        version = Version(one_of(request["version"], self.world.versions, "a version"))
        deadline = self.loop.time() + milliseconds(request["wait_ms"])
        return partial(self._do_poll, PollRequest(poll_id, worker, partition, deadline, version))

    def _do_poll(self, poll: PollRequest) -> None:
        if poll.poll_id in self.recorder.books.answer:
            self.recorder("ForgetPoll", poll.poll_id)
        self.caller.start_poll(self.engine, poll)
        self.caller.time_passes(self.loop.time())

    def _add(self, request: Mapping[str, Any]) -> Work:
        task_id = TaskId(one_of(request["task"], self.free_tasks(), "a task that can be added"))
        partition = PartitionKey.parse(one_of(request["partition"], self.world.partitions, "a partition"))
        version = Version(one_of(request["version"], self.world.versions, "a version"))
        return partial(self._do_add, Task(task_id, partition, version))

    def _do_add(self, task: Task) -> None:
        if task.task_id in self.recorder.books.queue:
            for poll in self._received(task.task_id):
                self.recorder("ForgetPoll", poll)
            self.recorder("ForgetTask", task.task_id)
        self.caller.add_task(self.engine, task)

    def _received(self, task: str) -> list[str]:
        """The polls that are not forgotten and were answered with this task."""
        return [poll for poll, answer in self.recorder.books.answer.items() if answer == ("task", task)]

    def _forget(self, request: Mapping[str, Any]) -> Work:
        books = self.recorder.books
        if "poll" in request:
            return partial(self.recorder, "ForgetPoll", one_of(request["poll"], books.answer, "a poll with an answer"))
        forgettable = [task for task in self.free_tasks() if task in books.queue and not self._received(task)]
        return partial(self.recorder, "ForgetTask", one_of(request["task"], forgettable, "a task nobody refers to"))

    def _leave(self, request: Mapping[str, Any]) -> Work:
        poll_id = PollId(one_of(request["poll"], self.open_polls(), "a poll whose caller waits"))
        return partial(self._do_leave, poll_id, bool(request.get("at_once")))

    def _do_leave(self, poll_id: PollId, at_once: bool) -> None:
        if at_once:
            # The caller's own code, before anything that is queued runs: its call may not have begun yet.
            self.caller.leave(poll_id)
        else:
            # A callback, as every request but time is: others that are queued before it still run first.
            self.loop.call_soon(self.caller.leave, poll_id)

    def _advance(self, request: Mapping[str, Any]) -> Work:
        until = round(self.loop.time() + milliseconds(request["by_ms"]), 3)
        rotate = request.get("rotate", 0)
        if not isinstance(rotate, int) or rotate < 0:
            raise RequestError(f"rotate is {rotate!r}; it is a number of timers")
        return partial(self._do_advance, until, rotate)

    def _do_advance(self, until: float, rotate: int) -> None:
        self.loop.advance(until, rotate_ties=rotate)
        self.caller.time_passes(until)

    def _store(self, request: Mapping[str, Any]) -> Work:
        calls = {call.name: call for call in self.store.waiting()}
        call = calls[one_of(request["call"], list(calls), "a call that waits")]
        effect, answer = request.get("effect"), request.get("answer")
        if effect not in (None, "commit", "fail") or answer not in (None, "ok", "error"):
            raise RequestError("a store request has the effect commit or fail, and the answer ok or error")
        if (effect is None) is (call.effect is Effect.PENDING):
            raise RequestError(f"{call.name}: the effect is {call.effect.value} and can be chosen once")
        return partial(self._do_store, call, effect, answer)

    def _do_store(self, call: Call, effect: str | None, answer: str | None) -> None:
        if effect == "commit":
            self.store.commit(call)
        elif effect == "fail":
            self.store.fail(call)
        if answer is not None:
            call.answered = True
            self.loop.call_soon(partial(self.store.reply, call, lost=answer == "error"))

    def _load(self, request: Mapping[str, Any]) -> Work:
        partition = PartitionKey.parse(one_of(request["partition"], self.world.partitions, "a partition"))
        return partial(self._do_call, self.engine.load, partition)

    def _unload(self, request: Mapping[str, Any]) -> Work:
        partition = PartitionKey.parse(one_of(request["partition"], self.world.partitions, "a partition"))
        return partial(self._do_call, self.engine.unload, partition)

    def _do_call(self, work: Any, partition: PartitionKey) -> None:
        self.loop.call_soon(work, partition)

    def _failover(self, request: Mapping[str, Any]) -> Work:
        if not isinstance(request["active"], bool):
            raise RequestError("a failover says whether the namespace is active, with true or false")
        return partial(self._do_failover, active=request["active"])

    def _do_failover(self, *, active: bool) -> None:
        self.loop.call_soon(lambda: self.namespace.change(active=active))

    def _run(self, request: Mapping[str, Any]) -> Work:
        return self.run

    def _turn(self, request: Mapping[str, Any]) -> Work:
        return self.turn

    def _settle(self, request: Mapping[str, Any]) -> Work:
        return self._do_settle

    def _do_settle(self) -> None:
        for _ in range(SETTLE_ROUNDS):
            self.run()
            if self.divergence is not None or self._busy:
                return
            calls = self.store_calls()
            coming = self.times()
            awaited = (AWAITS_ANSWERS if calls else frozenset()) | (AWAITS_TIME if calls or coming else frozenset())
            if self._rest(awaited) is not None:
                return
            for call in calls:
                if call.effect is Effect.PENDING:
                    self.store.commit(call)
                self.store.reply(call)
            if not calls:
                if not coming:
                    return
                self._do_advance(coming[0], 0)
        self.mistake = f"the run does not come to rest in {SETTLE_ROUNDS} rounds"


_REQUESTS: Mapping[str, Any] = {
    "poll": Simulation._poll,
    "add": Simulation._add,
    "leave": Simulation._leave,
    "forget": Simulation._forget,
    "advance": Simulation._advance,
    "store": Simulation._store,
    "load": Simulation._load,
    "unload": Simulation._unload,
    "failover": Simulation._failover,
    "run": Simulation._run,
    "turn": Simulation._turn,
    "settle": Simulation._settle,
}


def replay(header: Header, requests: Iterable[Mapping[str, Any]]) -> Run:
    """Make the same requests of a fresh simulation, and judge what it does now.

    Raises:
        RequestError: a request cannot be carried out in this run.
    """
    if header.target != "simulation":
        raise TraceError(f"the trace is of the target {header.target!r}; only runs of the simulation can be run again")
    world = World.from_setup(header.setup)
    simulation = Simulation(world, judge=judge_for(world))
    try:
        for request in requests:
            if simulation.divergence is not None:
                break
            if request.get("do") == "settle":
                simulation.finish()
            else:
                simulation.request(request)
        return simulation.recorded(header.why)
    finally:
        simulation.close()


def _knows(manager: PartitionManager, task_id: TaskId) -> bool:
    held = [poll.holding.task for poll in manager.polls.values() if poll.holding is not None]
    known = [record.task for record in manager.backlog.memory.known()]
    return any(task.task_id == task_id for task in (*held, *known))


def _mentions(call: Call, task_id: TaskId) -> bool:
    found = call.result.records if call.kind == "read" and call.result is not None else ()
    return any(record.task.task_id == task_id for record in (*call.records, *found))
