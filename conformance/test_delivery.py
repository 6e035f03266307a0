"""The service keeps to ``spec/Matching.tla`` with two hosts and one History, whatever fails and whoever leads."""

from hypothesis import settings

from conformance.exercise import EXERCISE
from conformance.machines.delivery import DELIVERY_WORLD, DeliveryMachine
from conformance.machines.failures import run_machine
from conformance.targets.simulation import judge_for


def test_every_drawn_run_is_allowed_and_what_was_accepted_is_started_stored_or_intended() -> None:
    judge_for(DELIVERY_WORLD)  # the specification is compiled before Hypothesis watches the stack
    machine = DeliveryMachine
    machine.start_counting()
    run_machine(machine, settings())
    EXERCISE.actions.update(machine.actions)
    EXERCISE.rules.update(machine.rules_taken)
    EXERCISE.sources.add(machine.__name__)

    assert machine.examples > 0
    assert machine.actions.total() > machine.examples
