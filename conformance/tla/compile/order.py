"""The order in which one specification's sets are gone through: TLC's, as far as its text determines it.

Two rules:

1. Strings and model values are ordered as TLC meets their names; everything else as in
   `conformance.tla.values`.  The names are numbered when they are first needed.
2. A CHOOSE that more than one element satisfies, of which a name's place in the text
   decides, is noted: another tool, or another text, may choose otherwise.  Where the name
   does not stand in the text, TLC's own choice hangs on what it evaluated before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from conformance.tla.compile import runtime
from conformance.tla.compile.sets import SequenceSet
from conformance.tla.errors import EvaluationError
from conformance.tla.values import Fn, LazySet, ModelValue, format_value, sort_key, sorted_values

__all__ = ["Order"]

_LIMIT = 100_000
_WATCHED = 1_000
_UNNAMED: Final = frozenset((int,))


class Order:
    """The order of one program, and the places of its CHOOSEs that hang on it."""

    def __init__(self, number: Callable[[], dict[str, int]]) -> None:
        self._number = number
        self._numbers: dict[str, int] | None = None
        self._sorted: dict[frozenset[Any], tuple[Any, ...]] = {}
        self._watched: dict[int, int] = {}
        self.dependent: dict[int, None] = {}
        self.undetermined: dict[int, None] = {}

    def rank(self, name: str) -> tuple[int, Any]:
        """What a string or a model value's name is ordered by."""
        if self._numbers is None:
            self._numbers = self._number()
        number = self._numbers.get(name)
        return (0, number) if number is not None else (1, name)

    def sorted(self, values: Iterable[Any]) -> list[Any]:
        return sorted_values(values, self.rank)

    def it(self, s: Any, loc: int) -> Iterable[Any]:
        """The elements in order; sorted orders are remembered, because the same sets come again and again."""
        if s.__class__ is frozenset:
            if len(s) < 2:
                return s
            found = self._sorted.get(s)
            if found is None:
                if len(self._sorted) >= _LIMIT:
                    self._sorted.clear()
                found = self._sorted[s] = tuple(self.sorted(s))
            return found
        if isinstance(s, LazySet) and not isinstance(s, SequenceSet):
            # A constant set is asked for its elements again and again.
            kept = getattr(s, "order", None)
            if kept is None or kept[0] is not self:
                if s.large():
                    return s.elements()
                kept = s.order = (self, tuple(self.sorted(runtime.listed(s, loc))))
            return kept[1]
        return runtime.it(s, loc)

    def choose(self, candidates: Iterator[Any], loc: int) -> Any:
        """The first candidate; one that another could have stood before is noted by its place."""
        for value in candidates:
            if value.__class__ not in _UNNAMED and loc not in self.dependent:
                self._watch(value, candidates, loc)
            return value
        runtime.fail("CHOOSE finds no element that satisfies its predicate", loc)

    def to_string(self, value: Any, loc: int) -> str:
        return format_value(runtime.fc(value, loc), self.rank)

    def _watch(self, value: Any, candidates: Iterator[Any], loc: int) -> None:
        times = self._watched[loc] = self._watched.get(loc, 0) + 1
        if times > _WATCHED or next(_names(value), None) is None:
            return
        try:
            other = next(candidates, None)
        except (EvaluationError, RecursionError):
            return
        if other is not None and _by_name(sort_key(value, _Name), sort_key(other, _Name)):
            self.dependent[loc] = None
            if self._numbers is not None and not all(name in self._numbers for name in _names(value)):
                self.undetermined[loc] = None


class _Name(str):
    """A string that stands for its place in the text: its own characters say nothing of the order."""


def _names(value: Any) -> Iterator[str]:
    """Every string and every name of a model value in a value."""
    kind = value.__class__
    if kind is str:
        yield value
    elif kind is ModelValue:
        yield value.name
    elif kind is tuple or kind is frozenset:
        for part in value:
            yield from _names(part)
    elif kind is Fn:
        for key, part in value.m.items():
            yield from _names(key)
            yield from _names(part)


def _by_name(left: Any, right: Any) -> bool:
    """Whether the first difference of two keys lies in a name."""
    if left.__class__ is _Name or right.__class__ is _Name:
        return bool(left != right)
    if left.__class__ is not tuple or right.__class__ is not tuple:
        return False
    for a, b in zip(left, right, strict=False):
        if a != b:
            return _by_name(a, b)
    return False
