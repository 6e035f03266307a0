"""A failing run is made smaller, and fails as it did."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from conformance.machines.smaller import requests_of_run, smaller
from conformance.targets.replaying import replay
from conformance.targets.run import Run
from conformance.targets.world import World
from conformance.trace.header import Header
from tests.mutants.catalogue import MUTANTS

WORKFLOW, ACTIVITY = World().partitions


def a_poll(poll: str, partition: str = WORKFLOW) -> dict[str, Any]:
    return {"do": "poll", "poll": poll, "worker": "w2", "partition": partition, "version": "v2", "wait_ms": 1000}


def an_add(task: str, partition: str = WORKFLOW) -> dict[str, Any]:
    return {"do": "add", "task": task, "partition": partition, "version": "unversioned", "run": True}


LONG = [
    an_add("t1", ACTIVITY),
    {"do": "load", "partition": WORKFLOW},
    a_poll("p3", ACTIVITY),
    {"do": "run"},
    a_poll("p2"),
    {"do": "turn"},
    {"do": "store", "call": "append t1", "effect": "commit", "answer": "ok", "run": True},
    {"do": "leave", "poll": "p2"},
    {"do": "run"},
]


def made(requests: list[dict[str, Any]], **setup: Any) -> Run:
    return replay(Header(observes={}, target="simulation", setup={**World().as_setup(), **setup}), requests)


@pytest.fixture
def zombie_polls() -> Iterator[None]:
    """A service whose polls keep their place when their callers leave."""
    mutant = next(mutant for mutant in MUTANTS if mutant.name == "zombie-poll-keeps-its-place")
    with mutant.applied():
        yield


@pytest.mark.usefixtures("zombie_polls")
def test_what_does_not_matter_goes_and_what_is_left_is_usual() -> None:
    run = smaller(made(LONG, active=False, narrow=True))

    assert requests_of_run(run) == [
        {
            "do": "poll",
            "poll": "p1",
            "worker": "w1",
            "partition": WORKFLOW,
            "version": "unversioned",
            "wait_ms": 10000,
            "run": True,
        },
        {"do": "leave", "poll": "p1", "run": True},
    ]
    assert run.header.setup == World().as_setup()


@pytest.mark.usefixtures("zombie_polls")
def test_the_smaller_run_fails_as_the_larger_one_did() -> None:
    large = made(LONG)
    small = smaller(large)

    assert large.divergence is not None
    assert small.divergence is not None
    assert small.divergence.kind is large.divergence.kind


@pytest.mark.usefixtures("zombie_polls")
def test_the_smallest_run_stays_as_it_is() -> None:
    small = smaller(made(LONG))

    assert requests_of_run(smaller(small)) == requests_of_run(small)


@pytest.mark.usefixtures("zombie_polls")
def test_a_run_stays_as_small_as_it_is_once_that_is_enough() -> None:
    run = made(LONG)

    assert smaller(run, is_enough=lambda: True) is run


@pytest.mark.usefixtures("zombie_polls")
def test_no_further_way_is_looked_at_once_that_is_enough() -> None:
    run = made(LONG)
    asked = count(1)

    smaller(run, is_enough=lambda: next(asked) > 0)

    assert next(asked) <= 4
