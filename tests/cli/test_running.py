"""How a command ends: one line and a status for what goes wrong, and nothing where nobody listens."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from conformance.paths import spec_directory

FOLDER = Path(sys.executable).parent
RUN = spec_directory().parent / "traces" / "corpus" / "accepted" / "sync-match.ndjson"
PRINTING = """
import click
from conformance.cli.running import run_and_leave

@click.command()
def command():
    print("kept until the end")

run_and_leave(command, "command")
"""
COMMANDS = {
    "conform show": [FOLDER / "conform", "show", RUN],
    "conform show --help": [FOLDER / "conform", "show", "--help"],
    "matching tour": [FOLDER / "matching", "tour"],
    "matching --help": [FOLDER / "matching", "--help"],
    "what prints without a flush": [sys.executable, "-c", PRINTING],
}
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
"""Output waits in a buffer, as it does where nobody asks otherwise."""
every_command = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)


@every_command
def test_where_the_reader_has_left_nothing_is_said(command: Sequence[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=BUFFERED, timeout=60, check=False)
    os.close(writer)

    assert (ended.returncode, ended.stderr) == (141, b"")


@every_command
def test_output_that_cannot_be_written_is_said_in_one_line(command: Sequence[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, env=BUFFERED, text=True, timeout=60, check=False
        )

    assert ended.returncode == 2
    assert ended.stderr.endswith(": the output cannot be written: No space left on device\n")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize(("closed", "arguments", "status"), [(">&-", f"show {RUN}", 0), ("<&-", "check -", 2)])
def test_a_stream_that_was_closed_before_is_no_bug(closed: str, arguments: str, status: int) -> None:
    ended = subprocess.run(
        f"{FOLDER / 'conform'} {arguments} {closed}",
        shell=True,
        env=BUFFERED,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ended.returncode == status
    assert len(ended.stderr.splitlines()) == (1 if status else 0)
