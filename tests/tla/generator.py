"""Random expressions that have a type, so that most of them have a value.

Three rules:

1. A type is a tuple: a kind, and the types that it is made of.
2. Every bound name is fresh, because SANY refuses a name that is bound twice.
3. Sets stay small: what multiplies (SUBSET, functions, products) is made over literals.
"""

from __future__ import annotations

from random import Random

from tests.tla.compounds import BAG, BOOL, INT, MODEL, STR, Compounds, Make, Type

__all__ = ["CONFIG", "HEADER", "Maker", "expressions", "kind_of"]

_SCALARS = (INT, INT, INT, BOOL, STR, MODEL)
_FIELDS = ("n", "k", "zone", "at")
_STRINGS = ("zeta", "a", "beta", "c", "n", "")

HEADER = """EXTENDS Integers, Sequences, FiniteSets, Bags, TLC
CONSTANTS m3, m1, m2, Words
Apply(Op(_), x) == Op(x)
Twice(Op(_, _), x, y) == Op(Op(x, y), y)
If(test, yes, no) == IF test THEN yes ELSE no
RECURSIVE Fold(_, _, _)
Fold(Op(_, _), start, s) == IF s = <<>> THEN start ELSE Fold(Op, Op(start, Head(s)), Tail(s))
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET one == CHOOSE one \\in S : TRUE IN one + Sum(S \\ {one})
Range(f) == {f[i] : i \\in DOMAIN f}
"""
"""What the expressions speak of."""
CONFIG = 'CONSTANTS Words = {"zeta", "n", "7", "a", "at", "beta", "c", "k", ""} m3 = m3 m1 = m1 m2 = m2\n'
"""The words fix the order of strings, whatever else is written into a module."""


def kind_of(random: Random, depth: int = 2) -> Type:
    """A random type."""
    if depth == 0 or random.random() < 0.45:
        return random.choice(_SCALARS)
    shape = random.choice(("set", "set", "seq", "fun", "rec", "tup", "bag"))
    if shape in ("set", "seq"):
        return (shape, kind_of(random, depth - 1))
    if shape == "fun":
        return ("fun", random.choice((INT, STR, MODEL, ("tup", (INT, INT)))), kind_of(random, depth - 1))
    if shape == "rec":
        names = random.sample(_FIELDS, random.randint(1, 2))
        return ("rec", tuple((name, kind_of(random, depth - 1)) for name in names))
    if shape == "tup":
        return ("tup", (kind_of(random, depth - 1), kind_of(random, depth - 1)))
    return BAG


