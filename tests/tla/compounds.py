"""Random expressions for sets, sequences, functions, records, tuples and bags.

One rule: a method takes a type and gives the makers of expressions of that type;
`tests.tla.generator` chooses among them and makes their parts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from random import Random
from typing import Any

__all__ = ["BAG", "BOOL", "INT", "MODEL", "STR", "Compounds", "Make", "Type"]

Type = tuple[Any, ...]
Make = Callable[[int], str]

INT: Type = ("int",)
BOOL: Type = ("bool",)
STR: Type = ("str",)
MODEL: Type = ("model",)
BAG: Type = ("bag",)


class Compounds:
    """The makers of what has parts."""

    random: Random

    @abstractmethod
    def make(self, kind: Type, depth: int) -> str: ...
    @abstractmethod
    def literal(self, kind: Type) -> str: ...
    @abstractmethod
    def name(self) -> str: ...
    @abstractmethod
    def pick(self, *texts: str) -> str: ...
    @abstractmethod
    def element(self) -> Type: ...
    @abstractmethod
    def within(self, bound: list[tuple[str, Type]], kind: Type, depth: int) -> str: ...
    @abstractmethod
    def over(self, element: Type, kind: Type, depth: int) -> tuple[str, str, str]: ...

    def _set(self, kind: Type) -> list[Make]:
        inner = kind[1]

        def listed(d: int) -> str:
            return "{" + ", ".join(self.make(inner, d) for _ in range(self.random.randint(0, 3))) + "}"

        def pair(d: int) -> str:
            sign = self.pick("\\cup", "\\cap", "\\", "\\union", "\\intersect")
            return f"({self.make(kind, d)} {sign} {self.make(kind, d)})"

        def filtered(d: int) -> str:
            name, among, body = self.over(inner, BOOL, d)
            return f"{{{name} \\in {among} : {body}}}"

        def mapped(d: int) -> str:
            name, among, body = self.over(self.element(), inner, d)
            return f"{{{body} : {name} \\in {among}}}"

        def mapped_twice(d: int) -> str:
            one, two, first, second = self.name(), self.name(), self.element(), self.element()
            body = self.within([(one, first), (two, second)], inner, d)
            return f"{{{body} : {one} \\in {self.literal(('set', first))}, {two} \\in {self.literal(('set', second))}}}"

        def union(d: int) -> str:
            return f"(UNION {self.make(('set', kind), d)})"

        def range_of(d: int) -> str:
            return f"Range({self.make(self.random.choice((('seq', inner), ('fun', STR, inner))), d)})"

        found = [listed, pair, pair, filtered, mapped, mapped, mapped_twice, union, range_of]
        return found + self._sets_of(inner)

    def _sets_of(self, inner: Type) -> list[Make]:
        """What only sets of this one type can be made of."""

        def domain(d: int) -> str:
            return f"(DOMAIN {self.make(('fun', inner, self.element()), d)})"

        def two(part: Type, d: int) -> str:
            return f"{{{self.make(part, d)}, {self.literal(part)}}}"

        match inner[0]:
            case "int":
                return [
                    lambda d: f"({self.random.randint(-1, 2)}..{self.random.randint(0, 4)})",
                    lambda d: f"(DOMAIN {self.make(('seq', self.element()), d)})",
                    lambda d: f"({self.make(('set', INT), d)} \\cap Nat)",
                    domain,
                ]
            case "str":
                fields = '(DOMAIN [zone |-> 1, at |-> "k"])'
                return [lambda d: f"BagToSet({self.make(BAG, d)})", lambda d: fields, domain]
            case "set":
                return [lambda d: f"(SUBSET {self.literal(inner)})", lambda d: f"{{{self.make(inner, d)}}}"]
            case "tup":
                return [lambda d: "(" + " \\X ".join(two(part, d) for part in inner[1]) + ")"]
            case "rec":
                return [lambda d: "[" + ", ".join(f"{name} : {two(part, d)}" for name, part in inner[1]) + "]"]
            case "fun":
                return [lambda d: f"[{self.literal(('set', inner[1]))} -> {{{self.make(inner[2], d)}}}]"]
            case "bag":
                return [lambda d: f"SubBag(SetToBag({self.literal(('set', STR))}))"]
        return []

    def _seq(self, kind: Type) -> list[Make]:
        inner = kind[1]

        def listed(d: int) -> str:
            return "<<" + ", ".join(self.make(inner, d) for _ in range(self.random.randint(0, 3))) + ">>"

        def appended(d: int) -> str:
            return f"Append({self.make(kind, d)}, {self.make(inner, d)})"

        def joined(d: int) -> str:
            return f"({self.make(kind, d)} {self.pick(chr(92) + 'o', chr(92) + 'circ')} {self.make(kind, d)})"

        def rest(d: int) -> str:
            return f"Tail(<<{self.make(inner, d)}>> \\o {self.make(kind, d)})"

        def part(d: int) -> str:
            return f"SubSeq(<<{self.make(inner, d)}>> \\o {self.make(kind, d)}, 1, {self.random.randint(0, 1)})"

        def built(d: int) -> str:
            name = self.name()
            return f"[{name} \\in 1..{self.random.randint(0, 3)} |-> {self.within([(name, INT)], inner, d)}]"

        def selected(d: int) -> str:
            name = self.name()
            return f"SelectSeq({self.make(kind, d)}, LAMBDA {name} : {self.within([(name, inner)], BOOL, d)})"

        def changed(d: int) -> str:
            return f"[{self.make(kind, d)} EXCEPT ![1] = {self.within([('@', inner)], inner, d)}]"

        def sorted_by(d: int) -> str:
            return f"SortSeq({self.make(kind, d)}, {self.pick('<', 'LAMBDA x_, y_ : x_ > y_')})"

        found: list[Make] = [listed, appended, joined, rest, part, built, selected, changed]
        return [*found, sorted_by] if inner == INT else found

    def _fun(self, kind: Type) -> list[Make]:
        _, key, inner = kind

        def built(d: int) -> str:
            name, among, body = self.over(key, inner, d)
            return f"[{name} \\in {among} |-> {body}]"

        def pairs(d: int) -> str:
            one, two = self.name(), self.name()
            first, second = (self.literal(("set", part)) for part in key[1])
            body = self.within([(one, key[1][0]), (two, key[1][1])], inner, d)
            return f"[{one} \\in {first}, {two} \\in {second} |-> {body}]"

        def changed(d: int) -> str:
            f, at = self.make(kind, d), self.make(key, d)
            return f"[{f} EXCEPT ![{at}] = {self.within([('@', inner)], inner, d)}, ![{at}] = {self.make(inner, d)}]"

        def single(d: int) -> str:
            return f"({self.make(key, d)} :> {self.make(inner, d)})"

        def merged(d: int) -> str:
            return f"({self.make(kind, d)} @@ {self.make(kind, d)})"

        found: list[Make] = [built, built, changed, single, merged]
        return [*found, pairs] if key[0] == "tup" else found

    def _rec(self, kind: Type) -> list[Make]:
        fields = kind[1]

        def listed(d: int) -> str:
            return "[" + ", ".join(f"{name} |-> {self.make(part, d)}" for name, part in fields) + "]"

        def changed(d: int) -> str:
            name, part = self.random.choice(fields)
            at = self.pick(f".{name}", f'["{name}"]')
            return f"[{self.make(kind, d)} EXCEPT !{at} = {self.within([('@', part)], part, d)}]"

        def deep(d: int) -> str:
            name, part = self.random.choice(fields)
            whole = f"<<{self.make(kind, d)}>>"
            return f"[{whole} EXCEPT ![1].{name} = {self.within([('@', part)], part, d)}, ![2] = @][1]"

        return [listed, changed, deep]

    def _tup(self, kind: Type) -> list[Make]:
        parts = kind[1]

        def listed(d: int) -> str:
            return "<<" + ", ".join(self.make(part, d) for part in parts) + ">>"

        def changed(d: int) -> str:
            at = self.random.randrange(len(parts))
            return f"[{self.make(kind, d)} EXCEPT ![{at + 1}] = {self.within([('@', parts[at])], parts[at], d)}]"

        return [listed, changed]

    def _bag(self, kind: Type) -> list[Make]:
        def of_set(d: int) -> str:
            return f"SetToBag({self.make(('set', STR), d)})"

        def pair(d: int) -> str:
            return f"({self.make(BAG, d)} {self.pick('(+)', '(-)')} {self.make(BAG, d)})"

        def union(d: int) -> str:
            return f"BagUnion({{{self.make(BAG, d)}, {self.make(BAG, d)}}})"

        def mapped(d: int) -> str:
            name = self.name()
            body = self.within([(name, STR)], STR, d)
            # TLC takes a LAMBDA whose body is constant for its value here: the body names the parameter.
            return f"BagOfAll(LAMBDA {name} : {name} \\o {body}, {self.make(BAG, d)})"

        return [of_set, pair, pair, union, mapped, lambda d: "EmptyBag"]
