"""Models are written so that TLC can read them, whatever their constants are (CASES 13)."""

from pathlib import Path
from typing import Any

import pytest

from conformance.tla.config import parse_config
from conformance.tla.errors import SpecError
from conformance.tla.model_files import model_files
from conformance.tla.tlc import run
from conformance.tla.values import NAT, TRUE, make_function, model_value

CONSTANTS = {
    "Foo": -42,
    "Pair": (1, 2),
    "Range": frozenset({0, 1, 2, 3}),
    "Names": frozenset({"q-1", "q_2"}),
    "Quoted": frozenset({'a"b', "a\\b", "plain"}),
    "Rich": make_function({"size": -1, "who": model_value("ann")}),
}


def test_tlc_is_given_each_value_as_it_is(tools: None, modules: Path, tmp_path: Path) -> None:
    """CASES 13."""
    files = model_files("Takes", CONSTANTS, invariants=["GivenInv"])
    module, config = tmp_path / f"{files.name}.tla", tmp_path / f"{files.name}.cfg"
    module.write_text(files.module, encoding="utf-8")
    config.write_text(files.config, encoding="utf-8")
    verdict = run(module, config, search=[modules], timeout_s=60)

    assert (verdict.verdict, verdict.errors) == ("ok", ())
    assert verdict.distinct == 1


def test_what_a_cfg_can_say_stays_in_the_cfg() -> None:
    """CASES 13: dashed strings work."""
    files = model_files("Takes", {"Names": frozenset({"q-1"}), "Flag": TRUE, "Host": model_value("h1"), "Least": 0})
    read = parse_config(files.config)

    assert read.constants == {"Names": frozenset({"q-1"}), "Flag": TRUE, "Host": model_value("h1"), "Least": 0}
    assert "Value" not in files.module


def test_what_it_cannot_say_becomes_a_definition_that_is_bound_to_it() -> None:
    """CASES 13."""
    files = model_files("Takes", {"Foo": -42, "Count": NAT})
    read = parse_config(files.config)

    assert read.overrides == {"Foo": "ValueFoo", "Count": "Nat"}
    assert "ValueFoo == -42" in files.module.splitlines()


def test_a_model_value_inside_a_definition_is_declared_and_bound() -> None:
    """CASES 13."""
    files = model_files("Takes", {"Pair": (model_value("a"), "a")})

    assert "CONSTANTS a" in files.module.splitlines()
    assert parse_config(files.config).constants == {"a": model_value("a")}


@pytest.mark.parametrize("value", [2**31, True, 1.5, "größer", (1, None)])
def test_what_neither_file_can_say_is_refused_before_java_starts(value: Any) -> None:
    """CASES 13."""
    with pytest.raises(SpecError, match="the constant Foo"):
        model_files("Takes", {"Foo": value})
