"""Expressions: the values are TLC's, and so are the refusals."""

from pathlib import Path

import pytest

from conformance.tla.config import parse_config
from conformance.tla.errors import EvaluationError
from conformance.tla.model import Model
from conformance.tla.tlc import run
from conformance.tla.values import format_value
from tests.tla.tables import module_of, rows

VALUES = rows("values.txt")
ERRORS = rows("errors.txt")


@pytest.fixture(scope="module")
def table(tools: None, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Model:
    lines = [f"V{i} == {text}" for i, (text, _) in enumerate(VALUES)]
    lines += [f"E{i} == {text}" for i, (text, _) in enumerate(ERRORS)]
    return Model.load(module_of(tmp_path_factory.mktemp("table"), "Rows", lines), parse_config(""))


@pytest.mark.parametrize("number", range(len(VALUES)), ids=[text for text, _ in VALUES])
def test_an_expression_has_the_value_of_the_table(table: Model, number: int) -> None:
    """CASES 32, 33, 37, 39, 40, 41, 44, 45, 47."""
    assert format_value(table.evaluate(f"V{number}")) == VALUES[number][1]


@pytest.mark.parametrize("number", range(len(ERRORS)), ids=[text for text, _ in ERRORS])
def test_an_expression_without_a_value_is_refused_with_its_place(table: Model, number: int) -> None:
    """CASES 32, 33, 42, 47, 48."""
    with pytest.raises(EvaluationError) as caught:
        table.evaluate(f"E{number}")

    assert caught.value.message == ERRORS[number][1]
    assert caught.value.location is not None


def _tlc_agrees(folder: Path, pairs: list[tuple[str, str]]) -> str:
    """The verdict word where each pair is assumed to be equal, and at least one pair is."""
    lines = [f"ASSUME ({left}) = ({right})" for left, right in pairs]
    module = module_of(folder, "Agrees", lines)
    config = folder / "Agrees.cfg"
    config.write_text("\n", encoding="utf-8")
    verdict = run(module, config, timeout_s=120)
    return verdict.verdict if pairs else "nothing was asked"


def test_tlc_gives_every_value_of_the_table(tools: None, tmp_path: Path) -> None:
    assert _tlc_agrees(tmp_path, VALUES) == "ok"


def test_tlc_refuses_a_table_of_which_one_value_is_wrong(tools: None, tmp_path: Path) -> None:
    assert _tlc_agrees(tmp_path, [*VALUES[:5], ("1 + 1", "3")]) == "assumption"


@pytest.mark.slow
@pytest.mark.parametrize("text", [text for text, _ in ERRORS])
def test_tlc_stops_at_every_expression_without_a_value(tools: None, tmp_path: Path, text: str) -> None:
    module = module_of(tmp_path, "Stops", [f"ASSUME LET e == {text} IN <<e>> = <<e>> \\/ TRUE"])
    config = tmp_path / "Stops.cfg"
    config.write_text("\n", encoding="utf-8")

    assert run(module, config, timeout_s=60).verdict == "error"
