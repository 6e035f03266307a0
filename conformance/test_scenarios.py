"""The scripted runs of ``traces/scenarios`` keep to the specification."""

from pathlib import Path

import pytest

from conformance.exercise import EXERCISE
from conformance.scenarios import play, read_scenario, scenario_files


def test_there_are_scenarios() -> None:
    assert len(scenario_files()) >= 10


@pytest.mark.parametrize("path", scenario_files(), ids=lambda path: path.stem)
def test_the_scenario_runs_to_rest_and_is_allowed(path: Path) -> None:
    run = play(read_scenario(path))
    EXERCISE.actions.update(step.action for step in run.steps if step.action is not None)
    EXERCISE.sources.add(path.stem)

    assert run.divergence is None
    assert run.end == "quiescent"
