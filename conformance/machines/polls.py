"""Stateful fuzzing of poll registration: the rules that draw a driver's requests.

Four rules:

1. A rule makes one request, and has a precondition so that the request does something;
   only ``stock`` makes the few that put a record into memory, and ``race`` those that
   end a poll in the very tick in which it is given a task.
2. Each request draws whether callbacks then run until none is left, for one turn of
   the loop, or not yet: only so do an answer of the store, a caller that leaves and a
   timer meet in one and the same tick, in every order that the ordinary loop knows.
3. The machine knows nothing of what is right.  The simulation's judge does, and one
   line of this file raises what it found.
4. Every run ends at rest, where the specification must owe nothing.
"""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from conformance.judge import Judge
from conformance.simulation.store import Effect
from conformance.targets.simulation import PendingCall, Run, Simulation, judge_for
from conformance.targets.world import World
from matching.identity import PollId

__all__ = [
    "INDEX",
    "THEN",
    "BudgetSpent",
    "ConformanceError",
    "PollRegistrationMachine",
    "counted",
    "mostly_first",
    "pick",
]

INDEX = st.integers(0, 7)
WAITS_MS = st.sampled_from([1000, 10000, 100, 0])
STEPS = st.sampled_from(["next", "next", "later", "between"])
THEN = st.sampled_from(["run", "stay", "stay", "turn"])
"""What happens after a request: callbacks run until none is left, for one turn of the loop, or not yet."""


def counted(rule_body: Callable[..., None]) -> Callable[..., None]:
    """Count each time that the rule is taken."""

    @functools.wraps(rule_body)
    def count_and_do(self: PollRegistrationMachine, **drawn: Any) -> None:
        type(self).rules_taken[rule_body.__name__] += 1
        rule_body(self, **drawn)

    return count_and_do


class ConformanceError(AssertionError):
    """The run left the specification, or the service made a mistake that asyncio would have hidden."""


class BudgetSpent(KeyboardInterrupt):
    """No further run is wanted: an interrupt, for that alone makes Hypothesis leave at once."""


