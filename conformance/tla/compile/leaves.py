"""Next in the parts that TLC makes of it, so that successors come in its order.

Four rules:

1. TLC takes Next apart as far as that needs no state: disjunctions, quantifiers over
   constant sets, one part for each element, and definitions with constant arguments.
2. The parts stand in the order of the text; of several quantified names the first changes fastest.
3. What is not constant, or cannot be evaluated without a state, stays whole and branches inside.
4. A successor carries the name and the arguments of its action, as `Program.branches` gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import attrs

from conformance.tla.compile import choices, numbers, runtime
from conformance.tla.compile.program import Program
from conformance.tla.compile.scope import Binding, Context, Env, Frame, Local
from conformance.tla.compile.worklist import Goal, Writer
from conformance.tla.errors import FAULTS, SpecError
from conformance.tla.tree import Definition, Node
from conformance.tla.values import LazySet

__all__ = ["Leaf", "Successor", "disjuncts", "leaves"]

Successor = tuple[str, tuple[Any, ...], tuple[Any, ...]]
Leaf = Callable[[tuple[Any, ...]], Iterator[Successor]]
"""From a state the successors of one part: action, arguments, and the next state, in which None is what stays."""


@attrs.frozen(eq=False)
class _Label:
    """The action that a part belongs to; ``settled`` where nothing below gives it another name."""

    definition: Definition
    settled: bool = False


_NAMELESS: Final = Definition(-1, "", [], (), None, False)


def leaves(program: Program, following: Definition) -> list[Leaf]:
    """The parts of a next-state relation, in TLC's order; a `SpecError` where it has none."""
    assert following.body is not None
    found = list(_Splitter(program).part(following.body, program.know.root, {}, _Label(following), ()))
    if not found:
        raise SpecError(
            f"{following.name} has no action to take a step with; its quantifiers range over empty sets",
            program.tree.location(following.where),
        )
    return found


def disjuncts(program: Program, node: Node, env: Env) -> list[Callable[[Any, Any], bool]]:
    """The parts of an action as predicates of (state, next state), in the order in which they are asked."""
    return list(_Disjuncts(program).part(node, env, {}, _Label(_NAMELESS, settled=True), ()))


