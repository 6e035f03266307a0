"""What a run that rests may still owe, while something of it is held back."""

from collections.abc import Iterator
from typing import Any

import attrs
import pytest

from conformance.machines.lifetime import LIFETIME_WORLD
from conformance.targets.simulation import Simulation, judge_for

WORLD = attrs.evolve(LIFETIME_WORLD, active=False, prompt=False, flags=LIFETIME_WORLD.hosts)
PARTITION = WORLD.partitions[0]
WHAT = {"partition": PARTITION, "version": "unversioned"}


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    made = Simulation(WORLD, judge=judge_for(WORLD))
    yield made
    made.close()


def ask(simulation: Simulation, do: str, **details: Any) -> None:
    simulation.request({"do": do, **details, "run": True})


def test_what_is_called_to_unload_need_not_hand_over_a_task_that_waits_for_an_id(simulation: Simulation) -> None:
    ask(simulation, "add", task="t1", **WHAT)
    ask(simulation, "poll", poll="p1", worker="w1", wait_ms=10000, **WHAT)
    ask(simulation, "serve")
    ask(simulation, "arrive", callback=f"start {PARTITION}#1@h1")
    ask(simulation, "change", cluster="here")
    simulation.finish()

    assert simulation.divergence is None
    assert simulation.mistake is None
