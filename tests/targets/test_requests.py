"""What a driver may ask of the simulation, and when."""

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.targets.simulation import RequestError, Simulation, judge_for
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


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (
            {"wait": 5},
            "the request 'poll' has no 'wait'; it has do, run, turn, poll, worker, partition, version, wait_ms",
        ),
        ({"run": "no"}, "'run' of the request 'poll' is 'no'; it is true or false"),
        ({"turn": 1}, "'turn' of the request 'poll' is 1; it is true or false"),
    ],
)
def test_a_misspelt_field_is_not_overlooked(simulation: Simulation, field: dict[str, Any], said: str) -> None:
    with pytest.raises(RequestError) as raised:
        ask(simulation, {**a_poll("p1"), **field})

    assert str(raised.value) == said
    assert simulation.recorder.steps == []


def test_a_caller_may_leave_before_its_call_has_begun(simulation: Simulation) -> None:
    ask(simulation, a_poll("p1"), {"do": "leave", "poll": "p1", "at_once": True}, {"do": "run"})

    assert [step.action for step in simulation.recorder.steps] == ["StartPoll", "CallerLeaves", "Return"]
    assert simulation.divergence is None


def test_a_poll_may_be_forgotten_once_it_is_answered_and_not_before(simulation: Simulation) -> None:
    ask(simulation, a_poll("p1"))
    with pytest.raises(RequestError, match="not a poll with an answer here"):
        ask(simulation, {"do": "forget", "poll": "p1"})
    ask(simulation, {"do": "leave", "poll": "p1", "run": True}, {"do": "forget", "poll": "p1"})

    assert simulation.recorder.steps[-1].action == "ForgetPoll"
    assert simulation.divergence is None


def test_a_task_may_be_forgotten_once_nobody_refers_to_it(simulation: Simulation) -> None:
    ask(simulation, {"do": "add", "task": "t1", "partition": PARTITION, "version": "v2", "run": True})
    with pytest.raises(RequestError, match="not a task nobody refers to here"):
        ask(simulation, {"do": "forget", "task": "t1"})
    ask(simulation, {"do": "store", "call": "append t1", "effect": "fail", "answer": "ok", "run": True})
    ask(simulation, {"do": "forget", "task": "t1"})

    assert simulation.recorder.steps[-1].action == "ForgetTask"
    assert simulation.divergence is None
