"""The matrix of spec mutants: no empty row, no empty column, no stale record."""

from pathlib import Path

import attrs
import pytest

from conformance.spec_mutants import (
    Matrix,
    Outcome,
    Plan,
    Subject,
    load_matrix,
    load_mutants,
    matrix_lines,
    problems_of,
    recorded_problems,
    save_matrix,
)
from conformance.spec_survey import compute, only_property
from conformance.specs import RegistryError

MODULE = """---- MODULE Toy ----
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\\ y = 0
Step == x < 3 /\\ x' = x + 1 /\\ y' = y
Turn == x = 3 /\\ x' = 0 /\\ y' = 1 - y
Next == Step \\/ Turn
Spec == Init /\\ [][Next]_vars
SmallInv == x < 4
FlagInv == y < 2
StepProp == [][x' <= x + 1]_vars
====
"""
CONFIG = "\\* Does it hold?\nSPECIFICATION Spec\nINVARIANTS SmallInv FlagInv\nPROPERTY StepProp\n"
MUTANTS = """models:
  Toy: {model: MCToy, config: MCToy.cfg}
mutants:
- name: too-far
  module: Toy
  why: x grows beyond its bound
  find: "x < 3"
  replace: "x < 4"
  killed_by: [SmallInv]
- name: too-fast
  module: Toy
  why: x jumps
  find: "x' = x + 1"
  replace: "x' = x + 3"
  killed_by: [StepProp]
- name: no-flag
  module: Toy
  why: y is no flag
  find: "y' = 1 - y"
  replace: "y' = 2"
  killed_by: [FlagInv]
"""
KILLS = (
    Outcome("too-far", ("SmallInv",), 5, confirmed="SmallInv"),
    Outcome("too-fast", ("SmallInv", "StepProp"), 5, confirmed="SmallInv"),
    Outcome("no-flag", ("FlagInv",), 8, confirmed="FlagInv"),
)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    models = tmp_path / "models"
    models.mkdir()
    (tmp_path / "Toy.tla").write_text(MODULE, encoding="utf-8")
    (models / "MCToy.tla").write_text("---- MODULE MCToy ----\nEXTENDS Toy\n====\n", encoding="utf-8")
    (models / "MCToy.cfg").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "mutants.yaml").write_text(MUTANTS, encoding="utf-8")
    return load_mutants(tmp_path / "mutants.yaml")


def test_the_recorded_matrix_of_the_specification_is_of_this_text_and_has_no_gap() -> None:
    assert recorded_problems(load_mutants()) == []


def test_a_full_matrix_has_no_problems(plan: Plan) -> None:
    assert problems_of(plan, Matrix({}, KILLS)) == []


def test_a_mutant_that_nothing_kills_is_a_problem(plan: Plan) -> None:
    outcomes = (KILLS[0], KILLS[1], attrs.evolve(KILLS[2], killed_by=()))

    assert problems_of(plan, Matrix({}, outcomes))[0] == "mutant no-flag is killed by nothing: y is no flag"


def test_an_invariant_that_kills_nothing_is_a_problem(plan: Plan) -> None:
    outcomes = (KILLS[0], KILLS[1], attrs.evolve(KILLS[2], killed_by=("SmallInv",)))

    assert (
        problems_of(plan, Matrix({}, outcomes))[-1] == "Toy: FlagInv kills no mutant, so nothing shows that it can fail"
    )


def test_a_mutant_must_be_killed_by_what_its_entry_expects(plan: Plan) -> None:
    outcomes = (KILLS[0], attrs.evolve(KILLS[1], killed_by=("SmallInv",)), KILLS[2])

    assert problems_of(plan, Matrix({}, outcomes))[0] == (
        "mutant too-fast is not killed by StepProp, which its entry expects"
    )


def test_a_row_that_tlc_has_not_confirmed_is_a_problem(plan: Plan) -> None:
    outcomes = (attrs.evolve(KILLS[0], confirmed=None), KILLS[1], KILLS[2])

    assert problems_of(plan, Matrix({}, outcomes)) == ["mutant too-far: TLC has confirmed no cell of its row"]


def test_a_mutant_without_a_row_is_a_problem(plan: Plan) -> None:
    assert problems_of(plan, Matrix({}, KILLS[:2]))[0].startswith("mutant no-flag has no row in the matrix")


def test_two_properties_that_kill_the_same_mutants_are_one_too_many(plan: Plan) -> None:
    outcomes = (KILLS[0], attrs.evolve(KILLS[1], killed_by=("SmallInv", "StepProp", "FlagInv")), KILLS[2])
    twins = (outcomes[0], outcomes[1], attrs.evolve(KILLS[2], killed_by=("StepProp", "FlagInv")))

    assert problems_of(plan, Matrix({}, twins)) == [
        "Toy: FlagInv and StepProp kill exactly the same mutants; merge or justify them"
    ]


