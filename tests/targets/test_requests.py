"""What a driver may ask of the simulation, and when."""

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.targets.simulation import Simulation, judge_for
from conformance.targets.world import World

PARTITION = World().partitions[0]
READ = f"read {PARTITION}#1"


def a_poll(poll: str) -> dict[str, Any]:
    return {
        "do": "poll",
        "poll": poll,
        "worker": "w1",
        "partition": PARTITION,
        "version": "unversioned",
        "wait_ms": 100,
    }


def a_store(call: str, answer: str = "ok") -> dict[str, Any]:
    return {"do": "store", "call": call, "effect": "commit", "answer": answer, "run": True}


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    made = Simulation(judge=judge_for(World()))
    yield made
    made.close()


def ask(simulation: Simulation, *requests: dict[str, Any]) -> None:
    for request in requests:
        simulation.request(request)


def add_and_store(simulation: Simulation) -> None:
    add = {"do": "add", "task": "t1", "partition": PARTITION, "version": "unversioned", "run": True}
    ask(simulation, add, a_store("append t1"))


def test_a_task_is_not_free_while_a_lost_read_may_still_name_it(simulation: Simulation) -> None:
    add_and_store(simulation)
    ask(simulation, a_store(READ), {**a_poll("p1"), "run": True}, {"do": "store", "call": READ, "effect": "commit"})
    ask(simulation, {"do": "store", "call": READ, "answer": "error"}, a_store("delete t1#1", "error"))

    assert "t1" not in simulation.free_tasks()


def test_a_task_is_free_again_after_the_read_that_follows(simulation: Simulation) -> None:
    add_and_store(simulation)
    ask(simulation, a_store(READ), {**a_poll("p1"), "run": True}, a_store("delete t1#1"), a_store(READ))

    assert "t1" in simulation.free_tasks()


def test_one_turn_runs_what_is_queued_and_not_what_that_queues(simulation: Simulation) -> None:
    add_and_store(simulation)
    ask(simulation, {**a_poll("p1"), "version": "v2", "run": True})
    ask(simulation, {**a_store(READ), "run": False, "turn": True})

    assert not simulation.loop.idle
    assert next(iter(simulation.engine.managers.values())).memory.first(lambda task: True) is None
