"""Temporal formulas on a run that rests for ever in its last state."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.tla import tlc
from conformance.tla.config import Config
from conformance.tla.errors import UnsupportedError
from conformance.tla.model import Model
from conformance.tla.temporal import broken_at_rest
from conformance.tla.values import boolean

LAMP = Path(__file__).parent / "modules" / "Lamp.tla"
FORMULAS = (
    "EverLit",
    "LitAtLast",
    "LitAgain",
    "Dimmed",
    "EachDimmed",
    "SomeDimmed",
    "NotEver",
    "Both",
    "Either",
    "Implied",
    "BrightTwo",
    "Local",
)
RUNS = (
    ((False, 0),),
    ((False, 0), (True, 0)),
    ((False, 0), (True, 0), (True, 2)),
    ((False, 0), (True, 0), (True, 1), (True, 2), (False, 2)),
    ((False, 0), (True, 0), (True, 2), (True, 1)),
    ((False, 0), (True, 0), (False, 0)),
)


def lamp(*properties: str) -> Model:
    constants = {"Level": frozenset({0, 1, 2})}
    config = Config(name="Lamp.cfg", init="Init", next="Next", properties=properties, constants=constants)
    return Model.load(LAMP, config)


def broken(run: tuple[tuple[bool, int], ...], *properties: str) -> set[str]:
    return set(broken_at_rest(lamp(*properties), [(boolean(lit), level) for lit, level in run]))


@pytest.mark.parametrize(
    ("run", "kept"),
    [
        (RUNS[0], {"Dimmed", "EachDimmed", "SomeDimmed", "NotEver", "Either", "Implied"}),
        (RUNS[1], {"EverLit", "LitAtLast", "LitAgain", "SomeDimmed", "Implied"}),
        (RUNS[2], set(FORMULAS) - {"EachDimmed", "NotEver"}),
        (RUNS[5], {"EverLit", "SomeDimmed"}),
    ],
)
def test_a_formula_is_asked_of_the_run_and_of_its_rest(run: tuple[tuple[bool, int], ...], kept: set[str]) -> None:
    assert set(FORMULAS) - broken(run, *FORMULAS) == kept


@pytest.mark.parametrize("run", RUNS)
def test_tlc_says_the_same_of_a_specification_that_is_the_run(
    run: tuple[tuple[bool, int], ...], tmp_path: Path, tools: None
) -> None:
    """Of a single behaviour either a formula or its negation holds: TLC must agree with each of our answers."""
    rows = ", ".join(f"<<{'TRUE' if lit else 'FALSE'}, {level}>>" for lit, level in run)
    false = broken(run, *FORMULAS)
    claims = [f"Claim{name} == {'~' if name in false else ''}({name})" for name in FORMULAS]
    text = [
        "---- MODULE Only ----",
        "EXTENDS Lamp, Sequences",
        "VARIABLE at",
        f"Rows == <<{rows}>>",
        "Start == at = 1 /\\ lit = Rows[1][1] /\\ level = Rows[1][2]",
        "Follow == /\\ at < Len(Rows)",
        "          /\\ at' = at + 1 /\\ lit' = Rows[at + 1][1] /\\ level' = Rows[at + 1][2]",
        "Only == Start /\\ [][Follow]_<<vars, at>> /\\ WF_<<vars, at>>(Follow)",
        *claims,
        "====",
    ]
    (tmp_path / "Only.tla").write_text("\n".join(text) + "\n", encoding="utf-8")
    named = " ".join(f"Claim{name}" for name in FORMULAS)
    config = f"SPECIFICATION Only\nCONSTANT Level = {{0, 1, 2}}\nPROPERTIES {named}\n"
    (tmp_path / "Only.cfg").write_text(config, encoding="utf-8")

    verdict = tlc.run(tmp_path / "Only.tla", tmp_path / "Only.cfg", check_deadlock=False, search=(LAMP.parent,))

    assert (verdict.verdict, verdict.violated) == ("ok", None)
    assert verdict.distinct == len(run)


def test_fairness_owes_what_is_enabled_at_rest() -> None:
    assert broken(RUNS[0], "FairSwitch", "FairBreak") == {"FairSwitch"}
    assert broken(RUNS[2], "FairSwitch", "FairBreak") == {"FairSwitch", "FairBreak"}


def test_actions_under_diamond_are_asked_of_steps() -> None:
    assert broken(RUNS[2], "SomeStep") == set()
    assert broken(RUNS[1], "SomeStep") == {"SomeStep"}


def test_what_tlc_cannot_check_either_is_refused_with_its_place(tmp_path: Path) -> None:
    module = tmp_path / "Hidden.tla"
    module.write_text(
        "---- MODULE Hidden ----\nVARIABLE x\nInit == x = 0\nNext == x' = 1\nP == \\EE y : [](y = x)\n====\n",
        encoding="utf-8",
    )
    model = Model.load(module, Config(name="Hidden.cfg", init="Init", next="Next", properties=("P",)))

    with pytest.raises(UnsupportedError, match="left to TLC"):
        broken_at_rest(model, [(0,)])
