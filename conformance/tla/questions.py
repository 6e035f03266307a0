"""Everything that a search asks of a model: where it leads, and what must hold there.

Four rules:

1. States are rows of numbers (`conformance.tla.recall`); an answer is worked out once for
   the values that it hangs on.
2. Invariants are asked conjunct by conjunct, no further than the first that is false, and
   of a step only those that read what it changes: all of them held in the state before.
   Where something looks at more than the state, all are asked of every state.
3. ``[A]_v`` holds where ``A`` does; only where it does not, ``v`` is looked at.
4. The steps of a part of Next come as they are found: an error comes after the steps
   that were found before it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs

from conformance.tla.asked import alone
from conformance.tla.compile.leaves import Leaf, disjuncts
from conformance.tla.compile.reader import Reader
from conformance.tla.compile.scope import Env
from conformance.tla.errors import EvaluationError, SpecError
from conformance.tla.interchange import TELLING, evaluated_nodes
from conformance.tla.model import Model
from conformance.tla.properties import conjuncts, is_temporal
from conformance.tla.recall import Numbers, Recall, Remembered, Row
from conformance.tla.tree import Node

__all__ = ["Move", "Questions"]

_MOST_MOVES: Final = 10_000
"""Of a part that leads to more states than this nothing is remembered."""

Truth = Callable[[Row], bool]


@attrs.frozen(eq=False)
class Move:
    """A step: its action with arguments, and the number of the next value of each variable that it changes."""

    action: str
    args: tuple[Any, ...]
    changes: tuple[tuple[int, int], ...]
    changed: tuple[int, ...]


@attrs.frozen(eq=False)
class _Conjunct:
    invariant: str
    reads: frozenset[int]
    holds: Truth


class Questions:
    """A model's questions, over the rows of one search."""

    def __init__(self, model: Model, numbers: Numbers) -> None:
        self.numbers = numbers
        self._model = model
        self._width = len(model.variables)
        self.remembers = not _tells(model)
        self._parts = [(Recall(numbers, on=self.remembers), leaf) for leaf in model.prepare()]
        program, root = model.program, model.program.know.root
        self._invariants: list[_Conjunct] = []
        for name in model.invariants:
            body = model.definition(name).body
            assert body is not None
            self._invariants += self._conjuncts(name, body, root)
        constraints = (*model.config.constraints, *model.config.action_constraints)
        for name in (*model.invariants, *(prop.name for prop in model.properties), *constraints):
            self._refuse_false(name)
        for prop in model.properties:
            for node, env in prop.parts.always:
                self._invariants += self._conjuncts(prop.name, node, env)
        self._touched: dict[tuple[int, ...], list[_Conjunct]] = {}
        self._first = [
            (prop.name, program.predicate(*placed)) for prop in model.properties for placed in prop.parts.initial
        ]
        self._steps = [(prop.name, self._step(*placed)) for prop in model.properties for placed in prop.parts.step]
        config = model.config
        self._constraints = [self._named(name) for name in config.constraints]
        self._action_constraints = [self._named(name, about_steps=True) for name in config.action_constraints]
        self.stepwise = bool(self._steps)

    # --- where it leads -----------------------------------------------------------------------

    def moves(self, row: Row) -> Iterator[Move]:
        """Every step from a state, in TLC's order."""
        self.numbers.states += 1
        for recall, leaf in self._parts:
            found = recall.find(row)
            if found is None:
                yield from self._work_out(recall, leaf, row)
            else:
                yield from found

    def _work_out(self, recall: Recall, leaf: Leaf, row: Row) -> Iterator[Move]:
        number = self.numbers.of
        reads: dict[int, None] = {}
        state: Any = self.numbers.state(row)
        if recall.on:
            state = Reader(row, self.numbers.values, reads, 0, self._width)
        found: list[Move] = []
        for action, args, values in leaf(state):
            changes = tuple([(index, number(value)) for index, value in enumerate(values) if value is not None])
            move = Move(action, args, changes, tuple([index for index, _ in changes]))
            if len(found) <= _MOST_MOVES:
                found.append(move)
            yield move
        if len(found) <= _MOST_MOVES:
            recall.learn(row, reads, found)

    # --- what must hold -----------------------------------------------------------------------

    def failing(self, row: Row, changed: tuple[int, ...] | None) -> list[str]:
        """The invariants that are false in a state.

        ``changed`` are the variables that may differ from a state in which all hold; None for all.
        """
        parts = self._invariants
        if changed is not None and self.remembers:
            touched = self._touched.get(changed)
            parts = self._touch(changed) if touched is None else touched
        failing: list[str] = []
        for part in parts:
            if not part.holds(row) and part.invariant not in failing:
                failing.append(part.invariant)
        return failing

    def failing_first(self, row: Row) -> list[str]:
        """The properties whose part about the first state is false."""
        state = self.numbers.state(row)
        return list(dict.fromkeys(name for name, holds in self._first if not holds(state, None)))

    def failing_step(self, both: Row) -> list[str]:
        """The properties that a step breaks."""
        self.numbers.steps += 1
        failing: dict[str, None] = {}
        for name, parts in self._steps:
            for holds in parts:
                if holds(both):
                    break
            else:
                failing[name] = None
        return list(failing)

    def within_constraints(self, row: Row) -> bool:
        return all(holds(row) for holds in self._constraints)

    def within_action_constraints(self, both: Row) -> bool:
        self.numbers.steps += 1
        return all(holds(both) for holds in self._action_constraints)

    # --- how they are made --------------------------------------------------------------------

    def _touch(self, changed: tuple[int, ...]) -> list[_Conjunct]:
        those = frozenset(changed)
        # What reads nothing is asked everywhere.
        touched = [part for part in self._invariants if not part.reads or part.reads & those]
        self._touched[changed] = touched
        return touched

    def _conjuncts(self, name: str, body: Node, env: Env) -> Iterator[_Conjunct]:
        program = self._model.program
        for node, place in conjuncts(body, env, program.know):
            reads = program.know.reads(node, place)
            if any(primed for _, primed in reads):
                raise SpecError(f"{name} speaks of the next state; it is a property, not an invariant")
            if is_temporal(node, place, program.know):
                raise SpecError(f"{name} is temporal; it is a property, not an invariant")
            yield _Conjunct(
                name, frozenset(index for index, _ in reads), self._remembered(program.predicate(node, place))
            )

    def _refuse_false(self, name: str) -> None:
        """What hangs on no state and is false says nothing of a run; TLC does not begin with it."""
        program = self._model.program
        body, know = self._model.definition(name).body, program.know
        assert body is not None
        told = know.reads(body, know.root) or know.asking.asks(body, know.root) or is_temporal(body, know.root, know)
        # What has no value is told where it is asked of a state.
        with contextlib.suppress(EvaluationError):
            if not told and not program.predicate(body, know.root)(None, None):
                raise SpecError(f"{name} is FALSE in every state")

    def _step(self, node: Node, env: Env) -> list[Truth]:
        """What one of must hold of a step, in the order in which it is asked."""
        program = self._model.program
        whole = program.predicate(node, env)
        if node[0] != "b" or node[2] != "$SquareAct":
            return [self._remembered(whole, about_steps=True)]
        asked = [*disjuncts(program, node[3][0], env), whole]
        return [self._remembered(ask, about_steps=True) for ask in asked]

    def _named(self, name: str, *, about_steps: bool = False) -> Truth:
        model = self._model
        definition = model.definition(name)
        program = model.program
        ask = program.action(definition) if about_steps else alone(program, name, definition, truth=True)
        return self._remembered(ask, about_steps=about_steps)

    def _remembered(self, ask: Callable[[Any, Any], Any], *, about_steps: bool = False) -> Remembered:
        return Remembered(ask, self.numbers, self._width, remember=self.remembers, about_steps=about_steps)


def _tells(model: Model) -> bool:
    """Whether something that the model evaluates looks at more than the state."""
    know = model.program.know
    for node in evaluated_nodes(model):
        if node[0] == "d":
            definition = know.definition(node[2])
            if definition.body is None and definition.name in TELLING:
                return True
    return False
