"""The evaluator that judges runs is itself held against TLC, on every module of the specification."""

from collections.abc import Callable

import attrs
import pytest

from conformance.referee import compare_graphs, compare_pairs, dump_of, graph_of
from conformance.spec_runs import actions_of
from conformance.specs import Row, load_registry
from conformance.tla.graph import Dump
from conformance.tla.model import Model

REGISTRY = load_registry()
EDGES = [row for row in REGISTRY.rows if row.edges]
PAIRS = [row for row in REGISTRY.rows if row.pairs]

Compared = tuple[Model, Dump]


@pytest.fixture(scope="module")
def compared(tools: None) -> Callable[[Row], Compared]:
    """A row's model, and TLC's graph of it; each is asked for once."""
    known: dict[str, Compared] = {}

    def ask(row: Row) -> Compared:
        if row.config not in known:
            module, config = REGISTRY.module_path(row), REGISTRY.config_path(row)
            model = Model.load(module, config)
            known[row.config] = (model, dump_of(module, config, model, timeout_s=240))
        return known[row.config]

    return ask


def test_every_module_has_its_compared_models() -> None:
    assert [problem for problem in REGISTRY.problems() if "no row has" in problem] == []
    assert EDGES
    assert PAIRS


@pytest.mark.slow
@pytest.mark.parametrize("row", EDGES, ids=lambda row: row.name)
def test_the_evaluator_finds_tlcs_states_and_labelled_edges(row: Row, compared: Callable[[Row], Compared]) -> None:
    model, tlcs = compared(row)

    assert compare_graphs(graph_of(model), tlcs) == []
    assert len(tlcs.states) == row.distinct


@pytest.mark.slow
@pytest.mark.parametrize("module", sorted({row.module for row in EDGES}))
def test_the_compared_models_of_a_module_take_every_action(module: str, compared: Callable[[Row], Compared]) -> None:
    rows = [row for row in EDGES if row.module == module]

    assert frozenset().union(*(compared(row)[1].labels for row in rows)) == actions_of(REGISTRY, rows[0])


@pytest.mark.slow
@pytest.mark.parametrize("row", PAIRS, ids=lambda row: row.name)
def test_the_evaluator_judges_every_pair_of_states_as_tlc_does(row: Row, compared: Callable[[Row], Compared]) -> None:
    model, tlcs = compared(row)

    assert compare_pairs(model, tlcs) == []


# --- a comparison that can fail ---

GRAPH = Dump(("x",), frozenset({(0,), (1,)}), frozenset({(0,)}), frozenset({((0,), "Step", (1,))}))


def test_equal_graphs_differ_in_nothing() -> None:
    assert compare_graphs(GRAPH, GRAPH) == []


def test_a_state_that_tlc_lacks_is_told() -> None:
    more = attrs.evolve(GRAPH, states=GRAPH.states | {(2,)})

    assert compare_graphs(more, GRAPH) == ["1 state(s) that TLC does not have: x = 2"]


def test_a_state_that_only_tlc_has_is_told() -> None:
    more = attrs.evolve(GRAPH, states=GRAPH.states | {(2,)})

    assert compare_graphs(GRAPH, more) == ["1 state(s) that only TLC has: x = 2"]


def test_an_initial_state_is_compared_as_such() -> None:
    other = attrs.evolve(GRAPH, initial=frozenset({(0,), (1,)}))

    assert compare_graphs(GRAPH, other) == ["1 initial state(s) that only TLC has: x = 1"]


def test_as_many_edges_with_another_label_differ() -> None:
    other = attrs.evolve(GRAPH, edges=frozenset({((0,), "Stop", (1,))}))

    assert compare_graphs(GRAPH, other) == [
        "1 edge(s) that TLC does not have: x = 0 --Step--> x = 1",
        "1 edge(s) that only TLC has: x = 0 --Stop--> x = 1",
    ]


def test_an_edge_called_next_is_a_difference_although_both_call_it_so() -> None:
    unnamed = attrs.evolve(GRAPH, edges=frozenset({((0,), "Next", (1,))}))

    assert compare_graphs(unnamed, unnamed) == [
        "TLC calls an edge Next: a guard or a set that depends on the state stands above the actions"
    ]


def test_an_edge_that_tlc_has_and_the_predicate_denies_is_told(compared: Callable[[Row], Compared]) -> None:
    model, tlcs = compared(PAIRS[-1])
    source, _, target = min(tlcs.edges, key=repr)
    other = attrs.evolve(tlcs, edges=tlcs.edges | {(source, "Invented", target)})

    assert compare_pairs(model, other)[0].startswith("the actions that allow a pair of states differ: ")
