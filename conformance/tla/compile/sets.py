"""Sets that are asked before they are listed: [S -> T], SUBSET S, S \\X T and their like.

One rule: membership never lists what it can ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, islice, product
from math import prod
from typing import Any

from conformance.tla.compile.choices import few
from conformance.tla.compile.runtime import LazyFn, bigunion, fail, fc, it, mem, mkset, shown, told_apart
from conformance.tla.errors import EvaluationError
from conformance.tla.values import MOST_LISTED, Fn, LazySet, ModelValue, equal, make_function

__all__ = [
    "Filter",
    "FunctionSet",
    "Pair",
    "PowerSet",
    "Product",
    "RecordSet",
    "SequenceSet",
    "Union",
    "subset_of",
    "union_of",
    "whole",
]


def _finite(s: Any) -> bool:
    return not isinstance(s, LazySet) or s.finite()


def _count(s: Any) -> int | None:
    return s.count() if isinstance(s, LazySet) else len(s)


def _counted(parts: Iterable[Any]) -> int | None:
    """The number of ways to choose an element from each part."""
    counts = [_count(part) for part in parts]
    known = [count for count in counts if count is not None]
    return prod(known) if len(known) == len(counts) else None


def _power(base: int, exponent: int) -> int:
    """The power, or a number beyond 32 bits where it is beyond them."""
    return int(base ** min(exponent, 64))


def _not_a(kind: str, value: Any, text: str) -> EvaluationError:
    return EvaluationError(f"cannot ask whether {shown(value)}, which is not {kind}, is in {text}")


class FunctionSet(LazySet):
    """[S -> T]"""

    __slots__ = ("domain", "range")

    def __init__(self, domain: Any, values: Any, loc: int) -> None:
        self.domain = domain
        self.range = values

    @property
    def text(self) -> str:
        return f"[{shown(self.domain)} -> {shown(self.range)}]"

    def same(self, other: Any) -> bool | None:
        return equal(self.domain, other.domain) and equal(self.range, other.range)

    def contains(self, value: Any) -> bool:
        domain = self.domain
        if value.__class__ is LazyFn:
            value = value.listed()
        if value.__class__ is tuple:
            if fc(domain) != frozenset(range(1, len(value) + 1)):
                return False
            return all(mem(x, self.range, -1) for x in value)
        if value.__class__ is Fn:
            pairs = value.m
            wanted = fc(domain)
            if len(wanted) != len(pairs) or pairs.keys() != wanted:
                return False
            among = self.range
            if among.__class__ is frozenset and all(x in among for x in pairs.values()):
                return True
            return all(mem(pairs[x], among, -1) for x in it(wanted, -1))
        if value.__class__ is ModelValue:
            return False
        raise _not_a("a function", value, self.text)

    def elements(self) -> Iterable[Any]:
        keys = list(it(self.domain, -1))
        rows = product(list(it(self.range, -1)), repeat=len(keys))
        return (make_function(dict(zip(keys, row, strict=True))) for row in rows)

    def finite(self) -> bool:
        return _finite(self.domain) and _finite(self.range)

    def count(self) -> int | None:
        arguments, values = _count(self.domain), _count(self.range)
        return None if arguments is None or values is None else _power(values, arguments)


class RecordSet(LazySet):
    """[a : S, b : T]"""

    __slots__ = ("fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    @property
    def text(self) -> str:
        return "[" + ", ".join(f"{name} : {shown(values)}" for name, values in self.fields.items()) + "]"

    def same(self, other: Any) -> bool | None:
        if self.fields.keys() != other.fields.keys():
            return False
        return all(equal(values, other.fields[name]) for name, values in self.fields.items())

    def contains(self, value: Any) -> bool:
        if value.__class__ is Fn:
            if value.m.keys() != self.fields.keys():
                return False
            return all(mem(value.m[name], values, -1) for name, values in self.fields.items())
        if value.__class__ is ModelValue or value == ():
            return False
        raise _not_a("a record", value, self.text)

    def elements(self) -> Iterable[Any]:
        names = list(self.fields)
        return (
            Fn(dict(zip(names, row, strict=True)), record=True)
            for row in product(*[list(it(self.fields[n], -1)) for n in names])
        )

    def finite(self) -> bool:
        return all(map(_finite, self.fields.values()))

    def count(self) -> int | None:
        return _counted(self.fields.values())


class PowerSet(LazySet):
    """SUBSET S"""

    __slots__ = ("base",)

    def __init__(self, base: Any, loc: int) -> None:
        if base.__class__ is not frozenset and not isinstance(base, LazySet):
            fail(f"SUBSET needs a set, and {shown(base)} is not one", loc)
        self.base = base

    @property
    def text(self) -> str:
        return f"SUBSET {shown(self.base)}"

    def same(self, other: Any) -> bool | None:
        return equal(self.base, other.base)

    def contains(self, value: Any) -> bool:
        value = fc(value)
        if value.__class__ is frozenset:
            base = self.base
            if base.__class__ is frozenset and value <= base:
                return True
            return all(mem(x, base, -1) for x in it(value, -1))
        raise _not_a("a set", value, self.text)

    def elements(self) -> Iterable[Any]:
        members = list(it(self.base, -1))
        return (frozenset(row) for size in range(len(members) + 1) for row in combinations(members, size))

    def finite(self) -> bool:
        return _finite(self.base)

    def count(self) -> int | None:
        members = _count(self.base)
        return None if members is None else _power(2, members)


class Product(LazySet):
    """S \\X T"""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts

    @property
    def text(self) -> str:
        return " \\X ".join(map(shown, self.parts))

    def same(self, other: Any) -> bool | None:
        return len(self.parts) == len(other.parts) and all(map(equal, self.parts, other.parts))

    def contains(self, value: Any) -> bool:
        if value.__class__ is tuple:
            return len(value) == len(self.parts) and all(
                mem(x, part, -1) for x, part in zip(value, self.parts, strict=True)
            )
        if value.__class__ is ModelValue:
            return False
        raise _not_a("a tuple", value, self.text)

    def elements(self) -> Iterable[Any]:
        return product(*[list(it(part, -1)) for part in self.parts])

    def finite(self) -> bool:
        return all(map(_finite, self.parts))

    def count(self) -> int | None:
        return _counted(self.parts)


class SequenceSet(LazySet):
    """Seq(S)"""

    __slots__ = ("base",)

    def __init__(self, base: Any) -> None:
        self.base = base

    @property
    def text(self) -> str:
        return f"Seq({shown(self.base)})"

    def same(self, other: Any) -> bool | None:
        return equal(self.base, other.base)

    def contains(self, value: Any) -> bool:
        if value.__class__ is tuple:
            return all(mem(x, self.base, -1) for x in value)
        if value.__class__ is Fn or value.__class__ is ModelValue:
            return False
        raise _not_a("a sequence", value, self.text)


class Pair(LazySet):
    """A union, intersection or difference of which a part is lazy."""

    __slots__ = ("left", "operator", "right")

    def __init__(self, operator: str, left: Any, right: Any) -> None:
        self.operator = operator
        self.left = left
        self.right = right

    @property
    def text(self) -> str:
        return f"{shown(self.left)} {self.operator} {shown(self.right)}"

    def contains(self, value: Any) -> bool:
        first = mem(value, self.left, -1)
        if self.operator == "\\cup":
            return first or mem(value, self.right, -1)
        if self.operator == "\\cap":
            return first and mem(value, self.right, -1)
        return first and not mem(value, self.right, -1)

    def elements(self) -> Iterable[Any]:
        if self.operator == "\\cup":
            return [*it(self.left, -1), *it(self.right, -1)]
        wanted = self.operator == "\\cap"
        if wanted and not _finite(self.left):
            return [x for x in it(self.right, -1) if mem(x, self.left, -1)]
        return [x for x in it(self.left, -1) if mem(x, self.right, -1) is wanted]

    def finite(self) -> bool:
        if self.operator == "\\cup":
            return _finite(self.left) and _finite(self.right)
        return _finite(self.left) or (self.operator == "\\cap" and _finite(self.right))


class Union(LazySet):
    """UNION of sets of which one cannot be listed."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    @property
    def text(self) -> str:
        return f"UNION {{{', '.join(map(shown, self.parts))}}}"

    def contains(self, value: Any) -> bool:
        return any(mem(value, part, -1) for part in self.parts)

    def elements(self) -> Iterable[Any]:
        return [x for part in self.parts for x in it(part, -1)]


