"""When a shutdown is over: what its own process waits for counts, and nothing of one that has ended before."""

from collections.abc import Callable

import attrs
import pytest

from conformance.machines.lifetime import LIFETIME_WORLD
from conformance.targets.simulation import Simulation
from matching.registry import ManagerRegistry

WORLD = attrs.evolve(LIFETIME_WORLD, hosts=("h1",), prompt=False)
PARTITION = WORLD.partitions[0]
WHAT = {"partition": PARTITION, "version": "unversioned"}


def begin_two_writes(ask: Callable[..., None]) -> None:
    ask("add", task="t1", **WHAT)
    ask("serve", kind="every")
    ask("arrive", callback=f"start {PARTITION}#1@h1")
    ask("serve", kind="lease")
    ask("add", task="t2", **WHAT)


def test_what_a_process_wrote_that_ended_is_not_waited_for_by_the_next_one(
    simulation: Simulation, ask: Callable[..., None]
) -> None:
    begin_two_writes(ask)
    ask("crash", host="h1")
    ask("load", host="h1", partition=PARTITION)
    ask("shutdown", host="h1")
    simulation.finish()

    assert simulation.divergence is None
    assert simulation.mistake is None


def test_a_shutdown_that_ends_before_its_writes_is_seen(
    simulation: Simulation, ask: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leave(registry: ManagerRegistry) -> None:
        registry._stopped.clear()

    begin_two_writes(ask)
    monkeypatch.setattr(ManagerRegistry, "shutdown", leave)
    ask("shutdown", host="h1")

    assert simulation.mistake == "the shutdown of h1 is over, and append t1 is not answered"
