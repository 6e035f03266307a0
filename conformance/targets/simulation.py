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

import asyncio
import itertools
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import attrs

from conformance.judge import Divergence, Judge, Kind
from conformance.recorder import Recorder
from conformance.refinement.backlog import BacklogView, Durable
from conformance.refinement.delivery import DeliveryView
from conformance.refinement.forwarding import ForwardingView, note_hop
from conformance.refinement.matching import (
    AWAITS_ANSWERS,
    AWAITS_ARRIVAL,
    AWAITS_HOPS,
    AWAITS_IDS,
    AWAITS_LOST,
    AWAITS_NEWS,
    AWAITS_RETRY,
    AWAITS_ROUND,
    AWAITS_SLOTS,
    AWAITS_TIME,
    OBSERVED,
    MatchingView,
)
from conformance.refinement.partition_lifetime import PartitionLifetimeView
from conformance.refinement.poll_registration import PollRegistrationView, may_owe_a_match
from conformance.simulation.cluster import SimulatedCluster
from conformance.simulation.history_store import HistoryCall, SimulatedHistoryStore
from conformance.simulation.loop import BusyLoopError, SimulationLoop
from conformance.simulation.network import HopCall, SimulatedNetwork
from conformance.simulation.starts import SimulatedStarts, StartCall
from conformance.simulation.store import Call, SimulatedStore
from conformance.targets.due import is_pausing, is_retrying, upkeep_timers
from conformance.targets.errands import ERRANDS
from conformance.targets.history import HistorySide
from conformance.targets.hops import forget_hops, has_hops, has_lost_hops
from conformance.targets.late import belongs_to_a_generation, come_again, comes_late
from conformance.targets.limits import LIVELY_OPTIONS, LONG_OPTIONS, NARROW_LIMITS, SMALL_LIMITS
from conformance.targets.references import is_free
from conformance.targets.requests import RequestError, refuse_misspelt
from conformance.targets.run import Run
from conformance.targets.watch import Watch
from conformance.targets.world import World
from matching.adapters.metrics import HostMetrics
from matching.caller import Caller
from matching.engine import Engine
from matching.identity import Host, PartitionKey, PollId, TaskId
from matching.lifetime import LifetimeOptions
from matching.manager import PartitionManager
from matching.namespace import HERE, THERE, Namespace
from matching.requests import Task

__all__ = ["PendingCall", "RequestError", "Run", "Simulation", "judge_for"]

