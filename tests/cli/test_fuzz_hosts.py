"""``conform fuzz forwarding --target grpc`` tells what it found, keeps it, and has the right exit status."""

import json
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.targets.grpc import judged
from conformance.targets.grpc.judged import Judged, verdict_of
from conformance.targets.grpc.merging import merged
from conformance.targets.grpc.requests import Pause
from tests.targets.test_grpc import LEAVES, WAITS_ABOVE, record

FUZZ = ["fuzz", "forwarding", "--target", "grpc", "--seed", "7"]


def ran(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    code = left.value.code
    assert isinstance(code, int)
    return code


def run_of(seed: int, mistake: str | None) -> Judged:
    trace = merged(record(*(() if mistake is None else (*WAITS_ABOVE, *LEAVES)), mistake=mistake), seed=seed)
    return Judged(requests=(Pause(0.1),), trace=trace, verdict=verdict_of(trace), mistake=mistake)


def test_a_run_that_breaks_a_promise_ends_the_hunt_and_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(judged, "judged_run", lambda seed: run_of(seed, "no cancel came"))

    status = ran([*FUZZ, "--seconds", "60", "--keep", str(tmp_path)])
    said = capsys.readouterr().out
    (kept,) = tmp_path.glob("PartitionLifetime-*.ndjson")

    assert status == 1
    assert said.startswith("seed 7\nthe hosts made a mistake: no cancel came\n")
    assert f"judge it: conform check {kept}" in said
    assert "conform fuzz forwarding --target grpc --seed 7 --examples 1" in said


def test_runs_that_take_no_action_are_not_taken_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(judged, "judged_run", lambda seed: run_of(seed, None))

    status = ran([*FUZZ, "--examples", "3", "--json", "--keep", str(tmp_path)])
    found = json.loads(capsys.readouterr().out)

    assert (status, found["examples"], found["target"]) == (4, 1, "grpc")
    assert Path(found["trace"]).is_file()


@pytest.mark.slow
def test_runs_of_two_hosts_are_made_until_there_are_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = ran([*FUZZ, "--examples", "2", "--json", "--keep", str(tmp_path)])
    found = json.loads(capsys.readouterr().out)

    assert (status, found["examples"], found["last_seed"], found["failure"]) == (0, 2, 8, None)
    assert found["actions"]["Forward"] > 0
    assert not list(tmp_path.iterdir())
