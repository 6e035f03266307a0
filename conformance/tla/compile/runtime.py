"""What generated source calls: equality, membership, sets, and what is lazy.

Two rules:

1. Each operation refuses what TLC refuses, with the place it was given; it
   never answers FALSE for what has no answer.
2. Whatever is kept (in a set, a function, a state) was forced first: a lazy
   set or function lives only while one expression is evaluated.  A function over
   an infinite domain may stand in another function, but never in a set or a state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from conformance.tla.compile.reader import Reader
from conformance.tla.compile.shapes import alike, shape
from conformance.tla.errors import EvaluationError, Location, UnassignedError
from conformance.tla.values import (
    FALSE,
    MOST_LISTED,
    TOO_LARGE,
    TRUE,
    Bool,
    Fn,
    LazySet,
    ModelValue,
    equal,
    format_value,
    make_function,
    sorted_values,
)

__all__ = ["LazyFn", "Partial", "Thunk", "fail", "locate"]

_places: list[Location] = []
_place_index: dict[Location, int] = {}
_order: dict[frozenset[Any], tuple[Any, ...]] = {}
_ORDER_LIMIT = 100_000


def locate(place: Location) -> int:
    """The number by which generated source names a place."""
    found = _place_index.get(place)
    if found is None:
        found = _place_index[place] = len(_places)
        _places.append(place)
    return found


def place(number: int) -> Location:
    return _places[number]


def fail(message: str, loc: int) -> NoReturn:
    raise EvaluationError(message, _places[loc] if loc >= 0 else None)


def shown(value: Any) -> str:
    text = format_value(value)
    return text if len(text) <= 200 else text[:197] + "..."


class Thunk:
    """An argument that is evaluated when it is first needed, and once."""

    __slots__ = ("make", "value")

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make: Callable[[], Any] | None = make
        self.value: Any = None

    def __call__(self) -> Any:
        make = self.make
        if make is not None:
            self.value = make()
            self.make = None
        return self.value


class LazyFn:
    """A function given by its rule: over an infinite domain, or recursive."""

    __slots__ = ("domain", "known", "rule")

    def __init__(self, domain: Any, rule: Callable[[LazyFn], Callable[[Any], Any]]) -> None:
        self.domain = domain
        self.known: dict[Any, Any] = {}
        self.rule = rule(self)

    def apply(self, key: Any, loc: int) -> Any:
        known = self.known
        if key in known:
            return known[key]
        value = known[key] = self.rule(among(key, self.domain, loc))
        return value

    def changed(self, key: Any, value: Any) -> LazyFn:
        """The same function but for one argument."""
        made = LazyFn(self.domain, lambda _: lambda other: self.apply(other, -1))
        made.known[key] = value
        return made

    def forced(self) -> Any:
        """The function pair by pair, or itself where its domain is infinite."""
        if isinstance(self.domain, LazySet) and not self.domain.finite():
            return self
        return self.listed()

    def __hash__(self) -> int:
        raise EvaluationError(f"{self!r} is a function over an infinite set; it can be kept in no set and no state")

    def listed(self) -> Any:
        return make_function({key: self.apply(key, -1) for key in it(self.domain, -1)})

    def __repr__(self) -> str:
        return f"[x \\in {self.domain!r} |-> ...]"


class Partial(tuple[Any, ...]):
    """A successor state of which some variables are not known yet."""

    names: tuple[str, ...]

    def __getitem__(self, index: Any) -> Any:
        value = tuple.__getitem__(self, index)
        if value is None:
            raise EvaluationError(f"{self.names[index]}' is used before it is given a value")
        return value


def partial(values: tuple[Any, ...], names: tuple[str, ...]) -> Partial:
    made = Partial(values)
    made.names = names
    return made


def unset(name: str, loc: int) -> NoReturn:
    fail(f"{name}' is used before it is given a value", loc)


def unassigned(names: str, action: str) -> NoReturn:
    raise UnassignedError(f"the action {action} gives no value to {names}; add it to UNCHANGED or assign it")


_FIRM = frozenset((int, str, Bool, ModelValue, Fn, tuple, frozenset))

# --- forcing and booleans ---------------------------------------------------------------------


def fc(value: Any, loc: int = -1) -> Any:
    """The value itself, or the finite set or function that a lazy one stands for."""
    kind = value.__class__
    if kind in _FIRM:
        return value
    if kind is LazyFn:
        return value.forced()
    return listed(value, loc) if isinstance(value, LazySet) else value


def listed(value: LazySet, loc: int) -> frozenset[Any]:
    try:
        return value.listed()
    except EvaluationError as error:
        if error.location is None and loc >= 0:
            error.location = _places[loc]
        raise


def bl(value: Any, loc: int) -> bool:
    if value is TRUE:
        return True
    if value is FALSE:
        return False
    fail(f"TRUE or FALSE is needed here, and the value is {shown(value)}", loc)


# --- equality and membership ------------------------------------------------------------------


def eq(a: Any, b: Any, loc: int) -> bool:
    if a is b:
        return True
    kind = a.__class__
    if kind is b.__class__:
        if kind is str or kind is int:
            return a == b  # type: ignore[no-any-return]
        if (kind is tuple or kind is frozenset) and len(a) != len(b):
            return False
        # Equal in Python is equal in TLA+; what differs is asked again in TLC's order.
        if kind in _FIRM and a == b:
            return True
        if (kind is tuple or kind is frozenset) and alike(a, b):
            return False
    try:
        if isinstance(a, LazySet) and isinstance(b, LazySet):
            return equal(a, b)
        return equal(fc(a, loc), fc(b, loc))
    except EvaluationError as error:
        if error.location is None and loc >= 0:
            error.location = _places[loc]
        raise


def same(now: Any, then: Any, index: int, loc: int) -> bool:
    """Whether a variable has the same value in two states; the next one notes nothing while it is being worked out."""
    if then.__class__ is Reader:
        return now.keeps(index) or eq(then.unnoted(index), now.unnoted(index), loc)
    before, after = now[index], then[index]
    return after is before or eq(after, before, loc)


def mem(x: Any, s: Any, loc: int) -> bool:
    if s.__class__ is frozenset:
        if not s:
            return False
        if x in s:
            return True
        if x.__class__ not in _FIRM:
            return mem(fc(x, loc), s, loc)
        one = next(iter(s))
        kind = x.__class__
        if kind is one.__class__ and (kind is str or kind is int or kind is ModelValue):
            return False
        found = shape(s)
        if found is not None and found[1] == shape(x):
            return False
        # A model value equals nothing else and is comparable with everything: ask another element.
        one = next((y for y in it(s, loc) if y.__class__ is not ModelValue), one)
        if kind is str and one.__class__ is tuple:
            return any(eq(y, x, loc) for y in it(s, loc))
        eq(one, x, loc)
        return False
    if isinstance(s, LazySet):
        try:
            return s.contains(fc(x, loc))
        except EvaluationError as error:
            if error.location is None and loc >= 0:
                error.location = _places[loc]
            raise
    fail(f"{shown(s)} is not a set, and membership in it is asked", loc)


def mem_enum(x: Any, elements: tuple[Any, ...], loc: int) -> bool:
    return any(eq(element, x, loc) for element in elements)


def mem_range(x: Any, low: Any, high: Any, loc: int) -> bool:
    if x.__class__ is int and low.__class__ is int and high.__class__ is int:
        return bool(low <= x <= high)
    if x.__class__ is ModelValue:
        return False
    fail(f"cannot ask whether {shown(x)} is in {shown(low)}..{shown(high)}", loc)


_SCALARS = frozenset((int, str, ModelValue))


def mkset(elements: list[Any], loc: int) -> frozenset[Any]:
    """The set of these elements, refused if they cannot be told apart.

    A sequence that stands behind the string of its characters is that string, as TLC has it.
    """
    made = frozenset(elements)
    if len(made) < 2:
        return made
    if len(elements) > MOST_LISTED:
        fail(TOO_LARGE, loc)
    kinds = {element.__class__ for element in made}
    kinds.discard(ModelValue)
    if len(kinds) < 2 and kinds <= _SCALARS:
        return made
    plain = [element for element in elements if element.__class__ is not ModelValue]
    if len(kinds) > 1 or len(plain) <= 8:
        told_apart(plain, loc)
        if tuple in kinds and str in kinds:
            return made - {tuple(element) for element in plain if element.__class__ is str}
    return made


def told_apart(elements: list[Any], loc: int) -> None:
    """Refuse elements of a set that cannot be compared with its first."""
    first = elements[0]
    for other in elements[1:]:
        eq(other, first, loc)


def cup(a: Any, b: Any, loc: int) -> Any:
    if a.__class__ is frozenset and b.__class__ is frozenset:
        if not a or not b:
            return a or b
        made = a | b
        _first_pair(a, b, loc)
        return made
    return _lazy_pair("\\cup", a, b, loc)


def cap(a: Any, b: Any, loc: int) -> Any:
    if a.__class__ is frozenset and b.__class__ is frozenset:
        if a and b:
            _first_pair(a, b, loc)
        return a & b
    if a.__class__ is frozenset:
        return frozenset([x for x in a if mem(x, b, loc)])
    if b.__class__ is frozenset:
        return frozenset([x for x in b if mem(x, a, loc)])
    return _lazy_pair("\\cap", a, b, loc)


def diff(a: Any, b: Any, loc: int) -> Any:
    if a.__class__ is frozenset:
        if b.__class__ is frozenset:
            if a and b:
                _first_pair(a, b, loc)
            return a - b
        return frozenset([x for x in a if not mem(x, b, loc)])
    return _lazy_pair("\\", a, b, loc)


def _first_pair(a: frozenset[Any], b: frozenset[Any], loc: int) -> None:
    """Whether the two sets can be told apart: asked of one element each, the first where it matters."""
    x, y = next(iter(a)), next(iter(b))
    if (x.__class__ is not y.__class__ or x.__class__ not in _SCALARS) and not alike(a, b):
        eq(_first(a, loc), _first(b, loc), loc)


def _first(s: frozenset[Any], loc: int) -> Any:
    """The least element that is not a model value: a model value is comparable with everything."""
    elements = it(s, loc)
    return next((y for y in elements if y.__class__ is not ModelValue), next(iter(elements)))


def subseteq(a: Any, b: Any, loc: int) -> bool:
    if a.__class__ is frozenset and b.__class__ is frozenset:
        if a <= b:
            return True
        if a and b:
            _first_pair(a, b, loc)
        return False
    from conformance.tla.compile.sets import PowerSet

    if isinstance(a, PowerSet) and isinstance(b, PowerSet):
        return subseteq(a.base, b.base, loc)
    return all(mem(x, b, loc) for x in it(a, loc))


def _lazy_pair(operator: str, a: Any, b: Any, loc: int) -> Any:
    from conformance.tla.compile.sets import Pair

    for side in (a, b):
        if side.__class__ is not frozenset and not isinstance(side, LazySet):
            fail(f"{operator} needs sets, and {shown(side)} is not one", loc)
    return Pair(operator, a, b)


def it(s: Any, loc: int) -> Iterable[Any]:
    """The elements in order; sorted orders are remembered, because the same sets come again and again."""
    if s.__class__ is frozenset:
        if len(s) < 2:
            return s
        found = _order.get(s)
        if found is None:
            if len(_order) >= _ORDER_LIMIT:
                _order.clear()
            found = _order[s] = tuple(sorted_values(s))
        return found
    if isinstance(s, LazySet):
        return s.elements() if s.large() else it(listed(s, loc), loc)
    fail(f"{shown(s)} is not a set, and its elements are asked for", loc)


def among(value: Any, domain: Any, loc: int) -> Any:
    """The argument of a function, forced and in its domain."""
    key = fc(value, loc)
    if not mem(key, domain, loc):
        fail(f"the function is applied to {shown(key)}, which is not in its domain", loc)
    return key


def bigunion(s: Any, loc: int) -> frozenset[Any]:
    made: Any = frozenset()
    found = shape(s)
    if found is not None and found[1].__class__ is tuple and found[1][0] == "set":
        return made.union(*s)  # type: ignore[no-any-return]
    for part in it(s, loc):
        made = cup(made, fc(part, loc), loc)
    return made  # type: ignore[no-any-return]
