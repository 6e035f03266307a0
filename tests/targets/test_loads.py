"""Who is refused where managers are loaded, and who is said to need one.

Refused is nobody who has just come, but may be who waited for what has moved; who has left needs nothing.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import attrs
import pytest

from conformance.machines.lifetime import LIFETIME_WORLD
from conformance.targets.simulation import Simulation
from matching import registry
from matching.registry import ManagerRegistry

WORLD = attrs.evolve(LIFETIME_WORLD, prompt=True)
AT_THE_OTHER_HOST = {"partition": WORLD.partitions[1], "version": "unversioned"}
POLL = {"poll": "p1", "worker": "w1", "wait_ms": 1000, **AT_THE_OTHER_HOST}


@pytest.mark.parametrize(("do", "what"), [("poll", POLL), ("add", {"task": "t1", **AT_THE_OTHER_HOST})])
def test_a_refusal_of_who_has_just_come_is_seen(
    simulation: Simulation, ask: Callable[..., None], monkeypatch: pytest.MonkeyPatch, do: str, what: dict[str, Any]
) -> None:
    wait = ManagerRegistry.until_ready

    async def refuse(registry: ManagerRegistry, partition: Any, until: float | None = None, **_: Any) -> None:
        await wait(registry, partition, until, has_waited=True)

    monkeypatch.setattr(ManagerRegistry, "until_ready", refuse)
    ask(do, **what)

    who = what.get("poll", "t1")
    assert simulation.mistake == f"{who} is refused by h1, where it has not waited for {WORLD.partitions[1]}"


def test_who_has_waited_for_what_is_called_off_at_another_host_may_be_refused(
    simulation: Simulation, ask: Callable[..., None]
) -> None:
    ask("poll", **POLL)
    ask("unload", host="h1", partition=WORLD.partitions[1])
    simulation.finish()

    assert ("Refuse", ("p1", "h1")) in [(step.action, step.args[:2]) for step in simulation.recorder.steps]
    assert simulation.divergence is None
    assert simulation.mistake is None


def test_who_comes_to_another_host_after_a_load_failed_may_be_refused(
    simulation: Simulation, ask: Callable[..., None]
) -> None:
    ask("load", host="h1", partition=WORLD.partitions[1])
    ask("store", call=next(iter(simulation.store.calls)), effect="fail", answer="error")
    ask("poll", **POLL)
    simulation.finish()

    assert ("Refuse", ("p1", "h1")) in [(step.action, step.args[:2]) for step in simulation.recorder.steps]
    assert simulation.divergence is None
    assert simulation.mistake is None


def test_who_has_left_needs_no_manager(simulation: Simulation, ask: Callable[..., None]) -> None:
    ask("poll", **POLL)
    ask("leave", poll="p1")

    assert simulation.recorder.steps[-2].action == "Abandon"
    assert simulation.mistake is None


def test_a_need_of_those_who_have_left_is_seen(
    simulation: Simulation, ask: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stay(waiters: dict[asyncio.Future[None], None], until: float | None) -> None:
        waiters[asyncio.get_running_loop().create_future()] = None
        await wait(waiters, until)

    wait = registry._wait_among
    monkeypatch.setattr(registry, "_wait_among", stay)
    ask("poll", **POLL)
    ask("leave", poll="p1")

    assert simulation.mistake == f"nobody needs {WORLD.partitions[1]}@h1 any more, which its host does not say"
