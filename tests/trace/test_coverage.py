"""What a set of traces takes of the specification and puts at stake, and when that is too little."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance.cli import conform
from conformance.judging.check import check_trace
from conformance.judging.coverage import Coverage
from conformance.judging.profile import Profile, seed_profile
from conformance.tla.sites import Sites
from conformance.trace.header import Footer, Header
from conformance.trace.step import TraceStep
from conformance.trace.writer import trace_text, write_trace
from tests.corpus import ACCEPTED

MODULES = Path(__file__).parent / "modules"
LAMP = Profile(MODULES / "Lamp.tla", MODULES / "Lamp.cfg")
KETTLE = Profile(MODULES / "Kettle.tla", MODULES / "Kettle.cfg")
HEADER = Header(observes={"Lamp": ("on", "level")}, target="room", why="a lamp")


def run(path: Path, *story: tuple[str, ...], lamps: Sequence[str] = ("l1",)) -> Path:
    """A trace of the story, each of whose actions leaves one thing."""
    model = LAMP.model({"Lamp": lamps})
    (state,) = model.initial_states()
    steps = [TraceStep(step=0, action=None, new={"Lamp": tuple(lamps)}, after={"Lamp": model.as_mapping(state)})]
    for number, (action, *args) in enumerate(story, 1):
        (state,) = model.apply(action, tuple(args), state)
        steps.append(TraceStep(step=number, action=action, args=tuple(args), after={"Lamp": model.as_mapping(state)}))
    return write_trace(path, trace_text(HEADER, steps, Footer(end="stopped")))


def check(*paths: Path, options: Sequence[str] = ("--coverage",)) -> Result:
    spec = ["--spec", str(LAMP.module), "--config", str(LAMP.config)]
    return CliRunner().invoke(conform, ["check", *map(str, paths), *spec, *options], standalone_mode=False)


def coverage_of(*paths: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(check(*paths, options=["--coverage", "--json"]).stdout)["coverage"]
    return document


def taken(coverage: dict[str, Any], action: str) -> list[int]:
    return [each["taken"] for each in coverage["disjuncts"] if each["in"] == action]


ON, DIM, BREAK = ("Switch", "l1"), ("Dim", "l1"), ("Break", "l1")
EVERYTHING = (ON, DIM, DIM, DIM, DIM, DIM, ON, BREAK, ON, ON)


def test_a_disjunct_is_counted_by_its_line_each_time_that_it_is_taken(tmp_path: Path) -> None:
    coverage = coverage_of(run(tmp_path / "run.ndjson", ON, DIM, ON, ON))
    rows = [(each["line"], each["taken"]) for each in coverage["disjuncts"] if each["in"] == "Switch"]

    assert rows == [(21, 2), (22, 1)]


def test_the_arms_of_an_if_are_disjuncts_as_well(tmp_path: Path) -> None:
    assert taken(coverage_of(run(tmp_path / "run.ndjson", ON, DIM, DIM, DIM, DIM, DIM)), "Dim") == [4, 1]


def test_a_disjunct_under_a_quantifier_is_taken_with_some_witness(tmp_path: Path) -> None:
    assert taken(coverage_of(run(tmp_path / "run.ndjson", ON, BREAK)), "Break") == [0, 1]


def test_counts_are_merged_over_files_whose_ids_differ(tmp_path: Path) -> None:
    one = run(tmp_path / "one.ndjson", ON)
    other = run(tmp_path / "two.ndjson", ("Switch", "l2"), ("Dim", "l2"), lamps=("l2", "l3"))
    coverage = coverage_of(one, other)

    assert coverage["runs"] == 2
    assert coverage["actions"] == {"Switch": 2, "Dim": 1, "Break": 0}
    assert taken(coverage, "Switch") == [2, 0]
    assert coverage["never_taken"] == ["Break"]


def test_a_set_that_is_always_empty_leaves_an_invariant_without_stake(tmp_path: Path) -> None:
    never = [(each["in"], each["kind"]) for each in coverage_of(run(tmp_path / "run.ndjson", BREAK))["never_at_stake"]]

    assert never == [("BrightInv", "quantifier"), ("SlowProp", "change")]


def test_a_left_side_that_is_never_true_is_told_and_only_the_outermost(tmp_path: Path) -> None:
    coverage = coverage_of(run(tmp_path / "run.ndjson", ON, ON))

    assert [(each["in"], each["text"]) for each in coverage["never_at_stake"]] == [
        ("BrightInv", "level[l] > 7"),
        ("SlowProp", "l \\in on'"),
    ]


def kettle(path: Path, *actions: str) -> list[str]:
    """What a run of the kettle never puts at stake: owner, kind, line, and the line where it is used."""
    model = KETTLE.model({})
    (state,) = model.initial_states()
    header = Header(observes={"Kettle": ("full", "hot")}, target="kitchen", why="a kettle")
    steps = [TraceStep(step=0, action=None, after={"Kettle": model.as_mapping(state)})]
    for number, action in enumerate(actions, 1):
        (state,) = model.apply(action, (), state)
        steps.append(TraceStep(step=number, action=action, after={"Kettle": model.as_mapping(state)}))
    write_trace(path, trace_text(header, steps, Footer(end="stopped")))
    coverage = Coverage(KETTLE.model({}))
    coverage.add(check_trace(path, KETTLE, onlooker=coverage))
    return [
        " ".join(map(str, (site.owner, site.kind, site.location.line, *(each.line for each in site.via))))
        for site in coverage.never_at_stake
    ]


IMPLICATIONS = ["NeedsInv implication 37 41", "IfInv arm 44", "OrInv implication 47", "CaseInv arm 50"]


def test_an_implication_is_found_however_it_is_written_and_in_each_of_its_uses(tmp_path: Path) -> None:
    assert kettle(tmp_path / "run.ndjson", "Fill", "Empty") == [*IMPLICATIONS, "CoolsProp change 54"]


def test_a_step_property_is_at_stake_only_where_what_it_is_about_changes(tmp_path: Path) -> None:
    assert kettle(tmp_path / "run.ndjson", "Fill", "Boil") == []


def test_the_arms_of_a_case_are_disjuncts_of_an_action(tmp_path: Path) -> None:
    kettle(tmp_path / "run.ndjson", "Fill", "Boil", "Empty")
    coverage = Coverage(KETTLE.model({}))
    coverage.add(check_trace(tmp_path / "run.ndjson", KETTLE, onlooker=coverage))

    assert [(site.location.line, count) for site, count in coverage.disjuncts.items()] == [(29, 1)]
    assert [site.location.line for site in coverage.missing_disjuncts] == [30]


def test_a_rejected_run_counts_as_far_as_it_is_allowed(tmp_path: Path) -> None:
    path = run(tmp_path / "run.ndjson", ON, DIM, DIM)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:3], *lines[4:]]).replace('"step":3', '"step":2'), encoding="utf-8")
    coverage = coverage_of(path)

    assert coverage["actions"] == {"Switch": 1, "Dim": 0, "Break": 0}
    assert taken(coverage, "Dim") == [0, 0]


def test_the_page_for_a_person_names_what_is_missing_with_its_line(tmp_path: Path) -> None:
    result = check(run(tmp_path / "run.ndjson", ON))

    assert result.return_value == 0
    assert "coverage   1 of 3 actions taken in 1 runs" in result.stdout
    assert "never taken  Lamp.tla:22: l \\in on /\\ on' = on \\ {l}" in result.stdout
    assert "BrightInv: the left side was never true (Lamp.tla:48: level[l] > 7)" in result.stdout


def test_the_page_and_the_document_say_the_same(tmp_path: Path) -> None:
    path = run(tmp_path / "run.ndjson", ON, DIM, BREAK)
    page, coverage = check(path).stdout, coverage_of(path)
    weak = [f"  {each['in']}: " for each in coverage["never_at_stake"]]
    zero = [each["text"] for each in coverage["disjuncts"] if not each["taken"]]

    assert [line for line in weak if line in page] == weak != []
    assert [text for text in zero if "never taken  Lamp.tla:" in page and text in page] == zero != []
    assert page.count("never taken") == len(zero) + len(coverage["never_taken"])
    assert f"at stake   {3 - len(set(weak))} of 3 " in page


def test_a_weak_set_is_undecided_and_says_what_is_missing(tmp_path: Path) -> None:
    result = check(run(tmp_path / "run.ndjson", *EVERYTHING), options=["--require-coverage"])

    assert result.return_value == 4
    assert 'undecided  no run takes this disjunct of Break: Lamp.tla:33: why = "heat" /\\ level[l] = 9' in result.stdout
    assert "undecided  BrightInv is never at stake: the left side was never true" in result.stdout
    assert "no run takes Break" not in result.stdout


def test_no_coverage_is_computed_where_nobody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Coverage, "watch", None)
    monkeypatch.setattr(Sites, "__init__", None)

    assert check(run(tmp_path / "run.ndjson", ON), options=["--json"]).return_value == 0


def test_runs_of_which_no_action_was_recognised_are_weak(tmp_path: Path) -> None:
    """CASES 52: a gate that matches nothing must not pass."""
    result = check(run(tmp_path / "run.ndjson"), tmp_path / "nowhere.ndjson", options=["--require-coverage", "--json"])
    missing = json.loads(result.stdout)["coverage"]["missing"]

    assert missing == ["no action of Lamp was recognised in 1 runs, so they show nothing"]
    assert result.return_value == 2


def test_no_action_at_all_is_undecided_where_coverage_is_required(tmp_path: Path) -> None:
    """CASES 52."""
    assert check(run(tmp_path / "run.ndjson"), options=["--require-coverage"]).return_value == 4


def test_tlc_alone_shows_no_coverage(tmp_path: Path) -> None:
    result = check(run(tmp_path / "run.ndjson", ON), options=["--coverage", "--with", "tlc"])

    assert "coverage is seen by the evaluator alone" in str(result.exception)


def test_the_kept_runs_take_every_action_and_disjunct_and_put_every_property_at_stake() -> None:
    profile = seed_profile()
    coverage = Coverage(profile.model({}))
    for path in sorted(ACCEPTED.glob("*.ndjson")):
        coverage.add(check_trace(path, profile, onlooker=coverage))

    assert coverage.weaknesses() == []
    assert {site.owner for site in coverage.sites if site.kind == "disjunct"} == {
        *("AnswerAdd", "Expire", "Return", "AbandonAdd", "Claim", "Lead", "LoseLease", "Unload", "Vanish", "Spool"),
        *("Seek", "Refuse", "RefuseAdd", "Emit", "HearNamespace", "HearOwners"),
        *("Forward", "Withdraw", "ForgetPoll", "Offer", "Decline", "Conclude"),
        *("CommitDelete", "FailRead", "Deliver", "Drop", "RecordStart", "RefuseStart", "FailStart", "RefuseComplete"),
    }
    assert {site.owner for site in coverage.at_stake} >= {"NothingLostInv", "SuitableProp", "HandInv"}
