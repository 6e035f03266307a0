"""`conform check` says of each trace whether it is allowed, and what that rests on."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner, Result

from conformance.cli import conform
from conformance.judge import Kind, Word
from conformance.judging.check import check_trace
from conformance.tla.values import make_function
from conformance.trace.errors import TraceError
from conformance.trace.header import Footer
from conformance.trace.step import TraceStep
from conformance.trace.writer import trace_text, write_trace
from tests.trace import stories
from tests.trace.races import BATON, HEADER, RACE, after, race_file, start, step
from tests.trace.stories import HEADER as STORY_HEADER
from tests.trace.stories import STORY

PROGRAM = """
import sys
from conformance.cli import main
try:
    main(sys.argv[1:])
finally:
    heavy = {"hypothesis", "matching", "networkx", "sqlalchemy", "subprocess", "tqdm", "xml", "yaml"}
    print(*sorted(heavy & sys.modules.keys()), file=sys.stderr)
"""


def check(*paths: Path, options: Sequence[str] = ()) -> Result:
    spec = ["--spec", str(BATON.module), "--config", str(BATON.config)]
    return CliRunner().invoke(conform, ["check", *map(str, paths), *spec, *options], standalone_mode=False)


def without(number: int) -> list[TraceStep]:
    return [*RACE[:number], *RACE[number + 1 :]]


def test_an_allowed_run_is_accepted_with_what_that_rests_on(tmp_path: Path) -> None:
    result = check(race_file(tmp_path, RACE))

    assert result.return_value == 0
    assert "4 steps judged, ended stopped" in result.stdout
    assert "2 invariants and 1 step properties" in result.stdout
    assert "actions taken: Pass 2, Start 1, Stop 1" in result.stdout
    assert 'constants: Runner = {"ann", "bob"}, ' in result.stdout
    assert "compositions: none" in result.stdout


def test_a_run_that_is_not_allowed_is_rejected_with_the_page_about_it(tmp_path: Path) -> None:
    result = check(race_file(tmp_path, without(1)))

    assert result.return_value == 1
    assert "diverged at step 1 of 3          spec Baton   target track" in result.stdout
    assert "<- not allowed" in result.stdout
    assert "Pass(ann, bob) needs holder = {r}, and holder is {}" in result.stdout
    assert "The spec allows here: " in result.stdout


def test_json_has_the_same_verdict(tmp_path: Path) -> None:
    result = check(race_file(tmp_path, without(1)), options=["--json"])
    verdict = json.loads(result.stdout)["traces"][0]

    assert (verdict["verdict"], verdict["divergence"]["step"]) == ("rejected", 1)
    assert verdict["divergence"]["kind"] == "not allowed"


def test_a_trace_that_was_cut_short_is_undecided_and_says_where(tmp_path: Path) -> None:
    result = check(race_file(tmp_path, RACE, footer=None))

    assert result.return_value == 4
    assert "cut short at line 6" in result.stdout


def test_a_trace_that_was_cut_short_after_a_divergence_is_rejected(tmp_path: Path) -> None:
    assert check(race_file(tmp_path, without(1), footer=None)).return_value == 1


def test_a_trace_that_only_stutters_is_vacuous(tmp_path: Path) -> None:
    result = check(race_file(tmp_path, [start(), step(None)]))

    assert result.return_value == 4
    assert "no action of Baton was taken" in result.stdout


def test_a_header_alone_has_no_step_to_judge(tmp_path: Path) -> None:
    result = check(race_file(tmp_path, []))

    assert result.return_value == 2
    assert "there is no step 0" in result.stderr


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([RACE[0], step("Stopp", "ann")], "race.ndjson:3: Baton has no action Stopp"),
        ([RACE[0], step("Start")], "race.ndjson:3: Start(r) takes 1 arguments"),
        ([RACE[0], step("Start", "eve")], 'race.ndjson:3: Start(eve) has r = "eve"'),
        ([RACE[0], step("Start", 1)], "race.ndjson:3: Start(1) has r = 1"),
        ([RACE[0], step("Start", "ann", shows=after(coach="bob"))], "race.ndjson:3: step 1 shows Baton.coach"),
        ([attrs.evolve(RACE[0], after=after())], "race.ndjson:2: step 0 lacks laps"),
        ([attrs.evolve(RACE[0], new={"Most": ("3",)})], "race.ndjson:2: new names Most, which is not a set of ids"),
    ],
)
def test_what_is_asked_wrongly_is_one_error_with_its_line(tmp_path: Path, steps: list[TraceStep], said: str) -> None:
    result = check(race_file(tmp_path, steps))

    assert result.return_value == 2
    assert said in result.stderr


def test_a_run_cannot_choose_the_constants_that_forgive_it(tmp_path: Path) -> None:
    path = race_file(tmp_path, [attrs.evolve(RACE[0], new={"Runner": ("ann", "bob"), "Lap": ("x",)})])

    with pytest.raises(TraceError, match=r"a run brings the ids of Runner, every other constant is the checker's"):
        check_trace(path, BATON)


def test_an_id_may_come_into_being_later(tmp_path: Path) -> None:
    counted = make_function({"ann": 1, "bob": 0, "cid": 0})
    late = step("Pass", "ann", "cid", shows=after("cid", laps=counted))
    steps = [*RACE[:2], attrs.evolve(late, new={"Runner": ("cid",)})]

    assert check_trace(race_file(tmp_path, steps), BATON).word is Word.ACCEPTED


def test_an_id_is_not_named_before_it_comes_into_being(tmp_path: Path) -> None:
    steps = [RACE[0], step("Start", "cid", shows=after("cid")), attrs.evolve(step(None), new={"Runner": ("cid",)})]

    with pytest.raises(TraceError, match=r"race\.ndjson:3: step 1 names cid, which comes into being only at a later"):
        check_trace(race_file(tmp_path, steps), BATON)


def told(tmp_path: Path, *edits: tuple[str, str]) -> Path:
    """A story of the whole specification, with some of its text replaced."""
    text = trace_text(STORY_HEADER, stories.told(STORY[:6]), Footer(end="stopped"))
    for found, other in edits:
        assert found in text
        text = text.replace(found, other)
    return write_trace(tmp_path / "told.ndjson", text)


def test_a_run_may_name_its_hosts_as_it_likes(tmp_path: Path) -> None:
    assert check_trace(told(tmp_path, ('"h1"', '"a1"'))).word is Word.ACCEPTED


def test_a_run_that_has_the_flag_on_nowhere_is_judged_by_that(tmp_path: Path) -> None:
    verdict = check_trace(told(tmp_path, ('Change":["h1"]', 'Change":[]')))

    assert verdict.word is Word.ACCEPTED
    assert verdict.constants["UnloadOnNamespaceStateChange"] == frozenset()


@pytest.mark.parametrize("host", ["h1", "a1"])
def test_what_a_run_leaves_open_is_not_filled_with_ids_of_other_runs(tmp_path: Path, host: str) -> None:
    path = told(tmp_path, ('"UnloadOnNamespaceStateChange":["h1"],', ""), ('"h1"', f'"{host}"'))

    with pytest.raises(TraceError, match=r"told\.ndjson:2: new has Host and not UnloadOnNamespaceStateChange"):
        check_trace(path)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("", r"told\.ndjson:3: step 1 is of host h2, and the run's hosts are h1"),
        (
            '"new":{"Host":["h2"]},',
            r"told\.ndjson:3: step 1 is of host h2, which comes into being only at a later step",
        ),
    ],
)
def test_a_step_is_of_a_host_that_there_is(tmp_path: Path, new: str, said: str) -> None:
    path = told(
        tmp_path,
        (
            '"args":["h1","q1"],"after":{"PartitionLifetime":{"sought"',
            '"args":["h1","q1"],"host":"h2","after":{"PartitionLifetime":{"sought"',
        ),
        (
            '"step":3,"action":"FinishPart","args":["h1","q1",1,"metadata"],',
            f'"step":3,"action":"FinishPart","args":["h1","q1",1,"metadata"],{new}',
        ),
    )

    with pytest.raises(TraceError, match=said):
        check_trace(path)


def test_the_end_is_verified_and_not_believed(tmp_path: Path) -> None:
    verdict = check_trace(race_file(tmp_path, RACE[:3], footer=Footer(end="quiescent")), BATON)

    assert verdict.divergence is not None
    assert verdict.divergence.kind is Kind.NOT_QUIESCENT


def test_coverage_is_asked_of_all_traces_together(tmp_path: Path) -> None:
    result = check(race_file(tmp_path, RACE), options=["--require-coverage"])

    assert result.return_value == 4
    assert "no run takes Rest, Copy, Skip" in result.stdout


def test_one_rejected_trace_rejects_the_lot_and_the_others_are_still_judged(tmp_path: Path) -> None:
    paths = [race_file(tmp_path / "bad", without(1)), tmp_path / "nowhere.ndjson", race_file(tmp_path / "good", RACE)]
    result = check(*paths)

    assert result.return_value == 1
    assert "nowhere.ndjson: cannot be read" in result.stderr
    assert "accepted   " in result.stdout


def test_show_tells_a_run_as_a_story(tmp_path: Path) -> None:
    asked = [attrs.evolve(RACE[1], request=({"do": "start", "runner": "ann"},), begin_ms=3, end_ms=3)]
    path = race_file(tmp_path, [RACE[0], *asked, *RACE[2:]])
    result = CliRunner().invoke(conform, ["show", str(path)], standalone_mode=False)

    assert result.stdout.splitlines()[4:6] == [
        "  1  3 ms   start ann   Start(ann)       holder {ann}",
        "  2                     Pass(ann, bob)   holder {bob}",
    ]
    assert HEADER.why in result.stdout


@pytest.mark.slow
def test_a_check_from_the_shell_imports_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    path = race_file(tmp_path, RACE)
    arguments = ["check", str(path), "--spec", str(BATON.module), "--config", str(BATON.config)]
    check(path)
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True, timeout=60
    )

    assert finished.stderr.split() == []
