"""Temporal formulas on a run that goes round for ever: in its last state, at rest, or in a loop.

Three rules:

1. A formula has a truth at every position of the run; the last one is followed by
   the first of the loop, which at rest is the last one itself.
2. ``WF_v(A)`` holds where the loop takes ``<<A>>_v``, or comes by a state in which that
   is not enabled; ``SF_v(A)`` where it takes it, or never comes by one in which it is.
3. What is not one of the formulas that TLC checks is refused with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from conformance.tla.compile.scope import Binding, ByName, Env, LetDefinition, Local
from conformance.tla.errors import UnsupportedError
from conformance.tla.model import Model, State
from conformance.tla.properties import classify, is_temporal
from conformance.tla.tree import Node

__all__ = ["broken_at_rest", "is_fair", "is_true"]

Truths = list[bool]
_JOINED = frozenset(["\\land", "$ConjList", "\\lor", "$DisjList", "=>", "\\equiv", "<=>", "\\lnot", "~", "\\neg"])


def broken_at_rest(model: Model, states: Sequence[State]) -> list[str]:
    """The temporal properties of the configuration that are false of the run, whose last state repeats for ever."""
    reading = _Run(model, states)
    return [
        prop.name
        for prop in model.properties
        if not all(reading.truths(node, env)[0] for node, env in prop.parts.temporal)
    ]


def is_true(model: Model, name: str, states: Sequence[State], loop: int) -> bool:
    """Whether the temporal parts of a property of the configuration are true of a run that returns to ``loop``."""
    reading = _Run(model, states, loop)
    parts = [placed for prop in model.properties if prop.name == name for placed in prop.parts.temporal]
    return all(reading.truths(node, env)[0] for node, env in parts)


def is_fair(model: Model, states: Sequence[State], loop: int) -> bool:
    """Whether the fairness that the specification asks for is met by a run that returns to ``loop``."""
    if model.config.specification is None:
        return True
    definition = model.definition(model.config.specification)
    assert definition.body is not None
    reading = _Run(model, states, loop)
    parts = classify(definition.body, model.program.know.root, model.program.know)
    return all(reading.truths(node, env)[0] for node, env in parts.temporal)


class _Run:
    def __init__(self, model: Model, states: Sequence[State], loop: int | None = None) -> None:
        self.model = model
        self.program = model.program
        self.states = states
        self.loop = len(states) - 1 if loop is None else loop
        self.following = [*states[1:], states[self.loop]]

    def truths(self, node: Node, env: Env) -> Truths:
        """The truth of a formula at each position."""
        know = self.program.know
        if not is_temporal(node, env, know):
            return self._plain(node, env)
        head = node[0]
        if head == "sub":
            return self.truths(node[3], know.substituted(node, env))
        if head == "let":
            held = [env]
            held[0] = env.bind({uid: LetDefinition(know.definition(uid), held) for uid in node[2]})
            return self.truths(node[3], held[0])
        if head in ("f", "d", "v"):
            return self.truths(*self._meant(node, env))
        if head == "b":
            return self._builtin(node, env)
        raise self._unsupported(node)

    def _builtin(self, node: Node, env: Env) -> Truths:
        name, operands = node[2], node[3]
        if name == "[]":
            return self._always(self._boxed(operands[0], env))
        if name == "<>":
            return self._eventually(self._boxed(operands[0], env))
        if name == "~>":
            first, then = self.truths(operands[0], env), self._eventually(self.truths(operands[1], env))
            return self._always([not cause or effect for cause, effect in zip(first, then, strict=True)])
        if name in ("$WF", "$SF"):
            return self._fair(node, env)
        if name in ("$BoundedForall", "$BoundedExists"):
            return self._quantified(node, env, all if name == "$BoundedForall" else any)
        if name not in _JOINED:
            raise self._unsupported(node)
        parts = [self.truths(operand, env) for operand in operands if operand is not None]
        if name in ("\\land", "$ConjList"):
            return [all(row) for row in zip(*parts, strict=True)]
        if name in ("\\lor", "$DisjList"):
            return [any(row) for row in zip(*parts, strict=True)]
        if name == "=>":
            return [not cause or effect for cause, effect in zip(*parts, strict=True)]
        if name in ("\\equiv", "<=>"):
            return [one == other for one, other in zip(*parts, strict=True)]
        return [not each for each in parts[0]]

    def _boxed(self, node: Node, env: Env) -> Truths:
        """What stands under [] or <>: a formula, or an action of each step."""
        if node[0] == "b" and node[2] in ("$SquareAct", "$AngleAct"):
            holds = self.program.predicate(node, env)
            return [bool(holds(now, then)) for now, then in zip(self.states, self.following, strict=True)]
        return self.truths(node, env)

    def _plain(self, node: Node, env: Env) -> Truths:
        if any(primed for _, primed in self.program.know.reads(node, env)):
            return self._boxed(["b", node[1], "$SquareAct", [node, ["b", node[1], "$Tuple", [], None]], None], env)
        holds = self.program.predicate(node, env)
        return [bool(holds(state, None)) for state in self.states]

    def _fair(self, node: Node, env: Env) -> Truths:
        subscript, action = node[3]
        taken: Node = ["b", node[1], "$AngleAct", [action, subscript], None]
        takes = self.program.predicate(taken, env)
        enabled = self.program.predicate(["b", node[1], "ENABLED", [taken], None], env)
        steps = zip(self.states[self.loop :], self.following[self.loop :], strict=True)
        is_enabled = [bool(enabled(state, None)) for state in self.states[self.loop :]]
        met = any(takes(now, then) for now, then in steps)
        met = met or (not all(is_enabled) if node[2] == "$WF" else not any(is_enabled))
        return [met] * len(self.states)

    def _quantified(self, node: Node, env: Env, joint: Callable[[Any], bool]) -> Truths:
        uids: list[int] = []
        domains: list[list[Any]] = []
        for names, is_tuple, domain in node[4]:
            if is_tuple or domain is None or not self.program.know.constant(domain, env):
                raise self._unsupported(node)
            elements = self.program.constant_elements(domain, env)
            uids += names
            domains += [elements] * len(names)
        rows = []
        for values in product(*domains):
            bindings: dict[int, Binding] = {
                uid: Local(self.program.constant_name(value)) for uid, value in zip(uids, values, strict=True)
            }
            rows.append(self.truths(node[3][0], env.bind(bindings)))
        if not rows:
            return [joint(())] * len(self.states)
        return [joint(row) for row in zip(*rows, strict=True)]

    def _meant(self, node: Node, env: Env) -> tuple[Node, Env]:
        """The formula that a name stands for."""
        know = self.program.know
        bound = env.scope.get(node[2])
        if isinstance(bound, ByName) and not node[3]:
            return bound.node, bound.env
        definition = bound.definition if isinstance(bound, LetDefinition) else know.definition(node[2])
        home = bound.env[0] if isinstance(bound, LetDefinition) else Env(env.instance, {})
        if definition.body is None or definition.recursive:
            raise self._unsupported(node)
        given = {uid: ByName(argument, env) for uid, argument in zip(definition.params, node[3], strict=True)}
        return definition.body, home.bind(given)

    def _unsupported(self, node: Node) -> UnsupportedError:
        return UnsupportedError("this temporal formula is left to TLC", self.model.tree.location(node[1]))

    def _always(self, truths: Truths) -> Truths:
        return self._backwards(truths, all(truths[self.loop :]), lambda here, later: here and later)

    def _eventually(self, truths: Truths) -> Truths:
        return self._backwards(truths, any(truths[self.loop :]), lambda here, later: here or later)

    def _backwards(self, truths: Truths, for_ever: bool, joint: Callable[[bool, bool], bool]) -> Truths:
        """Each position joined with those after it; in the loop every position comes after every other."""
        found = [for_ever] * (len(truths) - self.loop)
        for here in reversed(truths[: self.loop]):
            found.append(joint(here, found[-1]))
        return found[::-1]
