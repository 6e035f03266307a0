"""What is asked wrongly is one line and exit status 2; what is interrupted says so by its status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.cli.running import LONGEST
from conformance.paths import spec_directory
from conformance.trace.errors import TraceError
from conformance.trace.writer import refuse_unwritable, write_trace

CONFORM = Path(sys.executable).parent / "conform"
MATCHING = Path(sys.executable).parent / "matching"
RUN = spec_directory().parent / "traces" / "corpus" / "accepted" / "sync-match.ndjson"


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that is said of a command that was asked wrongly."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    output = capsys.readouterr()
    assert (left.value.code, output.out) == (2, "")
    assert len(output.err.splitlines()) == 1
    assert len(output.err) < LONGEST + 100
    return output.err


def test_a_module_that_the_specification_lacks_is_not_observed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.ndjson"
    file.write_text(RUN.read_text(encoding="utf-8").replace("PollRegistration", "Nope"), encoding="utf-8")

    said = refused(["check", str(file)], capsys)

    made_of = "Backlog, Delivery, Forwarding, Matching, PartitionLifetime, PollRegistration"
    assert f"observes Nope, and Matching is made of {made_of}" in said


@pytest.mark.parametrize(
    ("line", "instead", "message"),
    [
        ("BlockSize = 3", "BlockSize = 0", "BlockSize > 0 (Backlog.tla:"),
        ("Number <- Nat", "Number = {1}", "0 \\in Number (Backlog.tla:"),
        ("Attempt <- Nat", "Attempt = {0}", "{0, 1} \\subseteq Attempt (Delivery.tla:"),
        ("RequestPerDispatch = TRUE", "RequestPerDispatch = 3", "Delivery.tla:"),
    ],
)
def test_constants_of_which_an_assumption_is_false_judge_nothing(
    tmp_path: Path, line: str, instead: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "wrong.cfg"
    text = (spec_directory() / "Matching.cfg").read_text(encoding="utf-8")
    config.write_text(text.replace(line, instead), encoding="utf-8")

    assert message in refused(["check", str(RUN), "--config", str(config)], capsys)


def test_a_run_whose_polls_and_tasks_share_an_id_is_not_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.ndjson"
    file.write_text(RUN.read_text(encoding="utf-8").replace('"t4"]', '"p4"]'), encoding="utf-8")

    assert "Poll \\cap Task = {} (PollRegistration.tla:" in refused(["check", str(file)], capsys)


@pytest.mark.parametrize("judge", [[], ["--with", "tlc"]], ids=["here", "by TLC"])
@pytest.mark.parametrize(
    ("brought", "message"),
    [
        (
            {"Partition": ["q/0", "q/1", "q/5"], "Child": ["q/1", "q/5"]},
            "the way to the root is there: \\E o \\in Part",
        ),
        ({"Partition": ["q/0", "q/1"], "Child": ["q/0"]}, "the way to the root is there: Place[q][2] # 0"),
        ({"Partition": ["q", "r/1"], "Child": ["r/1"]}, "Above(q) (Forwarding.tla:"),
        ({"Partition": ["q/0", "q/1"], "Child": ["q/7"]}, "Child \\subseteq Partition \\ Sticky"),
        ({"Partition": ["q/0"], "Sticky": ["w/sticky"]}, "what is sticky has no parent: Sticky \\subseteq Partition"),
        ({"Partition": ["q/0", "q/1"], "Child": ["q/1"], "Sticky": ["q/1"]}, "Sticky \\cap Child = {}"),
    ],
    ids=["no parent", "a root", "another's", "no partition", "sticky and no partition", "sticky and a child"],
)
def test_a_run_whose_partitions_are_no_tree_is_not_judged(
    tools: None,
    tmp_path: Path,
    judge: list[str],
    brought: dict[str, list[str]],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    header, beginning, *steps = RUN.read_text(encoding="utf-8").splitlines()
    first = json.loads(beginning)
    first["new"] |= brought
    file = tmp_path / "run.ndjson"
    file.write_text("\n".join([header, json.dumps(first, separators=(",", ":")), *steps, ""]), encoding="utf-8")

    assert message in refused(["check", *judge, str(file)], capsys)


@pytest.mark.parametrize("at", [2, 6])
def test_a_line_that_is_too_long_is_no_end_of_the_trace(
    tmp_path: Path, at: int, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = RUN.read_text(encoding="utf-8").splitlines()
    lines.insert(at - 1, json.dumps({"a": "x" * 1_500_000}))
    file = tmp_path / "run.ndjson"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")

    for verb in ("check", "show", "replay"):
        assert f"run.ndjson:{at}: the line is longer than" in refused([verb, str(file)], capsys)


WRONG = {
    "empty": b"",
    "binary": bytes(range(256)),
    "no header": b'{"step":0}\n',
    "no object": b"[1,2]\n",
    "nothing": b"null\n",
    "another format": b'{"format":"other/1"}\n',
    "text": b"Error: The behavior up to this point is:\n",
}
"""What is no trace, though it is named as one."""


@pytest.mark.parametrize("verb", [["check"], ["show"], ["show", "--as", "itf"], ["replay"]], ids=" ".join)
@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG)
def test_what_is_no_trace_is_refused_by_name(
    verb: list[str], content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.ndjson"
    file.write_bytes(content)

    assert f"{file}" in refused([*verb, str(file)], capsys)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("verb", ["check", "show", "replay", "spec", "explore"])
@pytest.mark.parametrize(
    "name",
    ["nowhere.ndjson", "", ".", "run.ndjson/below", "x" * 300],
    ids=["missing", "empty", "folder", "below a file", "too long"],
)
def test_what_is_not_there_is_refused(
    verb: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.ndjson").touch()

    refused([verb, name], capsys)


STORY = "title: a run\nstory: told\nrequests:\n- {do: add, task: t1}\n"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (STORY + "- {do: add, task: t9}\n", "wrong.yaml: request 2: 't9' is not a task"),
        (STORY + "- {do: run, run: 'true'}\n", "wrong.yaml: request 2: the request 'run' has no 'run'; it has do"),
        (STORY + "- {do: advance, by_ms: 5, rotate: true}\n", "wrong.yaml: request 2: rotate is True; it is a number"),
        (STORY + "- {do: news, host: h1, revision: 1, ownership: 9}\n", "exactly one of revision, ownership"),
        (STORY + "- {do: news, host: h1}\n", "exactly one of revision, ownership"),
        (STORY + "- {do: change, cluster: there, hosts: [h9]}\n", "exactly one of cluster, hosts"),
        (STORY + "- {do: forget, poll: p1, task: t1}\n", "exactly one of poll, task, event"),
        (STORY + "- {do: failover, active: false}\nclusters: [here]\n", "request 2: 'there' is not a cluster here"),
        (STORY + "hosts: []\n", "wrong.yaml: the setup has [] where a list of ids belongs"),
        (STORY + "hosts: [h1, h1]\n", "wrong.yaml: the setup has ['h1', 'h1'] where each id stands once"),
        ("{title: a run, story: told, requests: [{do: nope}]}", "wrong.yaml: request 1: 'nope' is no request"),
    ],
)
def test_a_script_that_cannot_be_played_is_told_with_its_place(
    tmp_path: Path, script: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(script, encoding="utf-8")

    assert message in refused(["replay", str(file)], capsys)


def test_a_recorded_world_that_cannot_be_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, rest = RUN.read_text(encoding="utf-8").split("\n", 1)
    file = tmp_path / "run.ndjson"
    file.write_text(f"{header.replace('shop/orders/activity/0', 'elsewhere')}\n{rest}", encoding="utf-8")

    assert f"{file}: the setup: 'elsewhere' is not a partition" in refused(["replay", str(file)], capsys)


def test_a_recorded_request_that_cannot_be_made_is_told_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.ndjson"
    file.write_text(RUN.read_text(encoding="utf-8").replace('"do":"poll"', '"do":"pol"'), encoding="utf-8")

    assert f"{file}: request 1: 'pol' is no request" in refused(["replay", str(file)], capsys)


def test_a_device_is_told_under_its_own_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(["check", "/dev/null"], capsys).startswith("conform: /dev/null: the trace is empty")


@pytest.mark.parametrize("text", [b"garbage\n", b"", b"---- MODULE Other ----\n====\n", b"\xff\xfe"])
def test_what_is_no_module_is_not_described(tmp_path: Path, text: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    module = tmp_path / "Thing.tla"
    module.write_bytes(text)

    assert "Thing" in refused(["spec", str(module)], capsys)


def test_control_characters_in_a_trace_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.ndjson"
    text = RUN.read_text(encoding="utf-8").replace('"StartPoll"', json.dumps("Start\n\x1b[31mPoll" + "x" * 5_000))
    file.write_text(text, encoding="utf-8")

    assert "\x1b" not in refused(["check", str(file)], capsys)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["all", "--seconds", "-1"], "--seconds"),
        (["all", "--seed", "x"], "--seed"),
        (["check", "--most-candidates", "0", str(RUN)], "--most-candidates"),
        (["check", "--silent", "-1", str(RUN)], "--silent"),
        (["check", "--with", "nobody", str(RUN)], "--with"),
        (["check", "--config", "nope.cfg", str(RUN)], "nope.cfg is not there"),
        (["check"], "TRACE"),
        (["check-spec", "--jobs", "0"], "--jobs"),
        (["check-spec", "Nope"], "Nope"),
        (["doctor", "more"], "more"),
        (["explore", "Nope"], "no module Nope"),
        (["explore", "Matching", "--config", "nope"], "no configuration nope"),
        (["explore", "Matching", "--max-states", "-1"], "--max-states"),
        (["fuzz", "polls", "--examples", "-1"], "--examples"),
        (["fuzz", "polls", "--seconds", "0"], "--seconds"),
        (["fuzz", "polls", "--seed", "-1"], "--seed"),
        (["show", "--as", "html", str(RUN)], "html"),
        (["show", "--as", "itf", "--full", str(RUN)], "--full"),
        (["fuzz", "polls", "--seconds", "nan"], "--seconds"),
        (["fuzz", "polls", "--seconds", "inf"], "--seconds"),
        (["fuzz", "nothing"], "nothing"),
        (["fuzz", "polls", "--target", "grpc"], "for forwarding"),
        (["check-spec", "--mutants", "--quick"], "--mutants"),
        (["check", "--spec", "nope.tla", str(RUN)], "no module nope.tla"),
        (["check", "--silent-action", "Load", str(RUN)], "--silent"),
        (["no-such-verb"], "no-such-verb"),
    ],
)
def test_a_command_that_is_asked_wrongly_says_so_in_one_line(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refused(arguments, capsys)


def test_a_run_that_could_not_be_kept_is_refused_before_it_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("not a folder", encoding="utf-8")

    refused(["fuzz", "polls", "--keep", str(taken / "below"), "--examples", "1"], capsys)


def test_a_trace_is_written_through_a_link_and_never_in_the_place_of_a_device(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "run.ndjson", tmp_path / "link.ndjson", tmp_path / "pipe"
    link.symlink_to(target)
    os.mkfifo(pipe)

    write_trace(link, "text\n")
    assert target.read_text(encoding="utf-8") == "text\n"
    assert link.is_symlink()
    for place in (pipe, tmp_path, Path("/dev/null"), Path("")):
        with pytest.raises(TraceError):
            write_trace(place, "text\n")
        with pytest.raises(TraceError):
            refuse_unwritable(place)
    assert pipe.is_fifo()


def test_the_tour_records_nothing_in_the_place_of_a_device() -> None:
    ran = subprocess.run([MATCHING, "tour", "--trace", "/dev/null"], capture_output=True, text=True, timeout=60)

    assert (ran.returncode, ran.stdout) == (2, "")
    assert Path("/dev/null").is_char_device()


def test_a_trace_may_come_through_a_pipe() -> None:
    with RUN.open("rb") as file:
        ran = subprocess.run([CONFORM, "check", "-"], stdin=file, capture_output=True, text=True, timeout=60)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("accepted   -   16 steps judged")


TERMINATED = """
import os, signal
from conformance.cli import main
from conformance.tla import process

read = process._read

def read_and_be_terminated(*arguments):
    process._read = read  # asked to end once, and not again
    os.kill(os.getpid(), signal.SIGTERM)
    return read(*arguments)

process._read = read_and_be_terminated
main(["check-spec", "MCPollRegistration"])
"""
"""A process that is asked to end as soon as it has started TLC."""


def test_a_check_that_is_terminated_leaves_no_java_behind(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", TERMINATED], capture_output=True, timeout=60, env=environment)

    assert (ran.returncode, ran.stderr) == (143, b"conform: stopped\n")
    assert [each for each in tmp_path.iterdir() if each.name.startswith("conform")] == []
