"""Stateful fuzzing of the lives of managers: the rules that draw a driver's requests, beside those of the polls.

Four rules:

1. Two hosts share one store, one namespace and one membership, of which each learns when the driver says so, in
   whatever order.
2. What a load asks for is the driver's to decide; so is when a call to unload arrives, a manager that was published
   starts, and a stop ends, and whether it comes again.
3. Emitters tick whenever time moves so far; an operator's scrape is read after every change of it.
4. At the end of a run every callback that a dead generation ever gave to the loop comes once more.
"""

from __future__ import annotations

import attrs
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from conformance.machines.polls import INDEX, THEN, BudgetSpent, PollRegistrationMachine, counted, mostly_first, pick
from conformance.simulation.store import LOADED_KINDS, Call
from conformance.targets.simulation import Simulation
from conformance.targets.world import World
from matching.engine import Engine
from matching.registry import Process

__all__ = ["LIFETIME_WORLD", "PartitionLifetimeMachine"]

LIFETIME_WORLD = World(
    hosts=("h1", "h2"),
    versions=("unversioned",),
    polls=("p1", "p2", "p3"),
    tasks=("t1", "t2", "t3"),
    clusters=("here", "there", "elsewhere"),
    lively=True,
)

FLAGS = (("h1", "h2"), (), ("h1",))
"""The hosts that unload when the namespace's state changes: both, none, or as it is while a flag is rolled out."""

OPENINGS = (
    *("served", "shown", "published", "moved", "called", "unleased"),
    *("wavered", "called_off", "disputed", "failed", "failed_and_ordered", "failed_and_moved"),
)
"""Where a run can begin: what would take many requests drawn one by one."""


