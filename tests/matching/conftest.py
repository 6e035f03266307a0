"""A service in the simulation, for tests that say in requests what happens and look at the steps that were told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from conformance.targets.simulation import Simulation, judge_for
from conformance.targets.world import World
from matching.identity import PartitionKey
from matching.manager import PartitionManager

PARTITION = World().partitions[0]


@attrs.define
class Service:
    """The simulation with short words for its requests; what it does is judged as it goes."""

    simulation: Simulation

    def poll(self, name: str, *, run: bool = True, wait_ms: int = 1000, version: str = "unversioned") -> None:
        self._ask("poll", run, poll=name, worker="w1", partition=PARTITION, version=version, wait_ms=wait_ms)

    def add(self, name: str, *, run: bool = True, version: str = "unversioned") -> None:
        self._ask("add", run, task=name, partition=PARTITION, version=version)

    def leave(self, name: str, *, run: bool = True) -> None:
        self._ask("leave", run, poll=name)

    def advance(self, by_ms: int, *, run: bool = True) -> None:
        self._ask("advance", run, by_ms=by_ms)

    def failover(self, *, active: bool, run: bool = True) -> None:
        self._ask("failover", run, active=active)

    def unload(self, *, run: bool = True) -> None:
        self._ask("unload", run, partition=PARTITION)

    def run(self) -> None:
        self.simulation.request({"do": "run"})

    def answer(self, call: str, *, effect: str | None = "commit", answer: str = "ok", run: bool = True) -> None:
        """Let the store answer a call, such as ``append t1``; ``read`` is the read that waits."""
        names = [each.name for each in self.simulation.calls()]
        name = next(each for each in names if each.startswith(call))
        self._ask("store", run, call=name, answer=answer, **({} if effect is None else {"effect": effect}))

    def store(self, *names: str) -> None:
        """Add these tasks, and let the store do all that follows."""
        for name in names:
            self.add(name)
        self.rest()

    def rest(self) -> None:
        """Let the store answer everything that it is asked, in turn."""
        while calls := self.simulation.calls():
            self.answer(calls[0].name)

    def told(self, *actions: str) -> list[tuple[Any, ...]]:
        """The steps of these actions, each with its arguments, in the order in which they were told."""
        steps = self.simulation.recorder.steps
        return [(step.action, *step.args) for step in steps if step.action in actions]

    @property
    def returned(self) -> dict[str, tuple[str, ...]]:
        """What the calls of poll returned."""
        return {poll: answer for _, poll, answer in self.told("Return")}

    @property
    def manager(self) -> PartitionManager:
        return self.simulation.engine.managers[PartitionKey.parse(PARTITION)]

    def _ask(self, what: str, run: bool, **details: Any) -> None:
        self.simulation.request({"do": what, **details, **({"run": True} if run else {})})


@pytest.fixture
def service() -> Iterator[Service]:
    """A service whose run must be one that the specification allows, without a mistake that asyncio only logs."""
    simulation = Simulation(judge=judge_for(World()))
    yield Service(simulation)
    divergence, mistake = simulation.divergence, simulation.mistake
    left = simulation.close()
    assert divergence is None, divergence
    assert mistake is None
    assert left == []
