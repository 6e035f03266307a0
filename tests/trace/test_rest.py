"""Liveness, as far as one run can show it: at its end it rests for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.judge import Kind, Word
from conformance.judging.check import check_trace
from conformance.judging.profile import Profile
from conformance.judging.quiescence import fair_actions
from conformance.paths import spec_directory
from conformance.tla.model import Model
from tests.trace.commits import COMMIT, event, holed_file

COMMITTED = [event("Prepare", "p0"), event("Hear", "p0"), event("Commit"), event("Obey", "p0", "commit")]


@pytest.fixture
def lively(tmp_path: Path) -> Profile:
    config = tmp_path / "Lively.cfg"
    lines = [
        "INIT Init",
        "NEXT Next",
        "CONSTANT Participant = {p1}",
        "INVARIANT TypeOK",
        "PROPERTIES Decides Obeyed",
        "",
    ]
    config.write_text("\n".join(lines), encoding="utf-8")
    return Profile(COMMIT.module, config)


def test_a_run_that_rests_where_it_should_keeps_every_temporal_property(tmp_path: Path, lively: Profile) -> None:
    verdict = check_trace(holed_file(tmp_path / "run.ndjson", COMMITTED, 1, end="quiescent"), lively)

    assert (verdict.word, verdict.unchecked_properties) == (Word.ACCEPTED, ())


@pytest.mark.parametrize(("steps", "failing"), [(2, ("Decides",)), (3, ("Obeyed",))])
def test_a_run_that_rests_too_early_breaks_what_it_never_does(
    tmp_path: Path, lively: Profile, steps: int, failing: tuple[str, ...]
) -> None:
    verdict = check_trace(holed_file(tmp_path / "run.ndjson", COMMITTED[:steps], 1, end="quiescent"), lively)

    assert verdict.divergence is not None
    assert (verdict.divergence.kind, verdict.divergence.failing) == (Kind.LIVENESS, failing)
    assert "rests for ever" in verdict.divergence.reasons()[0]


@pytest.mark.parametrize(
    ("steps", "end"), [(COMMITTED, "stopped"), ([event("Prepare"), "?", "Commit", "Obey"], "quiescent")]
)
def test_what_was_not_asked_is_told(
    tmp_path: Path, lively: Profile, steps: list[dict[str, Any] | str], end: str
) -> None:
    participants = 1 if end == "stopped" else 2
    verdict = check_trace(holed_file(tmp_path / "run.ndjson", steps[:2], participants, end=end), lively)

    assert verdict.unchecked_properties == ("Decides", "Obeyed")
    assert verdict.as_json()["unchecked_properties"] == ["Decides", "Obeyed"]


PART = """---- MODULE Part ----
VARIABLE x
Load == x = 0 /\\ x' = 1
Stop == x = 1 /\\ x' = 0
Next == Load \\/ Stop
Fairness == WF_x(Load) /\\ WF_x(Stop)
====
"""
WHOLE = """---- MODULE Whole ----
VARIABLE x
P == INSTANCE Part
Init == x = 0
Load == P!Load
Stop == P!Stop
Next == Load \\/ Stop
====
"""
OWN = WHOLE.replace("Next ==", "Fairness == \\* WF_x(Load) is not owed\n  WF_x(Stop)\nNext ==")

NAMED = WHOLE.replace("Next ==", "Ends == WF_x(Stop)\nBegins == WF_x(Load)\nFairness == Ends\nNext ==")


@pytest.mark.parametrize(
    ("root", "whole", "fair"),
    [
        ("Whole", WHOLE, {"Load", "Stop"}),
        ("Whole", OWN, {"Stop"}),
        ("Model", OWN, {"Stop"}),
        ("Whole", NAMED, {"Stop"}),
    ],
    ids=["of the parts", "its own", "of what it extends", "of what it names"],
)
def test_what_is_fair_is_what_the_root_says_where_it_says_something(
    tools: None, tmp_path: Path, root: str, whole: str, fair: set[str]
) -> None:
    (tmp_path / "Part.tla").write_text(PART, encoding="utf-8")
    (tmp_path / "Whole.tla").write_text(whole, encoding="utf-8")
    (tmp_path / "Model.tla").write_text("---- MODULE Model ----\nEXTENDS Whole\n====\n", encoding="utf-8")
    config = tmp_path / "Model.cfg"
    config.write_text("INIT Init\nNEXT Next\n", encoding="utf-8")

    assert fair_actions(Model.load(tmp_path / f"{root}.tla", config)) == fair


def test_the_service_owes_what_matching_says_and_no_more() -> None:
    fair = fair_actions(Model.load(spec_directory() / "Matching.tla", spec_directory() / "Matching.cfg"))

    assert {
        "Resume",
        "Conclude",
        "Offer",
        "Expire",
        "Claim",
        "LoseLease",
        "EndDelete",
        "Load",
        "Start",
        "Unload",
        "Stop",
        "HearNamespace",
    } <= fair
    assert fair.isdisjoint({"Seek", "OrderUnload", "Idle", "ChangeNamespace", "Crash", "SaveLevel", "Delete"})
    assert fair.isdisjoint({"Break", "Retract", "LoseHop", "CancelHop"})
