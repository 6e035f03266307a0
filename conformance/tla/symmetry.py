"""States that count as one: by the least of a symmetry's images, by a view, or by both.

Four rules:

1. A symmetry is the group that the permutations of the configuration generate.
2. Of a state's images under the group the least stands for all of them; variables are
   compared in their order, so that what a view makes of the least image is settled too.
3. A view is evaluated in the least image, and its value stands for the state.
   TLC compares variables in an order of its own, by a hash table of the names in the
   module: under SYMMETRY and a VIEW that tells some of a state's images from others, its
   counts depend on that table, and may differ from those here.
4. What stands for a state only tells whether the state was met before: the state that
   was met first is kept, checked and followed as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from conformance.tla.asked import alone
from conformance.tla.atoms import ModelValue
from conformance.tla.errors import EvaluationError
from conformance.tla.model import Model
from conformance.tla.recall import Numbers, Remembered, Row
from conformance.tla.values import Fn, LazySet, Rank, format_value, make_function, sort_key, sorted_values

__all__ = ["Symmetry", "group_of", "standing_for"]

Permutation = Mapping[Any, Any]
_NOTHING: Final[frozenset[Any]] = frozenset()


def standing_for(model: Model, numbers: Numbers) -> Callable[[Row], Any] | None:
    """What stands for a state under the configuration's SYMMETRY and VIEW; None without either."""
    symmetry, view = model.config.symmetry, model.config.view
    rank = model.program.order.rank
    least = Symmetry(group_of(model.evaluate(symmetry)), numbers, rank).least if symmetry else None
    if view is None:
        return least
    value = alone(model.program, view, model.definition(view), truth=False)
    seen = Remembered(value, numbers, len(model.variables), remember=True)
    if least is None:
        return seen
    return lambda row: seen(least(row))


def group_of(permutations: Any) -> list[Permutation]:
    """All compositions of the functions in a set, each as a map of the values that it moves; the identity is first."""
    if not isinstance(permutations, (frozenset, LazySet)):
        raise EvaluationError(f"SYMMETRY is not a set of functions; it is {format_value(permutations)}")
    given = permutations if isinstance(permutations, frozenset) else permutations.elements()
    generators = [_moves(function) for function in sorted_values(given)]
    if not generators:
        raise EvaluationError("SYMMETRY is the empty set; it must hold a permutation")
    group: dict[frozenset[Any], Permutation] = {_NOTHING: {}}
    waiting = [move for move in generators if move]
    while waiting:
        permutation = waiting.pop()
        key = frozenset(permutation.items())
        if key not in group:
            group[key] = permutation
            waiting += [_composed(permutation, generator) for generator in generators]
    return list(group.values())


def _moves(function: Any) -> Permutation:
    pairs = list(function.items()) if isinstance(function, Fn) else []
    if not isinstance(function, Fn) and function != ():
        raise EvaluationError(f"SYMMETRY holds {format_value(function)}, which is no function of model values")
    if not all(isinstance(value, ModelValue) for pair in pairs for value in pair):
        raise EvaluationError(f"SYMMETRY holds {format_value(function)}; it must map model values to model values")
    return {value: image for value, image in pairs if value is not image}


def _composed(first: Permutation, second: Permutation) -> Permutation:
    images = {value: second.get(image, image) for value, image in first.items()}
    images |= {value: image for value, image in second.items() if value not in first}
    return {value: image for value, image in images.items() if value is not image}


class _Choice(dict[int, "tuple[int, _Choice]"]):
    """By a value its least image under some permutations, and the choice among those that reach it."""

    def __init__(self, members: tuple[int, ...]) -> None:
        super().__init__()
        self.members = members
        self.classes: dict[frozenset[Any], list[tuple[Permutation, list[int]]]] = {}
        """By the values that occur, the permutations that differ on them, and which members are alike there."""


class Symmetry:
    """A group of permutations of model values, and the least image of a state under it.

    One variable after another narrows the permutations that can still lead to the
    least image.  What a value's least image is, and which permutations reach it, is
    remembered by the value and by the permutations that were left.
    """

    def __init__(self, group: Iterable[Permutation], numbers: Numbers, rank: Rank = str) -> None:
        self._group = list(group)
        self._rank = rank
        self._numbers = numbers
        self._moved = _NOTHING.union(*self._group)
        whole = tuple(range(len(self._group)))
        self._all = _Choice(whole)
        self._choices: dict[tuple[int, ...], _Choice] = {whole: self._all}
        self._atoms: dict[Any, frozenset[Any]] = {}

    def least(self, row: Row) -> Row:
        """The least image of a state; the same for two states if an element of the group makes one of the other."""
        choice = self._all
        images: list[int] = []
        for number in row:
            found = choice.get(number)
            if found is None:
                found = choice[number] = self._choose(self._numbers.values[number], choice)
            image, choice = found
            images.append(image)
        return tuple(images)

    def _choose(self, value: Any, choice: _Choice) -> tuple[int, _Choice]:
        occurring = self._occurring(value)
        classes = choice.classes.get(occurring)
        if classes is None:
            classes = choice.classes[occurring] = self._divide(occurring, choice.members)
        images = [(self._image(value, permutation), members) for permutation, members in classes]
        least, reaching = images[0]
        if len(images) > 1:
            least = min((image for image, _ in images), key=lambda image: sort_key(image, self._rank))
            reaching = sorted(member for image, members in images if image == least for member in members)
        members = tuple(reaching)
        following = self._choices.get(members)
        if following is None:
            following = self._choices[members] = _Choice(members)
        return self._numbers.of(least), following

    def _divide(self, occurring: frozenset[Any], members: tuple[int, ...]) -> list[tuple[Permutation, list[int]]]:
        """The members in classes that do the same to the values that occur."""
        order = sorted_values(occurring)
        classes: dict[tuple[Any, ...], list[int]] = {}
        for member in members:
            permutation = self._group[member]
            classes.setdefault(tuple([permutation.get(value, value) for value in order]), []).append(member)
        return [
            ({value: image for value, image in zip(order, images, strict=True) if value is not image}, alike)
            for images, alike in classes.items()
        ]

    def _occurring(self, value: Any) -> frozenset[Any]:
        """The values that some permutation moves, wherever they are inside of a value."""
        kind = value.__class__
        if kind is ModelValue:
            return frozenset((value,)) if value in self._moved else _NOTHING
        if kind is not tuple and kind is not frozenset and kind is not Fn:
            return _NOTHING
        found = self._atoms.get(value)
        if found is None:
            parts: Iterable[Any] = value if kind is not Fn else (*value.m, *value.m.values())
            found = self._atoms[value] = _NOTHING.union(*map(self._occurring, parts))
        return found

    def _image(self, value: Any, permutation: Permutation) -> Any:
        kind = value.__class__
        if kind is ModelValue:
            return permutation.get(value, value)
        if not permutation or self._occurring(value).isdisjoint(permutation):
            return value
        if kind is tuple:
            return tuple([self._image(part, permutation) for part in value])
        if kind is frozenset:
            return frozenset([self._image(part, permutation) for part in value])
        return make_function(
            {self._image(key, permutation): self._image(item, permutation) for key, item in value.m.items()}
        )
