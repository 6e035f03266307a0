"""What a driver may ask of the simulation, and when."""

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.targets.simulation import RequestError, Simulation, judge_for
from conformance.targets.world import World

WORLD = World()
PARTITION = WORLD.partitions[0]
READ = f"read {PARTITION}#1@h1"


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


def ask(simulation: Simulation, *requests: dict[str, Any]) -> None:
    for request in requests:
        simulation.request(request)


def add_and_store(simulation: Simulation) -> None:
    add = {"do": "add", "task": "t1", "partition": PARTITION, "version": "unversioned", "run": True}
    ask(simulation, add, a_store("append t1"))


def test_a_task_is_not_free_while_its_record_is_there(simulation: Simulation) -> None:
    add_and_store(simulation)
    early = simulation.free_tasks()
    ask(simulation, a_store(READ), {**a_poll("p1"), "run": True})

    assert "t1" not in early
    assert "t1" in simulation.free_tasks()


def test_a_task_is_not_free_while_a_served_read_names_it() -> None:
    simulation = Simulation(World(prompt=False), judge=judge_for(World()))
    add = {"do": "add", "task": "t1", "partition": PARTITION, "version": "unversioned", "run": True}
    ask(simulation, add, a_store(f"lease {PARTITION}#1@h1"), a_store("append t1"), a_store(READ))
    ask(simulation, {**a_poll("p1"), "run": True}, {"do": "unload", "partition": PARTITION, "run": True})
    ask(simulation, {"do": "load", "partition": PARTITION, "run": True}, a_store(f"lease {PARTITION}#2@h1"))
    ask(simulation, {"do": "store", "call": f"read {PARTITION}#2@h1", "effect": "commit"})
    ask(simulation, a_store(f"delete {PARTITION}#1@h1"))
    early = simulation.free_tasks()
    ask(simulation, {"do": "unload", "partition": PARTITION, "run": True})
    late = simulation.free_tasks()
    simulation.close()

    assert simulation.divergence is None
    assert "t1" not in early
    assert "t1" in late


def test_one_turn_runs_what_is_queued_and_not_what_that_queues(simulation: Simulation) -> None:
    add_and_store(simulation)
    ask(simulation, {**a_poll("p1"), "version": "v2", "run": True})
    ask(simulation, {**a_store(READ), "run": False, "turn": True})

    assert not simulation.loop.idle
    assert next(iter(simulation.engine.managers.values())).backlog.memory.first(lambda task: True) is None


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (
            {"wait": 5},
            "the request 'poll' has no 'wait'; it has do, run, turn, poll, worker, partition, version, wait_ms, host",
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


@pytest.fixture
def slow() -> Iterator[Simulation]:
    world = World(prompt=False)
    made = Simulation(world, judge=judge_for(world))
    yield made
    made.close()


def an_add(task: str) -> dict[str, Any]:
    return {"do": "add", "task": task, "partition": PARTITION, "version": "unversioned", "run": True}


def waiting(simulation: Simulation) -> set[str]:
    return {call.kind for call in simulation.calls()}


def test_one_request_answers_the_calls_of_one_kind_and_leaves_those_that_follow(slow: Simulation) -> None:
    ask(slow, {"do": "serve", "run": True}, an_add("t1"), {"do": "serve", "kind": "lease", "run": True})

    assert waiting(slow) == {"append"}


def test_one_request_answers_every_call_and_those_that_follow(slow: Simulation) -> None:
    ask(slow, {"do": "serve", "run": True}, an_add("t1"), an_add("t2"), {"do": "serve", "kind": "every", "run": True})

    assert waiting(slow) == set()
    assert set(slow.stored()) == {"t1", "t2"}


def test_calls_of_a_kind_that_there_is_not_are_no_request(slow: Simulation) -> None:
    with pytest.raises(RequestError, match="'delay' is not a kind of calls here"):
        ask(slow, {"do": "serve", "kind": "delay"})
