"""Configurations: what TLC reads is read, what it refuses is refused with its line."""

from pathlib import Path

import pytest

from conformance.tla.config import Config, parse_config
from conformance.tla.errors import SpecError
from conformance.tla.explore import breadth_first
from conformance.tla.model import Model
from conformance.tla.tlc import run
from conformance.tla.values import FALSE, TRUE, model_value


def test_every_section_is_read() -> None:
    config = parse_config(
        """\\* A question.
        CONSTANTS N = 3 S = {a, 1} T <- Other (* a (* nested *) comment *)
        CONSTANT U <- [Inner]Mine  W = [Inner] 4
        INIT Init NEXT Next
        INVARIANTS One Two
        INVARIANT Three
        PROPERTIES Four PROPERTY Five
        CONSTRAINT C ACTION_CONSTRAINT A SYMMETRY Sym VIEW V
        CHECK_DEADLOCK FALSE
        """
    )

    assert config.constants == {"N": 3, "S": frozenset((model_value("a"), 1))}
    assert config.overrides == {"T": "Other"}
    assert config.module_overrides == {("Inner", "U"): "Mine"}
    assert config.module_constants == {("Inner", "W"): 4}
    assert (config.init, config.next, config.invariants) == ("Init", "Next", ("One", "Two", "Three"))
    assert (config.properties, config.constraints, config.action_constraints) == (("Four", "Five"), ("C",), ("A",))
    assert (config.symmetry, config.view, config.check_deadlock) == ("Sym", "V", False)


def test_an_empty_text_is_an_empty_configuration() -> None:
    assert parse_config("") == Config()


def test_truths_are_no_model_values() -> None:
    config = parse_config("CONSTANTS A = TRUE B = FALSE C = {FALSE}")

    assert config.constants["A"] is TRUE
    assert config.constants["B"] is FALSE
    assert config.constants["C"] == frozenset((FALSE,))


def test_a_string_may_hold_dashes_and_keeps_its_backslashes() -> None:
    """CASES 13."""
    assert parse_config('CONSTANT Q = {"q-1", "a\\"b"}').constants["Q"] == frozenset(("q-1", 'a\\"b'))


ODD = r"""(* SPECIFICATION (* of *) another *) INVARIANTS CONSTANTS
N
=   \* 1
{ a (* , 2 *) , {}, {b, INIT} }
PROPERTY Prop CHECK_DEADLOCK FALSE INVARIANT Inv INVARIANT Inv
CONSTANTS M = "t\tb\\ (* no comment *) SPECIFICATION \" none"  O = 007 O = NEXT
SPECIFICATION Spec CONSTRAINTS"""
WORTH = r"""{a, {}, {b, J}} = N /\ M = "t\\tb\\\\ (* no comment *) SPECIFICATION \\\" none" /\ O = P"""


def test_an_odd_configuration_is_read_as_tlc_reads_it(tools: None, tmp_path: Path) -> None:
    module, config = tmp_path / "Here.tla", tmp_path / "Here.cfg"
    body = f"CONSTANTS N, M, O, P, J, a, b\nVARIABLE x\nSpec == x = 0 /\\ [][x = 0 /\\ x' = 1]_x\nASSUME {WORTH}"
    body += "\nInv == x \\in {0, 1}\nProp == [][x' = 1]_x"
    module.write_text(f"---- MODULE Here ----\n{body}\n====\n", encoding="utf-8")
    config.write_text(f"{ODD} CONSTANTS a = a b = b J = INIT P = NEXT", encoding="utf-8")

    assert run(module, config).verdict == breadth_first(Model.load(module, config)).verdict == "ok"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("CONSTANT\nFoo = -42", "configuration:2: cannot read '-42' here"),
        ("CONSTANT Foo = <<1, 2>>", "configuration:1: cannot read '<<1,' here"),
        ("CONSTANT Foo = 0..3", "configuration:1: cannot read '..3' here"),
        ("CONSTANT Foo", "configuration:1: = or <- is expected after the constant Foo"),
        ("CONSTANT Foo = {1", "configuration:1: , is expected"),
        ('CONSTANT N = {m, 1, "a"}', "configuration:1: a set holds what cannot be told apart"),
        ("INVARIANTS A\nNonsense B", None),
        ("Nonsense", "configuration:1: 'Nonsense' is not a section"),
        ("INIT A INIT B", "configuration:1: INIT is given twice"),
        ("SPECIFICATION S INIT A", "configuration:1: SPECIFICATION stands beside"),
        ("(* no end", "configuration:1: a comment does not end"),
        ("CONSTANT N = 99999999999", "configuration:1: the number 99999999999 is beyond 32 bits"),
        ("CHECK_DEADLOCK MAYBE", "configuration:1: CHECK_DEADLOCK is TRUE or FALSE, not MAYBE"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, told: str | None) -> None:
    """CASES 13."""
    assert _refusal(text) == told or (told is not None and (_refusal(text) or "").startswith(told))


def test_a_cfg_of_newer_tools_says_whether_deadlock_is_looked_for(tools: None, tmp_path: Path) -> None:
    """TLC 2.15 would take the word for one more property; it is given the option instead."""
    module, config = tmp_path / "Here.tla", tmp_path / "Here.cfg"
    body = "VARIABLE x\nInit == x = 0\nNext == x = 0 /\\ x' = 1\nProp == [][x' = 1]_x"
    module.write_text(f"---- MODULE Here ----\n{body}\n====\n", encoding="utf-8")
    config.write_text("INIT Init NEXT Next PROPERTY Prop CHECK_DEADLOCK FALSE", encoding="utf-8")

    assert run(module, config).verdict == breadth_first(Model.load(module, config)).verdict == "ok"


def _refusal(text: str) -> str | None:
    try:
        parse_config(text)
    except SpecError as error:
        return error.message
    return None


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        parse_config(tmp_path / "None.cfg")
