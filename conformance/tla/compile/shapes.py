"""Values that TLC can always compare, told by their shape without comparing them.

One rule: two values of one shape never make TLC refuse, whatever they hold; where that is
not certain a value has no shape, and is compared as TLC does it.
"""

from __future__ import annotations

from typing import Any, Final

from conformance.tla.values import Bool, Fn, ModelValue

__all__ = ["alike", "shape"]

_LIMIT: Final = 200_000
_SCALARS: Final = frozenset((int, str, Bool))
_known: dict[Any, Any] = {}


def alike(a: Any, b: Any) -> bool:
    """Whether both values have one shape."""
    found = shape(a)
    return found is not None and found == shape(b)


def shape(value: Any) -> Any:
    """The kinds of what a value is made of, if they are the same everywhere; else None."""
    kind = value.__class__
    if kind in _SCALARS:
        return kind
    if kind is tuple:
        return _of_tuple(value)
    if kind is ModelValue:
        return None if value.type else kind
    if kind is not frozenset and kind is not Fn:
        return None
    found = _known.get(value, _known)
    if found is _known:
        if len(_known) >= _LIMIT:
            _known.clear()
        found = _known[value] = _of_set(value) if kind is frozenset else _of_function(value)
    return found


def _of_tuple(value: tuple[Any, ...]) -> Any:
    parts = [shape(part) for part in value]
    if not parts or None in parts:
        return None
    # Sequences of different lengths are told apart by these.
    return ("sequence", parts[0]) if parts.count(parts[0]) == len(parts) else ("tuple", *parts)


def _of_set(value: frozenset[Any]) -> Any:
    shapes = {shape(element) for element in value}
    return ("set", *shapes) if len(shapes) == 1 and None not in shapes else None


def _of_function(value: Fn) -> Any:
    pairs = [(argument, shape(item)) for argument, item in value.m.items()]
    return None if any(found is None for _, found in pairs) else ("function", frozenset(pairs))
