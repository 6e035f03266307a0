"""What the runs of a model have been through, so that a step that comes again is not judged again.

Three rules:

1. A place is a state in which every invariant was asked and holds; a way leads from
   place to place, and the step along it was allowed and kept every step property.
2. A way answers only for exactly what was shown when it was judged; whatever else is
   shown is judged anew.
3. Nothing is remembered of a step that was refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import attrs

if TYPE_CHECKING:
    from conformance.tla.model import Model, State

__all__ = ["Memory", "Place", "Way", "memory_of"]

MOST_PLACES: Final = 100_000
MOST_VALUES: Final = 200_000


@attrs.define(eq=False)
class Way:
    """A step that was judged: what it showed, and where it leads."""

    shown: Mapping[str, Any]
    goal: Place


@attrs.define(eq=False)
class Place:
    """A state that keeps every invariant, with what was found out about it."""

    state: State
    ways: dict[tuple[str, tuple[Any, ...]], Way] = attrs.field(factory=dict)
    quiet: set[frozenset[str]] = attrs.field(factory=set)
    """Those sets of actions without which nothing is owed here."""


class Memory:
    """The places of a model, for runs that show the same variables."""

    def __init__(self, model: Model) -> None:
        self._beginnings: tuple[State, ...] | None = None
        self._model = model
        self._places: dict[tuple[int, ...], Place] = {}
        self._values: dict[Any, Any] = {}

    def beginnings(self) -> tuple[State, ...]:
        """The initial states, each once."""
        if self._beginnings is None:
            self._beginnings = tuple(dict.fromkeys(map(self.same_objects, self._model.initial_states())))
        return self._beginnings

    def same_objects(self, state: State, before: State | None = None) -> State:
        """The state, made of values that were met before; what stands in ``before`` was."""
        values = self._values
        if len(values) > MOST_VALUES:
            # A place is found by the identity of its values.
            values.clear()
            self._places.clear()
            before = None
        if before is None:
            return tuple([values.setdefault(now, now) for now in state])
        pairs = zip(state, before, strict=True)
        return tuple([now if now is was else values.setdefault(now, now) for now, was in pairs])

    def find(self, state: State) -> Place | None:
        """The place of a state, if it was judged before; the state is of `same_objects`."""
        return self._places.get(tuple(map(id, state)))

    def place(self, state: State) -> Place:
        """The place of a state that keeps every invariant; the state is of `same_objects`."""
        key = tuple(map(id, state))
        found = self._places.get(key)
        if found is None:
            if len(self._places) >= MOST_PLACES:
                self._places.clear()
            found = self._places[key] = Place(state)
        return found


_memories: WeakKeyDictionary[Model, dict[tuple[str, ...], Memory]] = WeakKeyDictionary()


def memory_of(model: Model, observed: tuple[str, ...]) -> Memory:
    """The memory of a model for runs that show these variables; it lives as long as the model."""
    of_model = _memories.setdefault(model, {})
    found = of_model.get(observed)
    if found is None:
        found = of_model[observed] = Memory(model)
    return found
