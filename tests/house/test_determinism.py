"""The service has one clock, given chance, no threads and no order taken from a set."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.house.lints import Finding, chance_clock_and_threads, iterated_sets, sleeps, waits_with_wait_for
from tests.house.sources import name, python_files


def test_the_service_has_no_clock_chance_or_threads_outside_adapters() -> None:
    inner = [path for path in python_files("impl/matching") if "adapters" not in path.parts]

    assert findings(chance_clock_and_threads, inner) == []


def test_nobody_calls_wait_for() -> None:
    assert findings(waits_with_wait_for, python_files("impl/matching", "conformance", "tests", "bench")) == []


def test_nothing_in_the_service_or_its_judges_iterates_over_a_set() -> None:
    judges = python_files("conformance/simulation", "conformance/refinement", "conformance/trace")

    assert findings(iterated_sets, python_files("impl/matching") + judges) == []


def test_no_test_sleeps() -> None:
    machines = [path for path in python_files("conformance") if path.name.startswith("test_")]

    assert findings(sleeps, python_files("tests") + machines) == []


def findings(lint: Callable[[ast.AST], Iterator[Finding]], paths: list[Path]) -> list[str]:
    return [
        f"{name(path)}:{found.line}: {found.what}"
        for path in paths
        for found in lint(ast.parse(path.read_text(encoding="utf-8")))
    ]
