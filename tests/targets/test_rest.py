"""What a run that rests may still owe, while something of it is held back."""

from collections.abc import Callable

import attrs

from conformance.machines.lifetime import LIFETIME_WORLD
from conformance.targets.simulation import Simulation

WORLD = attrs.evolve(LIFETIME_WORLD, active=False, prompt=False, flags=LIFETIME_WORLD.hosts)
PARTITION = WORLD.partitions[0]
WHAT = {"partition": PARTITION, "version": "unversioned"}


def test_what_is_called_to_unload_need_not_hand_over_a_task_that_waits_for_an_id(
    simulation: Simulation, ask: Callable[..., None]
) -> None:
    ask("add", task="t1", **WHAT)
    ask("poll", poll="p1", worker="w1", wait_ms=10000, **WHAT)
    ask("serve")
    ask("arrive", callback=f"start {PARTITION}#1@h1")
    ask("change", cluster="here")
    simulation.finish()

    assert simulation.divergence is None
    assert simulation.mistake is None
