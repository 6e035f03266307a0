"""`conform replay` makes the recorded requests again, judges what happens now, and compares."""

from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner, Result

from conformance.cli import conform
from conformance.cli.replay import first_difference, requests_of
from conformance.paths import traces_directory
from conformance.targets.simulation import Run, Simulation, judge_for
from conformance.targets.world import World
from conformance.trace.header import Footer, Header
from conformance.trace.step import TraceStep
from conformance.trace.writer import keep_trace, write_trace
from tests.trace.races import RACE


@pytest.fixture(scope="module")
def run() -> Run:
    """One poll that nobody has a task for, driven to its end."""
    world = World()
    simulation = Simulation(world, judge=judge_for(world))
    names = {"partition": world.partitions[0], "worker": world.workers[0], "version": world.versions[0]}
    simulation.request({"do": "poll", "poll": world.polls[0], "wait_ms": 50, "run": True, **names})
    simulation.finish()
    recorded = simulation.recorded("a poll that ends empty")
    simulation.close()
    return recorded


def replay(folder: Path, header: Header, steps: list[TraceStep], footer: Footer) -> Result:
    path = keep_trace(folder, header, steps, footer)
    return CliRunner().invoke(conform, ["replay", str(path)], standalone_mode=False)


def test_a_run_that_is_run_again_is_the_same(tmp_path: Path, run: Run) -> None:
    result = replay(tmp_path, run.header, run.steps, run.footer)

    assert result.return_value == 0
    assert "The specification allows every step of this run." in result.stdout
    assert result.stdout.endswith("\nsame as recorded\n")


def test_a_record_of_another_run_is_told_from_the_step_where_they_part(tmp_path: Path, run: Run) -> None:
    changed = [*run.steps[:2], attrs.evolve(run.steps[2], action="Unload"), *run.steps[3:]]
    result = replay(tmp_path, run.header, changed, run.footer)

    assert result.return_value == 0
    assert "this run parts from the recorded one at step 2: recorded Unload(" in result.stdout


def test_a_run_of_another_target_cannot_be_run_again(tmp_path: Path, run: Run) -> None:
    path = keep_trace(tmp_path, attrs.evolve(run.header, target="paper"), run.steps, run.footer)
    result = CliRunner().invoke(conform, ["replay", str(path)], standalone_mode=False)

    assert getattr(result.exception, "exit_status", None) == 2


def test_what_is_no_trace_is_not_run(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "empty.ndjson", "")
    result = CliRunner().invoke(conform, ["replay", str(path)], standalone_mode=False)

    assert getattr(result.exception, "exit_status", None) == 2


def test_the_requests_of_a_run_are_those_of_its_steps_and_of_its_end() -> None:
    asked = attrs.evolve(RACE[1], request=({"do": "a"}, {"do": "b"}))

    assert [each["do"] for each in requests_of([RACE[0], asked], Footer(end="stopped", requests=({"do": "c"},)))] == [
        "a",
        "b",
        "c",
    ]


def test_runs_of_different_length_part_where_the_shorter_ends() -> None:
    assert first_difference(RACE, RACE[:3]) == 3
    assert first_difference(RACE, RACE) is None


def test_a_scenario_is_played_and_judged() -> None:
    path = traces_directory() / "scenarios" / "sync-match.yaml"
    result = CliRunner().invoke(conform, ["replay", str(path)], standalone_mode=False)

    assert result.return_value == 0
    assert "SyncMatch(t1, p1)" in result.stdout
    assert result.stdout.endswith("The specification allows every step of this run.\n")


def test_where_a_run_parts_its_steps_are_spelt_as_in_the_table() -> None:
    path = traces_directory() / "corpus" / "rejected" / "left-caller-gets-the-task.ndjson"
    result = CliRunner().invoke(conform, ["replay", str(path)], standalone_mode=False)

    assert result.stdout.endswith("at step 14: recorded SyncMatch(t1, p1), now Spool(t1, h1)\n")


def test_a_run_that_takes_no_action_says_nothing(tmp_path: Path, run: Run) -> None:
    stopped = Footer(end="stopped")
    result = replay(tmp_path, run.header, run.steps[:1], stopped)

    assert result.return_value == 4
    assert "takes no action of the specification" in result.stdout
    assert "allows every step" not in result.stdout
