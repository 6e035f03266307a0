"""What people who check recorded runs have met before, asked of `conform check`."""

import json
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner, Result

from conformance.cli import conform
from conformance.scenarios import Scenario, play
from conformance.targets.world import World
from conformance.trace.header import Footer
from conformance.trace.reader import read_trace
from conformance.trace.step import TraceStep
from conformance.trace.writer import trace_text, write_trace
from tests.corpus import ACCEPTED
from tests.trace.races import BATON, HEADER, RACE, after, numbered, race_file, start, step

OTHER_PARTITION = "shop/orders/activity/0"
TEXT = trace_text(HEADER, RACE, Footer(end="stopped"))


def check(path: Path, *options: str, spec: bool = True) -> Result:
    named = ["--spec", str(BATON.module), "--config", str(BATON.config)] if spec else []
    return CliRunner().invoke(conform, ["check", str(path), *named, *options], standalone_mode=False)


def said(path: Path, *options: str, spec: bool = True) -> dict[str, object]:
    (document,) = json.loads(check(path, "--json", *options, spec=spec).stdout)["traces"]
    return {key: document[key] for key in ("verdict", "reason", "steps", "end")}


def test_a_run_whose_first_step_matches_no_action_is_rejected_there(tmp_path: Path) -> None:
    """CASES 54: a run is accepted only where all of it was consumed."""
    result = check(race_file(tmp_path, [start(), step("Stop", "ann", shows=after()), *RACE[1:]]))

    assert result.return_value == 1
    assert "diverged at step 1 of 5" in result.stdout


def test_a_run_without_steps_shows_nothing_and_an_empty_file_is_no_run(tmp_path: Path) -> None:
    """CASES 54: what an empty log means."""
    empty = tmp_path / "empty.ndjson"
    empty.touch()

    assert check(race_file(tmp_path, [start()])).return_value == 4
    assert check(empty).return_value == 2


@pytest.fixture
def elsewhere(tmp_path: Path) -> tuple[Path, TraceStep]:
    """A kept run, one of whose reads names another partition; and that step."""
    header, steps, footer = read_trace(ACCEPTED / "stored-then-polled.ndjson")
    wrong = next(each for each in steps if each.action == "ReadBacklog")
    changed = [attrs.evolve(each, args=("h1", OTHER_PARTITION)) if each.step == wrong.step else each for each in steps]
    return write_trace(tmp_path / "run.ndjson", trace_text(header, changed, footer)), wrong


def test_where_a_run_stops_is_told_with_the_state_before_and_the_conjunct_that_failed(
    elsewhere: tuple[Path, TraceStep],
) -> None:
    """CASES 56."""
    path, wrong = elsewhere
    result = check(path, spec=False)

    assert result.return_value == 1
    assert f"diverged at step {wrong.step} of " in result.stdout
    assert f"ReadBacklog(h1, {OTHER_PARTITION}) needs running[h, q]" in result.stdout
    assert "The spec allows here: " in result.stdout


def test_two_queues_in_one_run_with_gaps_in_their_ids_are_judged_together(tmp_path: Path) -> None:
    """CASES 65: what names a queue that the run has not is an error with its line."""
    world = World()
    usual = {"version": world.versions[0], "run": True}
    patient = {"worker": "w1", "wait_ms": 1000, **usual}
    requests = [
        {"do": "add", "task": "t4", "partition": world.partitions[0], **usual},
        {"do": "poll", "poll": "p3", "partition": world.partitions[1], **patient},
        {"do": "poll", "poll": "p1", "partition": world.partitions[0], **patient},
        {"do": "add", "task": "t2", "partition": world.partitions[1], **usual},
    ]
    run = play(Scenario(name="two", title="two queues", story="", world=world, requests=tuple(requests), settle=True))
    text = trace_text(run.header, run.steps, run.footer)
    adds = [each.args[2] for each in run.steps if each.action == "AddTask" and each.args]
    strange = text.replace(
        '"AddTask","args":["t2","h1","shop/orders/activity/0"', '"AddTask","args":["t2","h1","other/0"'
    )
    refused = check(write_trace(tmp_path / "strange.ndjson", strange), spec=False)

    assert adds == list(world.partitions)
    assert check(write_trace(tmp_path / "two.ndjson", text), spec=False).return_value == 0
    assert (refused.return_value, 'has q = "other/0", which is not in' in refused.stderr) == (2, True)


