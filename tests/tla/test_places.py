"""The place of an error: the expression that TLC blames, or the operand in it that is no truth."""

from pathlib import Path

import pytest

from conformance.tla.errors import EvaluationError
from conformance.tla.explore import breadth_first
from conformance.tla.model import Model
from conformance.tla.tlc import run

BLAMED = [
    "x[1]",
    "x + TRUE",
    "Len(x)",
    "CHOOSE z \\in {1, x} : z > 2",
    "x = <<1>>",
    "x \\in 1",
    "\\E z \\in x : TRUE",
]
NO_TRUTHS = ["IF x THEN 2 ELSE 3", "~x", "TRUE /\\ x", "FALSE \\/ x", "TRUE => x", "\\A z \\in {1} : x", "CASE x -> 2"]


def blamed(folder: Path, text: str) -> tuple[tuple[int, int, int, int], tuple[int, int, int, int]]:
    """Where the error of a step is by us, and by TLC: line and column of the begin and the end."""
    module, config = folder / "Here.tla", folder / "Here.cfg"
    body = f"Worth(y) ==\n  IF y > 5 THEN 0 ELSE {text}\nInit == x = 0\nNext == x' = Worth(x)"
    module.write_text(
        f"---- MODULE Here ----\nEXTENDS Integers, Sequences\nVARIABLE x\n{body}\n====\n", encoding="utf-8"
    )
    config.write_text("INIT Init NEXT Next", encoding="utf-8")
    with pytest.raises(EvaluationError) as caught:
        breadth_first(Model.load(module, config))
    ours, theirs = caught.value.location, run(module, config).errors[0].location
    assert ours is not None
    assert theirs is not None
    return (
        (ours.line, ours.column, ours.end_line, ours.end_column),
        (theirs.line, theirs.column, theirs.end_line, theirs.end_column),
    )


@pytest.mark.slow
@pytest.mark.parametrize("text", BLAMED)
def test_an_error_is_where_tlc_says_it_is(tools: None, tmp_path: Path, text: str) -> None:
    ours, theirs = blamed(tmp_path, text)

    assert ours == theirs


@pytest.mark.slow
@pytest.mark.parametrize("text", NO_TRUTHS)
def test_an_operand_that_is_no_truth_is_told_inside_of_what_tlc_blames(tools: None, tmp_path: Path, text: str) -> None:
    ours, theirs = blamed(tmp_path, text)

    assert theirs[:2] <= ours[:2] <= ours[2:] <= theirs[2:]