class Maker(Compounds):
    """The expressions of one specification; names are fresh over all of them."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = 0
        self.scope: list[tuple[str, Type]] = []

    # --- names --------------------------------------------------------------------------------

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def within(self, bound: list[tuple[str, Type]], kind: Type, depth: int) -> str:
        """An expression in which the names are bound."""
        self.scope += bound
        text = self.make(kind, depth)
        del self.scope[len(self.scope) - len(bound) :]
        return text

    def over(self, element: Type, kind: Type, depth: int) -> tuple[str, str, str]:
        """A bound name or tuple pattern, its set, and an expression in which it is bound."""
        among = self.make(("set", element), depth)
        if element[0] == "tup" and self.random.random() < 0.6:
            names = [(self.name(), part) for part in element[1]]
            return f"<<{', '.join(n for n, _ in names)}>>", among, self.within(names, kind, depth)
        name = self.name()
        return name, among, self.within([(name, element)], kind, depth)

    def pick(self, *texts: str) -> str:
        return self.random.choice(texts)

    def element(self) -> Type:
        return kind_of(self.random, 1)

    # --- expressions --------------------------------------------------------------------------

    def make(self, kind: Type, depth: int) -> str:
        """An expression of the type."""
        known = [name for name, its in self.scope if its == kind]
        if known and self.random.random() < 0.4:
            return self.random.choice(known)
        if depth <= 0:
            return self.literal(kind)
        makers: list[Make] = getattr(self, f"_{kind[0]}")(kind)
        if self.random.random() < 0.3:
            makers = self._any(kind)
        return self.random.choice(makers)(depth - 1)

    def literal(self, kind: Type) -> str:
        random, few = self.random, self.random.randint(0, 2)
        match kind[0]:
            case "int":
                return str(random.randint(0, 4)) if random.random() < 0.9 else f"(-{random.randint(1, 9)})"
            case "bool":
                return self.pick("TRUE", "FALSE")
            case "str":
                return f'"{random.choice(_STRINGS)}"'
            case "model":
                return self.pick("m1", "m2", "m3")
            case "set":
                return "{" + ", ".join(self.literal(kind[1]) for _ in range(few)) + "}"
            case "seq":
                return "<<" + ", ".join(self.literal(kind[1]) for _ in range(few)) + ">>"
            case "tup":
                return "<<" + ", ".join(map(self.literal, kind[1])) + ">>"
            case "rec":
                return "[" + ", ".join(f"{name} |-> {self.literal(part)}" for name, part in kind[1]) + "]"
            case "fun":
                return f"[{self.name()} \\in {self.literal(('set', kind[1]))} |-> {self.literal(kind[2])}]"
        return f"SetToBag({self.literal(('set', STR))})"

    def _any(self, kind: Type) -> list[Make]:
        """What can stand for a value of every type."""

        def let(d: int) -> str:
            held, name = self.element(), self.name()
            value = self.make(held, d)
            return f"(LET {name} == {value} IN {self.within([(name, held)], kind, d)})"

        def operator(d: int) -> str:
            held, name, operator = self.element(), self.name(), self.name()
            body = self.within([(name, held)], kind, d)
            return f"(LET {operator}({name}) == {body} IN {operator}({self.make(held, d)}))"

        def applied(d: int) -> str:
            held, name = self.element(), self.name()
            return f"Apply(LAMBDA {name} : {self.within([(name, held)], kind, d)}, {self.make(held, d)})"

        def twice(d: int) -> str:
            one, two, held = self.name(), self.name(), self.element()
            body = self.within([(one, kind), (two, held)], kind, d)
            return f"Twice(LAMBDA {one}, {two} : {body}, {self.make(kind, d)}, {self.make(held, d)})"

        def chosen(d: int) -> str:
            name, among, body = self.over(kind, BOOL, d)
            if self.random.random() < 0.3:
                body = "TRUE"
            return f"(CHOOSE {name} \\in {among} \\cup {{{self.literal(kind)}}} : {body} \\/ TRUE)"

        def looked_up(d: int) -> str:
            key = self.random.choice((INT, STR))
            f, at = self.name(), self.make(key, d)
            value = self.make(("fun", key, kind), d)
            return f"(LET {f} == {value} IN IF {at} \\in DOMAIN {f} THEN {f}[{at}] ELSE {self.literal(kind)})"

        def rule(d: int) -> str:
            name = self.name()
            return f"[{name} \\in 0..3 |-> {self.within([(name, INT)], kind, d)}][{self.random.randint(0, 3)}]"

        def recursive(d: int) -> str:
            f, name = self.name(), self.name()
            start, step = self.make(kind, d), self.within([(name, INT), (f"{f}[{name} - 1]", kind)], kind, d)
            size = self.random.randint(0, 3)
            return f"(LET {f}[{name} \\in Nat] == IF {name} <= 0 THEN {start} ELSE {step} IN {f}[{size}])"

        def repeated(d: int) -> str:
            f, name = self.name(), self.name()
            start, step = self.make(kind, d), self.within([(name, INT), (f"{f}({name} - 1)", kind)], kind, d)
            body = f"IF {name} <= 0 THEN {start} ELSE {step}"
            return f"(LET RECURSIVE {f}(_) {f}({name}) == {body} IN {f}({self.random.randint(0, 3)}))"

        def folded(d: int) -> str:
            one, two, held = self.name(), self.name(), self.element()
            body = self.within([(one, kind), (two, held)], kind, d)
            return f"Fold(LAMBDA {one}, {two} : {body}, {self.make(kind, d)}, {self.make(('seq', held), d)})"

        def part(d: int) -> str:
            return f"<<{self.make(self.element(), d)}, {self.make(kind, d)}>>[2]"

        def field(d: int) -> str:
            return f"[zone |-> {self.make(kind, d)}, n |-> {self.make(self.element(), d)}].zone"

        def head(d: int) -> str:
            return f"Head(<<{self.make(kind, d)}>> \\o {self.make(('seq', kind), d)})"

        def chance(d: int) -> str:
            return f"(IF {self.make(BOOL, d)} THEN {self.make(kind, d)} ELSE {self.make(kind, d)})"

        def lazily(d: int) -> str:
            return f"If({self.make(BOOL, d)}, {self.make(kind, d)}, {self.make(kind, d)})"

        def cases(d: int) -> str:
            arms = " [] ".join(f"{self.make(BOOL, d)} -> {self.make(kind, d)}" for _ in range(2))
            return f"(CASE {arms} [] OTHER -> {self.make(kind, d)})"

        few = [let, operator, applied, twice, looked_up, rule, recursive, repeated, folded, part, field, head]
        return [*few, chosen, chosen, chance, lazily, cases]

    # --- scalars ------------------------------------------------------------------------------

    def _int(self, kind: Type) -> list[Make]:
        def sums(d: int) -> str:
            return f"({self.make(INT, d)} {self.pick('+', '-', '*')} {self.make(INT, d)})"

        def parts(d: int) -> str:
            return f"({self.make(INT, d)} {self.pick('%', chr(92) + 'div')} {self.random.randint(1, 3)})"

        def power(d: int) -> str:
            return f"({self.make(INT, d)}^{self.random.randint(1, 3)})"

        def minus(d: int) -> str:
            return f"(-({self.make(INT, d)}))"

        def size(d: int) -> str:
            return f"Cardinality({self.make(('set', self.element()), d)})"

        def length(d: int) -> str:
            return f"Len({self.make(('seq', self.element()), d)})"

        def bagged(d: int) -> str:
            return f"BagCardinality({self.make(BAG, d)})"

        def copies(d: int) -> str:
            return f"CopiesIn({self.make(STR, d)}, {self.make(BAG, d)})"

        def summed(d: int) -> str:
            return f"Sum({self.make(('set', INT), d)})"

        return [sums, sums, parts, power, minus, size, length, bagged, copies, summed]

    def _str(self, kind: Type) -> list[Make]:
        def joined(d: int) -> str:
            return f"({self.make(STR, d)} \\o {self.make(STR, d)})"

        def told(d: int) -> str:
            return f"ToString({self.make(self.random.choice((INT, BOOL, MODEL, ('tup', (INT, STR)))), d)})"

        return [joined, told]

    def _model(self, kind: Type) -> list[Make]:
        return self._any(kind)

    def _bool(self, kind: Type) -> list[Make]:
        def compared(d: int) -> str:
            return f"({self.make(INT, d)} {self.pick('<', '>', '=<', '>=', '<=')} {self.make(INT, d)})"

        def same(d: int) -> str:
            its = kind_of(self.random)
            return f"({self.make(its, d)} {self.pick('=', '#', '/=')} {self.make(its, d)})"

        def member(d: int) -> str:
            its = self.element()
            return f"({self.make(its, d)} {self.pick(chr(92) + 'in', chr(92) + 'notin')} {self.make(('set', its), d)})"

        def within(d: int) -> str:
            its = ("set", self.element())
            return f"({self.make(its, d)} \\subseteq {self.make(its, d)})"

        def typed(d: int) -> str:
            its = kind_of(self.random)
            return f"({self.make(its, d)} \\in {self.space(its, d)})"

        def joined(d: int) -> str:
            sign = self.pick("/\\", "\\/", "=>", "<=>", "\\equiv")
            return f"({self.make(BOOL, d)} {sign} {self.make(BOOL, d)})"

        def negated(d: int) -> str:
            return f"(~({self.make(BOOL, d)}))"

        def quantified(d: int) -> str:
            name, among, body = self.over(self.element(), BOOL, d)
            return f"({self.pick(chr(92) + 'A', chr(92) + 'E')} {name} \\in {among} : {body})"

        def bags(d: int) -> str:
            return f"({self.make(BAG, d)} \\sqsubseteq {self.make(BAG, d)})"

        def finite(d: int) -> str:
            return f"IsFiniteSet({self.make(('set', self.element()), d)})"

        asked = [compared, same, same, member, within, typed, typed, bags, finite]
        return [*asked, joined, negated, quantified, quantified]

    def space(self, kind: Type, depth: int) -> str:
        """A set of values of the type, mostly one that is asked and not listed."""
        if self.random.random() < 0.2 or kind[0] == "model":
            return self.make(("set", kind), depth)
        match kind[0]:
            case "int":
                return self.pick("Nat", "Int", "((-1)..3)", "(Nat \\cup {-1})", "(Int \\ {2})", "(Nat \\cap 1..9)")
            case "bool":
                return "BOOLEAN"
            case "str":
                return self.pick("STRING", '(STRING \\ {"a"})')
            case "set":
                return f"(SUBSET ({self.space(kind[1], depth)}))"
            case "seq":
                return f"Seq({self.space(kind[1], depth)})"
            case "tup":
                return "(" + " \\X ".join(self.space(part, depth) for part in kind[1]) + ")"
            case "rec":
                return "[" + ", ".join(f"{name} : {self.space(part, depth)}" for name, part in kind[1]) + "]"
            case "fun":
                return f"[{self.make(('set', kind[1]), depth)} -> {self.space(kind[2], depth)}]"
        return '[{"a", "c"} -> Nat]'


def expressions(seed: int, count: int) -> list[str]:
    """Random expressions; the same seed gives the same ones."""
    random = Random(seed)
    return [Maker(random).make(kind_of(random), random.randint(2, 4)) for _ in range(count)]
