"""The state graph that TLC dumps."""

from pathlib import Path

import pytest

from conformance.tla.graph import Dump, UnreadableGraphError, read_dump, to_networkx
from conformance.tla.values import make_function
from tests.tlc.conftest import Check


@pytest.fixture(scope="module")
def guarded(check: Check, tmp_path_factory: pytest.TempPathFactory) -> Dump:
    path = tmp_path_factory.mktemp("dump") / "graph.dot"
    check("Acquires", "INIT Init\nNEXT Next\n", dump=path)
    return read_dump(path, ["x"])


def test_states_initial_states_and_labelled_edges_are_read(guarded: Dump) -> None:
    """CASES 147: edges to known states and loops of one state are edges too."""
    assert guarded.states == {(0,), (1,), (2,)}
    assert guarded.initial == {(0,)}
    assert guarded.edges == {
        ((0,), "Guarded", (1,)),
        ((0,), "Guarded", (2,)),
        ((1,), "Guarded", (1,)),
        ((1,), "Guarded", (2,)),
        ((2,), "Plain", (2,)),
    }


def test_two_actions_between_the_same_states_are_two_edges(tmp_path: Path) -> None:
    """CASES 146: the file calls itself strict, and a reader that believes it loses one."""
    path = tmp_path / "graph.dot"
    edges = "".join(f'1 -> 2 [label="{action}",color="black"];\n' for action in ("Rise", "Jump"))
    states = '1 [label="x = 1",style = filled]\n2 [label="x = 2"]\n'
    path.write_text(f"strict digraph DiskGraph {{\n{states}{edges}}}\n", encoding="utf-8")
    dump = read_dump(path, ["x"])

    assert dump.edges == {((1,), "Rise", (2,)), ((1,), "Jump", (2,))}
    assert to_networkx(dump).number_of_edges() == 2


def test_networkx_gets_the_same_graph(guarded: Dump) -> None:
    graph = to_networkx(guarded)

    assert graph.nodes[(0,)] == {"initial": True}
    assert {(source, data["action"], target) for source, target, data in graph.edges(data=True)} == guarded.edges


def test_values_survive_the_escapes_of_the_dot_language(check: Check, tmp_path: Path) -> None:
    """CASES 148."""
    path = tmp_path / "graph.dot"
    check("Values", "CONSTANT a = a\nINIT Init\nNEXT Stay\n", dump=path)
    values = {state[0]: state[1] for state in read_dump(path, ["kind", "value"]).states}

    assert values[12] == 'a "quoted" \\ word'
    assert values[4] == values[5] == ()
    assert values[6] == make_function({0: 5, 1: 6})


def test_the_stuttering_that_tlc_draws_with_a_temporal_property_is_no_edge(check: Check, tmp_path: Path) -> None:
    path = tmp_path / "graph.dot"
    check("Counts", "SPECIFICATION Spec\nPROPERTY ThreeProp\n", dump=path)
    dump = read_dump(path, ["x"])

    assert 'style="dashed"' in path.read_text(encoding="utf-8")
    assert len(dump.states) == 5
    assert {(source[0], label, target[0]) for source, label, target in dump.edges} == {
        *((number, "Step", number + 1) for number in range(4)),
        (4, "Reset", 0),
    }


def test_a_line_that_is_not_understood_refuses_the_file(tmp_path: Path) -> None:
    path = tmp_path / "graph.dot"
    path.write_text('strict digraph DiskGraph {\n1 [label="x = 1"]\n1 => 2\n}\n', encoding="utf-8")

    with pytest.raises(UnreadableGraphError, match="line 3 "):
        read_dump(path, ["x"])


def test_an_edge_to_a_state_that_is_not_there_refuses_the_file(tmp_path: Path) -> None:
    path = tmp_path / "graph.dot"
    path.write_text('1 [label="x = 1"]\n1 -> 2 [label="Step",color="black"];\n', encoding="utf-8")

    with pytest.raises(UnreadableGraphError, match="touches 2"):
        read_dump(path, ["x"])


def test_other_variables_than_expected_refuse_the_file(tmp_path: Path) -> None:
    path = tmp_path / "graph.dot"
    path.write_text('1 [label="x = 1"]\n', encoding="utf-8")

    with pytest.raises(UnreadableGraphError, match="shows the variables x where x, y are expected"):
        read_dump(path, ["x", "y"])
