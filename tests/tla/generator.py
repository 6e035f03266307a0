"""Random expressions that have a type, so that most of them have a value.

Every bound name is fresh, because SANY refuses a name that is bound twice.
"""

from collections.abc import Callable
from random import Random

__all__ = ["expressions"]

_STRINGS = ("a", "b", "c")


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = 0
        self.scope: dict[str, list[str]] = {}

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def make(self, kind: str, depth: int) -> str:
        known = self.scope.get(kind, [])
        if known and self.random.random() < 0.4:
            return self.random.choice(known)
        makers: list[Callable[[int], str]] = getattr(self, f"_{kind}s")()
        if depth <= 0:
            return makers[0](0)
        return self.random.choice(makers)(depth - 1)

    def quantifier(self) -> str:
        return self.random.choice(("\\A", "\\E"))

    def division(self) -> str:
        return self.random.choice(("%", "\\div"))

    def operator(self) -> str:
        return self.random.choice(("\\cup", "\\cap", "\\"))

    def bound(self, kind: str, depth: int, body: str) -> tuple[str, str]:
        name = self.name()
        self.scope.setdefault(kind, []).append(name)
        text = self.make(body, depth)
        self.scope[kind].remove(name)
        return name, text

    def common(self, kind: str) -> list[Callable[[int], str]]:
        def chosen(d: int) -> str:
            return f"(IF {self.make('bool', d)} THEN {self.make(kind, d)} ELSE {self.make(kind, d)})"

        def cases(d: int) -> str:
            return f"(CASE {self.make('bool', d)} -> {self.make(kind, d)} [] OTHER -> {self.make(kind, d)})"

        def let(d: int) -> str:
            value = self.make("int", d)
            name, body = self.bound("int", d, kind)
            return f"(LET {name} == {value} IN {body})"

        def applied(d: int) -> str:
            name, body = self.bound("int", d, kind)
            operator = self.name()
            return f"(LET {operator}({name}) == {body} IN {operator}({self.make('int', d)}))"

        return [chosen, cases, let, applied]

    def _ints(self) -> list[Callable[[int], str]]:
        def literal(d: int) -> str:
            return str(self.random.randint(0, 4))

        def sums(d: int) -> str:
            return f"({self.make('int', d)} {self.random.choice(('+', '-', '*'))} {self.make('int', d)})"

        def parts(d: int) -> str:
            return f"({self.make('int', d)} {self.division()} {self.random.randint(1, 3)})"

        def size(d: int) -> str:
            return f"Cardinality({self.make('set', d)})"

        def length(d: int) -> str:
            return f"Len({self.make('seq', d)})"

        def field(d: int) -> str:
            return f"({self.make('rec', d)}).n"

        def chosen(d: int) -> str:
            name, body = self.bound("int", d, "bool")
            return f"(CHOOSE {name} \\in ({self.make('set', d)} \\cup {{7}}) : ({body}) \\/ {name} = 7)"

        def applied(d: int) -> str:
            name, body = self.bound("int", d, "int")
            return f"[{name} \\in 0..3 |-> {body}][{self.random.randint(0, 3)}]"

        return [literal, sums, sums, parts, size, length, field, chosen, applied, *self.common("int")]

    def _bools(self) -> list[Callable[[int], str]]:
        def literal(d: int) -> str:
            return self.random.choice(("TRUE", "FALSE"))

        def compared(d: int) -> str:
            sign = self.random.choice(("<", ">", "=<", ">=", "=", "#"))
            return f"({self.make('int', d)} {sign} {self.make('int', d)})"

        def same(d: int) -> str:
            kind = self.random.choice(("int", "set", "seq", "rec", "fun", "str", "bool"))
            return f"({self.make(kind, d)} = {self.make(kind, d)})"

        def member(d: int) -> str:
            return f"({self.make('int', d)} \\in {self.make('set', d)})"

        def within(d: int) -> str:
            return f"({self.make('set', d)} \\subseteq {self.make('set', d)})"

        def joined(d: int) -> str:
            sign = self.random.choice(("/\\", "\\/", "=>", "<=>"))
            return f"({self.make('bool', d)} {sign} {self.make('bool', d)})"

        def negated(d: int) -> str:
            return f"~{self.make('bool', d)}"

        def quantified(d: int) -> str:
            name, body = self.bound("int", d, "bool")
            return f"({self.quantifier()} {name} \\in {self.make('set', d)} : {body})"

        def shaped(d: int) -> str:
            shape = self.random.choice(("SUBSET (0..4)", "SUBSET Nat", "SUBSET Int"))
            return f"({self.make('set', d)} \\in {shape})"

        def typed(d: int) -> str:
            return f'({self.make("rec", d)} \\in [n : Nat, s : {{"a", "b"}}])'

        def sequence(d: int) -> str:
            return f"({self.make('seq', d)} \\in Seq({self.make('set', d)} \\cup {{0}}))"

        quantifiers = [quantified, shaped, typed, sequence]
        return [literal, compared, same, member, within, joined, negated, *quantifiers, *self.common("bool")]

    def _strs(self) -> list[Callable[[int], str]]:
        def literal(d: int) -> str:
            return f'"{self.random.choice(_STRINGS)}"'

        def field(d: int) -> str:
            return f"({self.make('rec', d)}).s"

        return [literal, field, *self.common("str")]

    def _sets(self) -> list[Callable[[int], str]]:
        def literal(d: int) -> str:
            return "{" + ", ".join(self.make("int", d) for _ in range(self.random.randint(0, 3))) + "}"

        def interval(d: int) -> str:
            return f"({self.random.randint(0, 2)}..{self.random.randint(0, 4)})"

        def pair(d: int) -> str:
            return f"({self.make('set', d)} {self.operator()} {self.make('set', d)})"

        def filtered(d: int) -> str:
            name, body = self.bound("int", d, "bool")
            return f"{{{name} \\in {self.make('set', d)} : {body}}}"

        def mapped(d: int) -> str:
            name, body = self.bound("int", d, "int")
            return f"{{{body} : {name} \\in {self.make('set', d)}}}"

        def union(d: int) -> str:
            return f"UNION {{{self.make('set', d)}, {self.make('set', d)}}}"

        def domain(d: int) -> str:
            return f"DOMAIN {self.make(self.random.choice(('seq', 'fun')), d)}"

        def flattened(d: int) -> str:
            return f"UNION {{ {self.make('set', d)} : {self.name()} \\in {self.make('set', d)} }}"

        return [literal, interval, pair, filtered, mapped, union, domain, flattened, *self.common("set")]

    def _seqs(self) -> list[Callable[[int], str]]:
        def literal(d: int) -> str:
            return "<<" + ", ".join(self.make("int", d) for _ in range(self.random.randint(0, 3))) + ">>"

        def appended(d: int) -> str:
            return f"Append({self.make('seq', d)}, {self.make('int', d)})"

        def joined(d: int) -> str:
            return f"({self.make('seq', d)} \\o {self.make('seq', d)})"

        def built(d: int) -> str:
            name, body = self.bound("int", d, "int")
            return f"[{name} \\in 1..{self.random.randint(0, 3)} |-> {body}]"

        def selected(d: int) -> str:
            name, body = self.bound("int", d, "bool")
            return f"SelectSeq({self.make('seq', d)}, LAMBDA {name} : {body})"

        def changed(d: int) -> str:
            return f"[{self.make('seq', d)} EXCEPT ![1] = @ + {self.make('int', d)}]"

        return [literal, appended, joined, built, selected, changed, *self.common("seq")]

    def _funs(self) -> list[Callable[[int], str]]:
        def built(d: int) -> str:
            name, body = self.bound("int", d, "int")
            return f"[{name} \\in {self.make('set', d)} |-> {body}]"

        def changed(d: int) -> str:
            return f"[{self.make('fun', d)} EXCEPT ![{self.make('int', d)}] = {self.make('int', d)}]"

        def merged(d: int) -> str:
            return f"({self.make('int', d)} :> {self.make('int', d)} @@ {self.make('fun', d)})"

        return [built, changed, merged, *self.common("fun")]

    def _recs(self) -> list[Callable[[int], str]]:
        def literal(d: int) -> str:
            return f"[n |-> {self.make('int', d)}, s |-> {self.make('str', d)}]"

        def changed(d: int) -> str:
            return f"[{self.make('rec', d)} EXCEPT !.n = @ + 1, !.s = {self.make('str', d)}]"

        return [literal, changed, *self.common("rec")]


def expressions(seed: int, count: int) -> list[str]:
    """Random expressions; the same seed gives the same ones."""
    random = Random(seed)
    kinds = ("int", "bool", "str", "set", "seq", "fun", "rec")
    return [_Maker(random).make(random.choice(kinds), random.randint(2, 4)) for _ in range(count)]
