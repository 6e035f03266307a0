"""Stateful fuzzing of forwarding: the rules that draw a driver's requests, beside those of the polls.

Four rules:

1. The tree has a chain of two hops and a fork; two hosts share it, and clients ask either.
2. Every hop is the driver's to decide: whether it arrives, and whether its answer or its cancel does.
3. Leases, savings and deletes are granted at once: the question is what becomes of calls.
4. Tasks carry an event or none, are of two versions, and a partition beside the tree is sticky.
"""

from __future__ import annotations

from typing import Any

import attrs
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from conformance.machines.delivery_scenes import DeliveryScenes
from conformance.machines.polls import INDEX, THEN, WAITS_MS, BudgetSpent, counted, mostly_first, pick
from conformance.simulation.network import HOP_KINDS
from conformance.simulation.store import Effect
from conformance.targets.rest import EVERY_KIND
from conformance.targets.simulation import Simulation
from conformance.targets.world import World
from matching.identity import PartitionKey
from matching.registry import Process

__all__ = ["FORWARDING_WORLD", "ForwardingMachine"]

_QUEUE = "shop/orders/workflow"
CHILD, MIDDLE, ROOT, FORK, STICKY = (f"{_QUEUE}/{number}" for number in ("5", "2", "0", "1", "sticky"))

FORWARDING_WORLD = World(
    hosts=("h1", "h2"),
    partitions=(CHILD, MIDDLE, ROOT, FORK, STICKY),
    children=(CHILD, MIDDLE, FORK),
    sticky=(STICKY,),
    polls=("p1", "p2", "p3"),
    tasks=("t1", "t2", "t3"),
    hop_polls=tuple(f"c{number}" for number in range(1, 9)),
    hop_tasks=tuple(f"u{number}" for number in range(1, 9)),
)

OPENINGS = (
    *("waiting_above", "half_way", "stored_below", "met_above", "under_way", "offered", "asked_above"),
    *("answered_late", "left_when_answered", "answer_lost"),
)
"""Where a run can begin: what would take many requests drawn one by one."""

UPSETS = ("unload", "unload", "load", "route", "crash", "tick", "shutdown")
"""What can happen to hosts and managers."""


