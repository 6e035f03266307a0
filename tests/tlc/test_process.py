"""A child process never outlives its run."""

import os
import sys
from pathlib import Path

from conformance.tla.process import run_process


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_timeout_ends_the_grandchild_that_holds_the_pipe_and_keeps_the_output(tmp_path: Path) -> None:
    """CASES 141."""
    finished = run_process(["sh", "-c", "sleep 60 & echo $!; wait"], folder=tmp_path, timeout_s=1)

    assert finished.timed_out
    assert finished.seconds < 3
    assert not alive(int(finished.output[0]))


def test_a_child_that_is_no_longer_wanted_is_ended_and_what_it_said_is_kept(tmp_path: Path) -> None:
    said: list[str] = []
    finished = run_process(
        ["sh", "-c", "echo $$; sleep 60"], folder=tmp_path, timeout_s=30, on_line=said.append, stop=lambda: bool(said)
    )

    assert finished.exit_status is None
    assert finished.seconds < 10
    assert not alive(int(finished.output[0]))


def test_a_grandchild_that_holds_the_pipe_does_not_keep_a_finished_run_waiting(tmp_path: Path) -> None:
    finished = run_process(["sh", "-c", "sleep 60 & echo $!; exit 5"], folder=tmp_path, timeout_s=30)

    assert (finished.exit_status, finished.timed_out) == (5, False)
    assert finished.seconds < 5
    assert not alive(int(finished.output[0]))


def test_both_streams_are_kept_apart_and_the_last_line_needs_no_end(tmp_path: Path) -> None:
    program = "import sys; print('one'); sys.stdout.write('two'); sys.stderr.write('three')"

    finished = run_process([sys.executable, "-c", program], folder=tmp_path, timeout_s=30)

    assert (finished.output, finished.complaints) == (("one", "two"), ("three",))


def test_each_line_is_told_as_it_comes(tmp_path: Path) -> None:
    seen: list[str] = []

    run_process(["sh", "-c", "echo one; echo two"], folder=tmp_path, timeout_s=30, on_line=seen.append)

    assert seen == ["one", "two"]


def test_bytes_that_are_no_text_do_not_end_the_run(tmp_path: Path) -> None:
    finished = run_process(["sh", "-c", r"printf 'a\377b\n'"], folder=tmp_path, timeout_s=30)

    assert finished.output == ("a�b",)