class Filter(LazySet):
    """{x \\in S : P(x)} over a set that is asked before it is listed."""

    __slots__ = ("base", "known", "test")

    def __init__(self, base: Any, test: Callable[[Any], bool]) -> None:
        self.base = base
        self.test = test
        self.known: frozenset[Any] | None = None

    @property
    def text(self) -> str:
        return f"{{x \\in {shown(self.base)} : ...}}"

    def contains(self, value: Any) -> bool:
        if self.known is not None:
            return mem(value, self.known, -1)
        return mem(value, self.base, -1) and self.test(value)

    def elements(self) -> Iterable[Any]:
        return self.known if self.known is not None else _chosen(self.base, self.test, -1)

    def listed(self) -> frozenset[Any]:
        if self.known is None:
            self.known = frozenset(self.elements())
        return self.known

    def finite(self) -> bool:
        return _finite(self.base)


def subset_of(base: Any, test: Callable[[Any], bool], loc: int) -> Any:
    """{x \\in base : test(x)}

    As in TLC the elements of a set that is made already are tested at once, those of one that is
    asked before it is listed only where they are asked for.
    """
    if isinstance(base, LazySet):
        return Filter(base, test)
    return frozenset(_chosen(base, test, loc))


def _chosen(base: Any, test: Callable[[Any], bool], loc: int) -> list[Any]:
    """The elements that pass, unless they are more than TLC makes a set of."""
    return few(list(islice((x for x in it(base, loc) if test(x)), MOST_LISTED + 1)), loc)


def whole(value: Any, loc: int = -1) -> Any:
    """The value, listed if that can be done: Nat, and a function over it, are told as they are.

    What TLC makes element by element is listed, or refused as it refuses it.
    """
    over = value.domain if value.__class__ is LazyFn else value
    told = isinstance(over, LazySet) and not isinstance(over, Filter) and not over.finite()
    return value if told else fc(value, loc)


def union_of(parts: list[Any], loc: int) -> Any:
    """UNION {part, ...}"""
    if all(map(_finite, parts)):
        return bigunion(mkset([fc(part, loc) for part in parts], loc), loc)
    told_apart(parts, loc)
    return Union(parts)
