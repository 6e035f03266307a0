"""A plain evaluator that walks the syntax tree: what the compiled one is measured against.

It knows what PollRegistration is written in and nothing else, evaluates each node
anew, and remembers nothing.  It is here to be compared with, in speed and in answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from conformance.tla.model import Model, State
from conformance.tla.tree import Node
from conformance.tla.values import BOOLEAN, NAT, Fn, boolean, equal, make_function

__all__ = ["TreeWalk"]

Scope = dict[int, Any]


class TreeWalk:
    """Evaluates the definitions of a model, node by node."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.tree = model.tree
        self.index = {each.uid: position for position, each in enumerate(model.tree.variables)}
        self.now: State | None = None
        self.then: State | None = None

    def allows(self, action: str, args: tuple[Any, ...], state: State, next_state: State) -> bool:
        """Whether the named action, with these arguments, is the step from one state to the next."""
        definition = self.model.actions[action].definition
        self.now, self.then = state, next_state
        return bool(self.value(definition.body, dict(zip(definition.params, args, strict=True))))

    def holds(self, invariant: str, state: State) -> bool:
        """Whether the invariant holds."""
        self.now, self.then = state, None
        return bool(self.value(self.model.definition(invariant).body, {}))

    def value(self, node: Node | None, scope: Scope) -> Any:
        assert node is not None
        head = node[0]
        if head in ("n", "s"):
            return node[2]
        if head == "at":
            return scope[-1]
        if head == "f":
            return scope[node[2]]
        if head == "v":
            if node[2] in self.index:
                assert self.now is not None
                return self.now[self.index[node[2]]]
            name = self.tree.declarations[node[2]].name
            if name in self.model.program.know.operators:
                return self.value(self.tree.definitions[self.model.program.know.operators[name]].body, {})
            return self.model.constants[name]
        if head == "let":
            return self.value(node[3], scope)
        if head == "d":
            return self.defined(node, scope)
        return getattr(self, _NAMES[node[2]])(node, scope)

    def defined(self, node: Node, scope: Scope) -> Any:
        definition = self.tree.definitions[node[2]]
        given = [self.value(each, scope) for each in node[3]]
        if definition.body is not None:
            # A LET definition sees the names around it.
            return self.value(definition.body, {**scope, **dict(zip(definition.params, given, strict=True))})
        match definition.name:
            case "+":
                return given[0] + given[1]
            case "-":
                return given[0] - given[1]
            case "<":
                return boolean(given[0] < given[1])
            case ">":
                return boolean(given[0] > given[1])
            case "\\leq":
                return boolean(given[0] <= given[1])
            case "\\geq":
                return boolean(given[0] >= given[1])
            case "Cardinality":
                return len(given[0])
            case "Len":
                return len(given[0])
            case "..":
                return frozenset(range(given[0], given[1] + 1))
            case "Nat":
                return NAT
        raise NotImplementedError(definition.name)

    def rows(self, node: Node, scope: Scope) -> Iterator[Scope]:
        uids = [uid for names, _, _ in node[4] for uid in names]
        domains = [self.value(domain, scope) for names, _, domain in node[4] for _ in names]
        for row in product(*domains):
            yield {**scope, **dict(zip(uids, row, strict=True))}

    # --- logic --------------------------------------------------------------------------------

    def conjunction(self, node: Node, scope: Scope) -> Any:
        return boolean(all(self.value(each, scope) for each in node[3]))

    def disjunction(self, node: Node, scope: Scope) -> Any:
        return boolean(any(self.value(each, scope) for each in node[3]))

    def implication(self, node: Node, scope: Scope) -> Any:
        return boolean(not self.value(node[3][0], scope) or bool(self.value(node[3][1], scope)))

    def negation(self, node: Node, scope: Scope) -> Any:
        return boolean(not self.value(node[3][0], scope))

    def every(self, node: Node, scope: Scope) -> Any:
        return boolean(all(self.value(node[3][0], row) for row in self.rows(node, scope)))

    def some(self, node: Node, scope: Scope) -> Any:
        return boolean(any(self.value(node[3][0], row) for row in self.rows(node, scope)))

    def equal(self, node: Node, scope: Scope) -> Any:
        return boolean(equal(self.value(node[3][0], scope), self.value(node[3][1], scope)))

    def unequal(self, node: Node, scope: Scope) -> Any:
        return boolean(not equal(self.value(node[3][0], scope), self.value(node[3][1], scope)))

    def choice(self, node: Node, scope: Scope) -> Any:
        condition, yes, no = node[3]
        return self.value(yes if self.value(condition, scope) else no, scope)

    def cases(self, node: Node, scope: Scope) -> Any:
        for pair in node[3]:
            guard, result = pair[3]
            if guard is None or guard[0] == "o" or self.value(guard, scope):
                return self.value(result, scope)
        raise LookupError("no case")

    def truth(self, node: Node, scope: Scope) -> Any:
        return boolean(node[2] == "TRUE")

    def booleans(self, node: Node, scope: Scope) -> Any:
        return BOOLEAN

    # --- the next state -----------------------------------------------------------------------

    def primed(self, node: Node, scope: Scope) -> Any:
        before = self.now
        self.now = self.then
        try:
            return self.value(node[3][0], scope)
        finally:
            self.now = before

    def unchanged(self, node: Node, scope: Scope) -> Any:
        return boolean(equal(self.value(node[3][0], scope), self.primed(node, scope)))

    # --- sets ---------------------------------------------------------------------------------

    def member(self, node: Node, scope: Scope) -> Any:
        return boolean(self.contains(node[3][0], node[3][1], scope))

    def stranger(self, node: Node, scope: Scope) -> Any:
        return boolean(not self.contains(node[3][0], node[3][1], scope))

    def contains(self, item: Node, container: Node, scope: Scope) -> bool:
        return self.within(self.value(item, scope), container, scope)

    def within(self, value: Any, container: Node, scope: Scope) -> bool:
        """Whether the value is in the set; sets that are too large to list are never listed."""
        name, operands = (container[2], container[3]) if container[0] == "b" else (None, [])
        if container[0] == "d" and self.tree.definitions[container[2]].body is not None and not container[3]:
            return self.within(value, self.tree.definitions[container[2]].body or [], scope)
        if name == "SUBSET":
            return all(self.within(each, operands[0], scope) for each in value)
        if name == "$SetOfFcns":
            domain = self.value(operands[0], scope)
            items = value.m if isinstance(value, Fn) else dict(enumerate(value, 1))
            return items.keys() == set(domain) and all(self.within(each, operands[1], scope) for each in items.values())
        if name == "$SetOfRcds":
            return all(self.within(value.m[pair[3][0][2]], pair[3][1], scope) for pair in operands)
        if name == "$CartesianProd":
            return len(value) == len(operands) and all(map(self.within, value, operands, [scope] * len(operands)))
        if name in ("\\union", "\\cup"):
            return self.within(value, operands[0], scope) or self.within(value, operands[1], scope)
        found = self.value(container, scope)
        return bool(found.contains(value) if found is NAT else value in found)

    def union(self, node: Node, scope: Scope) -> Any:
        return self.value(node[3][0], scope) | self.value(node[3][1], scope)

    def intersection(self, node: Node, scope: Scope) -> Any:
        return self.value(node[3][0], scope) & self.value(node[3][1], scope)

    def difference(self, node: Node, scope: Scope) -> Any:
        return self.value(node[3][0], scope) - self.value(node[3][1], scope)

    def subset(self, node: Node, scope: Scope) -> Any:
        return boolean(all(self.within(each, node[3][1], scope) for each in self.value(node[3][0], scope)))

    def listed(self, node: Node, scope: Scope) -> Any:
        return frozenset([self.value(each, scope) for each in node[3]])

    def image(self, node: Node, scope: Scope) -> Any:
        return frozenset([self.value(node[3][0], row) for row in self.rows(node, scope)])

    def filtered(self, node: Node, scope: Scope) -> Any:
        ((uid,), _, domain) = node[4][0]
        return frozenset([each for each in self.value(domain, scope) if self.value(node[3][0], {**scope, uid: each})])

    def pairs(self, node: Node, scope: Scope) -> Any:
        return frozenset(product(*[self.value(each, scope) for each in node[3]]))

    # --- functions ----------------------------------------------------------------------------

    def tuple(self, node: Node, scope: Scope) -> Any:
        return tuple([self.value(each, scope) for each in node[3]])

    def record(self, node: Node, scope: Scope) -> Any:
        return make_function({pair[3][0][2]: self.value(pair[3][1], scope) for pair in node[3]})

    def function(self, node: Node, scope: Scope) -> Any:
        uids = [uid for names, _, _ in node[4] for uid in names]
        made = {}
        for row in self.rows(node, scope):
            key = row[uids[0]] if len(uids) == 1 else tuple([row[uid] for uid in uids])
            made[key] = self.value(node[3][0], row)
        return make_function(made)

    def applied(self, node: Node, scope: Scope) -> Any:
        return _at(self.value(node[3][0], scope), self.value(node[3][1], scope))

    def field(self, node: Node, scope: Scope) -> Any:
        return self.value(node[3][0], scope).m[node[3][1][2]]

    def changed(self, node: Node, scope: Scope) -> Any:
        found = self.value(node[3][0], scope)
        for pair in node[3][1:]:
            path, result = pair[3]
            keys = [self.value(each, scope) for each in path[3]]
            found = self.put(found, keys, result, scope)
        return found

    def put(self, function: Any, keys: list[Any], result: Node, scope: Scope) -> Any:
        old = _at(function, keys[0])
        new = self.put(old, keys[1:], result, scope) if keys[1:] else self.value(result, {**scope, -1: old})
        return make_function({**function.m, keys[0]: new})


def _at(function: Any, key: Any) -> Any:
    return function[key - 1] if isinstance(function, tuple) else function.m[key]


_NAMES = {
    "$ConjList": "conjunction",
    "\\land": "conjunction",
    "$DisjList": "disjunction",
    "\\lor": "disjunction",
    "=>": "implication",
    "\\lnot": "negation",
    "$BoundedForall": "every",
    "$BoundedExists": "some",
    "=": "equal",
    "/=": "unequal",
    "$IfThenElse": "choice",
    "$Case": "cases",
    "TRUE": "truth",
    "FALSE": "truth",
    "BOOLEAN": "booleans",
    "'": "primed",
    "UNCHANGED": "unchanged",
    "\\in": "member",
    "\\notin": "stranger",
    "\\union": "union",
    "\\intersect": "intersection",
    "\\": "difference",
    "\\subseteq": "subset",
    "$SetEnumerate": "listed",
    "$SetOfAll": "image",
    "$SubsetOf": "filtered",
    "$CartesianProd": "pairs",
    "$Tuple": "tuple",
    "$RcdConstructor": "record",
    "$FcnConstructor": "function",
    "$FcnApply": "applied",
    "$RcdSelect": "field",
    "$Except": "changed",
}
