"""What generated source goes through: the elements of sets, the numbers of intervals, the choices of several names.

Two rules:

1. What is only gone through may be as large as it likes; what is kept is refused where
   it is larger than TLC, or a machine, bears.
2. Every order is TLC's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from itertools import chain, islice, product
from typing import Any, Final, TypeVar

from conformance.tla.compile.runtime import fail, it, shown
from conformance.tla.values import MOST_LISTED, TOO_LARGE, LazySet

__all__ = ["every", "few", "members", "rng", "span", "turned", "turns"]

_MOST_NUMBERS: Final = 4_000_000
"""How many numbers of an interval are listed; TLC keeps the ends alone."""
_MOST_TURNED: Final = 100_000
_Sized = TypeVar("_Sized", bound=Sized)


def few(elements: _Sized, loc: int) -> _Sized:
    """The elements of a set to be made, unless there are more than TLC makes."""
    if len(elements) > MOST_LISTED:
        fail(TOO_LARGE, loc)
    return elements


def members(s: Any, loc: int) -> Iterable[Any]:
    """The elements of a set, each of which is kept."""
    if isinstance(s, LazySet) and s.large():
        fail(TOO_LARGE, loc)
    return it(s, loc)


def rng(low: Any, high: Any, loc: int) -> range:
    if low.__class__ is int and high.__class__ is int:
        return range(low, high + 1)
    fail(f"{shown(low)}..{shown(high)} needs integers", loc)


def span(low: Any, high: Any, loc: int) -> range:
    """The numbers of an interval, all of which are kept."""
    numbers = rng(low, high, loc)
    if len(numbers) > _MOST_NUMBERS:
        fail(f"an interval of more than {_MOST_NUMBERS} numbers is not listed; ask for membership alone", loc)
    return numbers


def turns(*sets: Iterable[Any]) -> Iterable[tuple[Any, ...]]:
    """Every choice of one element from each set, the last set's first; the first set's changes fastest."""
    return product(*reversed(sets))


def turned(rows: Iterable[Any]) -> Iterable[Any]:
    """The first, and then the others from the last one backwards, unless they are too many to be kept."""
    waiting = iter(rows)
    listed = list(islice(waiting, _MOST_TURNED + 1))
    return listed[:1] + listed[:0:-1] if len(listed) <= _MOST_TURNED else chain(listed, waiting)


def every(rows: Sequence[Any], *asks: Callable[..., Iterable[tuple[Any, ...]]]) -> Iterator[tuple[Any, ...]]:
    """Once for each way to take all rows, one after the other.

    A way is the number of who is asked next, and what is handed over beside the row.
    """
    if not rows:
        yield (0,)
        return
    asked = [iter(asks[0](rows[0]))]
    while asked:
        way = next(asked[-1], None)
        if way is None:
            asked.pop()
        elif len(asked) == len(rows):
            yield way
        else:
            asked.append(iter(asks[way[0]](rows[len(asked)], *way[1:])))
