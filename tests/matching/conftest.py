"""A service in the simulation, for tests that say in requests what happens and look at the steps that were told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest

from conformance.simulation.store import Effect
from conformance.targets.simulation import Simulation, judge_for
from conformance.targets.world import World
from matching.identity import PartitionKey
from matching.manager import PartitionManager

PARTITION = World().partitions[0]
KEY = PartitionKey.parse(PARTITION)

Serve = Callable[..., "Service"]


@attrs.define
class Service:
    """The simulation with short words for its requests; what it does is judged as it goes."""

    simulation: Simulation

    # What is asked

    def poll(self, name: str, *, run: bool = True, wait_ms: int = 1000, version: str = "unversioned") -> None:
        self._ask("poll", run, poll=name, worker="w1", partition=PARTITION, version=version, wait_ms=wait_ms)

    def add(self, *names: str, run: bool = True, version: str = "unversioned") -> None:
        for name in names:
            self._ask("add", run, task=name, partition=PARTITION, version=version)

    def leave(self, name: str, *, run: bool = True) -> None:
        self._ask("leave", run, poll=name)

    def lose(self, name: str, *, interrupt: bool = False, run: bool = True) -> None:
        """Let the caller of an add give up."""
        self._ask("lose", run, task=name, interrupt=interrupt)

    def advance(self, by_ms: int, *, run: bool = True) -> None:
        self._ask("advance", run, by_ms=by_ms)

    def failover(self, *, active: bool, run: bool = True) -> None:
        self._ask("failover", run, active=active)

    def load(self, host: str = "h1") -> None:
        self._ask("load", True, partition=PARTITION, host=host)

    def unload(self, *, run: bool = True) -> None:
        self._ask("unload", run, partition=PARTITION)

    def workflow(self, name: str) -> None:
        """Let a run begin, whose first task is then on its way."""
        self._ask("workflow", True, execution=name)

    def terminate(self, name: str) -> None:
        self._ask("terminate", True, execution=name)

    def run(self) -> None:
        self.simulation.request({"do": "run"})

    def turn(self) -> None:
        """Let the callbacks run that are queued now, and not those that they queue."""
        self.simulation.request({"do": "turn"})

    def answer(self, call: str, *, effect: str | None = "commit", answer: str | None = "ok", run: bool = True) -> None:
        """Let the first call whose name begins so take effect and be answered."""
        name = next(each for each in self.calls() if each.startswith(call))
        chosen = {"effect": effect, "answer": answer}
        self._ask("store", run, call=name, **{part: value for part, value in chosen.items() if value is not None})

    def store(self, *names: str) -> None:
        """Add these tasks, and let the store do all that follows."""
        for name in names:
            self.add(name)
        self.rest()

    def rest(self) -> None:
        """Let everything be answered that waits, in turn, and what follows happen."""
        while calls := self.simulation.calls():
            self.answer(calls[0].name, effect="commit" if calls[0].effect is Effect.PENDING else None)

    # What is seen

    def calls(self, kind: str = "") -> list[str]:
        """The names of the calls that wait."""
        return [call.name for call in self.simulation.calls() if call.name.startswith(kind)]

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
        return self.simulation.engine.managers[KEY]

    @property
    def stored(self) -> dict[int, str]:
        """The durable records of the partition, by id."""
        queue = self.simulation.store.queues[KEY]
        return {record_id: str(record.task.task_id) for record_id, record in queue.records.items()}

    @property
    def available(self) -> list[str]:
        """The tasks in the manager's memory, in the order in which they are offered."""
        return [str(record.task.task_id) for record in self.manager.backlog.memory.available()]

    def _ask(self, what: str, run: bool, **details: Any) -> None:
        self.simulation.request({"do": what, **details, **({"run": True} if run else {})})


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Makes services by what is unusual about their worlds.

    The run of each must be one that the specification allows, without a mistake that asyncio only logs.
    """
    made: list[Simulation] = []

    def serve(**world: Any) -> Service:
        chosen = World(**world)
        made.append(Simulation(chosen, judge=judge_for(chosen)))
        service = Service(made[-1])
        service.run()
        service.rest()  # History has its shard
        return service

    yield serve
    for simulation in made:
        divergence, mistake = simulation.divergence, simulation.mistake
        left = simulation.close()
        assert divergence is None, divergence
        assert mistake is None
        assert left == []


@pytest.fixture
def service(serve: Serve) -> Service:
    """A service whose store decides about leases, savings and deletes itself, at once and well."""
    return serve()


@pytest.fixture
def strict(serve: Serve) -> Service:
    """A service of which the test decides every call of the store."""
    return serve(prompt=False)