class ForwardingMachine(DeliveryScenes):
    """Polls and tasks climb the tree, while hops are slow or lost, callers leave, and managers come and go."""

    @initialize(  # shrinks towards an active namespace
        active=st.sampled_from([True, True, True, False]),
        openings=st.lists(st.sampled_from(OPENINGS), max_size=2),
        where=INDEX,
    )
    def begin(self, active: bool, openings: list[str], where: int) -> None:
        if type(self).spent(type(self).examples):
            raise BudgetSpent
        world = attrs.evolve(FORWARDING_WORLD, active=active)
        self.simulation = Simulation(world, judge=self._judge(world) if self.judged else None)
        type(self).examples += 1
        self._ask("serve", "run", kind=EVERY_KIND)  # History takes its shard
        for opening in openings:
            if self.simulation.divergence is None:
                getattr(self, f"_{opening}")(where)

    # Clients

    @precondition(lambda self: self._has(self.simulation.free_polls))
    @rule(which=INDEX, host=INDEX, where=INDEX, version=INDEX, wait_ms=WAITS_MS, then=THEN)
    @counted
    def poll_at(self, which: int, host: int, where: int, version: int, wait_ms: int, then: str) -> None:
        """A poll at any partition, by way of any host."""
        world = self.simulation.world
        self._ask(
            "poll",
            then,
            poll=pick(self.simulation.free_polls(), which),
            worker=pick(world.workers, which),
            partition=pick(world.partitions, where),
            version=mostly_first(world.versions, version),
            wait_ms=wait_ms,
            host=pick(world.hosts, host),
        )

    @precondition(lambda self: self._has(self.simulation.free_tasks))
    @rule(which=INDEX, host=INDEX, where=INDEX, version=INDEX, then=THEN)
    @counted
    def add_at(self, which: int, host: int, where: int, version: int, then: str) -> None:
        world = self.simulation.world
        self._ask(
            "add",
            then,
            task=pick(self.simulation.free_tasks(), which),
            partition=pick(world.partitions, where),
            version=mostly_first(world.versions, version),
            host=pick(world.hosts, host),
        )

    @precondition(lambda self: self._has(self.simulation.open_adds))
    @rule(which=INDEX, interrupt=st.booleans(), then=THEN)
    @counted
    def lose_add(self, which: int, interrupt: bool, then: str) -> None:
        self._ask("lose", then, task=pick(self.simulation.open_adds(), which), interrupt=interrupt)

    @precondition(lambda self: self._has(self.simulation.history.free_runs))
    @rule(then=THEN)
    @counted
    def workflow(self, then: str) -> None:
        """An execution begins, and its first task is on its way."""
        self._ask("workflow", then, execution=self.simulation.history.free_runs()[0])

    # Hops

    @precondition(lambda self: self._has(self._hops))
    @rule(which=INDEX, how=st.sampled_from(["ok", "ok", "error", "arrive", "lose", "lose_and_tell"]), then=THEN)
    @counted
    def hop(self, which: int, how: str, then: str) -> None:
        """A hop arrives, or is lost; what it is answered comes, or is lost."""
        call = pick(self._hops(), which)
        if call.effect is not Effect.PENDING:
            self._ask("store", then, call=call.name, answer="error" if how == "error" else "ok")
        elif how in ("ok", "error"):
            self._answer(call, then, how)
        elif how == "lose_and_tell":
            self._answer(call, then, "error", "fail")
        else:
            self._ask("store", then, call=call.name, effect="commit" if how == "arrive" else "fail")

    @precondition(lambda self: self._has(self._hops))
    @rule(kind=st.sampled_from(HOP_KINDS))
    @counted
    def hops(self, kind: str) -> None:
        """All hops of a kind arrive and are answered, those too that they lead to."""
        self._serve(kind)

    @rule(opening=st.sampled_from(OPENINGS), where=INDEX)
    @counted
    def scene(self, opening: str, where: int) -> None:
        """What a run can begin with happens later."""
        getattr(self, f"_{opening}")(where)

    # Hosts

    @rule(host=INDEX, where=INDEX, what=st.sampled_from(UPSETS), then=THEN)
    @counted
    def upset(self, host: int, where: int, what: str, then: str) -> None:
        """A manager anywhere on the way goes, or comes; a host goes, begins anew, or gets the traffic; upkeep."""
        world = self.simulation.world
        name = pick(world.hosts, host)
        if what == "tick":
            self._tick(then)
        elif what in ("route", "crash"):
            self._ask(what, then, host=name)
        elif what == "shutdown":
            if next(engine for engine in self.simulation.engines if engine.host == name).registry.process is Process.UP:
                self._ask(what, then, host=name)
        else:
            partition = pick(world.partitions[:-1], where)
            self._ask(what, then, host=name, partition=partition)

    # Openings

    def _waiting_above(self, where: int) -> None:
        """A poll has climbed to the root, and waits there."""
        if polls := self.simulation.free_polls():
            self._usual_poll_at(self._place(where), polls[0])
            self._serve("poll")

    def _half_way(self, where: int) -> None:
        """A poll has climbed one hop of two; the second is under way, or has failed, or was ended by an unload."""
        if polls := self.simulation.free_polls():
            self._usual_poll_at(CHILD, polls[0])
        for call in self._pending("poll")[-1:]:
            self._answer(call, "run", "ok")
        for call in self._pending("poll")[-1:] if where >= 2 else []:
            self._answer(call, "run", "ok" if where < 4 else "error", "fail" if where >= 6 else "commit")
            if where < 4:
                self._ask("unload", "run", partition=str(call.hop.partition), host=call.host)

    def _stored_below(self, where: int) -> None:
        """A task is stored at a child, and in its memory."""
        if tasks := self.simulation.free_tasks():
            self._add_at(self._place(where), tasks[0])
            self._serve("offer")
            for kind in ("append", "read"):
                self._serve(kind)

    def _met_above(self, where: int) -> None:
        """A poll waits at the root, and a task on its way there meets it; the task may be that of an event."""
        self._waiting_above(0)
        if where >= 4 and self.simulation.history.free_runs():
            self._begin_workflow()
        elif tasks := self.simulation.free_tasks():
            self._add_at(self._place(where), tasks[0])
        self._serve("offer")

    def _asked_above(self, where: int) -> None:
        """A task of an event has met a poll at the root, whose handler asks whether it may have it."""
        self._waiting_above(where)
        if self.simulation.history.free_runs():
            self._begin_workflow()
            self._serve("offer")

    def _under_way(self, where: int) -> None:
        """A poll or a task has left its partition: it has not arrived, or never does, or is not answered."""
        if where % 2 and (tasks := self.simulation.free_tasks()):
            self._add_at(self._place(where), tasks[0])
        elif polls := self.simulation.free_polls():
            self._usual_poll_at(self._place(where), polls[0])
        for call in self._pending(*HOP_KINDS)[-1:] if where >= 2 else []:
            self._ask("store", "run", call=call.name, effect="fail" if where in (2, 4) else "commit")
        if where == 2:
            self._ask("advance", "run", by_ms=10_000)

    def _offered(self, where: int) -> None:
        """A stored task is offered again, and nobody has heard of it yet."""
        self._stored_below(where)
        self._ask("advance", "run", by_ms=1000)
        for call in self._pending(*HOP_KINDS)[-1:] if where >= 4 else []:
            self._ask("store", "run", call=call.name, effect="commit")

    def _answered_late(self, where: int) -> None:
        """A hop is answered with a task in the tick in which its poll's manager stops."""
        for poll in self.simulation.free_polls()[:1]:
            self._usual_poll_at(MIDDLE, poll)
        for call in self._pending("poll")[-1:]:
            self._ask("store", "run", call=call.name, effect="commit")
            for task in self.simulation.free_tasks()[:1]:
                self._ask("add", "run", task=task, partition=ROOT, version="unversioned", host=call.host)
            if call in self._hops():
                self._ask("store", "stay", call=call.name, answer="ok")
                self._ask("unload", "run", partition=MIDDLE, host=self.simulation.home.host)

    def _left_when_answered(self, where: int) -> None:
        """An offer is answered just before the caller of its add leaves."""
        tasks = self.simulation.free_tasks()[:1]
        for task in tasks:
            self._add_at(MIDDLE, task)
        for call in self._pending("offer")[-1:]:
            self._ask("store", "run", call=call.name, effect="commit")
            if call in self._hops():
                self._ask("store", "turn", call=call.name, answer="ok")
            for task in [task for task in tasks if task in self.simulation.open_adds()]:
                self._ask("lose", "run", task=task, interrupt=True)

    def _answer_lost(self, where: int) -> None:
        """A stored task of an event was taken above, of which the child does not hear; it is offered once more."""
        self._begin_workflow()
        for kind in ("offer", "append", "read"):
            self._serve(kind)
        for again in range(2 if where >= 2 else 1):
            self._poll_at_root()
            if not self._pending("offer"):
                self._ask("advance", "run", by_ms=1000)
            for call in self._pending("offer")[-1:]:
                self._ask("store", "run", call=call.name, effect="commit")
                for above in self._pending("offer")[-1:]:
                    self._answer(above, "run", "ok")
                for kind in ("start", "apply"):
                    self._serve(kind)
                if call in self._hops():
                    self._ask("store", "run", call=call.name, answer="error" if again == 0 else "ok")

    # Helpers

    def _poll_at_root(self) -> None:
        """A poll at the root, by way of the host that owns it."""
        owner = self.simulation.home.membership.known.route(PartitionKey.parse(ROOT))
        for poll in self.simulation.free_polls()[:1]:
            what = {"worker": "w1", "partition": ROOT, "version": "unversioned", "wait_ms": 10_000}
            self._ask("poll", "run", poll=poll, host=owner, **what)

    def _pending(self, *kinds: str) -> list[Any]:
        """The hops of these kinds that are on their way, oldest first."""
        return [call for call in self._hops() if call.effect is Effect.PENDING and call.kind in kinds]

    def _place(self, where: int) -> str:
        place: str = mostly_first(self.simulation.world.partitions[:-1], where)
        return place

    def _hops(self) -> list[Any]:
        return [call for call in self.simulation.calls() if call.kind in HOP_KINDS]
