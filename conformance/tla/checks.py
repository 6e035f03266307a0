"""Invariants and step properties, each asked once for the values that it reads.

Three rules:

1. An invariant is asked conjunct by conjunct, in order, and no further than the first
   that is false: a later one may rest on an earlier one.
2. A conjunct's answer is remembered by the values of the variables that it reads.
3. ``[A]_v`` holds where ``A`` does; only where it does not, ``v`` is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, Final

import attrs

from conformance.tla.compile.program import Program
from conformance.tla.compile.scope import Env
from conformance.tla.errors import SpecError
from conformance.tla.properties import conjuncts
from conformance.tla.tree import Definition, Node

__all__ = ["StateCheck", "StepCheck", "changes"]

MOST_REMEMBERED: Final = 200_000
CONSTANT: Final = 1 << 62
"""The bit of what reads no variable: it is asked where everything is."""

State = tuple[Any, ...]


def changes(before: State, after: State) -> int:
    """The variables whose value is another object, a bit for each."""
    changed = 0
    bit = 1
    for old, new in zip(before, after, strict=True):
        if old is not new:
            changed |= bit
        bit <<= 1
    return changed


@attrs.frozen(eq=False)
class _Conjunct:
    reads: int
    key: Callable[[State], Any]
    known: dict[Any, bool]
    ask: Callable[[Any, Any], bool]


class StateCheck:
    """An invariant, and what each of its conjuncts said."""

    def __init__(self, program: Program, definition: Definition) -> None:
        self.name = definition.name
        assert definition.body is not None
        self._parts: list[_Conjunct] = []
        for node, env in conjuncts(definition.body, program.know.root, program.know):
            reads = program.know.reads(node, env)
            if any(primed for _, primed in reads):
                raise SpecError(f"{self.name} speaks of the next state; it is a property, not an invariant")
            indices = sorted(index for index, _ in reads)
            bits = sum(1 << index for index in indices) or CONSTANT
            self._parts.append(_Conjunct(bits, _picker(indices), {}, program.predicate(node, env)))
        self.reads = 0
        for part in self._parts:
            self.reads |= part.reads

    def holds(self, state: State, changed: int = -1) -> bool:
        """Tell whether it holds, where it held before the changes."""
        for part in self._parts:
            if not part.reads & changed:
                continue
            key = part.key(state)
            known = part.known
            found = known.get(key)
            if found is None:
                if len(known) >= MOST_REMEMBERED:
                    known.clear()
                found = known[key] = part.ask(state, None)
            if not found:
                return False
        return True


class StepCheck:
    """A step property, and what its action said."""

    def __init__(self, program: Program, name: str, node: Node, env: Env) -> None:
        self.name = name
        self._whole = program.predicate(node, env)
        inner = node[3][0] if node[0] == "b" and node[2] == "$SquareAct" else node
        self._ask = program.predicate(inner, env)
        reads = program.know.reads(inner, env)
        self._now = _picker(sorted(index for index, primed in reads if not primed))
        self._then = _picker(sorted(index for index, primed in reads if primed))
        self._reads = sum(1 << index for index in {index for index, _ in reads}) or CONSTANT
        self._known: dict[Any, bool] = {}
        self._calm: State | None = None

    def holds(self, state: State, next_state: State, changed: int = -1) -> bool:
        """Tell whether the step keeps it; ``changed`` has the variables whose value is another object."""
        # Nothing that the action reads has changed, and it held of such a step from here before: it holds of this one.
        calm = not self._reads & changed
        if calm and self._calm is state:
            self._calm = next_state
            return True
        if self._action_holds(state, next_state):
            if calm:
                self._calm = next_state
            return True
        return self._whole(state, next_state)

    def _action_holds(self, state: State, next_state: State) -> bool:
        key = (self._now(state), self._then(next_state))
        known = self._known
        found = known.get(key)
        if found is None:
            if len(known) >= MOST_REMEMBERED:
                known.clear()
            found = known[key] = self._ask(state, next_state)
        return found


def _picker(indices: list[int]) -> Callable[[State], Any]:
    return itemgetter(*indices) if indices else lambda state: None
