"""Runs that show only part of themselves: arguments, actions, variables and whole steps that nobody logged."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from conformance.cli import main
from conformance.judge import Kind, Leeway, Word
from conformance.judging.check import check_trace
from conformance.judging.profile import Profile
from conformance.trace_spec import check_trace_with_tlc
from tests.trace.commits import COMMIT, event, events_of, holed_file, walk


def conform(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    output = capsys.readouterr()
    assert isinstance(left.value.code, int)
    return left.value.code, output.out, output.err


def reached(names: list[str | None], participants: int, silent: int = 0) -> bool:
    """Whether some run of the specification has these names: by every state, without any merging."""
    model = COMMIT.model({"Participant": [f"p{number}" for number in range(participants)]})
    states = set(model.initial_states())
    for name in names:
        closed = set(states)
        for _ in range(silent):
            closed |= {after for state in closed for _, after in model.successors(state)}
        states = {
            after for state in closed for step, after in model.successors(state) if name is None or step.action == name
        }
    return bool(states)


def test_events_without_arguments_are_accepted_where_some_arguments_explain_them(tmp_path: Path) -> None:
    verdict = check_trace(holed_file(tmp_path / "run.ndjson", events_of(3)), COMMIT)

    assert verdict.word is Word.ACCEPTED
    assert verdict.actions == {"Prepare": 3, "Hear": 3, "Commit": 1, "Obey": 3}


def test_sixteen_participants_of_which_only_events_are_known_are_decided_without_a_flag(tmp_path: Path) -> None:
    events = events_of(16, seed=3)
    early = [*events]
    early[events.index("Commit") - 1] = "Obey"

    accepted = check_trace(holed_file(tmp_path / "run.ndjson", events, 16), COMMIT)
    rejected = check_trace(holed_file(tmp_path / "changed.ndjson", early, 16), COMMIT)

    assert accepted.word is Word.ACCEPTED
    assert rejected.divergence is not None
    assert (rejected.word, rejected.divergence.step) == (Word.REJECTED, events.index("Commit"))
    assert accepted.holes is not None
    assert accepted.holes.merged == {"Participant": 16}


def test_participants_that_may_also_give_up_are_decided_as_well(tmp_path: Path) -> None:
    aborted = ["Prepare", "?", "Prepare", "?", "Hear", "?", *["?"] * 8, "Abort", *["Obey"] * 6]

    verdict = check_trace(holed_file(tmp_path / "run.ndjson", aborted, 16), COMMIT)

    assert verdict.word is Word.ACCEPTED
    assert verdict.holes is not None
    assert verdict.holes.widest > 10


@pytest.mark.parametrize("seed", range(40))
def test_merging_decides_as_every_state_does(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    names: list[str | None] = [name for name, _ in walk(seed, 8, 3)]
    for _ in range(random.randrange(3)):
        at = random.randrange(len(names))
        names[at] = random.choice(["Prepare", "GiveUp", "Hear", "Commit", "Abort", "Obey", None])
    silent = random.randrange(2)
    if silent:
        del names[random.randrange(len(names))]
    file = holed_file(tmp_path / "run.ndjson", [name or "?" for name in names])

    verdict = check_trace(file, COMMIT, Leeway(silent=silent))

    assert verdict.accepted is reached(names, 3, silent)


def test_half_of_the_arguments_are_enough_to_tell(tmp_path: Path) -> None:
    told = [event("Prepare", "p0"), event("Prepare", "p1"), event("Abort"), event("Obey", None, "abort")]
    wrong = [*told, event("Obey", "p0", None), event("Obey", "p1", None), event("Obey", "p2", "commit")]

    assert check_trace(holed_file(tmp_path / "run.ndjson", told), COMMIT).accepted
    verdict = check_trace(holed_file(tmp_path / "wrong.ndjson", wrong), COMMIT)

    assert verdict.divergence is not None
    assert verdict.divergence.kind is Kind.NOT_ALLOWED


def test_an_id_that_is_named_only_later_is_held_apart_from_the_start(tmp_path: Path) -> None:
    told = [event("Prepare"), event("GiveUp"), event("Prepare"), event("Hear"), event("Hear", "p2"), event("Abort")]
    verdict = check_trace(holed_file(tmp_path / "run.ndjson", [*told, event("Obey", "p2", "abort")], 4), COMMIT)

    assert verdict.accepted
    assert verdict.holes is not None
    assert verdict.holes.merged == {"Participant": 3}


def test_the_reason_names_what_the_nearest_instance_needed(tmp_path: Path) -> None:
    verdict = check_trace(holed_file(tmp_path / "run.ndjson", ["Prepare", "Commit"]), COMMIT)

    assert verdict.divergence is not None
    reasons = " ".join(verdict.divergence.reasons())
    assert "Commit(…) is not allowed here" in reasons
    assert "heard = Participant" in reasons


def test_steps_that_nobody_logged_are_found_as_far_as_was_allowed(tmp_path: Path) -> None:
    """CASES 57, 59: one line for several steps of the specification, with hidden choices between."""
    file = holed_file(tmp_path / "run.ndjson", ["Commit", "Obey"])

    assert check_trace(file, COMMIT).word is Word.REJECTED
    assert check_trace(file, COMMIT, Leeway(silent=5)).word is Word.REJECTED
    assert check_trace(file, COMMIT, Leeway(silent=6)).word is Word.ACCEPTED
    assert check_trace(file, COMMIT, Leeway(silent=6, silent_actions=("Prepare", "Hear"))).word is Word.ACCEPTED
    assert check_trace(file, COMMIT, Leeway(silent=6, silent_actions=("GiveUp", "Hear"))).word is Word.REJECTED


def test_a_run_that_too_many_states_fit_is_undecided_at_its_step(tmp_path: Path) -> None:
    """CASES 57: a budget ends in undecided, never in accepted or rejected."""
    file = holed_file(tmp_path / "run.ndjson", ["?"] * 12, 5)

    verdict = check_trace(file, COMMIT, Leeway(most_candidates=20))

    assert verdict.word is Word.UNDECIDED
    assert verdict.exit_status == 4
    assert "undecided at step" in verdict.reason
    assert "more than 20 states fit" in verdict.reason


def judged_by(tmp_path: Path, *lines: str) -> Profile:
    """The commitment, judged by properties that it does not keep."""
    config = tmp_path / "Strict.cfg"
    config.write_text(
        "\n".join(["INIT Init", "NEXT Next", "CONSTANT Participant = {p1}", *lines, ""]), encoding="utf-8"
    )
    return Profile(COMMIT.module, config)


def test_what_only_some_ways_break_is_possible_and_not_violated(tmp_path: Path) -> None:
    profile = judged_by(tmp_path, "INVARIANTS TypeOK NobodyGivesUp", "PROPERTY NeverAborts")
    verdict = check_trace(holed_file(tmp_path / "run.ndjson", ["Prepare", "?"]), profile)

    assert verdict.word is Word.ACCEPTED
    assert verdict.holes is not None
    assert verdict.holes.possible == {"NobodyGivesUp": 2, "NeverAborts": 2}


def test_what_every_way_breaks_is_violated(tmp_path: Path) -> None:
    profile = judged_by(tmp_path, "INVARIANT NobodyGivesUp")
    verdict = check_trace(holed_file(tmp_path / "run.ndjson", ["Prepare", "GiveUp"]), profile)

    assert verdict.divergence is not None
    assert (verdict.divergence.kind, verdict.divergence.failing) == (Kind.INVARIANT, ("NobodyGivesUp",))


def test_what_was_possibly_broken_is_violated_once_no_other_way_fits(tmp_path: Path) -> None:
    profile = judged_by(tmp_path, "INVARIANT TypeOK", "PROPERTY NeverAborts")
    verdict = check_trace(holed_file(tmp_path / "run.ndjson", ["?", "?", "Obey"]), profile)

    assert verdict.divergence is not None
    assert (verdict.divergence.kind, verdict.divergence.step) == (Kind.BROKEN_BEFORE, 3)
    assert "every way that still fits has broken NeverAborts before" in verdict.divergence.headline


def test_a_variable_that_is_shown_decides_between_the_states(tmp_path: Path) -> None:
    """CASES 64: what is absent is unconstrained, what is shown is not."""
    first: dict[str, Any] = {"heard": {"#set": []}}
    shown = [
        event("Prepare"),
        event("Prepare"),
        event("Hear", after={"Commit": {"heard": {"#set": ["p1"]}}}),
        event("Hear", after={"Commit": {"heard": {"#set": ["p1", "p2"]}}}),
        event("Prepare", "p2"),
    ]
    file = holed_file(tmp_path / "run.ndjson", shown, shows=["heard"], first=first)

    verdict = check_trace(file, COMMIT)

    assert verdict.divergence is not None
    assert verdict.divergence.step == 5


@pytest.mark.parametrize("events", [["Prepare", "Hear", "?", "Abort", "Obey"], ["Prepare", "?", "Commit"]])
def test_tlc_says_the_same_of_a_run_with_holes(tmp_path: Path, events: list[str]) -> None:
    file = holed_file(tmp_path / "run.ndjson", events)

    python, tlc = check_trace(file, COMMIT), check_trace_with_tlc(file, COMMIT)

    assert python.word is tlc.word
    assert [each.divergence and each.divergence.step for each in (python, tlc)] in ([None, None], [3, 3])


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ({"action": "?", "args": ["p0"]}, "nobody knows of what"),
        ({"action": "Obey", "args": ["p0"]}, "takes 2 arguments"),
        ({"action": "Obey", "args": [None, "postpone"]}, "not in"),
        ({"action": "Prepare", "args": "p0"}, "args is not a list"),
    ],
)
def test_what_is_wrong_with_a_step_is_refused_though_some_is_left_open(
    tmp_path: Path, step: dict[str, Any], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = holed_file(tmp_path / "run.ndjson", [step])
    arguments = ["check", str(file), "--spec", str(COMMIT.module)]

    status, out, err = conform(arguments, capsys)

    assert (status, out) == (2, "")
    assert says in err
    assert len(err.strip().splitlines()) == 1


def test_the_command_says_what_was_merged_and_how_wide_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = holed_file(tmp_path / "run.ndjson", ["Prepare", "?", "?", "?"], 6)
    arguments = ["check", str(file), "--spec", str(COMMIT.module), "--silent", "1"]

    status, said, _ = conform(arguments, capsys)
    document = json.loads(conform([*arguments, "--json"], capsys)[1])["traces"][0]

    assert status == 0
    assert "6 of Participant" in said
    assert document["holes"]["silent"] == 1
    assert document["holes"]["widest"] >= document["holes"]["candidates"] > 1
