"""Parts of an action that are taken as often as the state says: \\A over a set, recursive operators, functions.

Three rules:

1. A part is a generator of its own.  It yields once for each way to take it: the
   values that it gives to variables.
2. What a way gives a value may be another variable than in the next way; a number tells.
   Where it cannot be told when the source is made, the part is a test, and refuses what
   has no value.
3. \\A takes the first element, and then the others from the last one backwards, as TLC does.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import attrs

from conformance.tla.compile.branching import Branching
from conformance.tla.compile.expressions import Expressions
from conformance.tla.compile.scope import KEPT, Binding, Context, Env, Frame, Local
from conformance.tla.compile.worklist import Goal, Known, Rest, Ways, Work, Writer
from conformance.tla.errors import EvaluationError
from conformance.tla.tree import Definition, Node

__all__ = ["Repeated"]

Step = tuple[Work, Known, Writer]
Enter = Callable[[Writer, Known], tuple[Node, Env, Writer]]


@attrs.frozen(eq=False)
class Part:
    """A generator: of its own arguments, then of the values that variables have, then of what it takes from outside."""

    name: str
    needed: tuple[int, ...]
    free: tuple[str, ...]
    given: tuple[tuple[int, ...], ...]

    def call(self, arguments: list[str], known: Known, frame: Frame) -> str:
        values = [frame.use(known[index]) for index in self.needed]
        return f"{self.name}({', '.join([*arguments, *values, *map(frame.use, self.free)])})"


class Repeated(Expressions):
    """The compiler of parts; `Actions` goes through their bodies."""

    def __init__(self, know: Branching) -> None:
        super().__init__(know)
        self.repeated: dict[object, Part | None] = {}

    # What `Actions` provides.
    @abstractmethod
    def walk(self, work: Work, known: Known, w: Writer, goal: Goal) -> None: ...

    @abstractmethod
    def close(self, name: str, writer: Writer, parameters: list[str]) -> list[str]: ...

    @abstractmethod
    def context(self, env: Env, known: Known, writer: Writer, goal: Goal) -> Context: ...

    # What `Program` provides.
    @abstractmethod
    def constant_elements(self, node: Node, env: Env) -> list[Any]: ...

    @abstractmethod
    def constant_name(self, value: Any) -> str: ...

    # --- \A -----------------------------------------------------------------------------------

    def forall(self, node: Node, c: Context, work: Work, known: Known, w: Writer, goal: Goal) -> Step | None:
        """The next step of the worklist; None where it is written to its end."""
        assigns = bool(self.wanted(node, c.env, known, goal))
        plain = all(not is_tuple and self.know.constant(domain, c.env) for _, is_tuple, domain in node[4])
        rows = self._rows(node, c) if assigns and plain else None
        if rows is not None:
            return self._unroll(node, rows, c, work), known, w
        if assigns or self.know.branching(node, c.env):
            self._every(node, c, work, known, w, goal)
            return None
        return work, known, w.block(f"if {self._in_turn(node, c)}:")

    def _rows(self, node: Node, c: Context) -> list[tuple[Any, ...]] | None:
        """The elements that a \\A over constant sets binds, in TLC's order; None where they cannot be listed."""
        domains: list[list[Any]] = []
        for names, _, domain in node[4]:
            try:
                domains += [self.constant_elements(domain, c.env)] * len(names)
            except EvaluationError:
                return None
        # TLC begins with the first choice and goes on from the last one backwards; the first name changes fastest.
        rows = [row[::-1] for row in product(*reversed(domains))]
        return [*rows[:1], *reversed(rows[1:])]

    def _unroll(self, node: Node, rows: list[tuple[Any, ...]], c: Context, work: Work) -> Work:
        """\\A over a constant set, where its body assigns: one conjunct for each element."""
        uids = [uid for names, _, _ in node[4] for uid in names]
        for row in reversed(rows):
            names = [Local(self.constant_name(value)) for value in row]
            work = ((node[3][0], c.env.bind(dict(zip(uids, names, strict=True)))), work)
        return work

    def _every(self, node: Node, c: Context, work: Work, known: Known, w: Writer, goal: Goal) -> None:
        """\\A whose body branches or assigns: one element after the other."""
        given: list[tuple[int, ...]] = [()]
        later: list[Known] = []
        asked: list[str] = []
        row = self.own("row", w.frame)
        # What an element gives a value is known to the next one: a source for each way that an element may end.
        while len(asked) < len(given):
            names = {index: self.own("k", w.frame) for index in given[len(asked)]}
            later.append({**known, **names})
            part = self._element(node, c.env, later[-1], goal, Ways(frozenset(known), given))
            call = part.call([row], later[-1], w.frame)
            asked.append(f"lambda {', '.join([row, *names.values()])}: {call}")
        rest: Work = (Rest(work, goal), None) if work is not None and not isinstance(work[0], Rest) else work
        text = f"every([*turned({self.choices(node, c)})], {', '.join(asked)})"
        for arm, each in zip(self._arms(given, text, later, w), later, strict=True):
            self.walk(rest, each, arm, goal)

    def _in_turn(self, node: Node, c: Context) -> str:
        """The truth of a \\A, asked in the order in which TLC goes through one in an action."""
        names, patterns, inner = self.bound(node, c)
        source = f"turned({self.choices(node, c)})"
        return f"all({self.truth(node[3][0], inner)} {' '.join([f'for {names} in {source}', *patterns])})"

    def _element(self, node: Node, env: Env, known: Known, goal: Goal, ways: Ways) -> Part:
        """The part that one element of a \\A is."""
        row = self.fresh("row")

        def enter(w: Writer, inside: Known) -> tuple[Node, Env, Writer]:
            names, patterns, c = self.bound(node, self.context(env, inside, w, goal))
            for clause in [f"for {names} in ({row},)", *patterns]:
                w = w.block(f"{clause}:")
            return node[3][0], c.env, w

        return self._part(self.fresh("f"), [row], known, goal, enter, ways)

    # --- recursive operators ------------------------------------------------------------------

    def repeat(
        self,
        definition: Definition,
        home: Env,
        arguments: list[Node],
        c: Context,
        work: Work,
        known: Known,
        w: Writer,
        goal: Goal,
    ) -> bool:
        """A recursive operator that branches or assigns; whether it could be written so."""
        assert definition.body is not None
        if not (self.know.branching(definition.body, home) or self.wanted(definition.body, home, known, goal)):
            return False
        scope, parameters, texts, mask, by_name = self.bind_arguments(definition, arguments, c)
        part = None if by_name else self._call_of(definition, home, scope, parameters, mask, known, goal)
        if part is None:
            return False
        rest: Work = (Rest(work, goal), None) if work is not None and not isinstance(work[0], Rest) else work
        later = [{**known, **{index: self.own("k", w.frame) for index in given}} for given in part.given]
        for arm, each in zip(self._arms(part.given, part.call(texts, known, w.frame), later, w), later, strict=True):
            self.walk(rest, each, arm, goal)
        return True

    def _call_of(
        self,
        definition: Definition,
        home: Env,
        scope: Mapping[int, Binding],
        parameters: list[str],
        mask: tuple[bool, ...],
        known: Known,
        goal: Goal,
    ) -> Part | None:
        assert definition.body is not None
        body = definition.body
        needed = _needed(known)
        key = (definition.uid, id(home.instance), mask, goal.kind, needed, frozenset(known))
        if key in self.repeated:
            return self.repeated[key]

        def enter(w: Writer, _: Known) -> tuple[Node, Env, Writer]:
            if goal.kind != "init":
                w.frame.use("S")
            return body, home.bind(scope), w

        # What a call gives a value must be known where the body calls itself.
        wanted = self.wanted(body, home, known, goal)
        for given in dict.fromkeys([((),), (wanted,), ((), wanted)]):
            before = dict(self.repeated)
            guess = Part(self.fresh("f"), needed, ("S",) if goal.kind != "init" else (), given)
            self.repeated[key] = guess
            self.places[guess.name] = definition.where
            made = self._part(guess.name, parameters, known, goal, enter, Ways(frozenset(known), list(given)))
            if (made.given, made.free) == (given, guess.free):
                return guess
            self.repeated = before
        self.repeated[key] = None
        return None

    # --- functions ----------------------------------------------------------------------------

    def written_out(self, node: Node, c: Context, w: Writer) -> tuple[Node, Env, Writer] | None:
        """The body of a function that is applied where it is written, which TLC goes through as an action."""
        found = self.know.function(node[3][0], c.env)
        if found is None or not self.know.branching(found[0][3][0], found[1]):
            return None
        function, env = found
        outside = c.within(env)
        bounds = function[4]
        inner, target, size = self.formals(bounds, outside)
        key = self.own("key", w.frame)
        w.line(f"{key} = among({self.value(node[3][1], c)}, {self.domain_of(bounds, outside)}, {self.at(node)})")
        taken = key if size is None else f"pattern({key}, {size}, {self.at(node)})"
        return function[3][0], inner.env, w.block(f"for {target} in ({taken},):")

    # --- parts --------------------------------------------------------------------------------

    def _part(
        self,
        name: str,
        parameters: list[str],
        known: Known,
        goal: Goal,
        enter: Enter,
        ways: Ways,
    ) -> Part:
        """The generator of a part; to the ways is added what else it gives a value."""
        frame = Frame()
        frame.own.update(parameters)
        needed = _needed(known)
        inside = {index: self.own("k", frame) if index in needed else KEPT for index in known}
        writer = Writer(frame)
        node, env, w = enter(writer, inside)
        self.walk(((node, env), None), inside, w, attrs.evolve(goal, arguments=None, ways=ways))
        free = self.close(name, writer, [*parameters, *(inside[index] for index in needed)])
        return Part(name, needed, tuple(free), tuple(ways.given))

    def _arms(self, ends: Sequence[tuple[int, ...]], call: str, later: Sequence[Known], w: Writer) -> Iterator[Writer]:
        """For each number under which a part yields, in turn, a writer where its values have their names."""
        way = self.own("way", w.frame)
        w = w.block(f"for {way} in {call}:")
        w.line("pass")
        for number, (given, known) in enumerate(zip(ends, later, strict=True)):
            arm = w.block(f"if {way}[0] == {number}:")
            arm.line(f"_, {''.join(known[index] + ', ' for index in given)} = {way}" if given else "pass")
            yield arm

    def wanted(self, node: Node, env: Env, known: Known, goal: Goal) -> tuple[int, ...]:
        """The variables without a value that the node may give one."""
        reads = self.know.reads(node, env)
        return tuple(sorted({i for i, primed in reads if primed is (goal.kind != "init") and i not in known}))


def _needed(known: Known) -> tuple[int, ...]:
    return tuple(sorted(index for index in known if known[index] != KEPT))
