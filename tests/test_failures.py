"""A drawn run that fails leaves its smallest trace and the command that runs it again."""

from pathlib import Path

import pytest
from hypothesis import settings

from conformance.judging.check import check_trace
from conformance.judging.verdict import Word
from conformance.machines.failures import run_machine
from conformance.machines.polls import ConformanceError, PollRegistrationMachine
from conformance.machines.profiles import COMMON
from conformance.targets.simulation import judge_for
from conformance.targets.world import World
from tests.mutants.catalogue import MUTANTS

ZOMBIE = next(mutant for mutant in MUTANTS if mutant.name == "zombie-poll-keeps-its-place")


@pytest.fixture(scope="module")
def failure(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("found")
    judge_for(World())
    PollRegistrationMachine.start_counting()
    with ZOMBIE.applied(), pytest.raises(ConformanceError) as raised:
        run_machine(PollRegistrationMachine, settings(**COMMON, max_examples=200, database=None), folder)
    (kept,) = folder.iterdir()
    return str(raised.value), kept


def test_the_message_says_what_is_not_allowed_and_how_to_run_it_again(failure: tuple[str, Path]) -> None:
    told, kept = failure

    assert "<- not allowed" in told
    assert f"conform replay {kept}" in told


def test_the_kept_run_is_small_and_rejected(failure: tuple[str, Path]) -> None:
    _, kept = failure
    verdict = check_trace(kept)

    assert verdict.word is Word.REJECTED
    assert verdict.steps <= 6 + 10  # a load is six of them
