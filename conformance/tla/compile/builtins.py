"""The operators of the standard modules, natively: their bodies in the modules are stubs.

A row says which Python function answers and whether that answer is a native
truth ("p"), a value that is never lazy ("v") or a lazy set ("l").  Arguments
are values; each function takes the place of the application last.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

from conformance.tla.compile import numbers
from conformance.tla.compile import runtime as r
from conformance.tla.compile.choices import span
from conformance.tla.compile.runtime import fail, fc, it, shown
from conformance.tla.compile.sets import SequenceSet
from conformance.tla.errors import UnsupportedValueError
from conformance.tla.values import BOOLEAN, INT, NAT, STRING, Fn, LazySet, make_function

__all__ = ["CONSTANT_SETS", "NATIVES"]

CONSTANT_SETS: dict[str, Any] = {"Nat": NAT, "Int": INT, "STRING": STRING, "BOOLEAN": BOOLEAN}


def _sequence(s: Any, operator: str, loc: int) -> Any:
    s = fc(s, loc)
    if s.__class__ is tuple or s.__class__ is str:
        return s
    fail(f"{operator} needs a sequence, and {shown(s)} is not one", loc)


def interval(a: Any, b: Any, loc: int) -> frozenset[int]:
    return frozenset(span(a, b, loc))


def ge(a: Any, b: Any, loc: int) -> bool:
    return numbers.le(b, a, loc)


def gt(a: Any, b: Any, loc: int) -> bool:
    return numbers.lt(b, a, loc)


def length(s: Any, loc: int) -> int:
    return len(_sequence(s, "Len", loc))


def concat(s: Any, t: Any, loc: int) -> Any:
    a, b = _sequence(s, "\\o", loc), _sequence(t, "\\o", loc)
    if a.__class__ is tuple and b.__class__ is str:
        return a + tuple(b)
    if a.__class__ is not b.__class__:
        fail(f"\\o cannot join {shown(a)} and {shown(b)}", loc)
    return a + b


def append(s: Any, x: Any, loc: int) -> Any:
    a = fc(s, loc)
    if a.__class__ is not tuple:
        fail(f"Append needs a sequence, and {shown(a)} is not one", loc)
    return (*a, fc(x, loc))


def head(s: Any, loc: int) -> Any:
    a = _sequence(s, "Head", loc)
    if not a:
        fail(f"Head of {shown(a)} is undefined", loc)
    return a[0]


def tail(s: Any, loc: int) -> Any:
    a = _sequence(s, "Tail", loc)
    if not a:
        fail(f"Tail of {shown(a)} is undefined", loc)
    return a[1:]


def subseq(s: Any, m: Any, n: Any, loc: int) -> Any:
    a = _sequence(s, "SubSeq", loc)
    if m.__class__ is not int or n.__class__ is not int:
        fail(f"SubSeq needs integers, and got {shown(m)} and {shown(n)}", loc)
    if m > n:
        return a[:0]
    if m < 1 or n > len(a):
        fail(f"SubSeq({shown(a)}, {m}, {n}) reaches outside the sequence", loc)
    return a[m - 1 : n]


def select(s: Any, test: Callable[[Any], Any], loc: int) -> Any:
    a = _sequence(s, "SelectSeq", loc)
    return tuple([x for x in a if r.bl(test(x), loc)])


def sequences(s: Any, loc: int) -> LazySet:
    return SequenceSet(s)


def cardinality(s: Any, loc: int) -> int:
    if s.__class__ is frozenset:
        return len(s)
    if isinstance(s, LazySet):
        count = s.count()
        return numbers.size(count, loc) if count is not None else len(r.listed(s, loc))
    fail(f"Cardinality needs a set, and {shown(s)} is not one", loc)


def is_finite(s: Any, loc: int) -> bool:
    if s.__class__ is frozenset:
        return True
    if isinstance(s, LazySet):
        return s.finite()
    fail(f"IsFiniteSet needs a set, and {shown(s)} is not one", loc)


def colon_greater(a: Any, b: Any, loc: int) -> Any:
    return make_function({fc(a, loc): fc(b, loc)})


def merge(f: Any, g: Any, loc: int) -> Any:
    merged: dict[Any, Any] = {}
    for side in (g, f):
        pairs = _pairs(fc(side, loc), "@@", loc)
        if merged and pairs and next(iter(pairs)) not in merged:
            r.eq(next(iter(pairs)), next(iter(merged)), loc)
        merged.update(pairs)
    return make_function(merged)


def _pairs(f: Any, operator: str, loc: int) -> dict[Any, Any]:
    if f.__class__ is Fn:
        return dict(f.m)
    if f.__class__ is tuple:
        return dict(enumerate(f, start=1))
    fail(f"{operator} needs a function, and {shown(f)} is not one", loc)


def permutation_functions(s: Any, loc: int) -> frozenset[Any]:
    members = list(it(s, loc))
    return frozenset(make_function(dict(zip(members, row, strict=True))) for row in permutations(members))


def sort_seq(s: Any, before: Callable[[Any, Any], Any], loc: int) -> Any:
    import functools

    def compare(a: Any, b: Any) -> int:
        return -1 if r.bl(before(a, b), loc) else (1 if r.bl(before(b, a), loc) else 0)

    return tuple(sorted(_sequence(s, "SortSeq", loc), key=functools.cmp_to_key(compare)))


def assertion(test: Any, message: Any, loc: int) -> bool:
    if r.bl(test, loc):
        return True
    fail(f"Assert fails: {shown(message)}", loc)


def printed(message: Any, value: Any, loc: int) -> Any:
    return value


def print_t(message: Any, loc: int) -> bool:
    return True


def tlc_eval(value: Any, loc: int) -> Any:
    return fc(value, loc)


def random_element(s: Any, loc: int) -> Any:
    raise UnsupportedValueError("RandomElement has no single value; a specification that judges must not use it")


def clock(loc: int) -> Any:
    raise UnsupportedValueError("JavaTime has no single value; a specification that judges must not use it")


NATIVES: dict[str, tuple[str, str]] = {
    "+": ("add", "v"),
    "-": ("sub", "v"),
    "-.": ("neg", "v"),
    "*": ("mul", "v"),
    "^": ("power", "v"),
    "%": ("mod", "v"),
    "\\div": ("div", "v"),
    "<": ("lt", "p"),
    ">": ("gt", "p"),
    "\\leq": ("le", "p"),
    "\\geq": ("ge", "p"),
    "<=": ("le", "p"),
    "=<": ("le", "p"),
    ">=": ("ge", "p"),
    "..": ("interval", "v"),
    "Seq": ("sequences", "l"),
    "Len": ("length", "v"),
    "\\o": ("concat", "v"),
    "\\circ": ("concat", "v"),
    "Append": ("append", "v"),
    "Head": ("head", "v"),
    "Tail": ("tail", "v"),
    "SubSeq": ("subseq", "v"),
    "SelectSeq": ("select", "v"),
    "Cardinality": ("cardinality", "v"),
    "IsFiniteSet": ("is_finite", "p"),
    ":>": ("colon_greater", "v"),
    "@@": ("merge", "v"),
    "Permutations": ("permutation_functions", "v"),
    "SortSeq": ("sort_seq", "v"),
    "Assert": ("assertion", "p"),
    "Print": ("printed", "l"),
    "PrintT": ("print_t", "p"),
    "ToString": ("to_string", "v"),
    "TLCEval": ("tlc_eval", "v"),
    "TLCGet": ("tlc_get", "v"),
    "TLCSet": ("tlc_set", "p"),
    "RandomElement": ("random_element", "v"),
    "JavaTime": ("clock", "v"),
}