def test_what_failed_for_its_caller_may_still_take_effect() -> None:
    """CASES 72: an answer that did not arrive says nothing of what was done."""
    path = ACCEPTED / "write-in-doubt.ndjson"
    steps = [(each.action, each.args) for each in read_trace(path)[1]]

    assert steps.index(("AnswerAdd", ("t1", "refused"))) < steps.index(("Return", ("p1", ("task", "t1"))))
    assert check(path, spec=False).return_value == 0


@pytest.mark.parametrize(
    ("noise", "status", "where"),
    [("INFO {line}", 2, ":3: the line is not JSON"), ("starting up\n{line}", 2, ":3: the line is not JSON")],
    ids=["a prefix", "a line of its own"],
)
def test_noise_in_a_run_is_an_error_with_its_line(tmp_path: Path, noise: str, status: int, where: str) -> None:
    """CASES 66, the strict mode; there is no other."""
    lines = TEXT.splitlines()
    lines[2] = noise.format(line=lines[2])
    path = write_trace(tmp_path / "race.ndjson", "\n".join([*lines, ""]))
    result = check(path)

    assert result.return_value == status
    assert where in result.stderr


@pytest.mark.parametrize(
    "text",
    [TEXT + "\n\n", TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT],
    ids=["two line ends", "CRLF", "byte-order mark"],
)
def test_marks_and_line_ends_do_not_change_the_verdict(tmp_path: Path, text: str) -> None:
    """CASES 67."""
    clean = said(write_trace(tmp_path / "clean.ndjson", TEXT))
    path = tmp_path / "marked.ndjson"
    path.write_bytes(text.encode())

    assert clean["verdict"] == "accepted"
    assert said(path) == clean


def test_a_torn_run_is_undecided_at_its_line_and_never_accepted(tmp_path: Path) -> None:
    """CASES 68."""
    path = tmp_path / "torn.ndjson"
    path.write_text(trace_text(HEADER, RACE, None)[:-9], encoding="utf-8")

    assert check(path).return_value == 4
    assert said(path)["reason"] == "cut short at line 6: the trace ends there in the middle of a line"


def test_a_torn_run_that_parts_before_the_tear_is_rejected(tmp_path: Path) -> None:
    """CASES 68: distinct from undecided."""
    path = tmp_path / "torn.ndjson"
    path.write_text(trace_text(HEADER, numbered([*RACE[:1], *RACE[2:]]), None)[:-9], encoding="utf-8")

    assert check(path).return_value == 1


def test_a_value_that_is_not_shown_may_be_any_and_a_shown_one_may_not(tmp_path: Path) -> None:
    """CASES 64: absent is unconstrained, null is no value, and 0 is zero."""
    hidden = attrs.evolve(HEADER, observes={"Baton": ("holder",)})
    steps = [attrs.evolve(each, after={"Baton": {"holder": each.after["Baton"]["holder"]}}) for each in RACE]
    null = TEXT.replace('"laps":{"ann":1,"bob":0}', '"laps":null')
    zero = TEXT.replace('"laps":{"ann":1,"bob":0}', '"laps":{"ann":0,"bob":0}')

    assert null != TEXT
    assert zero != TEXT
    assert check(race_file(tmp_path / "absent", steps, header=hidden)).return_value == 0
    assert check(write_trace(tmp_path / "null.ndjson", null)).return_value == 2
    assert check(write_trace(tmp_path / "zero.ndjson", zero)).return_value == 1


def test_a_large_number_keeps_all_its_digits(tmp_path: Path) -> None:
    """CASES 71: a reader that makes a double of it would show an even number."""
    text = TEXT.replace('"ann":1', '"ann":9007199254740993')
    result = check(write_trace(tmp_path / "race.ndjson", text))

    assert result.return_value == 1
    assert "9007199254740993" in result.stdout
