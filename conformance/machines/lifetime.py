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

from conformance.machines.lifetime_scenes import OPENINGS, LifetimeScenes
from conformance.machines.polls import INDEX, THEN, BudgetSpent, counted, mostly_first, pick
from conformance.targets.simulation import Simulation
from conformance.targets.world import World
from matching.engine import Engine
from matching.registry import Process

__all__ = ["LIFETIME_WORLD", "PartitionLifetimeMachine"]

LIFETIME_WORLD = World(
    hosts=("h1", "h2"),
    partitions=("shop/bills/workflow/0", "shop/orders/activity/1"),
    versions=("unversioned",),
    polls=("p1", "p2", "p3"),
    tasks=("t1", "t2", "t3"),
    clusters=("here", "there", "elsewhere"),
    lively=True,
)
"""Where both hosts are there the first owns the first partition, the second the other; the two differ in every label
in which they can."""

FLAGS = (("h1", "h2"), (), ("h1",))
"""The hosts that unload when the namespace's state changes: both, none, or as it is while a flag is rolled out."""


class PartitionLifetimeMachine(LifetimeScenes):
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

    # Helpers

    def _host(self, which: int) -> Engine:
        """The host that is home, five times in eight."""
        engine: Engine = mostly_first([self.simulation.home, *self.simulation.others], which)
        return engine

    def _hearing(self) -> list[Engine]:
        return [each for each in self.simulation.engines if each.registry.process is not Process.ENDED]
