"""Which steps a state allows, instance by instance.

One rule: a parameter over an infinite set is tried with the numbers that the
state itself holds and the one after, which is every number that a guard of the
form ``g \\in …`` or ``n + 1`` can accept.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from conformance.tla.values import Fn, LazySet, sorted_values

if TYPE_CHECKING:
    from conformance.tla.model import Model, State, Step

__all__ = ["greatest_number", "steps_from"]


def steps_from(model: Model, state: State, names: Collection[str] | None = None) -> Iterator[tuple[Step, State]]:
    """Each allowed step with the state it leads to; only of the named actions, where names are given."""
    from conformance.tla.model import Step

    numbers = frozenset(range(greatest_number(state) + 2))
    for name, action in model.actions.items():
        if names is not None and name not in names:
            continue
        domains = [sorted_values(numbers if isinstance(domain, LazySet) else domain) for domain in action.domains]
        for args in itertools.product(*domains):
            for after in model.apply(name, args, state):
                yield Step(name, args), after


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
