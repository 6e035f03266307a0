"""Exploration beside TLC: verdict, distinct and generated states, and depth, whether a model completes or not."""

from pathlib import Path

import pytest

from conformance.tla.errors import EvaluationError
from conformance.tla.explore import Exploration, breadth_first
from conformance.tla.model import Model
from conformance.tla.tlc import run

HEAD = "EXTENDS Integers, FiniteSets\nVARIABLES x, y\n"
RUN = "INIT Init NEXT Next "
MODULES = {
    "a test behind the last assignment": (
        HEAD + "Init == x \\in 1..3 /\\ y = 0 /\\ (x > 0 \\/ x < 5)\n"
        "Next == x' \\in 1..3 /\\ y' = 0 /\\ (\\E i \\in 1..2 : x' > 0) /\\ (x > 0 \\/ x'[1] = 2)",
        RUN,
    ),
    "the first of several names changes fastest": (
        HEAD + "Init == x = 0 /\\ y = 0\n"
        "Next == \\E i, j \\in 1..3 : x = 0 /\\ x' = i /\\ y' = j\nInv == ~(x = 1 /\\ y = 3)",
        RUN + "INVARIANT Inv",
    ),
    "names above several actions": (
        HEAD + "Init == x = {} /\\ y = {}\nA(i) == i \\notin x /\\ x' = x \\cup {i} /\\ y' = y\n"
        "B(i) == i \\in x /\\ y' = y \\cup {i} /\\ x' = x\nBoth(i) == A(i) \\/ B(i)\n"
        "Next == \\E i \\in 1..3 : Both(i)\nInv == y # {2, 3}",
        RUN + "INVARIANT Inv",
    ),
    "a set of names that depends on the state": (
        HEAD + "Init == x = {1, 2, 3} /\\ y = 0\nTake(i) == x' = x \\ {i} /\\ y' = y + i\n"
        "Next == \\E i \\in x : Take(i) \\/ (\\E j \\in x \\ {i} : Take(j))\nInv == y < 5",
        RUN + "INVARIANT Inv",
    ),
    "an error behind a violation": (
        HEAD + "Init == x = 0 /\\ y = 0\nNext == x' \\in 1..5 /\\ y' = y /\\ (x' = 4 => x'[1] = 1)\nInv == x # 2",
        RUN + "INVARIANT Inv",
    ),
    "a state outside of the constraint is checked": (
        HEAD + "Init == x = 0 /\\ y = 0\nNext == x' \\in 1..5 /\\ y' = y\nInv == x # 3\nSmall == x < 3",
        RUN + "INVARIANT Inv CONSTRAINT Small",
    ),
    "a step outside of the constraint is checked": (
        HEAD + "Init == x = 0 /\\ y = 0\nNext == x' \\in 1..5 /\\ y' = y\nInv == x # 3\nSmall == x' < 3",
        RUN + "INVARIANT Inv ACTION_CONSTRAINT Small",
    ),
    "a broken step property": (
        HEAD + "Init == x = 0 /\\ y = 0\nNext == x' \\in 1..5 /\\ y' = y\nProp == [][x' # 3]_x",
        RUN + "PROPERTY Prop",
    ),
    "a definition that the configuration gives a value": (
        HEAD + "None == CHOOSE n : n \\notin 1..3\nInit == x = None /\\ y = {}\n"
        "Next == x' \\in 1..3 /\\ x = None /\\ y' = {x}\nInv == x = None => y = {}",
        RUN + "INVARIANT Inv CONSTANT None = None",
    ),
    "a function that is defined without recursion": (
        HEAD + "Init == x = [i \\in 1..3 |-> 0] /\\ y = 1\nsum[i \\in 1..3, j \\in 1..3] == x[i] + x[j]\n"
        "at[<<i, j>> \\in (0..9) \\X (0..9)] == IF i = 0 THEN j ELSE x[i] + j\n"
        "Next == y < 3 /\\ y' = y + 1 /\\ x' = [x EXCEPT ![y] = sum[y, 3] + at[<<y, 1>>] + at[<<0, 2>>]]\n",
        RUN,
    ),
    "\\A over a set that is an argument": (
        HEAD + "All(v, S) == \\A e \\in S : v = e /\\ v \\in S\n"
        "Init == (All(x, {2}) \\/ All(x, {6, 7})) /\\ y = 0\nNext == All(x', {3}) /\\ All(y', {1})",
        RUN,
    ),
    "an action that is given the variable to change": (
        HEAD + "Init == x = 0 /\\ y = 0\nUp(v, w) == v < 3 /\\ v' = v + 1 /\\ w' = w\n"
        "Next == Up(x, y) \\/ \\E d \\in {1} : Up(y, x) /\\ x > d",
        RUN,
    ),
    "an argument of a named action that branches": (
        HEAD + "Init == x = 0 /\\ y = 0\nAct(p, d) == p /\\ x' = (x + d) % 3 /\\ y' = y\n"
        "Next == (\\E d \\in 1..2 : Act(x = 0 \\/ x < 5, d)) \\/ Act(x = 0 \\/ y = 0, x)",
        RUN,
    ),
    "a next-state relation that is given the variable to change": (
        HEAD + "Init == x = 0 /\\ y = 0\nNext(v) == \\E d \\in 0..2 : (v' = d /\\ v' > 0) /\\ y' = 1\n"
        "Spec == Init /\\ [][Next(x)]_<<x, y>>",
        "SPECIFICATION Spec",
    ),
    "ENABLED of an action that is given a variable to prime": (
        HEAD + "Can(v, w) == ENABLED (v' = w + 1 /\\ w > 0)\nInit == x = 0 /\\ y = 1\n"
        "Next == x' = (x + 1) % 5 /\\ y' = 4 - x\nInv == Can(x, y) \\/ Can(y, x)\nBad == Can(x, y)",
        RUN + "INVARIANTS Inv Bad",
    ),
    "theorems and assumptions that are used as definitions": (
        HEAD + "THEOREM Small == x < 3\nASSUME Two == 1 + 1 = 2\nTHEOREM Any == ASSUME NEW n PROVE n = n\n"
        "Init == x = 0 /\\ y = 0 /\\ Small /\\ Two\nNext == Small /\\ x' = x + 1 /\\ y' = y\nInv == Small",
        RUN + "INVARIANT Inv",
    ),
    "built-in operators that are handed over": (
        HEAD + "Of(op(_), v) == op(v)\nInit == x = {1, 2} /\\ y = Of(SUBSET, {1})\n"
        "Next == x' \\in Of(SUBSET, x) /\\ y' = y\nProp == [][Of(UNCHANGED, y)]_x",
        RUN + "PROPERTY Prop",
    ),
    "a constant operator that gives a variable its next value": (
        HEAD + "CONSTANT Send(_, _, _)\nSending(d, old, new) == new = old \\cup {d}\n"
        "Init == x = {} /\\ y = 0\nNext == \\E d \\in 1..3 : y < 2 /\\ y' = y + 1 /\\ Send(d, x, x')",
        RUN + "CONSTANT Send <- Sending",
    ),
    "what TLC counts stands in the states": (
        "EXTENDS TLC, " + HEAD.removeprefix("EXTENDS ") + "Init == x = 0 /\\ y = <<>>\n"
        'Now == <<TLCGet("level"), TLCGet("distinct"), TLCGet("queue"), TLCGet("diameter")>>\n'
        "Next == IF x < 6 THEN x' \\in {x + 1, x + 2} /\\ y' = Now ELSE UNCHANGED <<x, y>>",
        RUN,
    ),
    "a constraint and an invariant that ask for counts": (
        "EXTENDS TLC, " + HEAD.removeprefix("EXTENDS ") + "Init == x \\in 0..2 /\\ y = 0\n"
        "Next == x' \\in {x + 1, x + 2} /\\ y' = y\nShallow == TLCGet(\"level\") < 4\n"
        'Inv == TLCGet("queue") < 4 \\/ x < TLCGet("distinct")',
        RUN + "INVARIANT Inv CONSTRAINT Shallow",
    ),
    "registers that assumptions, constraints, invariants and actions set": (
        "EXTENDS TLC, " + HEAD.removeprefix("EXTENDS ") + "ASSUME TLCSet(1, 0) /\\ TLCSet(2, {})\n"
        "Kept == TLCGet(1)\nInit == x = 0 /\\ y = Kept\n"
        "Next == x' \\in {(x + 1) % 7, (x + 3) % 7} /\\ y' = (Kept \\div 2) % 5\n"
        "Count == TLCSet(1, TLCGet(1) + 1) /\\ Kept < 40\nSeen == TLCSet(2, TLCGet(2) \\cup {<<x, y>>})\n"
        "Few == Cardinality(TLCGet(2)) < 20\nStep == TLCSet(1, Kept + x)",
        RUN + "INVARIANTS Seen Few CONSTRAINT Count ACTION_CONSTRAINT Step",
    ),
}


