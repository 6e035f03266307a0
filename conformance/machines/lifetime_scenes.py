"""What a run of lifetime can begin with, or come to later: several requests that belong together.

Two rules:

1. A scene asks only for what can be asked for where it begins; of what it cannot have it leaves out the rest.
2. It knows nothing of what is right, as the rules of the machines do not.
"""

from __future__ import annotations

from collections.abc import Sequence

from conformance.machines.polls import PollRegistrationMachine, mostly_first
from conformance.simulation.store import LOADED_KINDS, Call
from matching.engine import Engine
from matching.registry import Process

__all__ = ["OPENINGS", "LifetimeScenes"]

OPENINGS = (
    *("served", "shown", "published", "moved", "called", "unleased", "stranded", "left_alone"),
    *("wavered", "called_off", "disputed", "failed", "failed_and_ordered", "failed_and_moved"),
    *("failed_in_a_hurry", "outrun"),
)
"""Where a run can begin: what would take many requests drawn one by one."""


class LifetimeScenes(PollRegistrationMachine):
    """Openings, each a method of its name, and the helpers that they share with the rules."""

    # Openings

    def _served(self, where: int) -> None:
        """A manager serves."""
        self._load_quietly(self.simulation.home, self._partition(where))

    def _shown(self, where: int) -> None:
        """A manager serves, has a record, and has shown it."""
        self._served(where)
        if self._let_add(where):
            self._serve_unless_prompt("lease")
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

    def _outrun(self, where: int) -> None:
        """The other host has the lease and has counted a record, which the first one then hands over and deletes."""
        self._shown(where)
        self._ask("serve", "run", kind="read")
        for engine in self.simulation.others:
            self._load_quietly(engine, self._partition(where))
        self._serve_unless_prompt("lease")
        self._let_poll(where)
        self._serve_unless_prompt("delete")

    def _called(self, where: int) -> None:
        """A manager that has shown a record is called to unload, for a failover or for new owners."""
        self._shown(where)
        if where % 2:
            self._fail_over("there" if self.simulation.active else "here")
        else:
            self._give_away()

    def _unleased(self, where: int) -> None:
        """A manager has started, and its emitter ticks before it has the lease."""
        partition = self._partition(where)
        self._load_quietly(self.simulation.home, partition, "turn")
        self._tick("run")

    def _stranded(self, where: int) -> None:
        """A poll waits beside a record, or beside a task that waits for an id, until the namespace becomes active."""
        self._fail_over("there")
        if where % 2:
            self._served(where)
            self._let_add(where)
        else:
            self._shown(where)
            self._ask("serve", "run", kind="read")
        self._let_poll(where)
        self._fail_over("here")

    def _left_alone(self, where: int) -> None:
        """A manager has served a poll, and nobody uses it until it may go, to the moment and a bit longer."""
        self._served(where)
        self._let_poll(where, wait_ms=100)
        for by_ms in (100, 9900, 200):
            self._ask("advance", "run", by_ms=by_ms)

    def _wavered(self, where: int) -> None:
        """A poll waits for a load that is called off, for new owners; the partition has come back meanwhile."""
        if self._let_poll(where):
            self._give_away()
            self._give_to([self.simulation.home.host])

    def _called_off(self, where: int) -> None:
        """A poll waits for a load that is called off, for new owners."""
        if self._let_poll(where):
            self._give_away()
            self._let_unload_come(self._partition(where), "run")

    def _disputed(self, where: int) -> None:
        """A poll waits for a load that is called off, for new owners; an order loads again before the poll goes on."""
        simulation, partition = self.simulation, self._partition(where)
        if self._let_poll(where):
            self._give_away()
            if self._let_unload_come(partition, "stay"):
                self._ask("load", "stay", host=simulation.home.host, partition=partition)

    def _failed(self, where: int, wait_ms: int = 10000) -> None:
        """A poll waits for a load that fails."""
        if self._let_poll(where, wait_ms) and (loads := self._loads()):
            self._answer(loads[-1], "run", "error")

    def _failed_in_a_hurry(self, where: int) -> None:
        """A load fails while a poll waits that ends before another may begin."""
        self._failed(where, wait_ms=100)
        self._ask("advance", "run", by_ms=100)

    def _failed_and_ordered(self, where: int) -> None:
        """An order loads again what has failed while a poll waits, and it serves."""
        self._failed(where)
        self._load_quietly(self.simulation.home, self._partition(where))

    def _failed_and_moved(self, where: int) -> None:
        """A load fails while a poll waits, and the partition is given to another host."""
        self._failed(where)
        self._give_away()

    # Helpers

    def _let_poll(self, where: int, wait_ms: int = 10000) -> bool:
        """A poll comes, if there is one that may; a patient one mostly."""
        simulation = self.simulation
        polls = simulation.free_polls()
        if polls:
            asked = {"poll": polls[0], "worker": simulation.world.workers[0], "wait_ms": wait_ms}
            version = simulation.world.versions[0]
            self._ask("poll", "run", **asked, partition=self._partition(where), version=version)
        return bool(polls)

    def _let_add(self, where: int) -> bool:
        """A task comes, if there is one that may."""
        simulation = self.simulation
        tasks = simulation.free_tasks()
        if tasks:
            version = simulation.world.versions[0]
            self._ask("add", "run", task=tasks[0], partition=self._partition(where), version=version)
        return bool(tasks)

    def _fail_over(self, cluster: str) -> None:
        """The namespace is active in this cluster, of which the first host hears."""
        self._ask("change", "run", cluster=cluster)
        self._tell(self.simulation.home, revision=len(self.simulation.cluster.namespaces))

    def _give_away(self) -> None:
        """The other host owns everything, of which the first one hears."""
        self._give_to([engine.host for engine in self.simulation.others])

    def _give_to(self, hosts: Sequence[str]) -> None:
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

    def _serve_unless_prompt(self, kind: str) -> None:
        """Calls of a kind are answered that a prompt store answers by itself."""
        if not self.simulation.world.prompt:
            self._ask("serve", "run", kind=kind)

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

    def _partition(self, where: int) -> str:
        return str(mostly_first(self.simulation.world.partitions, where))

    def _loads(self) -> list[Call]:
        """What loads ask for."""
        return [call for call in self.simulation.store.waiting() if call.kind in LOADED_KINDS]
