"""What a specification and its properties are made of: initial, step, and temporal parts.

One rule: temporal parts are named, never evaluated, and never taken for true in silence.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from conformance.tla.compile.analysis import Analysis
from conformance.tla.compile.scope import ByName, Env, LetDefinition
from conformance.tla.errors import SpecError, UnsupportedError
from conformance.tla.tree import Definition, ModuleTree, Node

__all__ = ["Instanced", "Parts", "classify", "conjuncts", "is_temporal"]

_TEMPORAL = frozenset({"[]", "<>", "~>", "$WF", "$SF", "$TemporalExists", "$TemporalForall", "-+->"})
Placed = tuple[Node, Env]


@attrs.frozen
class Parts:
    """The conjuncts of a temporal formula, by kind."""

    initial: tuple[Placed, ...] = ()
    always: tuple[Placed, ...] = ()
    step: tuple[Placed, ...] = ()
    temporal: tuple[Placed, ...] = ()

    def joined(self, other: Parts) -> Parts:
        return Parts(
            self.initial + other.initial,
            self.always + other.always,
            self.step + other.step,
            self.temporal + other.temporal,
        )


def classify(node: Node, env: Env, know: Analysis) -> Parts:
    """The parts of a formula."""
    head = node[0]
    if head == "sub":
        return classify(node[3], know.substituted(node, env), know)
    if head in ("f", "v") and not node[3]:
        bound = env.scope.get(node[2]) if head == "f" else None
        if isinstance(bound, ByName):
            return classify(bound.node, bound.env, know)
    if head == "let":
        held = [env]
        held[0] = env.bind({uid: LetDefinition(know.definition(uid), held) for uid in node[2]})
        return classify(node[3], held[0], know)
    if head == "d" and node[2] not in env.scope and is_temporal(node, env, know):
        definition = know.definition(node[2])
        assert definition.body is not None
        scope = {uid: ByName(argument, env) for uid, argument in zip(definition.params, node[3], strict=True)}
        return classify(definition.body, Env(env.instance, scope), know)
    if head == "b":
        name, operands = node[2], node[3]
        if name in ("\\land", "$ConjList"):
            parts = Parts()
            for operand in operands:
                parts = parts.joined(classify(operand, env, know))
            return parts
        if name == "[]":
            return _box(operands[0], env, know)
        if name == "$BoundedForall" and is_temporal(operands[0], env, know):
            inner = classify(operands[0], env, know)
            if len(inner.step) == 1 and not (inner.initial or inner.always or inner.temporal):
                body, place = inner.step[0]
                if place is env:
                    return Parts(step=(([*node[:3], [body], node[4]], env),))
            return Parts(temporal=((node, env),))
    if is_temporal(node, env, know):
        return Parts(temporal=((node, env),))
    if any(primed for _, primed in know.reads(node, env)):
        raise SpecError(
            "a property speaks of the next state outside of [][...]_v; write it so", know.tree.location(node[1])
        )
    return Parts(initial=((node, env),))


class Instanced:
    """The names under which the root module knows what a specification takes from an INSTANCE."""

    def __init__(self, tree: ModuleTree, know: Analysis, specification: Definition) -> None:
        self.tree = tree
        self.know = know
        self.specification = specification
        assert specification.body is not None
        own = [""] if specification.body[0] == "sub" else []
        self.prefixes = [*own, *self._prefixes(specification.body)]

    def here(self, node: Node, env: Env) -> Node:
        """The node as the root module may write it."""
        if env.instance is None:
            return node
        if node[0] == "d" and not node[3]:
            name = self.know.definition(node[2]).name
            for prefix in self.prefixes:
                uid = self.tree.visible.get(prefix + name)
                if uid is not None:
                    return ["d", node[1], uid, []]
        return self._wrapped(node, env)

    def _wrapped(self, node: Node, env: Env) -> Node:
        """The node under the substitutions of its INSTANCE, as SANY writes them."""
        if env.instance is None and not env.scope:
            return node
        meant = list(env.instance.meaning.items()) if env.instance is not None else []
        if meant and not env.scope:
            return self._wrapped(["sub", node[1], [[uid, by.node] for uid, by in meant], node], meant[0][1].env)
        raise UnsupportedError(
            f"{self.specification.name} takes Init or Next from an INSTANCE; name them in this module",
            self.tree.location(self.specification.where),
        )

    def _prefixes(self, node: Node) -> Iterator[str]:
        if node[0] == "d" and not node[3]:
            definition = self.know.definition(node[2])
            if definition.body is not None and definition.body[0] == "sub":
                yield definition.name.rpartition("!")[0] + "!"
            elif definition.body is not None and is_temporal(definition.body, self.know.root, self.know):
                yield from self._prefixes(definition.body)
        elif node[0] == "b" and node[2] in ("\\land", "$ConjList"):
            for operand in node[3]:
                yield from self._prefixes(operand)


def conjuncts(node: Node, env: Env, know: Analysis) -> Iterator[Placed]:
    """The conjuncts of a predicate in order, through the definitions that are nothing but a conjunction."""
    head = node[0]
    if head == "sub":
        yield from conjuncts(node[3], know.substituted(node, env), know)
        return
    if head == "d" and not node[3] and node[2] not in env.scope:
        definition = know.definition(node[2])
        if definition.body is not None and not definition.recursive:
            yield from conjuncts(definition.body, Env(env.instance, {}), know)
            return
    if head == "b" and node[2] in ("\\land", "$ConjList"):
        for operand in node[3]:
            yield from conjuncts(operand, env, know)
        return
    yield node, env


def _box(node: Node, env: Env, know: Analysis) -> Parts:
    head = node[0]
    if head == "b" and node[2] == "$SquareAct":
        return Parts(step=((node, env),))
    if head == "sub":
        return _box(node[3], know.substituted(node, env), know)
    if is_temporal(node, env, know):
        return Parts(temporal=((["b", node[1], "[]", [node], None], env),))
    if any(primed for _, primed in know.reads(node, env)):
        return Parts(step=((node, env),))
    return Parts(always=((node, env),))


def is_temporal(node: Node, env: Env, know: Analysis, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a temporal operator occurs, in the node or in what it names."""
    head = node[0]
    if head == "b":
        if node[2] in _TEMPORAL:
            return True
        return any(operand is not None and is_temporal(operand, env, know, seen) for operand in node[3])
    if head == "d":
        if any(is_temporal(argument, env, know, seen) for argument in node[3]):
            return True
        if node[2] in seen:
            return False
        body = know.definition(node[2]).body
        return body is not None and is_temporal(body, env, know, seen | {node[2]})
    if head in ("let", "sub"):
        return is_temporal(node[3], env, know, seen)
    if head == "f":
        bound = env.scope.get(node[2])
        return isinstance(bound, ByName) and is_temporal(bound.node, bound.env, know, seen)
    return False
