"""The service keeps to ``spec/Matching.tla`` in a tree of partitions, whatever becomes of hops between two hosts."""

from hypothesis import settings

from conformance.exercise import EXERCISE
from conformance.machines.failures import run_machine
from conformance.machines.forwarding import FORWARDING_WORLD, ForwardingMachine
from conformance.targets.simulation import judge_for


def test_every_drawn_run_is_allowed_and_each_poll_waits_at_one_place_and_each_task_has_one_writer() -> None:
    judge_for(FORWARDING_WORLD)  # the specification is compiled before Hypothesis watches the stack
    machine = ForwardingMachine
    machine.start_counting()
    run_machine(machine, settings())
    EXERCISE.actions.update(machine.actions)
    EXERCISE.rules.update(machine.rules_taken)
    EXERCISE.sources.add(machine.__name__)

    assert machine.examples > 0
    assert machine.actions.total() > machine.examples
