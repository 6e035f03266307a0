"""Actions in the specification, probes in the code, the driver's steps and the mapping bear the same names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import conformance
import matching
from conformance.recorder import CALLER_ACTIONS
from conformance.refinement import backlog, delivery, forwarding, partition_lifetime, poll_registration
from conformance.refinement.matching import AWAITS_ANSWERS, AWAITS_HOPS, AWAITS_TIME, OBSERVED, OWNERS, RAW_ORDER
from conformance.refinement.parties import MESSAGES
from conformance.refinement.provoking import PROVOKED_BY
from conformance.targets.simulation import judge_for
from conformance.targets.world import World
from conformance.walking.part import IDS, part_model

PROBE_NAMES = {"probe", "_probe", "recorder"}
ACTION = re.compile(r"([A-Z][a-z]+)+")
SERVICE = Path(matching.__file__).parent
SIMULATION = Path(conformance.__file__).parent
MODEL = judge_for(World()).model
PART = part_model(dict.fromkeys(IDS, ()))
MAPPINGS = [poll_registration, forwarding, delivery, backlog, partition_lifetime]


def told_in(folder: Path) -> set[str]:
    """The names that a probe is told somewhere in the folder, at once or in a step that is written down first."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))]
    return {name for tree in trees for node in ast.walk(tree) for name in _told(node, tree)}


def _told(node: ast.AST, tree: ast.Module) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Attribute(attr=called), args=[first, *_]) if called in PROBE_NAMES:
            yield from _literals(first, tree)
        case ast.Call(func=ast.Attribute(attr=called), args=[first, *_]) if called.startswith("_tell"):
            yield from _literals(first, tree)
        case ast.Tuple(elts=[ast.Constant(value=str(name)), *_]) if ACTION.fullmatch(name):
            yield name


def _literals(expression: ast.expr, tree: ast.Module) -> Iterator[str]:
    """The literal name, either of two, or every literal that the variable is given."""
    match expression:
        case ast.Constant(value=str(name)):
            yield name
        case ast.IfExp(body=one, orelse=other):
            yield from (*_literals(one, tree), *_literals(other, tree))
        case ast.Name(id=variable):
            for node in ast.walk(tree):
                if isinstance(node, ast.Assign) and any(_is(target, variable) for target in node.targets):
                    yield from _literals(node.value, tree)


def _is(target: ast.expr, variable: str) -> bool:
    return isinstance(target, ast.Name) and target.id == variable


TOLD = told_in(SERVICE) | told_in(SIMULATION / "simulation") | told_in(SIMULATION / "targets")


def test_each_probe_tells_an_action_of_the_specification() -> None:
    assert set(MODEL.actions) >= TOLD


def test_each_action_of_the_specification_is_told_by_some_probe() -> None:
    assert set(MODEL.actions) - TOLD == set()


def test_the_mapping_says_what_provokes_each_action() -> None:
    assert set(PROVOKED_BY) == set(MODEL.actions) | set(PART.actions)


def test_who_takes_an_action_is_said_of_actions_of_the_specification() -> None:
    assert set(MESSAGES) <= set(MODEL.actions)


def test_what_a_service_at_rest_may_owe_are_actions_of_the_specification() -> None:
    assert set(MODEL.actions) >= AWAITS_TIME | AWAITS_ANSWERS | AWAITS_HOPS


def test_the_callers_steps_are_the_client_and_the_callers_environment_actions() -> None:
    assert set(MODEL.actions) >= CALLER_ACTIONS


def test_each_observed_variable_is_a_variable_of_the_root_and_is_looked_at_once() -> None:
    assert set(OWNERS) <= set(MODEL.variables)
    assert sorted(OWNERS) == sorted(RAW_ORDER)


@pytest.mark.parametrize("mapping", MAPPINGS, ids=lambda mapping: mapping.MODULE)
def test_the_observed_variables_stand_in_the_order_in_which_their_module_declares_them(mapping: Any) -> None:
    declared = list(dict.fromkeys(re.findall(r"^  (\w+),? +\\\*", owner(mapping), re.MULTILINE)))

    assert [name for name in declared if name in mapping.OBSERVED] == list(mapping.OBSERVED)


def test_each_variable_that_is_not_observed_is_accounted_for() -> None:
    said = "".join(str(mapping.__doc__) for mapping in MAPPINGS)
    unobserved = set(MODEL.variables) - set(OWNERS)

    assert unobserved
    assert {name for name in unobserved if re.search(rf"``{name}``", said)} == unobserved


def test_each_mapping_is_for_a_module_of_the_specification() -> None:
    assert set(OBSERVED) == {mapping.MODULE for mapping in MAPPINGS}
    assert all(owner(mapping) for mapping in MAPPINGS)


def owner(mapping: Any) -> str:
    return MODEL.owner.with_name(f"{mapping.MODULE}.tla").read_text(encoding="utf-8")
