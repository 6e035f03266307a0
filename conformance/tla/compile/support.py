"""The names that generated source finds: the runtime's, and a few of the program's own.

One rule: what a generated function may call stands in ``NAMES`` or among the natives.
"""

from __future__ import annotations

import contextlib
from functools import lru_cache
from typing import Any

from conformance.tla.compile import choices, functions, numbers, runtime, sets
from conformance.tla.errors import EvaluationError
from conformance.tla.values import INT, NAT, Fn

__all__ = ["NAMES", "no_case", "no_constant", "settle", "top", "unbounded_choose", "valueless"]


def settle(value: Any) -> Any:
    """A constant set, listed once and for all where that is cheap."""
    if isinstance(value, sets.Product) and value.finite():
        size = 1
        for part in value.parts:
            members = runtime.fc(part)
            if members.__class__ is not frozenset:
                return value
            size *= len(members)
        return runtime.fc(value) if size <= 10_000 else value
    if isinstance(value, sets.Filter):
        count = value.base.count()
        if count is not None and count <= 100_000:
            # An element without a truth is told where the set is asked for it.
            with contextlib.suppress(EvaluationError):
                return value.listed()
    return value


def no_case(loc: int) -> Any:
    runtime.fail("no arm of CASE is true, and there is no OTHER", loc)


def no_constant(name: str, loc: int) -> Any:
    runtime.fail(f"the constant {name} has no value; give it one in the configuration", loc)


def valueless(why: str, loc: int) -> Any:
    runtime.fail(why, loc)


def unbounded_choose(loc: int) -> Any:
    runtime.fail("CHOOSE without a set has no value that can be found; bound it, or bind it in the configuration", loc)


def top(domain: Any, now: Any, then: Any, loc: int) -> Any:
    """The elements of a quantifier of Next; of Nat and Int, those that the two states suggest.

    An action whose parameter ranges over all numbers can only be named for numbers
    that occur, or follow one that occurs, or for 0 and 1.
    """
    if domain is not NAT and domain is not INT:
        return runtime.it(domain, loc)
    last = _last
    if last[0] is domain and last[1] is now and last[2] is then:
        return last[3]
    seen = {0}
    for state in (now, then):
        if state is not None:
            seen.update(*map(_numbers, state))
    if domain is INT:
        seen.add(min(seen) - 1)
    found = seen | {number + 1 for number in seen}
    last[:] = domain, now, then, sorted(number for number in found if domain is INT or number >= 0)
    return last[3]


_last: list[Any] = [None, None, None, ()]
"""What was found last: quantifiers of one action ask about the same states again and again."""


@lru_cache(maxsize=1 << 16)
def _numbers(value: Any) -> frozenset[int]:
    """The integers anywhere in a value; states share most of their values, so that few are looked at twice."""
    kind = value.__class__
    if kind is int:
        return frozenset((value,))
    if kind is tuple or kind is frozenset:
        return frozenset().union(*map(_numbers, value))
    if kind is Fn:
        return frozenset().union(*map(_numbers, value.m), *map(_numbers, value.m.values()))
    return frozenset()


_RUNTIME = (
    "add",
    "among",
    "ap",
    "bigunion",
    "bl",
    "cap",
    "cup",
    "diff",
    "div",
    "dom",
    "eq",
    "every",
    "exc",
    "exc1",
    "excv",
    "fc",
    "fld",
    "fn",
    "it",
    "le",
    "lt",
    "mem",
    "members",
    "mem_enum",
    "mem_range",
    "mkset",
    "mod",
    "mul",
    "neg",
    "partial",
    "pattern",
    "power",
    "rng",
    "same",
    "span",
    "sub",
    "subseteq",
    "turned",
    "turns",
    "unassigned",
    "unset",
    "Thunk",
    "LazyFn",
)

NAMES = {
    name: next(getattr(module, name) for module in (runtime, choices, functions, numbers) if hasattr(module, name))
    for name in _RUNTIME
}
"""Each operation of the runtime by the name under which generated source calls it."""