def test_a_justified_pair_may_kill_the_same_mutants(plan: Plan) -> None:
    justified = attrs.evolve(plan, justified=((frozenset({"FlagInv", "StepProp"}), "they are read apart"),))
    twins = (
        KILLS[0],
        attrs.evolve(KILLS[1], killed_by=("SmallInv", "StepProp", "FlagInv")),
        attrs.evolve(KILLS[2], killed_by=("StepProp", "FlagInv")),
    )

    assert problems_of(justified, Matrix({}, twins)) == []


def test_a_record_of_another_text_is_stale(plan: Plan) -> None:
    save_matrix(plan, Matrix(plan.digests(), KILLS))
    (plan.spec / "Toy.tla").write_text(MODULE.replace("x < 4", "x < 5"), encoding="utf-8")

    assert recorded_problems(plan) == [
        "the recorded matrix of spec mutants is of another text; run: conform check-spec --mutants Toy"
    ]


def test_no_record_is_a_problem(plan: Plan) -> None:
    assert recorded_problems(plan) == ["no matrix of spec mutants is recorded; run: conform check-spec --mutants"]


def test_an_anchor_that_stands_twice_is_a_problem(plan: Plan) -> None:
    (plan.spec / "Toy.tla").write_text(MODULE.replace("x = 3", "x < 3"), encoding="utf-8")

    assert recorded_problems(plan) == ["mutant too-far: its anchor stands 2 times in Toy.tla, not once"]


def test_a_specification_without_mutants_is_a_problem(tmp_path: Path) -> None:
    assert recorded_problems(load_mutants(tmp_path / "mutants.yaml")) == [
        "mutants.yaml names no mutant, so nothing shows that the invariants can fail"
    ]


def test_an_entry_without_a_reason_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "mutants.yaml"
    path.write_text(MUTANTS.replace("  why: x jumps\n", ""), encoding="utf-8")

    with pytest.raises(RegistryError, match="why"):
        load_mutants(path)


def test_what_is_recorded_is_read_again(plan: Plan) -> None:
    matrix = Matrix(plan.digests(), KILLS)
    save_matrix(plan, matrix)

    assert load_matrix(plan) == matrix
    assert recorded_problems(plan) == []
    assert matrix_lines(plan)[0] == "too-far   SmallInv · 5 states · TLC agrees on SmallInv"


def test_a_cfg_keeps_all_but_its_invariants_and_properties() -> None:
    assert only_property(CONFIG, "FlagInv", invariant=True) == (
        "\\* Does it hold?\nSPECIFICATION Spec\nINVARIANT FlagInv\n"
    )


def test_the_matrix_is_computed_past_the_first_violation_and_confirmed(plan: Plan, tools: None) -> None:
    matrix = compute(plan, jobs=1)

    assert [(outcome.name, outcome.killed_by, outcome.confirmed) for outcome in matrix.outcomes] == [
        ("too-far", ("SmallInv",), "SmallInv"),
        ("too-fast", ("StepProp",), "StepProp"),
        ("no-flag", ("FlagInv",), "FlagInv"),
    ]
    assert matrix.outcomes[0].deadlock
    assert problems_of(plan, matrix) == []


def test_the_rows_of_one_module_are_computed_beside_those_of_another(plan: Plan, tools: None) -> None:
    (plan.spec / "Other.tla").write_text(MODULE.replace("Toy", "Other"), encoding="utf-8")
    (plan.models / "MCOther.tla").write_text("---- MODULE MCOther ----\nEXTENDS Other\n====\n", encoding="utf-8")
    both = attrs.evolve(
        plan,
        subjects=(*plan.subjects, Subject(module="Other", model="MCOther", config="MCToy.cfg")),
        mutants=(attrs.evolve(plan.mutants[2], name="no-other-flag", module="Other"), *plan.mutants[:1]),
    )
    stale = Outcome("too-far", ("FlagInv",), 5, confirmed="FlagInv")

    matrix = compute(both, modules=["Other"], recorded=Matrix({"Toy": "of another text"}, (stale,)), jobs=1)

    assert [outcome.killed_by for outcome in matrix.outcomes] == [("FlagInv",), ("FlagInv",)]
    assert matrix.outcomes[1] is stale
    assert matrix.digests == both.digests() | {"Toy": "of another text"}


def test_a_mutant_is_tried_on_the_cfg_that_it_names(plan: Plan, tools: None) -> None:
    (plan.models / "MCToyStep.cfg").write_text(CONFIG.replace("INVARIANTS SmallInv FlagInv\n", ""), encoding="utf-8")
    elsewhere = attrs.evolve(plan, mutants=(attrs.evolve(plan.mutants[1], config="MCToyStep.cfg"),))

    assert [outcome.killed_by for outcome in compute(elsewhere, jobs=1).outcomes] == [("StepProp",)]
    assert elsewhere.digests() != plan.digests()


def test_a_cfg_that_is_not_there_is_a_problem(plan: Plan) -> None:
    (plan.models / plan.subject(plan.mutants[0]).config).unlink()

    assert recorded_problems(plan)[0] == "mutant too-far is tried on MCToy.cfg, which is not in models"
