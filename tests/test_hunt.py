"""A hunt draws as much as it was asked for."""

from typing import ClassVar

import pytest

from conformance.cli.fuzz import hunt
from conformance.machines.polls import PollRegistrationMachine
from conformance.targets.simulation import judge_for
from conformance.targets.world import World


@pytest.fixture(scope="module", autouse=True)
def specification() -> None:
    """It is compiled before anything is drawn."""
    judge_for(World())


@pytest.mark.parametrize("examples", [1, 7, 51])
def test_exactly_so_many_runs_are_drawn_as_were_asked_for(examples: int) -> None:
    assert hunt(PollRegistrationMachine, seed=3, examples=examples).examples == examples


def test_one_run_is_drawn_however_short_the_time() -> None:
    found = hunt(PollRegistrationMachine, seed=3, seconds=1e-9)

    assert (found.examples, found.failure) == (1, None)
    assert found.steps > 0


class Noting(PollRegistrationMachine):
    """Notes how long each run was."""

    lengths: ClassVar[list[int]] = []

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "simulation"):
            self.lengths.append(len(self.simulation.recorded().steps))


def lengths(examples: int) -> list[int]:
    """How long the runs of one seed are, one after another."""
    Noting.lengths = []
    hunt(Noting, seed=3, examples=examples)
    return Noting.lengths


def test_fewer_runs_of_a_seed_are_the_first_of_the_more() -> None:
    assert len(lengths(4)) == 4
    assert lengths(4) == lengths(9)[:4]
