"""What the parameters of an action range over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from conformance.tla.values import Fn

if TYPE_CHECKING:
    from conformance.tla.model import Model

__all__ = ["domains_of", "greatest_number"]

_domains: WeakKeyDictionary[Model, dict[str, tuple[Any, ...]]] = WeakKeyDictionary()


def domains_of(model: Model, action: str) -> tuple[Any, ...]:
    """For each parameter the set that it is taken from; None where that depends on the state."""
    known = _domains.setdefault(model, {})
    if action not in known:
        domains = model.actions[action].domains
        known[action] = tuple(None if domain is None else domain.value() for domain in domains)
    return known[action]


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
