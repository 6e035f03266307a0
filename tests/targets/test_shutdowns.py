"""When a shutdown is over: what its own process waits for counts, and nothing of one that has ended before."""

from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from conformance.machines.lifetime import LIFETIME_WORLD
from conformance.targets.simulation import Simulation, judge_for
from matching.registry import ManagerRegistry

WORLD = attrs.evolve(LIFETIME_WORLD, hosts=("h1",), prompt=False)
PARTITION = WORLD.partitions[0]
WHAT = {"partition": PARTITION, "version": "unversioned"}


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    made = Simulation(WORLD, judge=judge_for(WORLD))
    yield made
    made.close()


def ask(simulation: Simulation, do: str, **details: Any) -> None:
    simulation.request({"do": do, **details, "run": True})


def begin_two_writes(simulation: Simulation) -> None:
    ask(simulation, "add", task="t1", **WHAT)
    ask(simulation, "serve", kind="every")
    ask(simulation, "arrive", callback=f"start {PARTITION}#1@h1")
    ask(simulation, "serve", kind="lease")
    ask(simulation, "add", task="t2", **WHAT)


def test_what_a_process_wrote_that_ended_is_not_waited_for_by_the_next_one(simulation: Simulation) -> None:
    begin_two_writes(simulation)
    ask(simulation, "crash", host="h1")
    ask(simulation, "load", host="h1", partition=PARTITION)
    ask(simulation, "shutdown", host="h1")
    simulation.finish()

    assert simulation.divergence is None
    assert simulation.mistake is None


def test_a_shutdown_that_ends_before_its_writes_is_seen(
    simulation: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leave(registry: ManagerRegistry) -> None:
        registry._stopped.clear()

    begin_two_writes(simulation)
    monkeypatch.setattr(ManagerRegistry, "shutdown", leave)
    ask(simulation, "shutdown", host="h1")

    assert simulation.mistake == "the shutdown of h1 is over, and append t1 is not answered"
