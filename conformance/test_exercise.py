"""Every action of the specification and every rule of the machines was taken in this session.

These tests run last, and only say something about a whole run: on a part of the
suite they say that they did not run.
"""

import pytest

from conformance.exercise import EXERCISE
from conformance.machines.delivery import DeliveryMachine
from conformance.machines.polls import PollRegistrationMachine
from conformance.scenarios import scenario_files
from conformance.targets.simulation import judge_for
from conformance.targets.world import World

WHOLE = {path.stem for path in scenario_files()} | {"PollRegistrationMachine", "DeliveryMachine"}


@pytest.fixture(autouse=True)
def _only_after_a_whole_run() -> None:
    missing = WHOLE - EXERCISE.sources
    if missing:
        pytest.skip(f"the exercise gate did not run: {len(missing)} of {len(WHOLE)} sources were not selected")


def test_every_action_of_the_specification_was_taken() -> None:
    actions = set(judge_for(World()).model.actions)

    assert actions
    assert actions - set(EXERCISE.actions) == set()


def test_every_rule_of_the_machines_was_taken() -> None:
    rules = PollRegistrationMachine.rule_names() | DeliveryMachine.rule_names()

    assert rules
    assert rules - set(EXERCISE.rules) == set()
