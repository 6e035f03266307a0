"""Which expressions TLC takes apart in an action, so that there are several ways to take one step.

Two rules:

1. Only the form counts: what branches does so whether it reads a next state or not.
2. A name is looked through: a definition, an argument, a function that is applied where it is written.
"""

from __future__ import annotations

from typing import Any

from conformance.tla.compile.analysis import Analysis
from conformance.tla.compile.replaced import replacement
from conformance.tla.compile.scope import ByName, Env, LetDefinition
from conformance.tla.tree import Node

__all__ = ["Branching"]

_BRANCHING = frozenset({"\\lor", "$DisjList", "$BoundedExists", "$SquareAct"})
# The operand from which on TLC takes the operands of a form as actions.
_ACTIONS_FROM = {"$ConjList": 0, "\\land": 0, "$AngleAct": 0, "$BoundedForall": 0, "$IfThenElse": 1, "=>": 1}


class Branching(Analysis):
    """Answers about expressions that stand in actions."""

    def branching(self, node: Node, env: Env) -> bool:
        """Whether TLC splits the node into several ways to take a step."""
        head = node[0]
        if head == "b":
            if node[2] in _BRANCHING:
                return True
            if node[2] == "$FcnApply":
                found = self.function(node[3][0], env)
                return found is not None and self.branching(found[0][3][0], found[1])
            if node[2] == "$Case":
                return any(self.branching(pair[3][1], env) for pair in node[3])
            parts = node[3][_ACTIONS_FROM[node[2]] :] if node[2] in _ACTIONS_FROM else ()
            return any(self.branching(part, env) for part in parts)
        if head == "let":
            return self.branching(node[3], env)
        if head == "sub":
            return self.branching(node[3], self.substituted(node, env))
        if head in ("d", "f", "v", "op"):
            target, arguments = (node[3], []) if head == "op" else (node[2], node[3])
            meant = self._meant(target, env) or self._replaced(node, env)
            return (meant is not None and self._branching_once(*meant)) or any(
                self.branching(argument, env) for argument in arguments
            )
        return False

    def _branching_once(self, node: Node, env: Env) -> bool:
        """What is asked again while it is answered, in a recursion, does not branch on that account."""
        key = (id(node), id(env.instance))
        if key in self._active:
            return False
        self._active.add(key)
        found = self.branching(node, env)
        self._active.discard(key)
        return found

    def _replaced(self, node: Node, env: Env) -> tuple[Node, Env] | None:
        found = replacement(self, node, env)
        return None if found is None or found[0].body is None else (found[0].body, found[1])

    def _meant(self, uid: Any, env: Env) -> tuple[Node, Env] | None:
        """What a name stands for: a definition's body, or what is bound by name."""
        bound = env.scope.get(uid)
        if bound is None and env.instance is not None and uid in env.instance.meaning:
            bound = env.instance.meaning[uid]
        if isinstance(bound, ByName):
            return bound.node, bound.env
        if isinstance(bound, LetDefinition):
            return (bound.definition.body, bound.env[0]) if bound.definition.body is not None else None
        definition = self.definition(uid) if bound is None and uid in self.tree.definitions else None
        if definition is None or definition.body is None:
            return None
        return definition.body, self.home(definition, env)

    def parted(self, node: Node, env: Env) -> bool:
        """Whether TLC takes the node apart in an action: it branches, or is a function whose values do."""
        found = self.function(node, env)
        return self.branching(node, env) or (found is not None and self.branching(found[0][3][0], found[1]))

    def function(self, node: Node, env: Env) -> tuple[Node, Env] | None:
        """The constructor of a function that is written out, here or under a name, and made anew for each state."""
        if node[0] == "b":
            return (node, env) if node[2] in ("$FcnConstructor", "$NonRecursiveFcnSpec") else None
        if node[0] == "sub":
            return self.function(node[3], self.substituted(node, env))
        if node[0] not in ("d", "f") or node[3]:
            return None
        meant = self._meant(node[2], env)
        named = meant is not None and node[2] not in env.scope and self.constant(node, env)
        return self.function(*meant) if meant is not None and not named else None
