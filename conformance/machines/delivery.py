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

from conformance.machines.polls import (
    INDEX,
    THEN,
    BudgetSpent,
    PollRegistrationMachine,
    counted,
    mostly_first,
    pick,
)
from conformance.simulation.store import Effect
from conformance.targets.references import is_free
from conformance.targets.rest import EVERY_KIND
from conformance.targets.simulation import Simulation
from conformance.targets.world import World
from matching.identity import Item

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


OPENINGS = ("given", "doubtful", "abandoned", "retried", "activity", "fenced", "stolen", "crowded", "overtaken")
"""Where a run can begin: what would take many requests drawn one by one."""


class DeliveryMachine(PollRegistrationMachine):
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
        call = pick(self.simulation.calls(), which)
        chosen = {"effect": effect} if call.effect is Effect.PENDING else {}
        self._ask("store", "run", call=call.name, **chosen, answer="error")

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
        else:
            self._tick(then)

    @rule(where=INDEX, then=THEN)
    @counted
    def steal(self, where: int, then: str) -> None:
        """A host that is not home loads a partition, and so takes its lease."""
        simulation = self.simulation
        engine = next(each for each in simulation.engines if each is not simulation.home)
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

    # Openings

    def _given(self, where: int) -> None:
        self._bring_to_worker(stored=where >= 5, until="given")

    def _doubtful(self, where: int) -> None:
        """A start was recorded, and Matching does not learn of it."""
        self._bring_to_worker(stored=where >= 4, until="started")
        decided = [call for call in self.simulation.history.starts.waiting() if call.effect is not Effect.PENDING]
        for call in decided:
            self._ask("store", "run", call=call.name, answer="error")

    def _abandoned(self, where: int) -> None:
        """A worker leaves while its poll's handler asks; another one polls."""
        self._bring_to_worker(stored=where >= 2, until="asked")
        for poll in self.simulation.open_polls()[-1:]:
            self._ask("leave", "run", poll=poll)
        if polls := self.simulation.free_polls():
            self._usual_poll_at(self.simulation.world.partitions[0], polls[0])

    def _retried(self, where: int) -> None:
        """A worker is late, and another has the next attempt."""
        self._bring_to_worker(stored=False, until="given")
        self._ask("advance", "run", by_ms=2000)
        self._serve("apply")
        if polls := self.simulation.free_polls():
            self._usual_poll_at(self.simulation.world.partitions[0], polls[0])
        for _ in range(2):
            self._serve("start")
            self._serve("apply")

    def _activity(self, where: int) -> None:
        """An activity is with a worker."""
        self._bring_to_worker(stored=False, until="given")
        for item in self.simulation.history.tokens[-1:]:
            if "activity" in self.simulation.history.next_commands(item.event_id):
                self._complete_task(item, "activity", "run")
                self._serve("apply")
                self._bring_to_worker(stored=where >= 5, until="given")

    def _fenced(self, where: int) -> None:
        """History begins anew twice, and the first takeover comes after the second."""
        for _ in range(2):
            self._ask("restart", "run")
        for call in [call for call in self.simulation.calls() if call.kind == "take"][:-3:-1]:
            self._ask("store", "run", call=call.name, effect="commit", answer="ok")
            self._serve("load")

    def _stolen(self, where: int) -> None:
        simulation = self.simulation
        other = next(each for each in simulation.engines if each is not simulation.home)
        self._ask("load", "run", partition=mostly_first(simulation.world.partitions, where), host=other.host)
        self._serve("lease")

    def _overtaken(self, where: int) -> None:
        """A block of ids is used up, a task waits for the next one, and another host has taken the lease."""
        self._crowded(where)
        self._stolen(where)
        if tasks := self.simulation.free_tasks():
            self._add_at(mostly_first(self.simulation.world.partitions, where), tasks[0])

    def _crowded(self, where: int) -> None:
        simulation = self.simulation
        partition = mostly_first(simulation.world.partitions, where)
        for task in simulation.free_tasks()[:3]:
            self._add_at(partition, task)
        self._store_and_read()

    # Helpers

    def _begin_workflow(self) -> None:
        if runs := self.simulation.history.free_runs():
            self._make_room()
            self._ask("workflow", "run", execution=runs[0])
            self._serve("apply")

    def _make_room(self) -> None:
        """Forget a task that nobody refers to, where otherwise History would wait for an id."""
        simulation = self.simulation
        used = [task for task in simulation.free_tasks() if task in simulation.recorder.books.queue]
        if len(used) == len(simulation.free_tasks()) and used:
            for poll in simulation.received(used[0]):
                self._ask("forget", "stay", poll=poll)
            self._ask("forget", "stay", task=used[0])

    def _bring_to_worker(self, stored: bool, until: str) -> None:
        simulation = self.simulation
        activity = bool(self._due_activities())
        partition = simulation.world.partitions[1 if activity else 0]
        if stored:
            if not activity:
                self._begin_workflow()
            self._store_and_read()
        if polls := simulation.free_polls():
            self._usual_poll_at(partition, polls[0])
        if not stored and not activity:
            self._begin_workflow()
        for call in self._starts()[-1:] if until != "asked" else []:
            self._ask("store", "run", call=call.name, effect="commit")
            self._serve("apply")
            if until == "given":
                self._serve("start")

    def _add_at(self, partition: str, task: str) -> None:
        self._ask("add", "run", task=task, partition=partition, version=self.simulation.world.versions[0])

    def _usual_poll_at(self, partition: str, poll: str) -> None:
        world = self.simulation.world
        self._ask(
            "poll",
            "run",
            poll=poll,
            worker=world.workers[0],
            partition=partition,
            version=world.versions[0],
            wait_ms=10_000,
        )

    def _store_and_read(self) -> None:
        for kind in ("lease", "append", "apply", "read"):
            self._serve(kind)

    def _due_activities(self) -> list[str]:
        """Activities that a worker could start."""
        return [event for event in self.simulation.history.waiting_events() if not event.endswith("/1")]

    def _complete_task(self, item: Item, decides: str, then: str) -> None:
        self._ask("complete", then, token=f"{item.event_id}.{item.attempt}", decides=decides)

    def _tick(self, then: str) -> None:
        simulation = self.simulation
        if upkeep := simulation.upkeep_times():
            by_ms = max(1, round((upkeep[0] - simulation.loop.time()) * 1000))
            self._ask("advance", then, by_ms=by_ms)

    def _closed_events(self) -> list[str]:
        """Events of closed runs whose tasks nobody refers to any more."""
        simulation = self.simulation
        held = {item[0] for task, item in simulation.recorder.books.carries.items() if not is_free(simulation, task)}
        return [event for event in simulation.history.over_events() if simulation.loop.idle and event not in held]

    def _starts(self) -> list[Any]:
        return [
            call
            for call in self.simulation.history.starts.waiting()
            if call.effect is Effect.PENDING and not call.answered
        ]

    def _serve(self, kind: str) -> None:
        """Let the calls of one kind take effect and be answered, and what follows happen."""
        if any(kind in (call.kind, EVERY_KIND) for call in self.simulation.calls()):
            self._ask("serve", "run", kind=kind)
