"""Random small modules: three variables over small domains, and actions of every shape over them.

Three rules:

1. An action is made for the variables that it has still to give a value, and gives each
   exactly one, in whatever shape; what has its value already may be read primed, or tested.
2. Many modules make one: a variable that never changes says which of them a state belongs to.
3. Every bound name is fresh.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import attrs

__all__ = ["VARIABLES", "Drawn", "draw", "together"]

VARIABLES = ("which", "x", "y", "z")
_SIZES = {"x": 4, "y": 3}

_HEADER = """EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES which, x, y, z
xy == <<x, y>>
Total == x + y
Most == IF z[1] > x THEN z[1] ELSE x
Set(old, value) == old' = value
Choose(old, among) == old' \\in among
Bump(old, size) == old' = (old + 1) % size
With(Op(_), value) == Op(value)
Keep(kept) == UNCHANGED kept
Holds(it) == it
RECURSIVE Later(_, _)
Later(n, value) == IF n = 0 THEN x' = value ELSE (n < value \\/ n > 0) /\\ Later(n - 1, value)
RECURSIVE Below(_, _)
Below(n, most) == IF n = 0 THEN most > 1 \\/ x < most ELSE Below(n - 1, most)
"""


@attrs.frozen
class Drawn:
    """One small module: its initial predicate and its named actions."""

    number: int
    init: str
    actions: tuple[str, ...]

    def __str__(self) -> str:
        return "\n  ".join([f"module {self.number}", f"Init: {self.init}", *(f"or: {each}" for each in self.actions)])


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = 0
        self.ints: list[str] = []
        self.done: list[str] = []

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def pick(self, *texts: str) -> str:
        return self.random.choice(texts)

    # --- values -------------------------------------------------------------------------------

    def number(self, depth: int) -> str:
        known = ["x", "y", "z[1]", "z[2]", *self.ints]
        known += [{"x": "x'", "y": "y'", "z": "z'[2]"}[name] for name in self.done]
        if {"x", "y"} <= set(self.done):
            known.append("Total'")
        if {"x", "z"} <= set(self.done):
            known.append("Most'")
        if depth <= 0 or self.random.random() < 0.4:
            return self.pick(*known, str(self.random.randint(0, 3)))
        one, two = self.number(depth - 1), self.number(depth - 1)
        name = self.name()
        return self.pick(
            f"({one} + {two})",
            f"(IF {self.test(depth - 1)} THEN {one} ELSE {two})",
            f"Cardinality({{{one}, {two}}})",
            f"(LET {name} == {one} IN {name} + {name})",
            f"(CHOOSE {name} \\in {{{one}, {two}}} : TRUE)",
            f"With(LAMBDA {name} : {name} + 1, {one})",
            f"[{name} \\in 0..6 |-> {name} + {one}][{self.random.randint(0, 6)}]",
        )

    def test(self, depth: int) -> str:
        one, two = self.number(depth - 1), self.number(depth - 1)
        if depth <= 0:
            return f"{one} {self.pick('=', '#', '<', '>=')} {two}"
        name = self.name()
        return self.pick(
            f"{one} < {two}",
            f"({self.test(depth - 1)} /\\ {self.test(depth - 1)})",
            f"({self.test(depth - 1)} \\/ {self.test(depth - 1)})",
            f"~({self.test(depth - 1)})",
            f"({self.test(depth - 1)} => {self.test(depth - 1)})",
            f"(\\E {name} \\in 0..2 : {name} = {one})",
            f"(\\A {name} \\in {{1, 2}} : z[{name}] <= {one})",
            f"{one} \\in {{{two}, 2}}",
            f"z = <<{one} % 2, 1>>",
            f"(\\A {name} \\in {{x, y, 2}} : {name} < {one} \\/ {self.about(name, depth)})",
            f"Holds({self.test(depth - 1)})",
            f"Below({self.random.randint(0, 2)}, {one})",
            f"[{name} \\in 0..6 |-> {name} > {one} \\/ {self.about(name, depth)}][{self.random.randint(0, 6)}]",
        )

    def about(self, name: str, depth: int) -> str:
        """A test in which the name is bound to a number."""
        self.ints.append(name)
        text = self.test(depth - 1)
        self.ints.remove(name)
        return text

    def value(self, of: str, depth: int) -> str:
        if of != "z":
            return f"({self.number(depth)}) % {_SIZES[of]}"
        return self.pick(
            f"<<{self.number(depth)} % 2, z[1]>>",
            f"[z EXCEPT ![{self.random.randint(1, 2)}] = (@ + {self.number(depth)}) % 2]",
            f"[z EXCEPT ![1] = {self.number(depth)} % 2, ![2] = 1 - @]",
            f"[{(name := self.name())} \\in {{1, 2}} |-> z[3 - {name}]]",
            "Append(Tail(z), Head(z))",
        )

    def among(self, of: str, depth: int) -> str:
        one, two = self.value(of, depth), self.value(of, depth)
        return self.pick(f"{{{one}, {two}}}", f"{{{one}}} \\cup {{{two}}}", f"{{{one}}}")

    # --- actions ------------------------------------------------------------------------------

    def action(self, todo: list[str], depth: int) -> str:
        """A formula that gives each of these variables its next value."""
        if not todo:
            return self.test(1) if self.random.random() < 0.3 else "TRUE"
        if depth <= 0:
            return "(" + " /\\ ".join(map(self.assign, self.random.sample(todo, len(todo)))) + ")"
        shapes: list[Callable[[list[str], int], str]] = [
            self.split,
            self.split,
            self.split,
            self.guarded,
            self.either,
            self.exists,
            self.chance,
            self.cases,
            self.let,
            self.let_action,
            self.kept,
            self.tested,
            self.given,
            self.every,
            self.later,
        ]
        return self.random.choice(shapes)(todo, depth - 1)

    def apart(self, todo: list[str], depth: int) -> str:
        """An action of a branch: what it gives a value has none in the next branch."""
        before = list(self.done)
        text = self.action(list(todo), depth)
        self.done = before
        return text

    def finished(self, todo: list[str], text: str) -> str:
        self.done += [name for name in todo if name not in self.done]
        return text

    def assign(self, of: str) -> str:
        shape = self.random.randrange(7)
        if shape == 0:
            text = f"UNCHANGED {of}"
        elif shape == 1:
            text = f"{of}' \\in {self.among(of, 1)}"
        elif shape == 2:
            text = f"Choose({of}, {self.among(of, 1)})"
        elif shape == 3 and of != "z":
            text = f"Bump({of}, {_SIZES[of]})"
        elif shape == 4:
            text = f"Set({of}, {self.value(of, 1)})"
        else:
            text = f"{of}' = {self.value(of, 2)}"
        return self.finished([of], text)

    def split(self, todo: list[str], d: int) -> str:
        at = self.random.randint(0, len(todo))
        mixed = self.random.sample(todo, len(todo))
        return f"({self.action(mixed[:at], d)} /\\ {self.action(mixed[at:], d)})"

    def guarded(self, todo: list[str], d: int) -> str:
        return f"({self.test(2)} /\\ {self.action(todo, d)})"

    def tested(self, todo: list[str], d: int) -> str:
        return f"({self.action(todo, d)} /\\ {self.test(2)})"

    def either(self, todo: list[str], d: int) -> str:
        return self.finished(todo, f"({self.apart(todo, d)} \\/ {self.apart(todo, d)})")

    def exists(self, todo: list[str], d: int) -> str:
        name, among = self.name(), self.pick("0..1", "{x, y}", "{0, 2}", "{z[1]}")
        self.ints.append(name)
        body = self.apart(todo, d)
        self.ints.remove(name)
        return self.finished(todo, f"(\\E {name} \\in {among} : {body})")

    def chance(self, todo: list[str], d: int) -> str:
        return self.finished(todo, f"(IF {self.test(1)} THEN {self.apart(todo, d)} ELSE {self.apart(todo, d)})")

    def cases(self, todo: list[str], d: int) -> str:
        arms = f"{self.test(1)} -> {self.apart(todo, d)} [] OTHER -> {self.apart(todo, d)}"
        return self.finished(todo, f"(CASE {arms})")

    def let(self, todo: list[str], d: int) -> str:
        name, value = self.name(), self.number(2)
        self.ints.append(name)
        body = self.action(todo, d)
        self.ints.remove(name)
        return f"(LET {name} == {value} IN {body})"

    def let_action(self, todo: list[str], d: int) -> str:
        name, formal = self.name(), self.name()
        self.ints.append(formal)
        body = self.action(todo, d)
        self.ints.remove(formal)
        return f"(LET {name}({formal}) == {body} IN {name}({self.random.randint(0, 2)}))"

    def kept(self, todo: list[str], d: int) -> str:
        whole = f"<<{', '.join(todo)}>>"
        text = self.pick(f"UNCHANGED {whole}", f"Keep({whole})")
        if set(todo) == {"x", "y"}:
            text = self.pick(text, "UNCHANGED xy")
        return self.finished(todo, text)

    def given(self, todo: list[str], d: int) -> str:
        """An operator that assigns, handed over as an argument."""
        of, name = todo[0], self.name()
        first = self.finished([of], f"With(LAMBDA {name} : {of}' = {name}, {self.value(of, 1)})")
        return f"({first} /\\ {self.action(todo[1:], d)})"

    def every(self, todo: list[str], d: int) -> str:
        """\\A over a set that hangs on the state: each element gives the variable a value, or asks the value it has."""
        of, name = todo[0], self.name()
        first = f"{of}' \\in {self.among(of, 1)}"
        self.finished([of], first)
        text = f"(\\A {name} \\in {{x, 1}} : {first} /\\ {self.about(name, 1)})"
        return f"({text} /\\ {self.action(todo[1:], d)})"

    def later(self, todo: list[str], d: int) -> str:
        """A recursive operator that gives a variable its value."""
        if "x" not in todo:
            return self.guarded(todo, d)
        first = self.finished(["x"], f"Later({self.random.randint(0, 2)}, {self.value('x', 1)})")
        return f"({first} /\\ {self.action([name for name in todo if name != 'x'], d)})"


def draw(seed: int, count: int) -> list[Drawn]:
    """Random small modules; the same seed gives the same ones."""
    random = Random(seed)
    drawn = []
    for number in range(count):
        maker = _Maker(random)
        actions = []
        for _ in range(random.randint(1, 3)):
            maker.done = []
            actions.append(maker.action(["x", "y", "z"], random.randint(1, 4)))
        maker.done = []
        start = random.randint(0, 2)
        init = random.choice(
            (
                f"x = {start} /\\ y \\in {{0, 1}} /\\ z = <<0, x % 2>>",
                f"x \\in 0..1 /\\ (IF x = 0 THEN y = {start} ELSE y = 2) /\\ z = <<y % 2, 0>>",
                "((x = 0 /\\ y = 0) \\/ (x = 1 /\\ y = x)) /\\ z = [i \\in {1, 2} |-> x]",
                f"\\E i \\in {{0, {start}}} : x = i /\\ y = 0 /\\ z \\in {{<<i % 2, 0>>, <<1, 1>>}}",
            )
        )
        drawn.append(Drawn(number, init, tuple(actions)))
    return drawn


def together(name: str, drawn: list[Drawn]) -> str:
    """One module of them all; each action is named after its module."""
    lines, names = [], []
    for each in drawn:
        for index, action in enumerate(each.actions):
            names.append(f"A{each.number}_{index}")
            lines.append(f"{names[-1]} == which = {each.number} /\\ {action} /\\ UNCHANGED which")
    init = [f"  \\/ which = {each.number} /\\ {each.init}" for each in drawn]
    following = [f"  \\/ {each}" for each in names]
    body = [_HEADER, *lines, "Init ==", *init, "Next ==", *following]
    return "\n".join([f"---- MODULE {name} ----", *body, "====", ""])
