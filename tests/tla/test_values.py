"""Values: one representation each, TLC's equality, one order, one text."""

import copy
import pickle
from typing import Any

import pytest

from conformance.tla.errors import EvaluationError
from conformance.tla.values import (
    FALSE,
    INT,
    NAT,
    STRING,
    TRUE,
    Fn,
    boolean,
    equal,
    format_value,
    make_function,
    model_value,
    sort_key,
)

A = model_value("a")


def test_a_function_on_one_to_n_is_a_sequence() -> None:
    """CASES 44."""
    assert make_function({1: "a", 2: "b"}) == ("a", "b")
    assert make_function({2: "b", 1: "a"}) == ("a", "b")
    assert make_function({}) == ()
    assert isinstance(make_function({0: 1}), Fn)
    assert isinstance(make_function({1: 1, 3: 1}), Fn)


def test_equal_functions_hash_equal_in_whatever_order_they_were_made() -> None:
    """CASES 44."""
    one, other = make_function({"a": 1, "b": 2}), make_function({"b": 2, "a": 1})

    assert one == other
    assert hash(one) == hash(other)


def test_a_truth_is_not_a_number() -> None:
    """CASES 42."""
    assert len({TRUE, 1, FALSE, 0}) == 4
    assert len({(TRUE,), (1,)}) == 2
    assert make_function({"x": TRUE}) != make_function({"x": 1})
    assert boolean(1 > 0) is TRUE


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (3, "a"),
        (TRUE, 1),
        ((), frozenset()),
        ("", ()),
        ((1, TRUE), (1, 2)),
        (frozenset((1,)), frozenset(("a",))),
        (make_function({"a": 1}), make_function({"a": "x"})),
        (make_function({"a": 1}), 1),
    ],
    ids=repr,
)
def test_values_of_different_kinds_cannot_be_compared(left: Any, right: Any) -> None:
    """CASES 42."""
    with pytest.raises(EvaluationError, match="cannot compare"):
        equal(left, right)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (A, 3, False),
        (A, "a", False),
        (A, A, True),
        ((1,), (1, "a"), False),
        (frozenset((1, 2)), frozenset(("a",)), False),
        ((), "", True),
        (make_function({1: 1}), (1,), True),
        (make_function({0: 1}), (1,), False),
        (make_function({"a": 1}), make_function({"b": "x"}), False),
    ],
    ids=repr,
)
def test_values_are_compared_as_tlc_compares_them(left: Any, right: Any, same: bool) -> None:
    """CASES 14, 42."""
    assert equal(left, right) is same


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (frozenset((3, 1, 2)), "{1, 2, 3}"),
        (frozenset((frozenset((3,)), frozenset(), frozenset((1, 2)))), "{{}, {3}, {1, 2}}"),
        (make_function({"b": 1, "a": TRUE}), "[a |-> TRUE, b |-> 1]"),
        (make_function({5: "x", 7: ()}), '(5 :> "x" @@ 7 :> <<>>)'),
        (make_function({"a b": 1}), '("a b" :> 1)'),
        (('say "no"', A, -1), '<<"say \\"no\\"", a, -1>>'),
        (frozenset((A, model_value("B"))), "{B, a}"),
        (NAT, "Nat"),
    ],
    ids=lambda part: part if isinstance(part, str) else "value",
)
def test_a_value_has_one_text(value: Any, text: str) -> None:
    assert format_value(value) == text


def test_sequences_are_ordered_by_length_first() -> None:
    assert sorted([(2,), (1, 1), ()], key=sort_key) == [(), (2,), (1, 1)]


def test_infinite_sets_are_asked_and_not_listed() -> None:
    assert NAT.contains(5)
    assert not NAT.contains(-1)
    assert INT.contains(-1)
    assert STRING.contains("x")
    with pytest.raises(EvaluationError, match="not an integer"):
        NAT.contains(TRUE)
    with pytest.raises(EvaluationError, match="cannot be enumerated"):
        NAT.elements()


def test_interned_values_survive_copies() -> None:
    value = (TRUE, A)

    assert copy.deepcopy(value)[1] is A
    assert pickle.loads(pickle.dumps(value))[0] is TRUE
