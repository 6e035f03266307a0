"""Actions in the specification, probes in the code, the driver's steps and the mapping bear the same names."""

import ast
import re
from pathlib import Path

import conformance
import matching
from conformance.recorder import CALLER_ACTIONS
from conformance.refinement.poll_registration import MODULE, OBSERVED, RAW_ORDER
from conformance.refinement.provoking import PROVOKED_BY
from conformance.targets.simulation import judge_for
from conformance.targets.world import World

PROBE_NAMES = {"probe", "_probe", "recorder"}
SERVICE = Path(matching.__file__).parent
SIMULATION = Path(conformance.__file__).parent
MODEL = judge_for(World()).model


def told_in(folder: Path) -> set[str]:
    """The names with which a probe is called somewhere in the folder."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {name for call in calls if _is_probe(call.func) for name in _names(call.args[:1], trees)}


def _is_probe(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr in PROBE_NAMES


def _names(arguments: list[ast.expr], trees: list[ast.Module]) -> set[str]:
    """The literal name, or every literal that the variable is given."""
    match arguments:
        case [ast.Constant(value=str(name))]:
            return {name}
        case [ast.Name(id=variable)]:
            assigned = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Assign)]
            return {
                node.value.value
                for node in assigned
                if any(isinstance(target, ast.Name) and target.id == variable for target in node.targets)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            }
        case _:
            return set()


def test_each_probe_tells_an_action_of_the_specification() -> None:
    told = told_in(SERVICE) | told_in(SIMULATION / "simulation") | told_in(SIMULATION / "targets")

    assert told <= set(MODEL.actions)


def test_each_action_of_the_specification_is_told_by_some_probe() -> None:
    told = told_in(SERVICE) | told_in(SIMULATION / "simulation") | told_in(SIMULATION / "targets")

    assert set(MODEL.actions) - told == set()


def test_the_mapping_says_what_provokes_each_action() -> None:
    assert set(PROVOKED_BY) == set(MODEL.actions)


def test_the_callers_steps_are_the_client_and_the_callers_environment_actions() -> None:
    assert set(MODEL.actions) >= CALLER_ACTIONS


def test_each_observed_variable_is_a_variable_of_the_module() -> None:
    assert set(OBSERVED) <= set(MODEL.variables)
    assert set(OBSERVED) == set(RAW_ORDER)


def test_the_observed_variables_stand_in_the_order_in_which_the_module_declares_them() -> None:
    assert tuple(name for name in MODEL.variables if name in OBSERVED) == OBSERVED


def test_each_variable_that_is_not_observed_is_accounted_for() -> None:
    view = (SIMULATION / "refinement" / "poll_registration.py").read_text(encoding="utf-8")
    unobserved = set(MODEL.variables) - set(OBSERVED)

    assert unobserved
    assert {name for name in unobserved if re.search(rf"``{name}``", view)} == unobserved


def test_the_mapping_is_for_a_module_of_the_specification() -> None:
    assert MODEL.owner.with_name(f"{MODULE}.tla").is_file()
