"""A module as its author wrote it."""

from pathlib import Path

import pytest

from conformance.tla.outline import Outline, outline

MODULE = """---------- MODULE Toy ----------
(*************************************)
(* A toy that goes round.            *)
(*                                   *)
(* Models    a thing                 *)
(*************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Limit,   \\* how far it goes
  Thing    \\* what goes

ASSUME LimitAssumption == Limit > 0 \\* there is somewhere to go

VARIABLES
  place, \\* where it is
  seen, told \\* what was noticed

vars == <<place, seen, told>>

----------------------------------
(* Client actions: what is asked *)

\\* it goes one further
Go(t, n) ==
  /\\ place < Limit
  /\\ place' = place + n
  /\\ seen' \\in {place', t}
  /\\ UNCHANGED told

----------------------------------
(* Environment actions *)

Stop == \\* it is "stopped"
  UNCHANGED vars

Helper(x) == "\\* text" \\* not an action
Notes(x) == told' = x
Rests(x) == place' = place /\\ Notes(x)

Rest == \\* it goes no further
  /\\ Rests(1)
  /\\ UNCHANGED seen

Next ==
  \\/ \\E t \\in Thing, n \\in {1} : Go(t, n)
  \\/ Stop
  \\/ Rest

Spec == place = 0 /\\ [][Next]_vars \\* what may happen
TypeOK == place \\in Nat \\* shapes
NearInv == place <= Limit \\* it never goes beyond
OnProp == [][place' >= place]_vars \\* it never turns back
EndProp == <>(place = Limit) \\* it arrives
NeverFar == place < Limit \\* it arrives at all
RefinesOther == TRUE \\* it is another
================================
"""


@pytest.fixture
def toy(tmp_path: Path) -> Outline:
    path = tmp_path / "Toy.tla"
    path.write_text(MODULE, encoding="utf-8")
    return outline(path)


def test_the_prose_is_the_box_without_its_frame(toy: Outline) -> None:
    assert toy.prose == ("A toy that goes round.", "", "Models    a thing")
    assert toy.extends == ("Naturals", "FiniteSets")


def test_constants_and_variables_have_the_comment_of_their_line(toy: Outline) -> None:
    assert [(item.name, item.reading) for item in toy.of("constant")] == [
        ("Limit", "how far it goes"),
        ("Thing", "what goes"),
    ]
    assert [(item.name, item.reading) for item in toy.of("variable")] == [
        ("place", "where it is"),
        ("seen", "what was noticed"),
        ("told", "what was noticed"),
    ]


def test_an_assumption_has_its_name(toy: Outline) -> None:
    assert [(item.name, item.reading) for item in toy.of("assumption")] == [
        ("LimitAssumption", "there is somewhere to go")
    ]


def test_an_action_is_what_next_names_with_its_section_its_reading_and_what_it_changes(toy: Outline) -> None:
    go, stop, _ = toy.of("action")

    assert (go.name, go.signature, go.reading) == ("Go", "(t, n)", "it goes one further")
    assert (go.section, go.changes) == ("Client actions: what is asked", ("place", "seen"))
    assert (stop.name, stop.section, stop.changes) == ("Stop", "Environment actions", ())


def test_an_action_changes_what_the_definitions_that_it_applies_change(toy: Outline) -> None:
    assert toy.of("action")[2].changes == ("place", "told")


WHOLE = """---- MODULE Whole ----
VARIABLES
  place, seen, told,
  fuel
Toy == INSTANCE Toy WITH told <- 2 * fuel, Limit <- 9, Thing <- {1}
Other == INSTANCE Elsewhere
Go(n) == Toy!Go(1, n) /\\ fuel' = fuel - 1
Tell == Toy!Rest
Stop == Other!Stop
Next == \\/ \\E n \\in {1} : Go(n)
        \\/ Tell
        \\/ Stop
====
"""


def test_an_action_changes_what_it_shares_by_name_with_the_parts_that_it_applies(toy: Outline, tmp_path: Path) -> None:
    (tmp_path / "Whole.tla").write_text(WHOLE, encoding="utf-8")

    whole = outline(tmp_path / "Whole.tla")

    assert [(item.name, item.changes) for item in whole.of("action")] == [
        ("Go", ("place", "seen", "fuel")),
        ("Tell", ("place",)),
        ("Stop", ()),
    ]


def test_quotes_in_a_comment_and_comments_in_quotes_are_text(toy: Outline) -> None:
    assert toy.of("action")[1].reading == 'it is "stopped"'
    assert toy.of("definition")[1].reading == "not an action"


def test_suffixes_tell_what_a_definition_is(toy: Outline) -> None:
    kinds = {item.name: item.kind for item in toy.items}

    assert kinds["TypeOK"] == kinds["NearInv"] == "invariant"
    assert kinds["OnProp"] == "step property"
    assert kinds["EndProp"] == "liveness"
    assert kinds["NeverFar"] == "situation"
    assert kinds["RefinesOther"] == "refinement"
    assert kinds["Helper"] == "definition"


def test_every_item_has_its_line(toy: Outline) -> None:
    lines = MODULE.splitlines()

    assert [lines[item.line - 1].lstrip().startswith(item.name) for item in toy.of("action")] == [True, True, True]
