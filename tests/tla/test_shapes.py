"""Shapes: what has one shape is compared without a refusal, and what TLC refuses has none in common."""

import pytest

from conformance.tla.compile.shapes import alike, shape
from conformance.tla.values import FALSE, TRUE, comparable, make_function, model_value

ALIKE = [
    (1, 2),
    ("a", "b"),
    (TRUE, FALSE),
    ((1, 2), (1, 2, 3)),
    ((1, "a"), (2, "b")),
    (frozenset({1}), frozenset({2, 3})),
    (frozenset({(1, 2), (3, 4)}), frozenset({(1, 3)})),
    (make_function({"f": 1, "g": "a"}), make_function({"f": 2, "g": "b"})),
    (model_value("m"), model_value("n")),
]
APART = [
    (1, "a"),
    (1, TRUE),
    ((1, 2), (1, "a")),
    (frozenset({1}), frozenset({"a"})),
    (frozenset({(1,)}), frozenset({("a",)})),
    (make_function({"f": 1}), make_function({"f": "a"})),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_values_of_one_shape_can_be_compared(one: object, other: object) -> None:
    assert alike(one, other)
    assert comparable(one, other)


@pytest.mark.parametrize(("one", "other"), APART)
def test_values_that_cannot_be_compared_have_no_shape_in_common(one: object, other: object) -> None:
    assert not alike(one, other)
    assert not comparable(one, other)


@pytest.mark.parametrize("value", [(), frozenset(), (1, ()), frozenset({(), (1,)}), model_value("p_x")])
def test_a_value_that_is_compared_case_by_case_has_no_shape(value: object) -> None:
    assert shape(value) is None
