"""What a run can take of a specification, and what of its properties it can put at stake.

Five rules:

1. A *disjunct* of an action is taken where it is true of a step of that action; an arm
   of an IF or CASE that decides which effects a step has counts as one.
2. An invariant or step property is *at stake* where it could have failed: the left side
   of an implication was true (or all that a disjunction negates), the set of a bounded
   \\A was not empty, an IF or CASE came to an arm that is not TRUE, a step changed what
   ``[A]_v`` is about.  Each such place is a site of its own; what stands inside is asked
   only where the outer one is at stake.
3. Sites are found in the specification's own tree, through definitions, LET and INSTANCE;
   a site is known by its owner, its place, and the places where the definitions that it
   stands in are applied to arguments, whatever the constants are.
4. A part that cannot be evaluated is not at stake: its error is somebody else's matter.
5. What was seen once is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import attrs

from conformance.tla.compile.scope import Env
from conformance.tla.errors import EvaluationError, Location
from conformance.tla.formulas import Formulas
from conformance.tla.model import Model, State, Step
from conformance.tla.readings import text_at
from conformance.tla.tree import Node

__all__ = ["Site", "Sites"]

Kind = Literal["disjunct", "implication", "quantifier", "arm", "change"]

_FAULTS = (EvaluationError, RecursionError, TypeError)
_CONJUNCTIONS = ("\\land", "$ConjList")
_DISJUNCTIONS = ("\\lor", "$DisjList")
_NEGATIONS = ("\\lnot", "~", "\\neg")
_DEEPEST = 40
_LONGEST = 100


@attrs.frozen
class Site:
    """A place that can be taken or put at stake; ``owner`` is the action, invariant or property that it is in."""

    kind: Kind
    owner: str
    location: Location
    via: tuple[Location, ...] = ()
    """Where the definitions that it stands in are applied, the outermost first."""
    text: str = attrs.field(eq=False, kw_only=True)
    outer: Site | None = attrs.field(default=None, eq=False, repr=False, kw_only=True)
    """The site inside which this one stands."""

    def __str__(self) -> str:
        used = "".join(f", of {place.module}.tla:{place.line}" for place in reversed(self.via))
        return f"{self.location.module}.tla:{self.location.line}{used}: {self.text}"


@attrs.define(eq=False)
class _Part:
    """A part of a formula, what it needs to be asked, and what stands inside it.

    A site's ``asks`` is the part that must be true for it; a quantifier has rows instead.
    """

    asks: Any = None
    rows: Any = None
    inside: tuple[_Part, ...] = ()
    site: Site | None = None
    done: bool = False


class Sites:
    """The sites of one model, and which of them were hit in the states and steps that it was shown."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._formulas = Formulas(model)
        self._path: list[Location] = []
        self._properties = [*map(self._invariant, model.invariants), *self._step_properties()]
        self._actions = {name: self._action(name) for name in model.actions}
        self.hit: set[Site] = set()
        self._states: set[State] = set()
        self._steps: dict[tuple[Step, State, State], tuple[Site, ...]] = {}

    def all(self) -> list[Site]:
        """Every site, each once, in the order of actions, invariants and properties."""
        parts = [*self._actions.values(), *(part for _, part in self._properties)]
        return list(dict.fromkeys(site for part in parts for site in _sites_in(part)))

    def see_state(self, state: State) -> None:
        """Note what is at stake in a state."""
        if state in self._states:
            return
        self._states.add(state)
        for of_step, part in self._properties:
            if not of_step:
                self._ask(part, (state, None), ())

    def see_step(self, step: Step, state: State, next_state: State) -> tuple[Site, ...]:
        """Note what is at stake in a step, and give the disjuncts of its action that it takes."""
        key = (step, state, next_state)
        if key not in self._steps:
            for of_step, part in self._properties:
                if of_step:
                    self._ask(part, (state, next_state), ())
            taken: dict[Site, None] = {}
            self._take(self._actions[step.action], (state, next_state), step.args, taken)
            self._steps[key] = tuple(taken)
        return self._steps[key]

    # --- what was seen ------------------------------------------------------------------------

    def _ask(self, part: _Part, states: tuple[State, State | None], bound: tuple[Any, ...]) -> None:
        """Mark what is at stake; nothing is asked of a part all of whose sites are hit."""
        if part.done:
            return
        try:
            if part.rows is not None:
                for row in part.rows(*states, *bound):
                    self._mark(part)
                    for inner in part.inside:
                        self._ask(inner, states, (*bound, *row))
                    if all(inner.done for inner in part.inside):
                        break
            elif part.asks is None or part.asks(*states, *bound):
                self._mark(part)
                for inner in part.inside:
                    self._ask(inner, states, bound)
        except _FAULTS:
            return
        part.done = (part.site is None or part.site in self.hit) and all(inner.done for inner in part.inside)

    def _mark(self, part: _Part) -> None:
        if part.site is not None:
            self.hit.add(part.site)

    def _take(self, part: _Part, states: tuple[State, State], bound: tuple[Any, ...], taken: dict[Site, None]) -> None:
        """Note the disjuncts that are true of a step."""
        try:
            rows: Iterable[tuple[Any, ...]] = ((),) if part.rows is None else part.rows(*states, *bound)
            for row in rows:
                if part.asks is None or part.asks(*states, *bound, *row):
                    if part.site is not None:
                        self.hit.add(part.site)
                        taken[part.site] = None
                    for inner in part.inside:
                        self._take(inner, states, (*bound, *row), taken)
        except _FAULTS:
            return

    # --- how the sites are found --------------------------------------------------------------

    def _invariant(self, name: str) -> tuple[bool, _Part]:
        definition = self._model.definition(name)
        node: Node = ["d", definition.where, definition.uid, []]
        root = self._model.program.know.root
        return False, _Part(inside=tuple(self._stakes(name, node, root, (), 0)))

    def _step_properties(self) -> Iterator[tuple[bool, _Part]]:
        for prop in self._model.properties:
            for node, env in prop.parts.step:
                yield True, self._step_property(prop.name, node, env)
            for node, env in prop.parts.always:
                yield False, _Part(inside=tuple(self._stakes(prop.name, node, env, (), 0)))

    def _step_property(self, name: str, node: Node, env: Env) -> _Part:
        if node[2] != "$SquareAct":
            return _Part(inside=tuple(self._stakes(name, node, env, (), 0)))
        action, subscript = node[3]
        site = self._site("change", name, subscript, None)
        unchanged = self._formulas.truth(["b", subscript[1], "UNCHANGED", [subscript], None], env, ())
        inside = tuple(self._stakes(name, action, env, (), 0, site))
        return _Part(asks=lambda *values: not unchanged(*values), inside=inside, site=site)

    def _action(self, name: str) -> _Part:
        node, env, names = self._formulas.named(name)
        return _Part(inside=tuple(self._disjuncts(name, node, env, names, 0)))

    def _stakes(
        self, owner: str, node: Node, env: Env, names: tuple[str, ...], depth: int, outer: Site | None = None
    ) -> Iterator[_Part]:
        """The sites of a property, outer ones first."""
        go = self._formulas.inside(node, env)
        if go is not None and depth < _DEEPEST:
            with self._within(node):
                yield from self._stakes(owner, *go, names, depth + 1, outer)
            return
        operator = node[2] if node[0] == "b" else ""
        if operator in _CONJUNCTIONS:
            for part in node[3]:
                yield from self._stakes(owner, part, env, names, depth, outer)
        elif operator == "=>":
            left, right = node[3]
            yield self._implication(owner, [left], [right], env, names, depth, outer)
        elif operator in _DISJUNCTIONS:
            parts = list(_disjuncts_of(node))
            negated = [part[3][0] for part in parts if part[0] == "b" and part[2] in _NEGATIONS]
            others = [part for part in parts if part[0] != "b" or part[2] not in _NEGATIONS]
            if negated and others:
                yield self._implication(owner, negated, others, env, names, depth, outer)
        elif operator in ("$IfThenElse", "$Case"):
            for asks, arm in self._choices(node, env, names):
                if arm[0] != "b" or arm[2] != "TRUE":
                    site = self._site("arm", owner, arm, outer)
                    inside = tuple(self._stakes(owner, arm, env, names, depth + 1, site))
                    yield _Part(asks=asks, inside=inside, site=site)
        elif operator == "$BoundedForall":
            rows, inner, new = self._formulas.rows(node, env, names)
            site = self._site("quantifier", owner, node, outer)
            inside = tuple(self._stakes(owner, node[3][0], inner, (*names, *new), depth + 1, site))
            yield _Part(rows=rows, inside=inside, site=site)

    def _implication(
        self,
        owner: str,
        left: Sequence[Node],
        right: Sequence[Node],
        env: Env,
        names: tuple[str, ...],
        depth: int,
        outer: Site | None,
    ) -> _Part:
        """At stake where all of the left is true; one of the right must be so then."""
        site = self._site("implication", owner, left[0], outer)
        truths = [self._formulas.truth(part, env, names) for part in left]
        inside = tuple(found for part in right for found in self._stakes(owner, part, env, names, depth + 1, site))
        return _Part(asks=lambda *values: all(truth(*values) for truth in truths), inside=inside, site=site)

    def _disjuncts(
        self, owner: str, node: Node, env: Env, names: tuple[str, ...], depth: int, outer: Site | None = None
    ) -> Iterator[_Part]:
        """The disjuncts of an action, each with those inside it."""
        go = self._formulas.inside(node, env)
        if go is not None and depth < _DEEPEST:
            with self._within(node):
                yield from self._disjuncts(owner, *go, names, depth + 1, outer)
            return
        operator = node[2] if node[0] == "b" else ""
        if operator in _CONJUNCTIONS:
            for part in node[3]:
                yield from self._disjuncts(owner, part, env, names, depth, outer)
        elif operator in _DISJUNCTIONS:
            for part in node[3]:
                site = self._site("disjunct", owner, part, outer)
                inside = tuple(self._disjuncts(owner, part, env, names, depth + 1, site))
                yield _Part(asks=self._formulas.truth(part, env, names), inside=inside, site=site)
        elif operator in ("$IfThenElse", "$Case") and self._primes(node, env):
            for asks, arm in self._choices(node, env, names):
                site = self._site("disjunct", owner, arm, outer)
                inside = tuple(self._disjuncts(owner, arm, env, names, depth + 1, site))
                yield _Part(asks=asks, inside=inside, site=site)
        elif operator == "$BoundedExists":
            rows, inner, new = self._formulas.rows(node, env, names)
            found = tuple(self._disjuncts(owner, node[3][0], inner, (*names, *new), depth + 1, outer))
            if found:
                asks = self._formulas.truth(node[3][0], inner, (*names, *new))
                yield _Part(rows=rows, asks=asks, inside=found)

    def _choices(self, node: Node, env: Env, names: tuple[str, ...]) -> Iterator[tuple[Callable[..., bool], Node]]:
        """The arms of an IF or a CASE, each with the question whether it is the one that is chosen."""
        earlier: list[Callable[..., bool]] = []
        for guard, arm in _arms_of(node):
            truth = None if guard is None else self._formulas.truth(guard, env, names)

            def asks(
                *values: Any, before: tuple[Callable[..., bool], ...] = tuple(earlier), truth: Any = truth
            ) -> bool:
                return not any(each(*values) for each in before) and (truth is None or bool(truth(*values)))

            yield asks, arm
            if truth is not None:
                earlier.append(truth)

    def _primes(self, node: Node, env: Env) -> bool:
        return any(primed for _, primed in self._model.program.know.reads(node, env))

    def _site(self, kind: Kind, owner: str, node: Node, outer: Site | None) -> Site:
        tree = self._model.program.know.tree
        place = tree.location(node[1])
        text = " ".join((text_at(tree, place) or str(node[2])).split())
        short = text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."
        return Site(kind, owner, place, tuple(self._path), text=short, outer=outer)

    @contextmanager
    def _within(self, node: Node) -> Iterator[None]:
        """What is found meanwhile stands in a definition that is applied here, if it has arguments."""
        applied = node[0] == "d" and bool(node[3])
        if applied:
            self._path.append(self._model.program.know.tree.location(node[1]))
        yield
        if applied:
            self._path.pop()


def _disjuncts_of(node: Node) -> Iterator[Node]:
    if node[0] == "b" and node[2] in _DISJUNCTIONS:
        for part in node[3]:
            yield from _disjuncts_of(part)
    else:
        yield node


def _arms_of(node: Node) -> Iterator[tuple[Node | None, Node]]:
    """The guards and arms of an IF or a CASE in their order; what is otherwise has no guard."""
    if node[2] == "$IfThenElse":
        condition, first, second = node[3]
        yield condition, first
        yield None, second
        return
    for pair in node[3]:
        guard, arm = pair[3]
        yield None if guard is None or guard[0] == "o" else guard, arm


def _sites_in(part: _Part) -> Iterator[Site]:
    if part.site is not None:
        yield part.site
    for inner in part.inside:
        yield from _sites_in(inner)
