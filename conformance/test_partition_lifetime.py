"""The service keeps to ``spec/Matching.tla`` while partitions are loaded, unloaded and moved, and gauges never lie."""

from hypothesis import settings

from conformance.exercise import EXERCISE
from conformance.machines.failures import run_machine
from conformance.machines.lifetime import LIFETIME_WORLD, PartitionLifetimeMachine
from conformance.targets.simulation import judge_for


def test_every_drawn_run_is_allowed_and_a_dead_generation_changes_nothing() -> None:
    judge_for(LIFETIME_WORLD)  # the specification is compiled before Hypothesis watches the stack
    machine = PartitionLifetimeMachine
    machine.start_counting()
    run_machine(machine, settings())
    EXERCISE.actions.update(machine.actions)
    EXERCISE.rules.update(machine.rules_taken)
    EXERCISE.sources.add(machine.__name__)

    assert machine.examples > 0
    assert machine.actions.total() > machine.examples
