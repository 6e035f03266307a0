"""Which steps a state allows, instance by instance.

One rule: a parameter over an infinite set is tried with the numbers that the
state itself holds and the one after, which is every number that a guard of the
form ``g \\in …`` or ``n + 1`` can accept.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from conformance.tla.values import Fn, LazySet, sorted_values

if TYPE_CHECKING:
    from conformance.tla.model import Model, State, Step

__all__ = ["domains_of", "greatest_number", "steps_from"]


def domains_of(model: Model, action: str) -> tuple[Any, ...]:
    """For each parameter the set that it is taken from; None where that depends on the state."""
    known = _domains.setdefault(model, {})
    if action not in known:
        domains = model.actions[action].domains
        known[action] = tuple(None if domain is None else domain.value() for domain in domains)
    return known[action]


_domains: WeakKeyDictionary[Model, dict[str, tuple[Any, ...]]] = WeakKeyDictionary()


def steps_from(model: Model, state: State, names: Collection[str] | None = None) -> Iterator[tuple[Step, State]]:
    """Each allowed step with the state it leads to; only of the named actions, where names are given."""
    from conformance.tla.model import Step

    numbers = frozenset(range(greatest_number(state) + 2))
    dependent: set[str] = set()
    apply = applied(model)
    for name in model.actions:
        if names is not None and name not in names:
            continue
        domains = domains_of(model, name)
        if any(domain is None for domain in domains):
            dependent.add(name)
            continue
        listed = [sorted_values(numbers if isinstance(domain, LazySet) else domain) for domain in domains]
        for args in itertools.product(*listed):
            for after in apply(name, args, state):
                yield Step(name, args), after
    if dependent:
        yield from (pair for pair in model.successors(state) if pair[0].action in dependent)


def applied(model: Model) -> Callable[[str, tuple[Any, ...], State], list[State]]:
    """Scaffold until Model.apply is there."""
    if hasattr(model, "apply"):
        return model.apply  # type: ignore

    def apply(name, args, state):  # type: ignore
        found = []
        for branch in model.actions[name].branches:
            for given, following in model.program.follow(branch)(state):
                if given == args and following not in found:
                    found.append(following)
        return found

    return apply


def greatest_number(value: Any) -> int:
    """The greatest number anywhere in a value; 0 where there is none."""
    kind = value.__class__
    if kind is int:
        return int(value)
    if kind is tuple or kind is frozenset or kind is list:
        return max(map(greatest_number, value), default=0)
    if kind is Fn:
        return max((max(greatest_number(key), greatest_number(item)) for key, item in value.m.items()), default=0)
    return 0
