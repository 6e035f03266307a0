"""Reads the state graph that ``-dump dot,actionlabels`` writes.

Two rules:

1. Every line is understood or the file is refused; a line quietly skipped would
   be a state or an edge that nobody compares.
2. Equal states are one node, whatever number TLC gave them.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from conformance.tla.errors import TlaError
from conformance.tla.printed import parse_state
from conformance.tla.values import Value

if TYPE_CHECKING:
    import networkx

__all__ = ["Dump", "Edge", "UnreadableGraphError", "read_dump", "to_networkx"]

State = tuple[Value, ...]
Edge = tuple[State, str, State]

_NODE = re.compile(r'^(-?\d+) \[label="((?:[^"\\]|\\.)*)"(,style = filled)?\];?$')
_EDGE = re.compile(r'^(-?\d+) -> (-?\d+) \[label="((?:[^"\\]|\\.)*)"[^\]]*\];?$')
_STUTTERS = re.compile(r'^(-?\d+) -> (-?\d+) \[style="dashed"\];?$')
_FURNITURE = re.compile(
    r"^(strict digraph \w+ \{|nodesep=[\d.]+;|subgraph cluster_graph \{|color=\"\w+\";|\{rank = same; .*\}|\}|)$"
)


class UnreadableGraphError(TlaError):
    """A dump that is not as TLC writes it."""


@attrs.frozen
class Dump:
    """A state graph: states are tuples in the order of ``variables``, an edge is labelled with its action."""

    variables: tuple[str, ...]
    states: frozenset[State]
    initial: frozenset[State]
    edges: frozenset[Edge]

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(label for _, label, _ in self.edges)


def read_dump(path: Path, variables: Sequence[str]) -> Dump:
    """The graph in a dump, its states laid out in the order of ``variables``."""
    nodes: dict[str, State] = {}
    initial: set[State] = set()
    raw_edges: list[tuple[str, str, str]] = []
    known: dict[str, dict[str, Value]] = {}
    for number, line in _lines(path):
        if node := _NODE.match(line):
            state = _state(_plain(node[2]), variables, number, known)
            nodes[node[1]] = state
            if node[3]:
                initial.add(state)
        elif edge := _EDGE.match(line):
            raw_edges.append((edge[1], _plain(edge[3]), edge[2]))
        elif stutters := _STUTTERS.match(line):
            # With a temporal property TLC draws what it adds to every state; it is no step of the specification.
            if stutters[1] != stutters[2]:
                raise UnreadableGraphError(f"line {number} of the state graph stutters into another state")
        elif not _FURNITURE.match(line):
            raise UnreadableGraphError(f"line {number} of the state graph is not understood: {line[:80]!r}")
    loose = next((name for edge in raw_edges for name in (edge[0], edge[2]) if name not in nodes), None)
    if loose is not None:
        raise UnreadableGraphError(f"an edge of the state graph touches {loose}, which is no state of it")
    return Dump(
        variables=tuple(variables),
        states=frozenset(nodes.values()),
        initial=frozenset(initial),
        edges=frozenset((nodes[source], label, nodes[target]) for source, label, target in raw_edges),
    )


def to_networkx(dump: Dump) -> "networkx.MultiDiGraph[State]":
    """The same graph for networkx: nodes are states (``initial`` is True of some), edges have an ``action``."""
    import networkx

    graph: networkx.MultiDiGraph[State] = networkx.MultiDiGraph(variables=dump.variables)
    for state in dump.states:
        graph.add_node(state, initial=state in dump.initial)
    for source, action, target in dump.edges:
        graph.add_edge(source, target, key=action, action=action)
    return graph


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            yield number, line.rstrip("\n")


def _state(text: str, variables: Sequence[str], line: int, known: dict[str, dict[str, Value]]) -> State:
    """The state that a label shows; ``known`` spares reading the same value of a variable twice."""
    values: dict[str, Value] = {}
    for part in re.split(r"\n(?=/\\ )", text):
        if part not in known:
            known[part] = parse_state(part, first_line=line)
        values |= known[part]
    if values.keys() != set(variables):
        raise UnreadableGraphError(
            f"line {line} of the state graph shows the variables {', '.join(sorted(values))}"
            f" where {', '.join(sorted(variables))} are expected"
        )
    return tuple(values[name] for name in variables)


def _plain(label: str) -> str:
    """The text of a label, without the escapes that the dot language needs."""
    return re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], label)
