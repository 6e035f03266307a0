"""Temporal formulas on a run that has come to rest: its last state repeats for ever.

Three rules:

1. A formula has a truth at every position of the run; what is true at the last one
   is true of the repetition.
2. Of a run that only repeats its last state no fair action is owed but one that is
   enabled there: ``WF_v(A)`` and ``SF_v(A)`` hold where ``<<A>>_v`` is not enabled.
3. What is not one of the formulas that TLC checks is refused with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from conformance.tla.compile.scope import Binding, ByName, Env, LetDefinition, Local
from conformance.tla.errors import UnsupportedError
from conformance.tla.model import Model, State
from conformance.tla.properties import is_temporal
from conformance.tla.tree import Node

__all__ = ["broken_at_rest"]

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


class _Run:
    def __init__(self, model: Model, states: Sequence[State]) -> None:
        self.model = model
        self.program = model.program
        self.states = states

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
            return _always(self._boxed(operands[0], env))
        if name == "<>":
            return _eventually(self._boxed(operands[0], env))
        if name == "~>":
            first, then = self.truths(operands[0], env), _eventually(self.truths(operands[1], env))
            return _always([not cause or effect for cause, effect in zip(first, then, strict=True)])
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
            following = [*self.states[1:], self.states[-1]]
            return [bool(holds(now, then)) for now, then in zip(self.states, following, strict=True)]
        return self.truths(node, env)

    def _plain(self, node: Node, env: Env) -> Truths:
        if any(primed for _, primed in self.program.know.reads(node, env)):
            return self._boxed(["b", node[1], "$SquareAct", [node, ["b", node[1], "$Tuple", [], None]], None], env)
        holds = self.program.predicate(node, env)
        return [bool(holds(state, None)) for state in self.states]

    def _fair(self, node: Node, env: Env) -> Truths:
        subscript, action = node[3]
        taken: Node = ["b", node[1], "$AngleAct", [action, subscript], None]
        enabled = self.program.predicate(["b", node[1], "ENABLED", [taken], None], env)
        return [not enabled(self.states[-1], None)] * len(self.states)

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


def _always(truths: Truths) -> Truths:
    return _backwards(truths, lambda here, later: here and later)


def _eventually(truths: Truths) -> Truths:
    return _backwards(truths, lambda here, later: here or later)


def _backwards(truths: Truths, joint: Callable[[bool, bool], bool]) -> Truths:
    found = truths[-1:]
    for here in reversed(truths[:-1]):
        found.append(joint(here, found[-1]))
    return found[::-1]
