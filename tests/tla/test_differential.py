"""Thousands of random expressions have the values that TLC gives them."""

from pathlib import Path

import pytest

from tests.tla.differential import COUNT, SEED, Asked, ask_tlc, evaluated


@pytest.fixture(scope="module")
def drawn(tools: None, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Asked]:
    return evaluated(tmp_path_factory.mktemp("drawn"), SEED, COUNT)


@pytest.mark.slow
def test_random_expressions_have_the_values_that_tlc_gives_them(drawn: list[Asked], tmp_path: Path) -> None:
    """[41] [44] [45]"""
    valued = [one for one in drawn if one.value is not None]
    verdict, disagreement = ask_tlc(tmp_path, valued)

    assert len(valued) > 0.9 * COUNT
    assert disagreement is None, str(disagreement)
    assert verdict.verdict == "ok"


@pytest.mark.slow
def test_a_wrong_value_among_many_is_told_with_both_values(drawn: list[Asked], tmp_path: Path) -> None:
    wrong = Asked(40, "{1} \\cup {2}", "{1, 3}")
    _, disagreement = ask_tlc(tmp_path, [*drawn[:20], wrong, *drawn[20:40]])

    assert disagreement is not None
    assert disagreement.asked == wrong
    assert "{1, 2}" in disagreement.theirs
    assert "TLA_SEED=" in str(disagreement)
