"""The command line ``matching``: it lists what exists, and each way to go wrong has its exit status."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from matching.cli import main

WITHOUT_HEAVY_IMPORTS = """
import sys
import matching.cli
print(*sorted({"asyncio.subprocess", "conformance", "matching.engine", "sqlalchemy", "sqlite3"} & sys.modules.keys()))
"""


INTERRUPTED = """
import os, signal, sys
from matching.adapters.database import Database
from matching.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever began us may ignore it
take = Database.write

def take_and_be_interrupted(database, work):
    Database.write = take
    os.kill(os.getpid(), int(sys.argv[1]))
    return take(database, work)

Database.write = take_and_be_interrupted
main(sys.argv[2:])
"""
"""A walkthrough that is asked to end when it first writes to its database."""


def left_with(*arguments: str) -> object:
    """The exit status of ``matching`` with these arguments."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    return left.value.code


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_lists_the_walkthroughs_that_exist(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert left_with(option) == 0
    listed = capsys.readouterr().out.partition("Commands:")[2]
    assert [line.split()[0] for line in listed.splitlines() if line.strip()] == [
        "add",
        "concurrency",
        "dispatch",
        "failover-metrics",
        "inspect",
        "lifecycle",
        "meetings",
        "metrics",
        "poll",
        "serve",
        "tour",
    ]


def test_each_walkthrough_says_what_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert left_with("tour", "--help") == 0
    assert "--trace FILE" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [["dance"], ["tour", "--nonsense"], ["tour", "more"], ["tour", "--trace"], ["tour", "--trace", "."]],
    ids=" ".join,
)
def test_what_is_asked_wrongly_is_exit_2_and_told_on_stderr(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert left_with(*arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("matching: ")
    assert len(said.err.splitlines()) == 1


def test_a_trace_in_a_folder_that_is_not_there_is_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert left_with("tour", "--trace", str(tmp_path / "nowhere" / "tour.ndjson")) == 2
    said = capsys.readouterr()
    assert "there is no folder" in said.err
    assert said.out == ""


def test_a_trace_that_nothing_can_keep_is_a_missing_tool(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("matching.probe.GROUP", "matching.nothing")

    assert left_with("tour", "--trace", str(tmp_path / "tour.ndjson")) == 3
    assert "pip install matching-conformance" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_tour_without_sqlalchemy_is_a_missing_tool(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "matching.adapters.records", raising=False)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)

    assert left_with("tour") == 3
    assert "pip install 'matching-conformance[service]'" in capsys.readouterr().err


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("name", ["lifecycle", "failover-metrics"])
def test_a_walkthrough_that_is_to_end_leaves_no_folder_behind(
    tmp_path: Path, name: str, number: signal.Signals, status: int
) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(number.value), name]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)

    assert (ran.returncode, ran.stderr.strip()) == (status, "matching: stopped")
    assert list(tmp_path.iterdir()) == []


def test_the_list_of_walkthroughs_imports_nothing_of_the_service() -> None:
    command = [sys.executable, "-c", WITHOUT_HEAVY_IMPORTS]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split()

    assert loaded == []