ERRORS = {
    "an invariant without a value": (
        "Next == x' = (x + 1) % 3 /\\ y' = y\nInv == x # 2 \\/ x[1] = 2",
        RUN + "INVARIANT Inv",
    ),
    "a property of every state without a value": (
        "Next == x' = (x + 1) % 3 /\\ y' = y\nProp == [](x # 2 \\/ x[1] = 2)",
        RUN + "PROPERTY Prop",
    ),
    "a step without a value": ("Next == x' = (IF x = 2 THEN y[1] ELSE x + 1) /\\ y' = y", RUN),
    "a composition of actions in Next": (
        "Next == (x < 2 /\\ x' = x + 1 /\\ y' = y) \\/ (x = 2 /\\ ((x' = 1) \\cdot (y' = 2)))",
        RUN,
    ),
    "a composition of actions in a property": (
        "Next == x' = (x + 1) % 3 /\\ y' = y\nProp == [][x = 2 => (x' = 1) \\cdot (y' = 2)]_x",
        RUN + "PROPERTY Prop",
    ),
    "an error in the second branch below a \\A": (
        "Next == (\\A i \\in 0..1 : x = 0 \\/ x[i] = 2) /\\ x' = x + 1 /\\ y' = y",
        RUN,
    ),
    "an error in the second branch of an argument": (
        "Op(p) == p\nNext == Op(x < 3 \\/ x[1] = 2) /\\ x' = x + 1 /\\ y' = y",
        RUN,
    ),
    "an element of a \\A that TLC meets after a false one": (
        "Next == (\\A i \\in 1..3 : IF i = 2 THEN x[1] = 2 ELSE i = 1) /\\ x' = x + 1 /\\ y' = y",
        RUN,
    ),
    "an element of a \\A that TLC meets before a false one": (
        "Next == (\\A i \\in 1..3 : IF i = 3 THEN x[1] = 2 ELSE i = 1) /\\ x' = x + 1 /\\ y' = y",
        RUN,
    ),
    "a \\A behind the last assignment": (
        "Next == x' = x + 1 /\\ y' = y /\\ (\\A i \\in 1..3 : IF i = 3 THEN x[1] = 2 ELSE i = 1)",
        RUN,
    ),
    "a composition of actions that is not met": (
        "Next == (x' = (x + 1) % 3 /\\ y' = y) \\/ (x = 4 /\\ ((x' = 1) \\cdot (y' = 2)))",
        RUN,
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_ends_a_search_where_tlc_ends_it(name: str, tools: None, tmp_path: Path) -> None:
    body, text = ERRORS[name]
    module, config = tmp_path / "Here.tla", tmp_path / "Here.cfg"
    module.write_text(f"---- MODULE Here ----\n{HEAD}Init == x = 0 /\\ y = 0\n{body}\n====\n", encoding="utf-8")
    config.write_text(text, encoding="utf-8")

    ours, tlcs = explored(Model.load(module, config)), run(module, config)

    assert (ours.verdict, ours.generated) == (tlcs.verdict, tlcs.generated)
    assert len(ours.counterexample) == len(tlcs.counterexample)


def explored(model: Model) -> Exploration:
    """What was found, also where an error ended the search."""
    try:
        return breadth_first(model)
    except EvaluationError as error:
        found = error.exploration  # type: ignore[attr-defined]
        assert isinstance(found, Exploration)
        return found


@pytest.mark.parametrize("name", MODULES)
def test_a_model_is_explored_as_tlc_explores_it(name: str, tools: None, tmp_path: Path) -> None:
    body, text = MODULES[name]
    module, config = tmp_path / "Here.tla", tmp_path / "Here.cfg"
    module.write_text(f"---- MODULE Here ----\n{body}\n====\n", encoding="utf-8")
    config.write_text(text, encoding="utf-8")

    ours, tlcs = breadth_first(Model.load(module, config)), run(module, config)

    assert (ours.verdict, ours.violated) == (tlcs.verdict, tlcs.violated)
    assert (ours.distinct, ours.generated, ours.depth) == (tlcs.distinct, tlcs.generated, tlcs.depth)


def test_a_module_of_constants_has_no_states_and_is_ok(tools: None, tmp_path: Path) -> None:
    module, config = tmp_path / "Here.tla", tmp_path / "Here.cfg"
    module.write_text("---- MODULE Here ----\nEXTENDS Naturals\nCONSTANT N\nASSUME N > 2\n====\n", encoding="utf-8")
    config.write_text("CONSTANT N = 3", encoding="utf-8")

    found = breadth_first(Model.load(module, config))

    assert (found.verdict, found.distinct, found.generated, found.assumptions) == ("ok", 0, 0, 1)


CLOCK = """---- MODULE Clock ----
EXTENDS Naturals
CONSTANT Most
VARIABLE hour
Init == hour = 0
Tick == hour < Most /\\ hour' = hour + 1
Strike == hour = Most /\\ hour' = 0
Next == Tick \\/ Strike
Spec == Init /\\ [][Next]_hour /\\ WF_hour(Next)
====
"""


PARTS = """---- MODULE Parts ----
EXTENDS Naturals
VARIABLE at
Can(v) == ENABLED (at' = 2 /\\ v' = at')
CanStep == ENABLED (at' = at + 1)
Whole == at = 0 /\\ [][at' = (at + 1) % 4]_at
====
"""


def test_init_and_next_without_names_are_taken_from_an_instance(tools: None, tmp_path: Path) -> None:
    (tmp_path / "Parts.tla").write_text(PARTS, encoding="utf-8")
    module, config = tmp_path / "Here.tla", tmp_path / "Here.cfg"
    module.write_text(
        "---- MODULE Here ----\nVARIABLE x\nI == INSTANCE Parts WITH at <- x\nJ(at) == INSTANCE Parts\n"
        "Spec == I!Whole\nInv == I!Can(x) /\\ J(x)!Can(x) /\\ J(x)!CanStep\n====\n",
        encoding="utf-8",
    )
    config.write_text("SPECIFICATION Spec INVARIANT Inv", encoding="utf-8")

    ours, tlcs = breadth_first(Model.load(module, config)), run(module, config)

    assert (ours.verdict, ours.distinct, ours.generated, ours.depth) == ("ok", 4, 5, 4)
    assert (tlcs.verdict, tlcs.distinct, tlcs.generated, tlcs.depth) == ("ok", 4, 5, 4)


@pytest.mark.parametrize(
    ("instance", "specification"),
    [
        ("Inner == INSTANCE Clock WITH Most <- 3, hour <- time", "Inner!Spec"),
        ("Inner == INSTANCE Clock WITH Most <- 3, hour <- time", "Inner!Spec /\\ time = 0"),
        ("INSTANCE Clock WITH Most <- 3, hour <- time", "Spec"),
    ],
)
def test_a_specification_may_be_taken_from_an_instance(
    instance: str, specification: str, tools: None, tmp_path: Path
) -> None:
    (tmp_path / "Clock.tla").write_text(CLOCK, encoding="utf-8")
    module, config = tmp_path / "Here.tla", tmp_path / "Here.cfg"
    whole = "" if specification == "Spec" else f"Spec == {specification}"
    module.write_text(f"---- MODULE Here ----\nVARIABLE time\n{instance}\n{whole}\n====\n", encoding="utf-8")
    config.write_text("SPECIFICATION Spec", encoding="utf-8")

    found = breadth_first(Model.load(module, config))

    assert (found.verdict, found.distinct, found.generated, found.depth) == ("ok", 4, 5, 4)
