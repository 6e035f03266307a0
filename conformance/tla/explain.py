"""Why a state or a step is refused, in the words of the specification.

Four rules:

1. An explanation is a list of false conjuncts, each with its source text, its
   place, and the values that made it false.
2. Conjunctions, definitions, LET, IF, CASE, implication and \\A are followed
   inwards; a failed \\A brings its witness.
3. A conjunct behind a false guard may be undefined: its error is not a reason.
4. Nothing here is fast, and nothing here decides: `Model` has decided before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.tla.compile.scope import Env
from conformance.tla.errors import FAULTS
from conformance.tla.formulas import Formulas
from conformance.tla.model import Model, State, Step
from conformance.tla.readings import text_at
from conformance.tla.reason import Clause, Reason
from conformance.tla.tree import Assumption, Node
from conformance.tla.values import format_value

__all__ = [
    "Clause",
    "Reason",
    "allowed",
    "explain_action",
    "explain_assumption",
    "explain_invariant",
    "explain_step_property",
    "nearest",
]

_DEEPEST = 40
_LONGEST = 160


def explain_invariant(model: Model, name: str, state: State) -> Reason:
    """Why an invariant, or any predicate without parameters, is false in a state."""
    explainer = _explainer(model)
    definition = model.definition(name)
    node: Node = ["d", definition.where, definition.uid, []]
    return Reason(name, tuple(explainer.clauses(node, model.program.know.root, (), (state, None))))


def explain_assumption(model: Model, assumption: Assumption) -> Reason:
    """Why an assumption is false of the constants."""
    clauses = _explainer(model).clauses(assumption.body, model.program.know.root, (), (None, None))
    return Reason(assumption.name or "ASSUME", tuple(clauses))


def explain_step_property(model: Model, name: str, state: State, next_state: State) -> Reason:
    """Why a step property is false of a step."""
    explainer = _explainer(model)
    clauses: list[Clause] = []
    for prop in model.properties:
        if prop.name == name:
            for node, env in prop.parts.step:
                inner = node[3][0] if node[2] == "$SquareAct" else node
                if not explainer.truth(node, env, ())(state, next_state):
                    clauses += explainer.clauses(inner, env, (), (state, next_state))
            for node, env in prop.parts.always:
                clauses += explainer.clauses(node, env, (), (next_state, None))
    return Reason(name, tuple(clauses))


def explain_action(
    model: Model, action: str, args: tuple[Any, ...], state: State, next_state: State | None = None
) -> Reason:
    """Which conjuncts of a named action are false of a step; without a next state, which of its guards."""
    explainer = _explainer(model)
    node, env, names = explainer.named(action)
    bound = tuple(zip(names, args, strict=True))
    return Reason(str(Step(action, args)), tuple(explainer.clauses(node, env, bound, (state, next_state))))


def nearest(
    model: Model,
    state: State,
    next_state: State | None = None,
    *,
    most: int = 3,
    action: str | None = None,
    args: tuple[Any, ...] | None = None,
) -> list[Reason]:
    """The actions that came nearest to the step: fewest false guards, then fewest false effects.

    ``action`` limits them to one, ``args`` to those arguments, None for any.
    """
    found: dict[str, tuple[tuple[int, int], Reason]] = {}
    for branch in model.branches:
        name = branch.label.name
        if action is not None and name != action:
            continue
        try:
            candidates = list(model.program.instances(branch)(state, next_state if next_state is not None else state))
        except FAULTS:
            continue
        for given in candidates:
            if args is not None and any(told not in (None, one) for told, one in zip(args, given, strict=True)):
                continue
            reason = explain_action(model, name, given, state, next_state)
            rank = (len(reason.guards), len(reason.clauses) - len(reason.guards))
            found.setdefault(reason.subject, (rank, reason))
    ordered = sorted(found.values(), key=lambda entry: (entry[0], entry[1].subject))
    return [reason for _, reason in ordered[:most]]


def allowed(model: Model, state: State) -> list[Step]:
    """What the specification allows here."""
    return model.enabled(state)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."


Bound = tuple[tuple[str, Any], ...]
States = tuple[State | None, State | None]


def _explainer(model: Model) -> _Explainer:
    found = _explainers.get(id(model))
    if found is None or found.model is not model:
        _explainers.clear()
        found = _explainers[id(model)] = _Explainer(model)
    return found


_explainers: dict[int, _Explainer] = {}


class _Explainer(Formulas):
    """Walks a formula beside the values, wherever it is false."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.guards: dict[object, Node] = {}

    def clauses(self, node: Node, env: Env, bound: Bound, states: States) -> list[Clause]:
        found: list[Clause] = []
        for clause in self._walk(node, env, bound, states, (), 0):
            if clause.error is not None and any(other.error is None for other in found):
                continue
            found.append(clause)
        return found

    def _walk(self, node: Node, env: Env, bound: Bound, states: States, witness: Bound, depth: int) -> Iterator[Clause]:
        head = node[0]
        go = self.inside(node, env)
        if go is not None and depth < _DEEPEST:
            yield from self._walk(go[0], go[1], bound, states, witness, depth + 1)
            return
        if head == "b" and node[2] in ("\\land", "$ConjList"):
            for part in node[3]:
                yield from self._walk(part, env, bound, states, witness, depth)
            return
        of_next = any(primed for _, primed in self.know.reads(node, env))
        if of_next and states[1] is None:
            guard = self._guard(node, env)
            if guard is None:
                return
            node, of_next = guard, False
        names = tuple(name for name, _ in bound)
        values = [value for _, value in bound]
        try:
            if self.truth(node, env, names)(*states, *values):
                return
            yield from self._false(node, env, bound, states, witness, depth, of_next)
        except FAULTS as error:
            fault = self.program.explain_error(error)
            yield self._clause(node, env, bound, states, witness, of_next, str(fault))

    def _guard(self, node: Node, env: Env) -> Node | None:
        """Of an \\E what it asks of the present state; None where that cannot be told apart from its effects."""
        if node[0] != "b" or node[2] != "$BoundedExists":
            return None
        key = ("guard", id(node), id(env))
        if key not in self.guards:
            body = node[3][0]
            parts = body[3] if body[0] == "b" and body[2] in ("\\land", "$ConjList") else [body]
            asked = [part for part in parts if not any(primed for _, primed in self.know.reads(part, env))]
            conjunction: Node = ["b", body[1], "$ConjList", asked, None] if asked else ["b", body[1], "TRUE", [], None]
            self.guards[key] = [*node[:3], [conjunction], *node[4:]]
        return self.guards[key]

    def _false(
        self, node: Node, env: Env, bound: Bound, states: States, witness: Bound, depth: int, of_next: bool
    ) -> Iterator[Clause]:
        names = tuple(name for name, _ in bound)
        values = [value for _, value in bound]
        operator = node[2] if node[0] == "b" else ""
        if operator == "=>":
            yield from self._walk(node[3][1], env, bound, states, witness, depth + 1)
            return
        if operator == "$IfThenElse":
            chosen = node[3][1] if self.truth(node[3][0], env, names)(*states, *values) else node[3][2]
            yield from self._walk(chosen, env, bound, states, witness, depth + 1)
            return
        if operator == "$Case":
            for pair in node[3]:
                guard, result = pair[3]
                if guard is None or guard[0] == "o" or self.truth(guard, env, names)(*states, *values):
                    yield from self._walk(result, env, bound, states, witness, depth + 1)
                    return
        if operator == "UNCHANGED":
            yield from self._changed(node, env, witness, states)
            return
        if operator == "$BoundedForall":
            search, inner, new = self.witnesses(node, env, names)
            for row in search(*states, *values):
                more = tuple(zip(new, row, strict=True))
                yield from self._walk(node[3][0], inner, bound + more, states, witness + more, depth + 1)
                return
        if operator == "$BoundedExists":
            search, inner, new = self.witnesses(node, env, names)
            rows = list(search(*states, *values))
            if len(rows) == 1:
                more = tuple(zip(new, rows[0], strict=True))
                yield from self._walk(node[3][0], inner, bound + more, states, witness + more, depth + 1)
                return
        yield self._clause(node, env, bound, states, witness, of_next, None)

    def _changed(self, node: Node, env: Env, witness: Bound, states: States) -> Iterator[Clause]:
        """Of all that should be unchanged, what is not."""
        before, after = states
        place = self.know.tree.location(node[1])
        shown = tuple((name, format_value(value)) for name, value in witness)
        for index, part, _ in self.program.parts(node[3][0], env):
            if index is None or before is None or after is None:
                yield Clause(
                    _short(text_at(self.know.tree, self.know.tree.location(part[1]))), place, (), shown, True, None
                )
            elif before[index] != after[index]:
                name = self.model.variables[index]
                values = ((name, _short(format_value(before[index]))), (f"{name}'", _short(format_value(after[index]))))
                yield Clause(f"{name}' = {name}", place, values, shown, True, None)

    # --- the words ----------------------------------------------------------------------------

    def _clause(
        self, node: Node, env: Env, bound: Bound, states: States, witness: Bound, of_next: bool, error: str | None
    ) -> Clause:
        place = self.know.tree.location(node[1])
        text = _short(text_at(self.know.tree, place) or str(node[2]))
        names = tuple(name for name, _ in bound)
        values: dict[str, str] = {}
        for part in self._telling(node, env, frozenset()):
            said = text_at(self.know.tree, self.know.tree.location(part[1]))
            if not said or said in values or (part[0] == "b" and part[2] in ("TRUE", "FALSE")):
                continue
            try:
                value = format_value(self.value(part, env, names)(*states, *(v for _, v in bound)))
            except (*FAULTS, TypeError):
                continue
            if value != said:
                values[_short(said)] = _short(value)
        shown = tuple((name, format_value(value)) for name, value in witness)
        return Clause(text, place, tuple(values.items()), shown, of_next, error)

    def _telling(self, node: Node, env: Env, hidden: frozenset[int]) -> list[Node]:
        """The parts of a conjunct whose values say why it is false."""
        head = node[0]
        if head == "b" and node[2] in ("=", "/=", "\\in", "\\notin") and not hidden:
            left, right = node[3]
            tail = [right] if right[0] == "b" and right[2] not in ("TRUE", "FALSE") else []
            return [*self._telling(left, env, hidden), *self._telling(right, env, hidden), *tail]
        if head == "b":
            if node[2] in ("'", "$FcnApply", "$RcdSelect"):
                return [] if self._mentions(node, hidden) else [node]
            here = hidden.union(*(group for group, _, _ in node[4] or ()))
            domains = [p for b in node[4] or () if b[2] is not None for p in self._telling(b[2], env, hidden)]
            return domains + [part for o in node[3] if o is not None for part in self._telling(o, env, here)]
        if head == "v":
            return [node] if node[2] in self.know.variables or env.instance is not None else []
        if head == "f":
            return [] if node[2] in hidden else [node]
        if head == "d":
            inside = [part for argument in node[3] for part in self._telling(argument, env, hidden)]
            native = self.know.definition(node[2]).body is None
            return inside if native or self._mentions(node, hidden) else [node, *inside]
        return []

    def _mentions(self, node: Node, hidden: frozenset[int]) -> bool:
        if node[0] == "f":
            return node[2] in hidden
        if node[0] == "b":
            return any(o is not None and self._mentions(o, hidden) for o in node[3])
        return node[0] == "d" and any(self._mentions(argument, hidden) for argument in node[3])
