"""Stateful fuzzing of delivery: the rules that draw a driver's requests, beside those of the polls.

Four rules:

1. Two hosts share one store and one History; each may hold a manager of each partition, and
   takes the lease from the other by being asked.
2. Every call of the store and of History is the driver's to decide: its effect, and its answer.
3. What workers complete is what they were given, also late, also twice.
4. Runs at rest owe nothing: what is due was started, or is in the backlog or in History's intents.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from conformance.machines.delivery_scenes import OPENINGS, DeliveryScenes
from conformance.machines.polls import INDEX, THEN, BudgetSpent, counted, mostly_first, pick
from conformance.targets.rest import EVERY_KIND
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
    narrow=True,
)


class DeliveryMachine(DeliveryScenes):
    """Workflows begin, workers start and complete, hosts take leases from one another, everything may fail."""

    @initialize(openings=st.lists(st.sampled_from(OPENINGS), max_size=2), where=INDEX)
    def begin(self, openings: list[str], where: int) -> None:
        if type(self).spent(type(self).examples):
            raise BudgetSpent
        world = DELIVERY_WORLD
        self.simulation = Simulation(world, judge=self._judge(world) if self.judged else None)
        type(self).examples += 1
        self._ask("serve", "run", kind=EVERY_KIND)  # History takes its shard
        for opening in openings:
            if self.simulation.divergence is None:
                getattr(self, f"_{opening}")(where)

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
        self._begin_workflow()
        if spooled:
            self._store_and_read()

    @precondition(lambda self: self._has(self.simulation.history.free_runs) or self._has(self._due_activities))
    @rule(stored=st.booleans(), until=st.sampled_from(["asked", "started", "given"]))
    @counted
    def task_for_worker(self, stored: bool, until: str) -> None:
        """A task that is due comes to a worker: its start is asked for, or recorded, or known."""
        self._bring_to_worker(stored, until)

    @precondition(lambda self: bool(self.simulation.history.tokens))
    @rule(which=INDEX, then_what=st.sampled_from(["activity", "activity", "timer", "close", "nothing"]))
    @counted
    def decide(self, which: int, then_what: str) -> None:
        """A worker completes what it was given, and everything that follows happens."""
        item = pick(self.simulation.history.tokens, which)
        commands = self.simulation.history.next_commands(item.event_id)
        self._complete_task(item, then_what if then_what in commands else "nothing", "run")
        self._serve("apply")

    @precondition(lambda self: bool(self.simulation.history.tokens))
    @rule(which=INDEX, then_what=INDEX, then=THEN)
    @counted
    def complete_task(self, which: int, then_what: int, then: str) -> None:
        item = pick(self.simulation.history.tokens, which)
        self._complete_task(item, pick(self.simulation.history.next_commands(item.event_id), then_what), then)

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

    # Calls

    @precondition(lambda self: self._has(self._starts))
    @rule(how=st.sampled_from(["ok", "error", "unheard", "fail"]))
    @counted
    def start(self, how: str) -> None:
        """A start call arrives and is decided; its answer comes, is lost, or waits.  Or it never arrives."""
        call = self._starts()[0]
        if how == "fail":
            self._ask("store", "run", call=call.name, effect="fail", answer="ok")
            return
        self._ask("store", "run", call=call.name, effect="commit")
        self._serve("apply")
        if how != "unheard" and any(each is call for each in self.simulation.calls()):
            self._ask("store", "run", call=call.name, answer=how)

    @precondition(lambda self: self._has(self.simulation.calls))
    @rule(which=INDEX)
    @counted
    def serve(self, which: int) -> None:
        """All calls of a kind that waits are answered well, or all calls."""
        kinds = [EVERY_KIND, *dict.fromkeys(call.kind for call in self.simulation.calls())]
        self._serve(pick(kinds, which))

    @precondition(lambda self: self._has(self.simulation.calls))
    @rule(which=INDEX, effect=st.sampled_from(["commit", "fail"]))
    @counted
    def lost_answer(self, which: int, effect: str) -> None:
        """A call takes effect or does not, and its caller learns nothing; what is tried again then is answered well."""
        self._answer(pick(self.simulation.calls(), which), "run", "error", effect)

    # Hosts

    @rule(what=st.sampled_from(["route", "restart", "crash", "tick"]), where=INDEX, then=THEN)
    @counted
    def upset(self, what: str, where: int, then: str) -> None:
        """Traffic goes to another host; a shard or a host begins anew; managers do their upkeep."""
        simulation = self.simulation
        if what == "route":
            other = simulation.others[0].host
            self._ask(what, then, host=other)
        elif what == "restart":
            self._ask(what, then)
        elif what == "crash":
            self._ask(what, then, host=pick(simulation.world.hosts, where))
        else:
            self._tick(then)

    @rule(where=INDEX, then=THEN)
    @counted
    def steal(self, where: int, then: str) -> None:
        """A host that is not home loads a partition, and so takes its lease."""
        simulation = self.simulation
        engine = simulation.others[0]
        partition = pick(simulation.world.partitions, where)
        self._ask("load", then, partition=partition, host=engine.host)

    @rule(where=INDEX)
    @counted
    def takeover(self, where: int) -> None:
        """A host that is not home takes the lease of a partition, and the one that had it does not know."""
        self._stolen(where)

    @rule(where=INDEX)
    @counted
    def reload(self, where: int) -> None:
        """A partition is loaded anew, and reads what is stored."""
        partition = mostly_first(self.simulation.world.partitions, where)
        self._ask("unload", "run", partition=partition)
        self._ask("load", "run", partition=partition)
        self._serve("lease")
        self._serve("read")

    @rule(opening=st.sampled_from(OPENINGS), where=INDEX)
    @counted
    def scene(self, opening: str, where: int) -> None:
        """What a run can begin with happens later."""
        getattr(self, f"_{opening}")(where)

    @rule(by_ms=st.sampled_from([2000, 2000, 5000]), then=THEN)
    @counted
    def timeout(self, by_ms: int, then: str) -> None:
        """So much time passes that workers are late."""
        self._ask("advance", then, by_ms=by_ms)
        self._serve("apply")

    @precondition(lambda self: bool(self.simulation.upkeep_times()))
    @rule(fate=st.sampled_from(["wait", "ok"]))
    @counted
    def upkeep(self, fate: str) -> None:
        """Every manager saves its ack level."""
        self._tick("run")
        if fate == "ok":
            self._serve("save")