PendingCall = Call | HistoryCall | StartCall | HopCall
Actor = SimulatedStore | SimulatedHistoryStore | SimulatedStarts | SimulatedNetwork


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
        self.caller = Caller(self.loop, self._tell)
        self.store = SimulatedStore(self.loop, self._hear, prompt=self.world.prompt, slow_loads=self.world.lively)
        self.cluster = SimulatedCluster(
            [Host(host) for host in self.world.hosts],
            Namespace(HERE if self.world.active else THERE),
            here=HERE,
            probe=self._hear,
            tell_change=self.recorder,
        )
        self.recorder.books.clusters.append(self.cluster.namespaces[0].active_cluster)
        self.recorder.books.owners.append(self.cluster.memberships[0])
        if self.world.lively:
            self.loop.holds, self.loop.captures = comes_late, belongs_to_a_generation
        self.history = HistorySide(
            self.loop,
            self._hear,
            add=lambda task: self.caller.add_task(self.home, task),
            give_up=lambda task_id: self.caller.lose_add(task_id, interrupt=True),
            free=self._unused_task,
            partitions=[PartitionKey.parse(each) for each in self.world.partitions],
            events=self.world.events,
            prompt=self.world.prompt,
        )
        self.network = SimulatedNetwork(
            self.loop,
            caller=self.caller,
            taken=self.recorder.books.hop,
            received=partial(note_hop, self.recorder.books),
            came=self.recorder.books.came,
            engine=lambda host: next(engine for engine in self.engines if engine.host == host),
            polls=self.world.hop_polls,
            tasks=self.world.hop_tasks,
        )
        self._request_ids = itertools.count(1).__next__
        self.engines = [self._engine(Host(host)) for host in self.world.hosts]
        books = self.recorder.books
        self.watch = Watch(
            self.engines, self.store, self.history.store, self.network, self.caller, books, self.loop.time
        )
        self.home, *self.others = self.engines
        self._polls = PollRegistrationView(self.engines, self.stored, self.recorder.books)
        self._lives = PartitionLifetimeView(self.engines, self.recorder.books)
        self.mistake: str | None = None
        self.end = "stopped"
        self.busy = False
        """Whether callbacks kept making callbacks."""
        self.recorder.begin(self._view(), self._only_host(), judge=judge, ids=self.world.ids)
        self.loop.after_callback = self._look

    @property
    def engine(self) -> Engine:
        """The engine of the first host."""
        return self.engines[0]

    def _engine(self, host: Host) -> Engine:
        return Engine(
            host,
            store=self.store,
            namespace=self.cluster.namespace_views[host],
            membership=self.cluster.membership_views[host],
            gauges=HostMetrics(host),
            options=self._options(host),
            starts=self.history.starts,
            request_ids=self._request_ids,
            peers=self.network if self.world.children else None,
            limits=NARROW_LIMITS if self.world.narrow else SMALL_LIMITS,
            probe=self._hear,
        )

    def _options(self, host: Host) -> LifetimeOptions:
        flag = host in self.world.flags
        chosen = LIVELY_OPTIONS if self.world.lively else LONG_OPTIONS
        return attrs.evolve(chosen, unload_on_namespace_state_change=flag)

    @property
    def active(self) -> bool:
        """Whether the namespace is active here, whoever knows it."""
        return self.cluster.namespaces[-1].active_cluster == HERE

    def _hear(self, action: str, *args: str | int | tuple[str, ...]) -> None:
        self.history.starts.hear(action, args)
        self.caller.hear(action, *args)

    def _tell(self, action: str, *args: str | int | tuple[str, ...]) -> None:
        """Tell of a step, as callers have passed it on or taken it themselves."""
        if self.divergence is None:  # what follows a divergence is in no books
            self.watch.hear(action, args)
        self.recorder(action, *args)

    def _unused_task(self) -> TaskId | None:
        return next((TaskId(task) for task in self.world.tasks if task not in self.recorder.books.queue), None)

    def _only_host(self) -> str | None:
        """Who takes the service's steps, where there is one; of several, the order of their steps is known."""
        return self.world.hosts[0] if len(self.world.hosts) == 1 else None

    def _view(self) -> MatchingView:
        return MatchingView(
            lives=self._lives,
            polls=self._polls,
            hops=ForwardingView(self.recorder.books),
            store=BacklogView(self.engines, self._durable),
            events=DeliveryView(self.history.held, self.recorder.books),
        )

    def stored(self) -> list[TaskId]:
        """The tasks that have a record."""
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

    @property
    def over(self) -> bool:
        """Whether nothing that follows would say more."""
        return self.divergence is not None or self.busy or self.network.full

    def request(self, request: Mapping[str, Any]) -> None:
        """Carry out one request of the driver.

        Raises:
            RequestError: it cannot be carried out here.
        """
        ready = ERRANDS.get(str(request.get("do")))
        if ready is None:
            raise RequestError(f"{request.get('do')!r} is no request; the requests are {', '.join(ERRANDS)}")
        refuse_misspelt(request)
        try:
            work = ready(self, request)
        except KeyError as missing:
            raise RequestError(f"the request {request['do']!r} lacks {missing}") from None
        self.recorder.request(request)
        work()
        self._look()
        if request.get("run"):
            self.run()
        elif request.get("turn"):
            self.turn()

    def run(self) -> None:
        """Run callbacks until none is left."""
        try:
            self.loop.run()
        except BusyLoopError as error:
            self.busy = True
            self.mistake = self.mistake or str(error)
        self._note_mistakes()
        if self.network.full:
            self.recorder.judge = None  # there is no slot for a hop: what follows is not told
        forget_hops(self)
        self._scrape()
        self.mistake = self.mistake or (self.watch.look() if self.divergence is None else None)
        if any(map(may_owe_a_match, self.engines)):
            arrival = AWAITS_ARRIVAL if self.loop.held else frozenset[str]()
            self.ask_at_rest(AWAITS_TIME | AWAITS_ANSWERS | AWAITS_NEWS | arrival)

    def _scrape(self) -> None:
        """Read what the hosts show as an operator does, who knows of no change."""
        if self.world.lively:
            self._lives.read_anew()
            self._look()

    def _look(self) -> None:
        self.recorder.look()
        self.mistake = self.mistake or self.watch.broken

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
        return [poll for poll in self.world.polls if PollId(poll) not in self.caller.polls and not has_hops(self, poll)]

    def free_tasks(self) -> list[str]:
        """Ids under which a task can be added."""
        return [task for task in self.world.tasks if is_free(self, task)]

    def open_polls(self) -> list[str]:
        """Polls whose callers still wait."""
        polls = self.caller.polls.items()
        return [poll_id for poll_id, poll in polls if poll.may_leave and poll.request.forward_info is None]

    def open_adds(self) -> list[str]:
        """Adds whose callers still wait."""
        return [task_id for task_id, add in self.caller.adds.items() if not add.answer.done() and not add.call.done()]

    def calls(self) -> list[PendingCall]:
        """Calls of the stores and of History that are not yet answered, oldest first of each kind."""
        history = self.history
        return [*self.store.waiting(), *history.store.waiting(), *history.starts.waiting(), *self.network.waiting()]

    def actor(self, call: PendingCall) -> Any:
        """Who decides about the call."""
        if isinstance(call, Call):
            return self.store
        if isinstance(call, HopCall):
            return self.network
        return self.history.store if isinstance(call, HistoryCall) else self.history.starts

    def over_events(self) -> list[str]:
        """Events that may be forgotten: their runs are closed, and nothing refers to them."""
        carried = {item[0] for item in self.recorder.books.carries.values()}
        return [event for event in self.history.over_events() if self.loop.idle and event not in carried]

    def times(self) -> list[float]:
        """The moments at which something becomes due, the managers' upkeep apart."""
        deadlines = [poll.request.deadline for poll in self.caller.polls.values()]
        due = self.loop.due_times(ignoring=upkeep_timers(self.engines))
        return sorted({time for time in (*deadlines, *due) if time > self.loop.time()})

    def upkeep_times(self) -> list[float]:
        """The moments of the managers' upkeep."""
        return sorted({timer.when() for timer in upkeep_timers(self.engines)})

    @property
    def seen_managers(self) -> Iterable[PartitionManager]:
        """Every manager that was ever loaded."""
        return self._polls.seen

    def received(self, task: str) -> list[str]:
        """The polls that are not forgotten and were answered with this task."""
        return [poll for poll, answer in self.recorder.books.answer.items() if answer == ("task", task)]

    def note_received(self, call: asyncio.Task[Task | None]) -> None:
        """Note what a worker was given, once its call has returned."""
        if not call.cancelled() and call.exception() is None and (task := call.result()) is not None:
            self.history.received(task.item)

    def settle(self) -> None:
        """Let everything come to rest: the store answers, deadlines pass, callbacks run."""
        self.request({"do": "settle"})

    def finish(self) -> Divergence | None:
        """Settle, and ask whether the specification owes nothing any more.

        A mistake does not end the run: what it left undone says more than its message.
        """
        self.settle()
        if not self.over:
            again = come_again(self.loop, self.run)
            self.mistake = self.mistake or again
        if self.divergence is None and not self.busy:
            owes = is_retrying(self.engines) or (self.history.lacks_ids and bool(self.world.hop_tasks))
            self.end = "stopped" if owes else "quiescent"
            self.ask_at_rest(AWAITS_IDS if self.history.lacks_ids else frozenset())
            self.mistake = self.mistake or self.watch.look_at_the_end()
        return self.divergence

    def move_time(self, until: float, rotate_ties: int = 0) -> None:
        """Let time pass up to this moment."""
        self.loop.advance(until, rotate_ties=rotate_ties)
        self.caller.time_passes(until)

    def ask_at_rest(self, waiting: frozenset[str] = frozenset()) -> Divergence | None:
        """Ask the specification what a service owes that rests here."""
        judge = self.recorder.judge
        if judge is not None and self.divergence is None:
            applies = {
                AWAITS_HOPS: bool(self.network.calls),
                AWAITS_LOST: has_lost_hops(self),
                AWAITS_RETRY: is_retrying(self.engines),
                AWAITS_ROUND: is_pausing(self.caller),
                AWAITS_SLOTS: self.history.lacks_ids,
            }
            self.recorder.divergence = judge.rest(waiting.union(*(each for each, holds in applies.items() if holds)))
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
