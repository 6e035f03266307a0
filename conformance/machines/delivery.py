"""Stateful fuzzing of delivery: the rules that draw a driver's requests, beside those of the polls.

Four rules:

1. Two hosts share one store and one History; each may hold a manager of each partition, and
   takes the lease from the other by being asked.
2. Every call of the store and of History is the driver's to decide: its effect, and its answer.
3. What workers complete is what they were given, also late, also twice.
4. Runs at rest owe nothing: what is due was started, or is in the backlog or in History's intents.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from conformance.machines.polls import INDEX, THEN, BudgetSpent, PollRegistrationMachine, counted, pick
from conformance.simulation.store import Effect
from conformance.targets.simulation import Simulation
from conformance.targets.world import World

__all__ = ["DELIVERY_WORLD", "DeliveryMachine"]

DELIVERY_WORLD = World(
    hosts=("h1", "h2"),
    versions=("unversioned",),
    polls=("p1", "p2", "p3"),
    tasks=("t1", "t2", "t3", "t4", "t5"),
    events=tuple(f"{run}/{number}" for run in ("r1", "r2") for number in range(1, 7)),
    prompt=False,
)


class DeliveryMachine(PollRegistrationMachine):
    """Workflows begin, workers start and complete, hosts take leases from one another, everything may fail."""

    @initialize()
    def begin(self) -> None:
        if type(self).spent(type(self).examples):
            raise BudgetSpent
        world = DELIVERY_WORLD
        self.simulation = Simulation(world, judge=self._judge(world) if self.judged else None)
        type(self).examples += 1
        self._answer_all("take ")

    # Workflows and workers

    @precondition(lambda self: self._has(self.simulation.history.free_runs))
    @rule(then=THEN)
    @counted
    def workflow(self, then: str) -> None:
        self._ask("workflow", then, execution=self.simulation.history.free_runs()[0])

    @precondition(lambda self: self._has(self.simulation.history.free_runs))
    @rule(spooled=st.booleans())
    @counted
    def due(self, spooled: bool) -> None:
        """A workflow begins, and its first task is on its way, or stored and in memory, while nothing else happens."""
        self._ask("workflow", "run", execution=self.simulation.history.free_runs()[0])
        self._answer_all("apply ")
        if spooled:
            for kind in ("lease ", "append ", "apply ", "read "):
                self._answer_all(kind)

    @precondition(lambda self: bool(self.simulation.history.tokens))
    @rule(which=INDEX, then_what=INDEX, then=THEN)
    @counted
    def complete_task(self, which: int, then_what: int, then: str) -> None:
        item = pick(self.simulation.history.tokens, which)
        command = pick(self.simulation.history.next_commands(item.event_id), then_what)
        self._ask("complete", then, token=f"{item.event_id}.{item.attempt}", decides=command)

    @precondition(lambda self: self._has(self.simulation.history.waiting_events))
    @rule(which=INDEX, then=THEN)
    @counted
    def restamp(self, which: int, then: str) -> None:
        self._ask("restamp", then, event=pick(self.simulation.history.waiting_events(), which))

    @precondition(lambda self: self._has(self.simulation.history.open_runs))
    @rule(which=INDEX, then=THEN)
    @counted
    def terminate(self, which: int, then: str) -> None:
        self._ask("terminate", then, execution=pick(self.simulation.history.open_runs(), which))

    @precondition(lambda self: self._has(self.simulation.open_adds))
    @rule(which=INDEX, interrupt=st.booleans(), then=THEN)
    @counted
    def lose_add(self, which: int, interrupt: bool, then: str) -> None:
        self._ask("lose", then, task=pick(self.simulation.open_adds(), which), interrupt=interrupt)

    @precondition(lambda self: self._has(self._closed_events))
    @rule()
    @counted
    def forget(self) -> None:
        """An event of a closed run is forgotten, with the tasks that carried it and the polls that got them."""
        simulation = self.simulation
        event = self._closed_events()[0]
        tasks = [task for task, item in simulation.recorder.books.carries.items() if item[0] == event]
        for poll in [poll for task in tasks for poll in simulation.received(task)]:
            self._ask("forget", "stay", poll=poll)
        for task in tasks:
            self._ask("forget", "stay", task=task)
        self._ask("forget", "stay", event=event)

    # Start calls

    @precondition(lambda self: self._has(self._starts))
    @rule(lost=st.booleans())
    @counted
    def start(self, lost: bool) -> None:
        """A start call arrives and is decided; its answer comes, or is lost."""
        call = self._starts()[0]
        self._ask("store", "run", call=call.name, effect="commit")
        self._answer_all("apply ")
        if any(each is call for each in self.simulation.calls()):
            self._ask("store", "run", call=call.name, answer="error" if lost else "ok")

    # Hosts

    @rule(what=st.sampled_from(["route", "restart", "crash", "tick"]), where=INDEX, then=THEN)
    @counted
    def upset(self, what: str, where: int, then: str) -> None:
        """Traffic goes to another host; a shard or a host begins anew; managers do their upkeep."""
        simulation = self.simulation
        if what == "route":
            other = next(engine.host for engine in simulation.engines if engine is not simulation.home)
            self._ask(what, then, host=other)
        elif what == "restart":
            self._ask(what, then)
        elif what == "crash":
            self._ask(what, then, host=pick(simulation.world.hosts, where))
        elif upkeep := simulation.upkeep_times():
            by_ms = max(1, round((upkeep[0] - simulation.loop.time()) * 1000))
            self._ask("advance", then, by_ms=by_ms)

    @rule(where=INDEX, then=THEN)
    @counted
    def steal(self, where: int, then: str) -> None:
        """A host that is not home loads a partition, and so takes its lease."""
        simulation = self.simulation
        engine = next(each for each in simulation.engines if each is not simulation.home)
        partition = pick(simulation.world.partitions, where)
        self._ask("load", then, partition=partition, host=engine.host)

    # Helpers

    def _closed_events(self) -> list[str]:
        """Events of closed runs whose tasks nobody refers to any more."""
        simulation = self.simulation
        held = {item[0] for task, item in simulation.recorder.books.carries.items() if not simulation.is_free(task)}
        return [event for event in simulation.history.over_events() if simulation.loop.idle and event not in held]

    def _starts(self) -> list[Any]:
        return [
            call
            for call in self.simulation.history.starts.waiting()
            if call.effect is Effect.PENDING and not call.answered
        ]

    def _answer_all(self, kind: str) -> None:
        """Let the calls of one kind that wait now take effect and be answered, and what follows happen."""
        for call in [call for call in self.simulation.calls() if call.name.startswith(kind)]:
            effect = {"effect": "commit"} if call.effect is Effect.PENDING else {}
            self._ask("store", "run", call=call.name, **effect, answer="ok")
