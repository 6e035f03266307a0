"""TLA+ values as Python values.

Four rules keep Python's equality from leaking into TLA+:

1. A function whose domain is 1..n is a tuple, whatever it was written as: a
   sequence, a tuple, the empty function and the empty record.  Every other
   function, records included, is an `Fn`.  `make_function` is the only door; one
   that was written as a record says so, as TLC compares a record with records only.
2. TRUE and FALSE are objects of an own class: ``True == 1`` has no counterpart.
3. Model values are interned by name and differ from everything else.  They hash
   by identity, so a set's own order means nothing: whoever shows it sorts it.
4. `equal` asks in TLC's order, so that it refuses what TLC refuses; Python's
   ``==`` on these values is exact but refuses nothing.

The order of `sort_key` is TLC's where TLC's order is determined; strings, which
TLC orders by first appearance, are ordered by their characters unless a rank is given.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, Final

from conformance.tla.atoms import BOOLEAN, FALSE, TRUE, Bool, ModelValue, boolean, model_value
from conformance.tla.errors import EvaluationError
from conformance.tla.lazy import MOST_LISTED, TOO_LARGE, LazySet

__all__ = [
    "BOOLEAN",
    "FALSE",
    "INT",
    "MOST_LISTED",
    "NAT",
    "STRING",
    "TOO_LARGE",
    "TRUE",
    "Bool",
    "Fn",
    "LazySet",
    "ModelValue",
    "Value",
    "boolean",
    "comparable",
    "equal",
    "format_value",
    "make_function",
    "model_value",
    "sort_key",
    "sorted_values",
]

Value = Hashable


class Fn:
    """A function whose domain is not 1..n: an immutable mapping with a cached hash."""

    __slots__ = ("_hash", "m", "record")

    def __init__(self, mapping: dict[Any, Any], record: bool = False) -> None:
        self.m = mapping
        self.record = record
        self._hash: int | None = None

    def __getitem__(self, key: Any) -> Any:
        return self.m[key]

    def __contains__(self, key: object) -> bool:
        return key in self.m

    def __iter__(self) -> Iterator[Any]:
        return iter(self.m)

    def __len__(self) -> int:
        return len(self.m)

    def keys(self) -> Iterable[Any]:
        return self.m.keys()

    def values(self) -> Iterable[Any]:
        return self.m.values()

    def items(self) -> Iterable[tuple[Any, Any]]:
        return self.m.items()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other.__class__ is not Fn:
            return False
        mine, theirs = self._hash, other._hash
        if mine is not None and theirs is not None and mine != theirs:
            return False
        return bool(self.m == other.m)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.m.items()))
        return self._hash

    def __repr__(self) -> str:
        return format_value(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Fn, (self.m, self.record))


def make_function(mapping: Mapping[Any, Any]) -> tuple[Any, ...] | Fn:
    """The function with these pairs, in its one representation.

    The mapping is kept when it is a dict: the caller must not change it afterwards.
    """
    size = len(mapping)
    if size == 0:
        return ()
    if 1 in mapping and all(index in mapping for index in range(1, size + 1)):
        return tuple([mapping[index] for index in range(1, size + 1)])
    return Fn(mapping if type(mapping) is dict else dict(mapping))


class _Numbers(LazySet):
    __slots__ = ("least", "name")

    def __init__(self, name: str, least: int | None) -> None:
        self.name = name
        self.least = least

    @property
    def text(self) -> str:
        return self.name

    def same(self, other: Any) -> bool | None:
        return self is other

    def contains(self, value: Any) -> bool:
        if value.__class__ is int:
            return self.least is None or value >= self.least
        if value.__class__ is ModelValue:
            return False
        raise EvaluationError(f"cannot ask whether {format_value(value)} is in {self.text}: it is not an integer")


class _Strings(LazySet):
    __slots__ = ()

    @property
    def text(self) -> str:
        return "STRING"

    def contains(self, value: Any) -> bool:
        if value.__class__ is str:
            return True
        if value.__class__ is ModelValue:
            return False
        raise EvaluationError(f"cannot ask whether {format_value(value)} is in STRING: it is not a string")


NAT: Final = _Numbers("Nat", 0)
INT: Final = _Numbers("Int", None)
STRING: Final = _Strings()


# --- equality ---------------------------------------------------------------------------------


def _kind(value: Any) -> str:
    if isinstance(value, int):
        return "the integer"
    if isinstance(value, str):
        return "the string"
    if isinstance(value, Bool):
        return "the Boolean"
    if isinstance(value, ModelValue):
        return "the model value"
    if isinstance(value, (frozenset, LazySet)):
        return "the set"
    return "the function"


def _refuse(left: Any, right: Any) -> EvaluationError:
    return EvaluationError(
        f"cannot compare {_kind(left)} {format_value(left)} with {_kind(right)} {format_value(right)}"
    )


def equal(left: Any, right: Any) -> bool:
    """Whether two values are equal; an `EvaluationError` where TLC cannot compare them."""
    if left is right:
        return True
    a, b = left.__class__, right.__class__
    if a is b:
        if a is int or a is str:
            return bool(left == right)
        if a is Bool:
            return False
        if a is ModelValue:
            return _equal_model_values(left, right)
        if a is tuple:
            return _equal_tuples(left, right)
        if a is frozenset:
            return _equal_sets(left, right)
        if a is Fn:
            return _equal_functions(left, right)
    if a is ModelValue or b is ModelValue:
        return _equal_model_values(left, right)
    functions = (tuple, Fn)
    if a in functions and b in functions:
        return _equal_functions(left, right)
    # TLC takes a string for the sequence of its characters where a sequence stands on its left.
    if a is tuple and b is str:
        return _equal_tuples(left, tuple(right))
    sets = (LazySet, frozenset)
    if isinstance(left, sets) and isinstance(right, sets):
        if isinstance(left, LazySet) and a is b and (same := left.same(right)) is not None:
            return same
        return equal(_listed(left), _listed(right))
    raise _refuse(left, right)


def _equal_model_values(left: Any, right: Any) -> bool:
    """FALSE, as they are not identical; a typed one, of a name like ``p_x``, is compared with its own type only."""
    one, other = (value.type if value.__class__ is ModelValue else None for value in (left, right))
    for mine, its in ((one, other), (other, one)):
        if mine and mine != its and its != "":
            raise _refuse(left, right)
    return False


def _listed(value: Any) -> frozenset[Any]:
    return value.listed() if isinstance(value, LazySet) else value


def _equal_tuples(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    if len(left) != len(right):
        return False
    if left == right:
        return True
    return all(equal(a, b) for a, b in zip(left, right, strict=True))


def _equal_sets(left: frozenset[Any], right: frozenset[Any]) -> bool:
    if len(left) != len(right):
        return False
    if left == right:
        return True
    one, other = next(iter(left)), next(iter(right))
    if one.__class__ is other.__class__ and (one.__class__ is int or one.__class__ is str):
        return False
    # TLC compares in order and stops at the first difference: that pair decides whether it refuses.
    return all(equal(a, b) for a, b in zip(sorted_values(left), sorted_values(right), strict=True))


def _equal_functions(left: Any, right: Any) -> bool:
    """Pair by pair in the order of the arguments: the first difference decides, and what cannot be compared refuses."""
    one, other = _pairs(left), _pairs(right)
    if left.__class__ is Fn and left.record and not _is_record(right):
        raise _refuse(left, right)
    if len(one) != len(other):
        return False
    if left == right:
        return True
    if one.keys() == other.keys():
        # The first difference decides whether TLC refuses; what is equal in Python it never refuses.
        differing = [key for key, value in one.items() if value is not other[key] and value != other[key]]
        first = differing[0] if len(differing) == 1 else sorted_values(differing)[0]
        return equal(one[first], other[first])
    for a, b in zip(sorted_values(one), sorted_values(other), strict=True):
        if not equal(a, b) or not equal(one[a], other[b]):
            return False
    return True


def _is_record(function: Any) -> bool:
    if function.__class__ is tuple:
        return not function
    return function.record or all(key.__class__ is str for key in function.m)


def _pairs(function: Any) -> dict[Any, Any]:
    return dict(enumerate(function, start=1)) if function.__class__ is tuple else function.m


def comparable(left: Any, right: Any) -> bool:
    """Whether TLC can tell the two values apart or find them equal."""
    try:
        equal(left, right)
    except EvaluationError:
        return False
    return True


# --- order ------------------------------------------------------------------------------------

Rank = Callable[[str], Any]


def sort_key(value: Any, rank: Rank = str) -> tuple[Any, ...]:
    """A key that orders all values: by kind, then as TLC does within a kind; ``rank`` orders strings and names."""
    kind = value.__class__
    if kind is int:
        return (2, value)
    if kind is str:
        return (3, rank(value))
    if kind is Bool:
        return (1, int(value.truth))
    if kind is ModelValue:
        return (0, rank(value.name))
    if kind is frozenset:
        return (4, len(value), tuple(sorted([sort_key(element, rank) for element in value])))
    if kind is tuple:
        return (5, len(value), tuple([part for i, x in enumerate(value, 1) for part in ((2, i), sort_key(x, rank))]))
    if kind is Fn:
        pairs = sorted([(sort_key(key, rank), sort_key(item, rank)) for key, item in value.m.items()])
        return (5, len(pairs), tuple([part for pair in pairs for part in pair]))
    if isinstance(value, LazySet):
        return (9, value.text)
    raise TypeError(f"{value!r} is not a TLA+ value")


def sorted_values(values: Iterable[Any], rank: Rank = str) -> list[Any]:
    """The values in their total order."""
    listed = list(values)
    if len(listed) < 2:
        return listed
    kinds = {value.__class__ for value in listed}
    if kinds == {int}:
        listed.sort()
    elif kinds == {str}:
        listed.sort(key=rank)
    else:
        listed.sort(key=lambda value: sort_key(value, rank))
    return listed


# --- text -------------------------------------------------------------------------------------


def _is_name(text: str) -> bool:
    return text.isascii() and text.replace("_", "a").isalnum() and any(c.isalpha() for c in text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r").replace("\f", "\\f") + '"'


def format_value(value: Any, rank: Rank = str) -> str:
    """The value in TLA+ syntax; equal values give equal texts."""
    kind = value.__class__
    if kind is str:
        return _quoted(value)
    if kind is frozenset:
        return "{" + ", ".join([format_value(element, rank) for element in sorted_values(value, rank)]) + "}"
    if kind is tuple:
        return "<<" + ", ".join([format_value(element, rank) for element in value]) + ">>"
    if kind is Fn:
        pairs = [(key, format_value(value.m[key], rank)) for key in sorted_values(value.m, rank)]
        if all(key.__class__ is str and _is_name(key) for key, _ in pairs):
            return "[" + ", ".join([f"{key} |-> {item}" for key, item in pairs]) + "]"
        return "(" + " @@ ".join([f"{format_value(key, rank)} :> {item}" for key, item in pairs]) + ")"
    return repr(value)