class PartitionLifetimeMachine(PollRegistrationMachine):
    """Partitions are loaded, shown, unloaded for every cause and loaded again, overtaken at every step."""

    @initialize(  # shrinks towards an active namespace, a store that is prompt, and hosts that all have the flag
        active=st.sampled_from([True, True, False]),
        prompt=st.sampled_from([True, True, True, False]),
        flags=st.sampled_from(FLAGS),
        openings=st.lists(st.sampled_from(OPENINGS), max_size=2),
        where=INDEX,
    )
    def begin(self, active: bool, prompt: bool, flags: tuple[str, ...], openings: list[str], where: int) -> None:
        if type(self).spent(type(self).examples):
            raise BudgetSpent
        world = attrs.evolve(LIFETIME_WORLD, active=active, prompt=prompt, flags=flags)
        self.simulation = Simulation(world, judge=self._judge(world) if self.judged else None)
        type(self).examples += 1
        for opening in openings:
            if self.simulation.divergence is None:
                getattr(self, f"_{opening}")(where)

    # Loads and unloads

    @rule(host=INDEX, where=INDEX, then=THEN)
    @counted
    def load_at(self, host: int, where: int, then: str) -> None:
        self._ask("load", then, host=self._host(host).host, partition=self._partition(where))

    @rule(host=INDEX, where=INDEX, then=THEN)
    @counted
    def unload_at(self, host: int, where: int, then: str) -> None:
        self._ask("unload", then, host=self._host(host).host, partition=self._partition(where))

    @precondition(lambda self: bool(self._loads()))
    @rule(how=st.sampled_from(["ok", "ok", "error"]), which=INDEX, then=THEN)
    @counted
    def answer_load(self, how: str, which: int, then: str) -> None:
        """A part of somebody's initialisation is answered, or is not there."""
        self._answer(pick(self._loads(), which), then, how)

    @precondition(lambda self: bool(self.simulation.loop.held))
    @rule(which=INDEX, again=st.booleans(), then=THEN)
    @counted
    def arrive(self, which: int, again: bool, then: str) -> None:
        """A call to unload, a start or the end of a stop comes; it may come again."""
        self._ask("arrive", then, callback=pick(list(self.simulation.loop.held), which), again=again)

    @rule(opening=st.sampled_from(OPENINGS), where=INDEX)
    @counted
    def scene(self, opening: str, where: int) -> None:
        """What a run can begin with happens later."""
        getattr(self, f"_{opening}")(where)

    @precondition(lambda self: bool(self.simulation.upkeep_times()))
    @rule(further=st.booleans(), then=THEN)
    @counted
    def tick(self, further: bool, then: str) -> None:
        """Emitters tick; or so much time passes that what nobody uses is given up."""
        self._tick(then, least=10.0 if further else 0.0)

    # The cluster

    @rule(cluster=INDEX, then=THEN)
    @counted
    def change_namespace(self, cluster: int, then: str) -> None:
        """A failover, to here, from here, or between two others; nobody hears of it yet."""
        self._ask("change", then, cluster=pick(self.simulation.world.clusters, cluster))

    @rule(hosts=st.sampled_from([("h1",), ("h2",), ("h1", "h2")]), then=THEN)
    @counted
    def change_hosts(self, hosts: tuple[str, ...], then: str) -> None:
        self._ask("change", then, hosts=list(hosts))

    @precondition(lambda self: bool(self._hearing()))
    @rule(host=INDEX, of=st.sampled_from(["revision", "ownership"]), back=st.sampled_from([0, 0, 1, 2]), then=THEN)
    @counted
    def news(self, host: int, of: str, back: int, then: str) -> None:
        """A host hears the newest of a history, or what was before."""
        cluster = self.simulation.cluster
        most = len(cluster.namespaces if of == "revision" else cluster.memberships)
        self._ask("news", then, host=pick(self._hearing(), host).host, **{of: max(1, most - back)})

    # Processes

    @rule(host=INDEX, what=st.sampled_from(["route", "shutdown", "crash", "end", "boot"]), then=THEN)
    @counted
    def upset(self, host: int, what: str, then: str) -> None:
        """Traffic goes to another host; a host shuts down, crashes, stays away, or is there again."""
        engine = self._host(host)
        process = engine.registry.process
        if what == "route":
            self._ask(what, then, host=engine.host)
        elif process is Process.ENDED:
            self._ask("boot", then, host=engine.host)
        elif what == "shutdown" and process is Process.UP:
            self._ask(what, then, host=engine.host)
        elif what in ("crash", "end"):
            self._ask("crash", then, host=engine.host, **({"down": True} if what == "end" else {}))

    # Openings

    def _served(self, where: int) -> None:
        """A manager serves."""
        self._load_quietly(self.simulation.home, self._partition(where))

    def _shown(self, where: int) -> None:
        """A manager serves, has a record, and has shown it."""
        self._served(where)
        if tasks := self.simulation.free_tasks():
            version = self.simulation.world.versions[0]
            self._ask("add", "run", task=tasks[0], partition=self._partition(where), version=version)
            if not self.simulation.world.prompt:
                self._ask("serve", "run", kind="lease")
            self._ask("serve", "run", kind="append")
        self._tick("run")

    def _published(self, where: int) -> None:
        """A manager is there and has still to start."""
        self._ask("load", "run", host=self.simulation.home.host, partition=self._partition(where))
        for call in self._loads():
            self._answer(call, "run", "ok")

    def _moved(self, where: int) -> None:
        """A manager serves at each of two hosts, of which one has the lease."""
        for engine in self.simulation.engines:
            self._load_quietly(engine, self._partition(where))

    def _called(self, where: int) -> None:
        """A manager that has shown a record is called to unload, for a failover or for new owners."""
        self._shown(where)
        simulation = self.simulation
        home = simulation.home
        if where % 2:
            self._ask("change", "run", cluster="there" if simulation.active else "here")
            self._tell(home, revision=len(simulation.cluster.namespaces))
        else:
            self._give_away()

    def _unleased(self, where: int) -> None:
        """A manager has started, and its emitter ticks before it has the lease."""
        partition = self._partition(where)
        self._load_quietly(self.simulation.home, partition, "turn")
        self._tick("run")

    def _wavered(self, where: int) -> None:
        """A poll waits for a load that is called off, for new owners; the partition has come back meanwhile."""
        if self._poll_patiently(where):
            self._give_away()
            self._give_to([self.simulation.home.host])

    def _called_off(self, where: int) -> None:
        """A poll waits for a load that is called off, for new owners."""
        if self._poll_patiently(where):
            self._give_away()
            self._let_unload_come(self._partition(where), "run")

    def _disputed(self, where: int) -> None:
        """A poll waits for a load that is called off, for new owners; an order loads again before the poll goes on."""
        simulation, partition = self.simulation, self._partition(where)
        if self._poll_patiently(where):
            self._give_away()
            if self._let_unload_come(partition, "stay"):
                self._ask("load", "stay", host=simulation.home.host, partition=partition)

    def _failed(self, where: int) -> None:
        """A poll waits for a load that fails."""
        if self._poll_patiently(where) and (loads := self._loads()):
            self._answer(loads[-1], "run", "error")

    def _failed_and_ordered(self, where: int) -> None:
        """An order loads again what has failed while a poll waits, and it serves."""
        self._failed(where)
        self._load_quietly(self.simulation.home, self._partition(where))

    def _failed_and_moved(self, where: int) -> None:
        """A load fails while a poll waits, and the partition is given to another host."""
        self._failed(where)
        self._give_away()

    # Helpers

    def _poll_patiently(self, where: int) -> bool:
        """A patient poll comes, if there is one that may."""
        simulation = self.simulation
        polls = simulation.free_polls()
        if polls:
            asked = {"poll": polls[0], "worker": simulation.world.workers[0], "wait_ms": 10000}
            version = simulation.world.versions[0]
            self._ask("poll", "run", **asked, partition=self._partition(where), version=version)
        return bool(polls)

    def _give_away(self) -> None:
        """The other host owns everything, of which the first one hears."""
        self._give_to([host for host in self.simulation.world.hosts if host != self.simulation.home.host])

    def _give_to(self, hosts: list[str]) -> None:
        """These hosts own everything, of which the first one hears."""
        self._ask("change", "run", hosts=hosts)
        self._tell(self.simulation.home, ownership=len(self.simulation.cluster.memberships))

    def _let_unload_come(self, partition: str, then: str) -> bool:
        """The last call to unload a partition at home that was held back comes, if there is one."""
        home = self.simulation.home.host
        named = [each for each in self.simulation.loop.held if each.startswith(f"unload {partition}#")]
        calls = [each for each in named if each.endswith(f"@{home}")]
        if calls:
            self._ask("arrive", then, callback=calls[-1], again=False)
        return bool(calls)

    def _load_quietly(self, engine: Engine, partition: str, then: str = "run") -> None:
        self._ask("load", "run", host=engine.host, partition=partition)
        for _ in range(2):
            for kind in LOADED_KINDS:
                self._ask("serve", "run", kind=kind)
        for name in [each for each in self.simulation.loop.held if each.startswith("start ")]:
            self._ask("arrive", then, callback=name)

    def _tell(self, engine: Engine, **news: int) -> None:
        """Tell a host of a change that has just come."""
        if engine.registry.process is not Process.ENDED:
            self._ask("news", "run", host=engine.host, **news)

    def _tick(self, then: str, least: float = 0.0) -> None:
        simulation = self.simulation
        now = simulation.loop.time()
        if upkeep := [each for each in simulation.upkeep_times() if each >= now + least]:
            self._ask("advance", then, by_ms=max(1, round((upkeep[0] - now) * 1000)))

    def _host(self, which: int) -> Engine:
        """The host that is home, five times in eight."""
        home = self.simulation.home
        engine: Engine = mostly_first([home, *(each for each in self.simulation.engines if each is not home)], which)
        return engine

    def _partition(self, where: int) -> str:
        return str(mostly_first(self.simulation.world.partitions, where))

    def _hearing(self) -> list[Engine]:
        return [each for each in self.simulation.engines if each.registry.process is not Process.ENDED]

    def _loads(self) -> list[Call]:
        """What loads ask for."""
        return [call for call in self.simulation.store.waiting() if call.kind in LOADED_KINDS]
