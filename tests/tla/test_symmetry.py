"""SYMMETRY and VIEW: the counts and verdicts of TLC, on values of every kind."""

from itertools import pairwise
from pathlib import Path

import pytest

from conformance.tla.config import parse_config
from conformance.tla.errors import EvaluationError
from conformance.tla.explore import breadth_first
from conformance.tla.model import Model
from conformance.tla.recall import Numbers
from conformance.tla.symmetry import Symmetry, group_of
from conformance.tla.tlc import run
from conformance.tla.values import format_value, make_function, model_value
from tests.tla.conftest import MODULES, Write

TWO_ROOMS = "CONSTANTS Guest = {g1, g2, g3} Room = {r1, r2} Desk = {d1} none = none INIT Init NEXT Next "
ONE_ROOM = "CONSTANTS Guest = {g1, g2, g3} Room = {r1} Desk = {d1, d2} none = none INIT Init NEXT Next "

QUESTIONS = {
    "a union, closed under composition": ONE_ROOM + "SYMMETRY AllAlike CONSTRAINT Small OneWaits",
    "functions that are no group yet": TWO_ROOMS + "SYMMETRY Generators CONSTRAINT Small OneWaits",
    "constraints that tell states apart": TWO_ROOMS
    + "SYMMETRY AllAlike CONSTRAINT Small OneWaits Lopsided ACTION_CONSTRAINT NoLeap",
    "an invariant that fails": TWO_ROOMS + "SYMMETRY AllAlike INVARIANTS FewKeys NeverServed",
    "a step property that fails": TWO_ROOMS + "SYMMETRY GuestsAlike PROPERTY NeverForgets",
    "a view": TWO_ROOMS + "VIEW Shape INVARIANT FewKeys CONSTRAINT Small",
    "a view of what is alike": TWO_ROOMS + "VIEW Numbers SYMMETRY AllAlike CONSTRAINT Small",
}


@pytest.mark.parametrize("asked", QUESTIONS.values(), ids=list(QUESTIONS))
def test_states_that_count_as_one_are_counted_as_tlc_counts_them(asked: str, tools: None, tmp_path: Path) -> None:
    config = tmp_path / "Rooms.cfg"
    config.write_text(asked, encoding="utf-8")
    found = breadth_first(Model.load(MODULES / "Rooms.tla", config))
    tlc = run(MODULES / "Rooms.tla", config)

    assert found.distinct > 15
    assert (found.verdict, found.violated) == (tlc.verdict, tlc.violated)
    assert (found.distinct, found.generated, found.depth) == (tlc.distinct, tlc.generated, tlc.depth)
    assert len(found.counterexample) == len(tlc.counterexample)


def test_symmetry_and_view_can_be_ignored(tools: None) -> None:
    asked = ONE_ROOM + "SYMMETRY AllAlike VIEW Numbers CONSTRAINT Small OneWaits Lopsided"
    model = Model.load(MODULES / "Rooms.tla", parse_config(asked))
    whole = Model.load(MODULES / "Rooms.tla", parse_config(ONE_ROOM + "CONSTRAINT Small OneWaits Lopsided"))

    assert breadth_first(model, ignore_symmetry=True).distinct == breadth_first(whole).distinct
    assert breadth_first(model).distinct < breadth_first(whole).distinct


def test_a_counterexample_under_symmetry_is_a_run_of_the_model(tools: None) -> None:
    model = Model.load(MODULES / "Rooms.tla", parse_config(TWO_ROOMS + "SYMMETRY AllAlike INVARIANT NeverServed"))
    states = [state for _, state in breadth_first(model).counterexample]

    assert len(states) == 3
    assert model.is_initial(states[0])
    assert [bool(model.check_step(one, two)) for one, two in pairwise(states)] == [True, True]


def test_a_group_of_144_has_one_least_image_for_each_orbit() -> None:
    three, four = ([model_value(f"{letter}{i}") for i in range(size)] for letter, size in (("a", 3), ("b", 4)))
    turn, swap = {three[0]: three[1], three[1]: three[2], three[2]: three[0]}, {three[0]: three[1], three[1]: three[0]}
    shift = dict(zip(four, [*four[1:], four[0]], strict=True))
    change = {four[0]: four[1], four[1]: four[0]}
    numbers = Numbers()
    group = group_of(frozenset(map(make_function, (turn, swap, shift, change))))
    symmetry = Symmetry(group, numbers)
    rows = {numbers.row((frozenset((a, b)), (c, d))) for a in three for b in four for c in four for d in three}

    assert len(group) == 144
    assert len({symmetry.least(row) for row in rows}) == 4


@pytest.mark.parametrize(
    ("symmetry", "message"), [("3", "is not a set"), ("{3}", "no function"), ("{[x |-> 3]}", "must map model values")]
)
def test_a_symmetry_that_is_no_set_of_permutations_is_refused(write: Write, symmetry: str, message: str) -> None:
    model = write(f"VARIABLE x\nStart == x = 1\nStay == x' = x\nSym == {symmetry}", "INIT Start NEXT Stay SYMMETRY Sym")

    with pytest.raises(EvaluationError, match=message):
        breadth_first(model)


def test_the_least_image_is_shown_by_its_values() -> None:
    one, two = model_value("one"), model_value("two")
    numbers = Numbers()
    symmetry = Symmetry(group_of(frozenset([make_function({one: two, two: one})])), numbers)

    assert [format_value(each) for each in numbers.state(symmetry.least(numbers.row((two, (one, two)))))] == [
        "one",
        "<<two, one>>",
    ]