class PollRegistrationMachine(RuleBasedStateMachine):
    """Workers poll, producers add, callers leave, time passes, the store answers or does not, managers come and go."""

    judged: ClassVar[bool] = True
    last_run: ClassVar[Run | None] = None
    """The last run that failed; after shrinking, the smallest."""
    actions: ClassVar[Counter[str]] = Counter()
    requests: ClassVar[Counter[str]] = Counter()
    rules_taken: ClassVar[Counter[str]] = Counter()
    examples: ClassVar[int] = 0
    """How many runs were begun; those that Hypothesis gave up half-way are judged as far as they go, and count."""
    spent: ClassVar[Callable[[int], bool]] = staticmethod(lambda examples: False)
    """Whether so many runs are enough."""

    simulation: Simulation

    @classmethod
    def start_counting(cls, spent: Callable[[int], bool] = lambda examples: False) -> None:
        """Forget what earlier runs counted and found; once so many are enough, `BudgetSpent` is raised."""
        cls.actions, cls.requests, cls.rules_taken = Counter(), Counter(), Counter()
        cls.examples, cls.last_run, cls.spent = 0, None, staticmethod(spent)

    @classmethod
    def rule_names(cls) -> set[str]:
        """The names of the rules that requests are drawn by."""
        return {name for name, member in inspect.getmembers(cls) if hasattr(member, "hypothesis_stateful_rule")}

    @initialize(active=st.sampled_from([True, True, False]))  # shrinks towards an active namespace
    def begin(self, active: bool) -> None:
        if type(self).spent(type(self).examples):
            raise BudgetSpent
        world = World(active=active)
        self.simulation = Simulation(world, judge=self._judge(world) if self.judged else None)
        type(self).examples += 1

    # What is asked

    @precondition(lambda self: self._has(self.simulation.free_polls))
    @rule(then=THEN)
    @counted
    def usual_poll(self, then: str) -> None:
        """A patient poll of the first worker, where most tasks are."""
        self.poll(which=0, worker=0, where=0, version=0, wait_ms=10000, then=then)

    @precondition(lambda self: self._has(self.simulation.free_tasks))
    @rule(then=THEN)
    @counted
    def usual_add(self, then: str) -> None:
        """A task where most polls are."""
        self.add(which=0, where=0, version=0, then=then)

    @precondition(lambda self: self._has(self.simulation.free_polls))
    @rule(which=INDEX, worker=INDEX, where=INDEX, version=INDEX, wait_ms=WAITS_MS, then=THEN)
    @counted
    def poll(self, which: int, worker: int, where: int, version: int, wait_ms: int, then: str) -> None:
        self._ask(
            "poll",
            then,
            poll=pick(self.simulation.free_polls(), which),
            worker=pick(self.simulation.world.workers, worker),
            partition=mostly_first(self.simulation.world.partitions, where),
            version=mostly_first(self.simulation.world.versions, version),
            wait_ms=wait_ms,
        )

    @precondition(lambda self: self._has(self.simulation.free_tasks))
    @rule(which=INDEX, where=INDEX, version=INDEX, then=THEN)
    @counted
    def add(self, which: int, where: int, version: int, then: str) -> None:
        self._ask(
            "add",
            then,
            task=pick(self.simulation.free_tasks(), which),
            partition=mostly_first(self.simulation.world.partitions, where),
            version=mostly_first(self.simulation.world.versions, version),
        )

    @precondition(lambda self: self._has(self.simulation.open_polls))
    @rule(which=INDEX, then=THEN)
    @counted
    def leave(self, which: int, then: str) -> None:
        self._ask("leave", then, poll=pick(self.simulation.open_polls(), which))

    @precondition(lambda self: self._has(self.simulation.calls))
    @rule(which=INDEX, then=THEN)
    @counted
    def complete(self, which: int, then: str) -> None:
        call = pick(self.simulation.calls(), which)
        self._answer(call, then, "ok")

    @precondition(lambda self: any(call.effect is Effect.PENDING for call in self.simulation.calls()))
    @rule(which=INDEX, then=THEN)
    @counted
    def take_effect(self, which: int, then: str) -> None:
        """A call takes effect now and is answered later: what happens in between, its answer does not know."""
        pending = [call for call in self.simulation.calls() if call.effect is Effect.PENDING]
        self._ask("store", then, call=pick(pending, which).name, effect="commit")

    @precondition(lambda self: self._has(self.simulation.free_tasks))
    @rule(where=INDEX, version=INDEX)
    @counted
    def stock(self, where: int, version: int) -> None:
        """A task is added, written and read while nothing else happens: much begins with a record in memory."""
        task = self.simulation.free_tasks()[0]
        partition = mostly_first(self.simulation.world.partitions, where)
        self.add(which=0, where=where, version=version, then="run")
        for name in (f"lease {partition}#", f"append {task}", f"read {partition}#"):
            call = next((call for call in self.simulation.calls() if call.name.startswith(name)), None)
            if call is not None:
                self._answer(call, "run", "ok")

    @precondition(lambda self: self._has(self.simulation.open_polls))
    @rule(which=INDEX, end=st.sampled_from(["leave", "unload"]))
    @counted
    def race(self, which: int, end: str) -> None:
        """A poll is given a task by a read, a failover or an add, and its caller leaves or its manager stops."""
        simulation = self.simulation
        poll = simulation.caller.polls[PollId(pick(simulation.open_polls(), which))].request
        where = {"partition": str(poll.partition), "version": poll.version}
        if read := next((call for call in simulation.calls() if call.kind == "read"), None):
            self._answer(read, "turn", "ok")
        elif not simulation.active:
            self._ask("failover", "stay", active=True)
        elif free := simulation.free_tasks():
            self._ask("add", "stay", task=free[0], **where)
        if end == "leave" and poll.poll_id in simulation.open_polls():
            self._ask("leave", "run", poll=poll.poll_id)
        elif poll.partition in simulation.home.managers:
            self._ask("unload", "run", partition=str(poll.partition))

    @precondition(lambda self: self._has(self.simulation.calls))
    @rule(
        which=INDEX,
        effect=st.sampled_from(["commit", "fail"]),
        answer=st.sampled_from([None, "error"]),
        then=THEN,
    )
    @counted
    def trouble(self, which: int, effect: str, answer: str | None, then: str) -> None:
        call = pick(self.simulation.calls(), which)
        if call.effect is Effect.PENDING:
            self._ask("store", then, call=call.name, effect=effect, **({} if answer is None else {"answer": answer}))
        else:
            self._ask("store", then, call=call.name, answer="error")

    @precondition(lambda self: self._has(self.simulation.times))
    @rule(to=STEPS, rotate=st.integers(0, 1), then=THEN)
    @counted
    def advance(self, to: str, rotate: int, then: str) -> None:
        """Time passes up to the next moment at which something is due, up to the one after it, or less."""
        times, now = self.simulation.times(), self.simulation.loop.time()
        due = times[min(len(times) - 1, 1 if to == "later" else 0)]
        by_ms = max(1, round((due - now) * (500 if to == "between" else 1000)))
        self._ask("advance", then, by_ms=by_ms, rotate=rotate)

    @precondition(lambda self: self._has(self.simulation.calls))
    @rule(then=THEN)
    @counted
    def complete_newest(self, then: str) -> None:
        self.complete(which=-1, then=then)

    @rule(kind=st.sampled_from(["unload", "failover", "load"]), where=INDEX, then=THEN)
    @counted
    def disturb(self, kind: str, where: int, then: str) -> None:
        """A passive namespace becomes active before anything else happens to the cluster: tasks move when it is."""
        simulation = self.simulation
        loaded = [str(partition) for partition in simulation.home.managers]
        absent = [partition for partition in simulation.world.partitions if partition not in loaded]
        if kind == "failover" or not simulation.active:
            self._ask("failover", then, active=not simulation.active)
        elif kind == "unload" and loaded:
            self._ask(kind, then, partition=pick(loaded, where))
        elif absent:
            self._ask("load", then, partition=pick(absent, where))

    @precondition(lambda self: not self.simulation.loop.idle)
    @rule(what=st.sampled_from(["run", "turn"]))
    @counted
    def run(self, what: str) -> None:
        self._ask(what, "stay")

    # How it is judged

    @invariant()
    def conforms(self) -> None:
        """Raise what the judge found, from this one line."""
        simulation = self.simulation
        if simulation.divergence is None and simulation.mistake is None:
            return
        if simulation.divergence is None:
            simulation.finish()  # what a mistake left undone says more than its message
        divergence, mistake = simulation.divergence, simulation.mistake
        type(self).last_run = simulation.recorded()
        raise ConformanceError(divergence.headline if divergence is not None else mistake)

    def teardown(self) -> None:
        simulation = getattr(self, "simulation", None)
        if simulation is None:
            return
        judge = simulation.recorder.judge
        try:
            if simulation.divergence is None and simulation.mistake is None:
                simulation.finish()
                self.conforms()
        finally:
            if judge is not None:
                type(self).actions.update(judge.actions_taken)
            left = simulation.close()
        found = simulation.divergence is not None or simulation.mistake is not None
        assert found or not left, f"tasks would not end: {', '.join(left)}"

    # Helpers

    def _judge(self, world: World) -> Judge:
        return judge_for(world)

    def _has(self, some: Callable[[], Any]) -> bool:
        return bool(some())

    def _answer(self, call: PendingCall, then: str, answer: str, effect: str = "commit") -> None:
        """Answer a call; one that is still to be decided takes effect first, or does not."""
        chosen = {"effect": effect} if call.effect is Effect.PENDING else {}
        self._ask("store", then, call=call.name, **chosen, answer=answer)

    def _ask(self, what: str, then: str, **details: Any) -> None:
        """Make a request, unless the run has left the specification: then nothing that follows is noted."""
        if self.simulation.divergence is not None:
            return
        request: Mapping[str, Any] = {"do": what, **details, **({then: True} if then != "stay" else {})}
        type(self).requests[what] += 1
        self.simulation.request(request)


def pick(choices: Any, index: int) -> Any:
    return choices[index % len(choices)]


def mostly_first(choices: Any, index: int) -> Any:
    """The first, five times in eight: runs in which things meet say more."""
    return choices[0] if index < 5 else choices[index % len(choices)]