class _Splitter:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.know = program.know
        self.made: dict[object, Callable[..., Any]] = {}

    def part(
        self, node: Node, env: Env, given: Mapping[str, Any], label: _Label, through: tuple[int, ...]
    ) -> Iterator[Any]:
        """The parts of a node; ``given`` are the values of the names bound so far, by their Python names."""
        head = node[0]
        if head == "b" and node[2] in ("\\lor", "$DisjList"):
            for operand in node[3]:
                yield from self.part(operand, env, given, label, through)
            return
        if head == "b" and node[2] == "$BoundedExists":
            try:
                found = list(self._choices(node, env, given, label, through))
            except FAULTS:
                found = [self._leaf(node, env, given, label)]
            yield from found
            return
        if head == "sub":
            inner = self.know.substituted(node, env)
            yield from self.part(node[3], inner, given, attrs.evolve(label, settled=True), through)
            return
        if head == "d" and node[2] not in env.scope:
            definition = self.know.definition(node[2])
            if definition.body is not None and definition.uid not in through and self._constant_arguments(node, env):
                try:
                    values = [self._value(argument, env, given) for argument in node[3]]
                except FAULTS:
                    yield self._leaf(node, env, given, label)
                    return
                scope, more = self._bound(definition.params, values)
                inner = Env(env.instance, scope)
                named = self._named(node, definition, label)
                yield from self.part(definition.body, inner, {**given, **more}, named, (*through, definition.uid))
                return
        yield self._leaf(node, env, given, label)

    def _choices(
        self, node: Node, env: Env, given: Mapping[str, Any], label: _Label, through: tuple[int, ...]
    ) -> Iterator[Any]:
        if not label.settled and not self.program.named(node[3][0]):
            label = attrs.evolve(label, settled=True)
        names: list[int] = []
        sets: list[Any] = []
        patterns: list[tuple[int, ...]] = []
        for uids, is_tuple, domain in node[4]:
            if domain is None or self.know.reads(domain, env):
                yield self._leaf(node, env, given, label)
                return
            elements = list(runtime.it(self._value(domain, env, given), self.program.at(domain)))
            if is_tuple:
                patterns.append(tuple(uids))
                sets.append(elements)
            else:
                patterns += [(uid,) for uid in uids]
                sets += [elements] * len(uids)
            names += uids
        taken = [len(uids) > 1 for uids in patterns]
        for row in choices.turns(*sets):
            values: list[Any] = []
            for value, uids, apart in zip(reversed(row), patterns, taken, strict=True):
                values += numbers.pattern(value, len(uids), self.program.at(node)) if apart else (value,)
            scope, more = self._bound(names, values)
            yield from self.part(node[3][0], env.bind(scope), {**given, **more}, label, through)

    def _constant_arguments(self, node: Node, env: Env) -> bool:
        return all(argument[0] != "op" and not self.know.reads(argument, env) for argument in node[3])

    def _named(self, node: Node, definition: Definition, label: _Label) -> _Label:
        """The label below a definition: its own, unless one above it was the last to be told."""
        if label.settled or not self.program.named(node) or definition.recursive:
            return attrs.evolve(label, settled=True)
        return _Label(definition, bool(definition.params) or not self.program.splits(definition))

    def _bound(self, uids: Any, values: list[Any]) -> tuple[dict[int, Binding], dict[str, Any]]:
        scope: dict[int, Binding] = {}
        more: dict[str, Any] = {}
        for uid, value in zip(uids, values, strict=True):
            name = f"u{uid}"
            lazy = isinstance(value, (LazySet, runtime.LazyFn))
            scope[uid], more[name] = Local(name, lazy=lazy), value
        return scope, more

    def _value(self, node: Node, env: Env, given: Mapping[str, Any]) -> Any:
        def write(name: str, frame: Frame) -> None:
            text = self.program.value(node, Context(env, frame, None, None))
            self.program.emit(f"def {name}({', '.join(given)}):\n    return {text}")

        return self._compiled(("value", id(node)), node, env, given, write)(*given.values())

    def _leaf(self, node: Node, env: Env, given: Mapping[str, Any], label: _Label) -> Any:
        def write(name: str, frame: Frame) -> None:
            frame.own.add("S")
            self.program.places[name] = label.definition.where
            writer = Writer(frame)
            self._write(node, env, label, writer)
            lines = [f"def {name}({', '.join(['S', *given])}):", *writer.lines, "    return", "    yield"]
            self.program.emit("\n".join(lines))

        made = self._compiled(("leaf", id(node), label.definition.uid, label.settled), node, env, given, write)
        values = tuple(given.values())
        return (lambda state: made(state, *values)) if values else made

    def _compiled(
        self, key: tuple[Any, ...], node: Node, env: Env, given: Mapping[str, Any], write: Callable[[str, Frame], None]
    ) -> Callable[..., Any]:
        lazy = tuple(isinstance(bound, Local) and bound.lazy for bound in env.scope.values())
        whole = (*key, id(env.instance), tuple(given), lazy)
        found = self.made.get(whole)
        if found is None:
            self.program.kept.append((node, env))
            name, frame = self.program.fresh("l"), Frame()
            frame.own.update(given)
            write(name, frame)
            self.program.run()
            found = self.made[whole] = self.program.space[name]
        return found

    # --- the source of one part ---------------------------------------------------------------

    def _write(self, node: Node, env: Env, label: _Label, w: Writer) -> None:
        head, c, program = node[0], Context(env, w.frame, "S", None), self.program
        if not label.settled:
            if head == "b" and node[2] in ("\\lor", "$DisjList"):
                for operand in node[3]:
                    self._write(operand, env, label, w)
                return
            if head == "b" and node[2] == "$BoundedExists" and program.named(node[3][0]):
                inner, clauses = program.clauses(node, c)
                for clause in clauses:
                    w = w.block(clause + ":")
                self._write(node[3][0], inner.env, label, w)
                return
            if head == "d" and node[2] not in env.scope and program.named(node):
                definition = self.know.definition(node[2])
                if definition.body is not None and not definition.recursive:
                    self._write_action(definition, node, c, w)
                    return
        names = tuple(f"u{uid}" for uid in label.definition.params)
        program.walk(((node, env), None), {}, w, Goal("leaf", label.definition.name, names))

    def _write_action(self, definition: Definition, node: Node, c: Context, w: Writer) -> None:
        """The lines of an action that is named inside of the part: its arguments depend on the state."""
        assert definition.body is not None
        if not definition.params and self.program.splits(definition):
            self._write(definition.body, Env(c.env.instance, {}), _Label(definition), w)
            return
        names: list[str] = []
        for argument in node[3]:
            names.append(self.program.own("g", w.frame))
            w.line(f"{names[-1]} = {self.program.stored(argument, c)}")
        scope = self.program.taken(definition, node[3], names, c.env)
        body = (definition.body, Env(c.env.instance, scope))
        self.program.walk((body, None), {}, w, Goal("leaf", definition.name, tuple(names)))


class _Disjuncts(_Splitter):
    """Takes an action apart to ask it, not to follow it."""

    def _leaf(self, node: Node, env: Env, given: Mapping[str, Any], label: _Label) -> Any:
        def write(name: str, frame: Frame) -> None:
            frame.own.update(("S", "T"))
            self.program.places[name] = node[1]
            text = self.program.truth(node, Context(env, frame))
            self.program.emit(f"def {name}({', '.join(['S', 'T', *given])}):\n    return {text}")

        made = self._compiled(("disjunct", id(node)), node, env, given, write)
        values = tuple(given.values())
        return (lambda now, then: made(now, then, *values)) if values else made
