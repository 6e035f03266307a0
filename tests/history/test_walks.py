"""Random runs of History: whatever happens is what the specification allows, and every intent goes in the end."""

from collections import Counter
from functools import cache

import pytest

from tests.history.walk import Walk

SEEDS = range(40)
MOVES = 150


@cache
def walked(seed: int) -> Walk:
    walk = Walk(seed)
    walk.go(MOVES)
    return walk


@pytest.mark.parametrize("seed", SEEDS)
def test_every_step_of_a_random_run_is_allowed(seed: int) -> None:
    bench = walked(seed).bench

    assert bench.referee.divergence is None, bench.referee.divergence
    assert bench.loop.mistakes == []


@pytest.mark.parametrize("seed", SEEDS)
def test_at_rest_no_intent_is_left(seed: int) -> None:
    assert walked(seed).bench.intents == []


def test_together_the_random_runs_take_every_step_that_history_tells() -> None:
    taken = Counter[str]()
    taken.update(str(step[0]) for seed in SEEDS for step in walked(seed).bench.referee.steps)

    assert {action for action in TOLD if not taken[action]} == set()


def test_the_same_seed_makes_the_same_run() -> None:
    again = Walk(SEEDS[0])
    again.go(MOVES)

    assert again.bench.referee.steps == walked(SEEDS[0]).bench.referee.steps


TOLD = {
    "Schedule",
    "RecordStart",
    "RefuseStart",
    "FailStart",
    "Complete",
    "RefuseComplete",
    "RemoveIntent",
    "DiscardIntent",
    "Restamp",
    "TryAgain",
    "GiveUp",
    "Close",
}
