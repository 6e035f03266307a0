"""What generated source calls of functions, records and sequences: application, domain, EXCEPT.

One rule: an update outside of the domain leaves the function as it is, as TLC has it;
an application outside of it is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.tla.compile.runtime import LazyFn, eq, fail, fc, it, mem, shown
from conformance.tla.values import Fn, LazySet, ModelValue, make_function

__all__ = ["ap", "dom", "exc", "exc1", "excv", "fld", "fn"]


def ap(f: Any, x: Any, loc: int) -> Any:
    kind = f.__class__
    if kind is Fn:
        try:
            return f.m[x]
        except KeyError:
            forced = fc(x, loc)
            if forced is not x:
                return ap(f, forced, loc)
            fail(f"the function {shown(f)} is applied to {shown(x)}, which is not in its domain", loc)
    if kind is tuple:
        if x.__class__ is int:
            if 0 < x <= len(f):
                return f[x - 1]
            fail(f"the sequence {shown(f)} has no element {x}", loc)
        fail(f"the sequence {shown(f)} is applied to {shown(x)}, which is not an integer", loc)
    if kind is LazyFn:
        return f.apply(fc(x, loc), loc)
    fail(f"{shown(f)} is not a function, and it is applied to {shown(x)}", loc)


def fld(f: Any, name: str, loc: int) -> Any:
    if f.__class__ is Fn:
        try:
            return f.m[name]
        except KeyError:
            pass
    fail(f"{shown(f)} has no field {name}", loc)


def dom(f: Any, loc: int) -> Any:
    if f.__class__ is Fn:
        return frozenset(f.m)
    if f.__class__ is tuple:
        return frozenset(range(1, len(f) + 1))
    if f.__class__ is LazyFn:
        return f.domain
    fail(f"DOMAIN needs a function, and {shown(f)} is not one", loc)


def fn(domain: Any, rule: Callable[[Any], Any], loc: int) -> Any:
    """[x \\in domain |-> rule(x)] where the domain may be infinite."""
    if isinstance(domain, LazySet) and not domain.finite():
        return LazyFn(domain, lambda self: rule)
    return make_function({x: rule(x) for x in it(domain, loc)})


def _select(f: Any, key: Any, loc: int) -> Any:
    kind = f.__class__
    if kind is Fn:
        found = f.m.get(key)
        if found is None and key.__class__ is not ModelValue:
            # An argument outside of the domain changes nothing, but it must be comparable with those inside.
            eq(next(iter(f.m)), key, loc)
        return found
    if kind is tuple:
        if key.__class__ is int:
            return f[key - 1] if 0 < key <= len(f) else None
        if not f:
            return None
        fail(f"the sequence {shown(f)} is applied to {shown(key)}, which is not an integer", loc)
    if kind is LazyFn:
        return f.apply(key, loc) if mem(key, f.domain, loc) else None
    fail(f"EXCEPT needs a function, and {shown(f)} is not one", loc)


def _put(f: Any, key: Any, value: Any) -> Any:
    if f.__class__ is tuple:
        return (*f[: key - 1], value, *f[key:])
    if f.__class__ is LazyFn:
        return f.changed(key, value)
    changed = f.m.copy()
    changed[key] = value
    return Fn(changed, f.record)


def exc1(f: Any, key: Any, change: Callable[[Any], Any], loc: int) -> Any:
    """[f EXCEPT ![key] = change(@)]; a key outside the domain changes nothing, as in TLC."""
    old = _select(f, key, loc)
    return f if old is None else _put(f, key, change(old))


def excv(f: Any, key: Any, value: Any, loc: int) -> Any:
    return f if _select(f, key, loc) is None else _put(f, key, value)


def exc(f: Any, path: tuple[Any, ...], change: Callable[[Any], Any], loc: int) -> Any:
    key = path[0]
    old = _select(f, key, loc)
    if old is None:
        return f
    if len(path) == 1:
        return _put(f, key, change(old))
    inner = exc(old, path[1:], change, loc)
    return f if inner is old else _put(f, key, inner)
