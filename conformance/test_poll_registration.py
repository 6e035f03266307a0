"""The service keeps to ``spec/Matching.tla``, whatever callers, clock and store do."""

from hypothesis import settings

from conformance.exercise import EXERCISE
from conformance.machines.failures import run_machine
from conformance.machines.polls import PollRegistrationMachine
from conformance.targets.simulation import judge_for
from conformance.targets.world import World


def test_every_drawn_run_is_allowed_and_comes_to_rest() -> None:
    judge_for(World())  # the specification is compiled before Hypothesis watches the stack
    machine = PollRegistrationMachine
    machine.start_counting()
    run_machine(machine, settings())
    EXERCISE.actions.update(machine.actions)
    EXERCISE.rules.update(machine.rules_taken)
    EXERCISE.sources.add(machine.__name__)

    assert machine.examples > 0
    assert machine.actions.total() > machine.examples
