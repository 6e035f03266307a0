"""Thousands of random expressions have TLC's values, and hundreds of random modules TLC's states and edges."""

from pathlib import Path

import attrs
import pytest

from conformance.tla.explore import Exploration, breadth_first
from conformance.tla.graph import Dump, Edge, read_dump
from conformance.tla.model import Model
from conformance.tla.tlc import Verdict, run
from tests.tla.actions import VARIABLES, Drawn, draw, together
from tests.tla.differential import COUNT, SEED, Asked, ask_tlc, evaluated

MODULES = 250


@pytest.fixture(scope="module")
def drawn(tools: None, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Asked]:
    return evaluated(tmp_path_factory.mktemp("drawn"), SEED, COUNT)


@pytest.mark.slow
def test_random_expressions_have_the_values_that_tlc_gives_them(drawn: list[Asked], tmp_path: Path) -> None:
    """CASES 41, 44, 45."""
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


@attrs.frozen
class Explored:
    """The random modules, and the labelled edges that each side finds."""

    drawn: list[Drawn]
    ours: Exploration
    edges: frozenset[Edge]
    verdict: Verdict
    dump: Dump


@pytest.fixture(scope="module")
def explored(tools: None, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Explored:
    folder = tmp_path_factory.mktemp("modules")
    drawn = draw(SEED, MODULES)
    module = folder / "Many.tla"
    module.write_text(together("Many", drawn), encoding="utf-8")
    config = folder / "Many.cfg"
    config.write_text("INIT Init\nNEXT Next\n", encoding="utf-8")
    ours = breadth_first(Model.load(module, config), deadlock=False, edges=True)
    verdict = run(module, config, check_deadlock=False, dump=folder / "graph.dot", timeout_s=240)
    edges = frozenset((ours.states[a], name, ours.states[b]) for a, name, b in ours.edges)
    return Explored(drawn, ours, edges, verdict, read_dump(folder / "graph.dot", VARIABLES))


@pytest.mark.slow
def test_random_modules_have_the_states_that_tlc_finds(explored: Explored) -> None:
    assert set(explored.ours.states) == explored.dump.states
    assert len({state[0] for state in explored.ours.states}) == MODULES


@pytest.mark.slow
def test_random_modules_have_the_labelled_edges_that_tlc_finds(explored: Explored) -> None:
    """CASES 34, 35."""
    differing = {edge[0][0] for edge in explored.edges ^ explored.dump.edges}
    told = "\n".join(f"TLA_SEED={SEED} {each}" for each in explored.drawn if each.number in differing)

    assert not differing, told


@pytest.mark.slow
def test_random_modules_are_counted_as_tlc_counts_them(explored: Explored) -> None:
    ours, theirs = explored.ours, explored.verdict

    assert (ours.generated, ours.depth) == (theirs.generated, theirs.depth)
