"""Every action of the specification and every rule of the machines was taken in this session.

These tests run last, and only say something about a whole run: on a part of the
suite they say that they did not run.
"""

import pytest

from conformance.exercise import EXERCISE
from conformance.machines.delivery import DeliveryMachine
from conformance.machines.forwarding import ForwardingMachine
from conformance.machines.lifetime import PartitionLifetimeMachine
from conformance.machines.polls import PollRegistrationMachine
from conformance.scenarios import scenario_files
from conformance.targets.simulation import judge_for
from conformance.targets.world import World

SCENARIOS = {path.stem for path in scenario_files()}
MACHINES = {
    "test_delivery": DeliveryMachine,
    "test_forwarding": ForwardingMachine,
    "test_partition_lifetime": PartitionLifetimeMachine,
    "test_poll_registration": PollRegistrationMachine,
}


@pytest.fixture(autouse=True)
def _only_after_a_whole_run(request: pytest.FixtureRequest) -> None:
    """Skip where part of the suite was asked for; where all was, and some did not count here, that is a failure."""
    left_out = (SCENARIOS | set(MACHINES)) - {_source(item) for item in request.session.items}
    if left_out:
        pytest.skip(f"the exercise gate did not run: {len(left_out)} of its sources were not selected")
    missing = (SCENARIOS | {machine.__name__ for machine in MACHINES.values()}) - EXERCISE.sources

    assert missing == set(), "they failed, or ran in another process"


def _source(item: pytest.Item) -> str:
    callspec = getattr(item, "callspec", None)
    return item.path.stem if callspec is None else str(callspec.id)


def test_every_action_of_the_specification_was_taken() -> None:
    actions = set(judge_for(World()).model.actions)

    assert actions
    assert actions - set(EXERCISE.actions) == set()


def test_every_rule_of_the_machines_was_taken() -> None:
    rules = frozenset[str]().union(*(machine.rule_names() for machine in MACHINES.values()))

    assert rules
    assert rules - set(EXERCISE.rules) == set()
