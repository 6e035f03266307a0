"""In how many ways an action or an initial predicate is taken: TLC's number for every form, cases and errors alike."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from conformance.tla.config import parse_config
from conformance.tla.model import Model
from conformance.tla.tlc import run
from conformance.tla.values import format_value
from tests.tla.conftest import MODULES
from tests.tla.tables import rows

WAYS = rows("ways.txt")
STEPS = [(number, text, counts.split()[0]) for number, (text, counts) in enumerate(WAYS)]
STARTS = [(number, text, counts.split()[1]) for number, (text, counts) in enumerate(WAYS) if not counts.endswith("-")]


def module_of(folder: Path, name: str, lines: Sequence[str]) -> Path:
    """A module that extends Ways, begins in its state and holds the lines."""
    for needed in ("Ways", "Lower"):
        (folder / f"{needed}.tla").write_bytes((MODULES / f"{needed}.tla").read_bytes())
    start, stay = "Start == row = 0 /\\ x = 0 /\\ s = {1, 2, 3}", "Stay == UNCHANGED <<row, x, s>>"
    path = folder / f"{name}.tla"
    path.write_text("\n".join([f"---- MODULE {name} ----", "EXTENDS Ways", start, stay, *lines, "===="]))
    return path


def step(number: int, text: str) -> str:
    return f"Step{number} == row = 0 /\\ row' = 1 /\\ ({text}) /\\ PrintT({number}) /\\ s' = s /\\ x' = x"


def begin(number: int, text: str) -> str:
    return f"Begin{number} == x = 0 /\\ s = {{1, 2, 3}} /\\ ({text}) /\\ PrintT({number}) /\\ row = {number}"


@pytest.fixture(scope="module")
def table(tools: None, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = [*(step(number, text) for number, text, _ in STEPS), *(begin(number, text) for number, text, _ in STARTS)]
    return module_of(tmp_path_factory.mktemp("ways"), "Rows", lines)


@pytest.mark.parametrize(("number", "ways"), [(n, w) for n, _, w in STEPS], ids=[text for _, text, _ in STEPS])
def test_a_step_is_taken_in_the_ways_of_the_table(table: Path, number: int, ways: str) -> None:
    model = Model.load(table, parse_config(f"INIT Start NEXT Step{number}"))
    (state,) = model.initial_states()

    assert [following[1:] for _, following in model.successors(state)] == [state[1:]] * int(ways)


@pytest.mark.parametrize(("number", "ways"), [(n, w) for n, _, w in STARTS], ids=[text for _, text, _ in STARTS])
def test_a_state_begins_in_the_ways_of_the_table(table: Path, number: int, ways: str) -> None:
    model = Model.load(table, parse_config(f"INIT Begin{number} NEXT Stay"))

    assert [format_value(state[0]) for state in model.initial_states()] == [str(number)] * int(ways)


@pytest.mark.parametrize(
    ("config", "name", "asked"), [("INIT Start NEXT Asked", "Step", STEPS), ("INIT Asked NEXT Stay", "Begin", STARTS)]
)
def test_tlc_takes_them_in_as_many(
    table: Path, tmp_path: Path, config: str, name: str, asked: list[tuple[int, str, str]]
) -> None:
    lines = [step(number, text) if name == "Step" else begin(number, text) for number, text, _ in asked]
    together = "Asked == " + " \\/ ".join(f"{name}{number}" for number, _, _ in asked)
    module = module_of(tmp_path, "Together", [*lines, together])
    module.with_suffix(".cfg").write_text(f"{config} CHECK_DEADLOCK FALSE")

    verdict = run(module, module.with_suffix(".cfg"), timeout_s=120)

    assert verdict.verdict == "ok"
    assert Counter(verdict.printed) == {str(number): int(ways) for number, _, ways in asked if ways != "0"}
