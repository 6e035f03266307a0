"""Holds the Python evaluator, which judges every run, against TLC.

Four rules:

1. States, initial states and labelled edges must be the very same sets; an equal
   number of them proves little.  Symmetry and views are out of place here.
2. Over all pairs of states, the actions that allow the pair must be the labels of
   TLC's edges between them: none missing, none more, non-edges included.
3. TLC's labels have no arguments.  So each named instance is asked as a predicate,
   and must agree with what the enumeration of successors says.
4. No edge may be called ``Next``: then an action would have no name in a trace.
"""

import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import attrs

from conformance.tla.config import parse_config
from conformance.tla.errors import SpecError
from conformance.tla.explore import breadth_first
from conformance.tla.graph import Dump, read_dump
from conformance.tla.model import Model, State, Step
from conformance.tla.tlc import run
from conformance.tla.values import format_value

__all__ = ["compare_graphs", "compare_pairs", "dump_of", "graph_of"]

SHOWN = 3
"""How many differences of one kind are told."""


@attrs.frozen
class _Difference:
    what: str
    items: tuple[str, ...]

    def __str__(self) -> str:
        more = "" if len(self.items) <= SHOWN else f" and {len(self.items) - SHOWN} more"
        return f"{self.what}: {'; '.join(self.items[:SHOWN])}{more}"


def dump_of(module: Path, config: Path, model: Model, *, timeout_s: float | None = None) -> Dump:
    """TLC's state graph of a model, its labels in the words of ``model``."""
    parsed = parse_config(config)
    if parsed.symmetry or parsed.view:
        raise SpecError(
            f"{config.name} has SYMMETRY or VIEW, under which TLC's graph is not the model's; use another cfg"
        )
    with tempfile.TemporaryDirectory(prefix="conform-dump-") as folder:
        path = Path(folder) / "graph.dot"
        verdict = run(module, config, dump=path, check_deadlock=False, timeout_s=timeout_s)
        if not verdict.completed:
            said = verdict.violated or (verdict.errors[0] if verdict.errors else "")
            raise SpecError(
                f"{config.name} must complete to be compared, and TLC says: {verdict.verdict} {said}".strip()
            )
        dump = read_dump(path, model.variables)
    return attrs.evolve(
        dump, edges=frozenset((source, _named(label, model), target) for source, label, target in dump.edges)
    )


def graph_of(model: Model) -> Dump:
    """The same graph as the evaluator finds it."""
    found = breadth_first(model, deadlock=False, edges=True, survey=True, ignore_symmetry=True)
    edges = ((found.states[source], action, found.states[target]) for source, action, target in found.edges)
    return Dump(model.variables, frozenset(found.states), frozenset(model.initial_states()), frozenset(edges))


def compare_graphs(ours: Dump, tlcs: Dump) -> list[str]:
    """Where the two graphs differ, a sentence each."""
    found = [
        *_sets("initial state", _shown(ours, ours.initial), _shown(tlcs, tlcs.initial)),
        *_sets("state", _shown(ours, ours.states), _shown(tlcs, tlcs.states)),
        *_sets("edge", _shown_edges(ours), _shown_edges(tlcs)),
    ]
    if "Next" in tlcs.labels:
        found.append("TLC calls an edge Next: a guard or a set that depends on the state stands above the actions")
    return found


def compare_pairs(model: Model, tlcs: Dump) -> list[str]:
    """Judge every pair of states, and every named instance, and tell where the answers differ."""
    labels: defaultdict[tuple[State, State], set[str]] = defaultdict(set)
    for source, label, target in tlcs.edges:
        labels[source, target].add(label)
    wrong_labels: list[str] = []
    wrong_steps: list[str] = []
    for source in tlcs.states:
        enumerated: defaultdict[State, set[Step]] = defaultdict(set)
        for step, target in model.successors(source):
            enumerated[target].add(step)
        for target in tlcs.states:
            steps = set(model.check_step(source, target))
            if {step.action for step in steps} != labels[source, target]:
                names = sorted({step.action for step in steps})
                wrong_labels.append(
                    f"{names} here, {sorted(labels[source, target])} in TLC, {_pair(model, source, target)}"
                )
            if steps != enumerated[target]:
                told = sorted(str(step) for step in steps ^ enumerated[target])
                wrong_steps.append(f"{told}, {_pair(model, source, target)}")
    found = [
        _Difference("the actions that allow a pair of states differ", tuple(wrong_labels)),
        _Difference("asked as a predicate and enumerated, an instance differs", tuple(wrong_steps)),
    ]
    return [str(difference) for difference in found if difference.items]


def _named(label: str, model: Model) -> str:
    """TLC names an action by the innermost definition that it finds, ``Polls!Match`` for ``Match``."""
    bare = label.rpartition("!")[2]
    return label if label in model.actions or bare not in model.actions else bare


def _sets(what: str, ours: Iterable[str], tlcs: Iterable[str]) -> list[str]:
    mine, theirs = set(ours), set(tlcs)
    found = [
        _Difference(f"{len(mine - theirs)} {what}(s) that TLC does not have", tuple(sorted(mine - theirs))),
        _Difference(f"{len(theirs - mine)} {what}(s) that only TLC has", tuple(sorted(theirs - mine))),
    ]
    return [str(difference) for difference in found if difference.items]


def _shown(graph: Dump, states: Iterable[State]) -> list[str]:
    return [_state(graph.variables, state) for state in states]


def _shown_edges(graph: Dump) -> list[str]:
    text = {state: _state(graph.variables, state) for state in graph.states}
    return [f"{text[source]} --{label}--> {text[target]}" for source, label, target in graph.edges]


def _state(variables: Iterable[str], state: State) -> str:
    return " /\\ ".join(f"{name} = {format_value(value)}" for name, value in zip(variables, state, strict=True))


def _pair(model: Model, source: State, target: State) -> str:
    """The pair, told by what changes between its states."""
    changed = [
        f"{name}: {format_value(before)} -> {format_value(after)}"
        for name, before, after in zip(model.variables, source, target, strict=True)
        if before != after
    ]
    return f"from {_state(model.variables, source)} with {', '.join(changed) or 'no change'}"
