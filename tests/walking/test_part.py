"""Every run of the service is a run of the part that counterexamples are of."""

from itertools import pairwise
from pathlib import Path

import pytest

from conformance.scenarios import read_scenario, scenario_files
from conformance.targets.simulation import Simulation
from conformance.tla.model import Step
from conformance.walking.part import part_model
from conformance.walking.told import Told
from conformance.walking.trial import Witness


def witnessed(path: Path) -> tuple[Told, Witness]:
    """A scenario, seen by a witness."""
    scenario = read_scenario(path)
    told = Told(name=path.stem, world=scenario.world, steps=(), states=())
    witness = Witness(told)
    simulation = Simulation(scenario.world, judge=witness)
    for request in scenario.requests:
        simulation.request(request)
    simulation.finish()
    simulation.close()
    return told, witness


@pytest.mark.parametrize("path", scenario_files(), ids=lambda path: path.stem)
def test_each_step_of_a_run_is_one_that_the_part_allows_or_none_of_its_own(path: Path) -> None:
    told, witness = witnessed(path)
    part = part_model(told.world.constants)
    moves = [(step, *states) for step, states in zip(witness.taken, pairwise(witness.states), strict=True)]

    assert witness.taken
    assert [step for step, before, after in moves if not part.allows(step.action, step.args, before, after)] == []


def test_a_step_that_leaves_the_part_as_it_is_is_none_of_its_own() -> None:
    _, witness = witnessed(next(path for path in scenario_files() if path.stem == "stored-then-polled"))

    assert witness.actions_taken["Lead"] > 0
    assert "Lead" not in {step.action for step in witness.taken}
    assert Step("CommitDelete", (frozenset({"t1"}),)) in witness.taken
