"""A run in the world that a module of tests names, and a way to ask for one thing after the other in it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conformance.targets.simulation import Simulation, judge_for


@pytest.fixture
def simulation(request: pytest.FixtureRequest) -> Iterator[Simulation]:
    """A run that has not begun, in the module's ``WORLD``."""
    world = request.module.WORLD
    made = Simulation(world, judge=judge_for(world))
    yield made
    made.close()


@pytest.fixture
def ask(simulation: Simulation) -> Callable[..., None]:
    """Ask for something by its name and details, and let everything run that follows."""

    def asked(do: str, **details: Any) -> None:
        simulation.request({"do": do, **details, "run": True})

    return asked
