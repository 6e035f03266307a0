"""The tour runs for real, tells its six stops, and what it recorded is accepted."""

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.judging.check import check_trace
from conformance.judging.verdict import Word
from matching.cli import main

PROGRAM = Path(sys.executable).parent / "matching"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    trace = tmp_path_factory.mktemp("tour") / "tour.ndjson"
    ran = subprocess.run([PROGRAM, "tour", "--trace", trace], capture_output=True, text=True, check=True, timeout=60)
    return ran.stdout, trace


def test_the_tour_tells_six_stops(recorded: tuple[str, Path]) -> None:
    told, _ = recorded

    assert [line[0] for line in told.splitlines() if line[:1].isdigit()] == ["1", "2", "3", "4", "5", "6"]


def test_the_tour_shows_a_second_generation_after_the_unload(recorded: tuple[str, Path]) -> None:
    told, _ = recorded

    assert "generation 1" in told
    assert "generation 2" in told


def test_what_the_tour_recorded_is_accepted(recorded: tuple[str, Path]) -> None:
    _, trace = recorded
    verdict = check_trace(trace)

    assert verdict.word is Word.ACCEPTED
    assert verdict.steps > 50


def test_the_tour_takes_every_step_that_a_poll_and_a_task_can_take_together(recorded: tuple[str, Path]) -> None:
    _, trace = recorded
    verdict = check_trace(trace)

    assert set(verdict.actions) >= {"SyncMatch", "Match", "Take", "Deliver", "GiveBack", "Expire", "Spool", "Unload"}


def test_a_trace_in_a_folder_that_is_not_there_is_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["tour", "--trace", str(tmp_path / "nowhere" / "tour.ndjson")])

    said = capsys.readouterr()
    assert left.value.code == 2
    assert "there is no folder" in said.err
    assert said.out == ""


def test_an_unknown_verb_is_asked_wrongly() -> None:
    with pytest.raises(SystemExit) as left:
        main(["dance"])

    assert left.value.code == 2


def test_a_trace_that_nothing_can_keep_is_a_missing_tool(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("matching.probe.GROUP", "matching.nothing")

    with pytest.raises(SystemExit) as left:
        main(["tour", "--trace", str(tmp_path / "tour.ndjson")])

    assert left.value.code == 3
    assert "pip install" in capsys.readouterr().err
