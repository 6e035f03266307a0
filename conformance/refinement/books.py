"""What a run knows without asking the service: its ids, what its callers did and saw, and how the cluster changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from conformance.tla.values import make_function
from matching.membership import Membership

__all__ = ["Books", "Ids", "total"]


@attrs.frozen(eq=False)
class Ids:
    """The sets of ids over which functions are written; known by identity, for values are remembered by them."""

    hosts: tuple[str, ...]
    partitions: tuple[str, ...]
    polls: tuple[str, ...]
    tasks: tuple[str, ...]
    events: tuple[str, ...]


@attrs.define
class Books:
    """What the callers asked and what they saw, and what was changed in the cluster; the driver keeps them."""

    wanted: dict[str, tuple[str, str, str]] = attrs.field(factory=dict)
    expired: set[str] = attrs.field(factory=set)
    left: set[str] = attrs.field(factory=set)
    answer: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    queue: dict[str, tuple[str, str]] = attrs.field(factory=dict)
    arrived: dict[str, str] = attrs.field(factory=dict)
    added: dict[str, str] = attrs.field(factory=dict)
    carries: dict[str, tuple[str, int, int]] = attrs.field(factory=dict)
    hop: dict[str, tuple[Any, ...]] = attrs.field(factory=dict)
    """By the id of a hop: behalf, first, host, source, generation, origin, and what it carries."""
    came: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    """What came back to a hop, until its maker tells that it heard: how the poll ended; of an offer, one word."""
    clusters: list[str] = attrs.field(factory=list)
    owners: list[Membership] = attrs.field(factory=list)


def total(keys: Iterable[Any], known: Mapping[Any, Any], default: Any) -> Any:
    return make_function({key: known.get(key, default) for key in keys})
