"""Invariants and step properties, each asked once for the values that it reads.

Four rules:

1. An invariant is asked conjunct by conjunct, in order, and no further than the first
   that is false: a later one may rest on an earlier one.
2. A conjunct's answer is remembered by the values of the variables that it reads.
3. ``[A]_v`` holds where ``A`` does; only where it does not, ``v`` is looked at.
4. Which variables a step leaves as the very same objects decides what is asked of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import is_, itemgetter
from typing import Any, Final

import attrs

from conformance.tla.compile.program import Program
from conformance.tla.compile.scope import Env
from conformance.tla.errors import SpecError
from conformance.tla.properties import conjuncts
from conformance.tla.tree import Definition, Node

__all__ = ["Invariants", "StepProperties"]

MOST_REMEMBERED: Final = 200_000

State = tuple[Any, ...]
Sameness = tuple[bool, ...]
"""For each variable whether a step leaves it the very same object."""


@attrs.frozen(eq=False)
class _Conjunct:
    """One conjunct of an invariant, and what it said, by what it reads."""

    invariant: str
    reads: frozenset[int]
    key: Callable[[State], Any]
    ask: Callable[[Any, Any], bool]
    known: dict[Any, bool] = attrs.field(factory=dict)


class Invariants:
    """The invariants of a model, and what each of their conjuncts said."""

    def __init__(self, program: Program, definitions: Iterable[Definition]) -> None:
        self._parts = [part for definition in definitions for part in _conjuncts(program, definition)]
        self._touched: dict[Sameness, list[_Conjunct]] = {}

    def failing(self, state: State, since: State | None = None) -> list[str]:
        """The invariants that are false; all of them hold in ``since``, where that is given."""
        parts = self._parts
        if since is not None:
            same = tuple(map(is_, since, state))
            touched = self._touched.get(same)
            parts = self._touch(same) if touched is None else touched
        failing: list[str] = []
        for part in parts:
            key = part.key(state)
            known = part.known
            if known.get(key) or part.invariant in failing:
                continue
            if key not in known:
                _make_room(known)
                known[key] = part.ask(state, None)
            if not known[key]:
                failing.append(part.invariant)
        return failing

    def _touch(self, same: Sameness) -> list[_Conjunct]:
        _make_room(self._touched)
        touched = [part for part in self._parts if not _untouched(part.reads, same)]
        self._touched[same] = touched
        return touched


@attrs.frozen(eq=False)
class _StepPart:
    """A formula ``[A]_v``; what ``A`` said is known by what it reads before and after."""

    name: str
    reads: frozenset[int]
    now: Callable[[State], Any]
    then: Callable[[State], Any]
    either: Callable[[State], Any]
    ask: Callable[[Any, Any], bool]
    whole: Callable[[Any, Any], bool]
    known: dict[Any, bool] = attrs.field(factory=dict)
    known_still: dict[Any, bool] = attrs.field(factory=dict)
    """What it said of steps that change nothing that it reads."""

    def holds(self, known: dict[Any, bool], key: Any, state: State, next_state: State) -> bool:
        if key not in known:
            _make_room(known)
            known[key] = self.ask(state, next_state)
        return known[key] or self.whole(state, next_state)


class StepProperties:
    """The formulas ``[][A]_v`` of a model's properties."""

    def __init__(self, program: Program, formulas: Iterable[tuple[str, Node, Env]]) -> None:
        self._parts = [_step_part(program, *formula) for formula in formulas]
        self._divided: dict[Sameness, tuple[list[_StepPart], list[_StepPart]]] = {}

    def failing(self, state: State, next_state: State) -> dict[str, None]:
        """The properties that the step breaks, each once."""
        same = tuple(map(is_, state, next_state))
        divided = self._divided.get(same)
        moved, still = self._divide(same) if divided is None else divided
        failing: dict[str, None] = {}
        for part in moved:
            key = (part.now(state), part.then(next_state))
            if not part.known.get(key) and not part.holds(part.known, key, state, next_state):
                failing[part.name] = None
        for part in still:
            key = part.either(state)
            if not part.known_still.get(key) and not part.holds(part.known_still, key, state, next_state):
                failing[part.name] = None
        return failing

    def _divide(self, same: Sameness) -> tuple[list[_StepPart], list[_StepPart]]:
        _make_room(self._divided)
        moved = [part for part in self._parts if not _untouched(part.reads, same)]
        still = [part for part in self._parts if _untouched(part.reads, same)]
        self._divided[same] = (moved, still)
        return moved, still


def _conjuncts(program: Program, definition: Definition) -> Iterator[_Conjunct]:
    assert definition.body is not None
    for node, env in conjuncts(definition.body, program.know.root, program.know):
        reads = program.know.reads(node, env)
        if any(primed for _, primed in reads):
            raise SpecError(f"{definition.name} speaks of the next state; it is a property, not an invariant")
        indices = sorted(index for index, _ in reads)
        yield _Conjunct(definition.name, frozenset(indices), _picker(indices), program.predicate(node, env))


def _step_part(program: Program, name: str, node: Node, env: Env) -> _StepPart:
    inner = node[3][0] if node[0] == "b" and node[2] == "$SquareAct" else node
    reads = program.know.reads(inner, env)
    return _StepPart(
        name=name,
        reads=frozenset(index for index, _ in reads),
        now=_picker(sorted(index for index, primed in reads if not primed)),
        then=_picker(sorted(index for index, primed in reads if primed)),
        either=_picker(sorted({index for index, _ in reads})),
        ask=program.predicate(inner, env),
        whole=program.predicate(node, env),
    )


def _untouched(reads: frozenset[int], same: Sameness) -> bool:
    """Tell whether what is read is the very same; what reads nothing is asked everywhere."""
    return bool(reads) and all(same[index] for index in reads)


def _make_room(known: dict[Any, Any]) -> None:
    if len(known) >= MOST_REMEMBERED:
        known.clear()


def _picker(indices: list[int]) -> Callable[[State], Any]:
    return itemgetter(*indices) if indices else lambda state: None
