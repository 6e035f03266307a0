"""TLA+ values survive JSON, and only one JSON is written for a value (CASES 71)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.tla.values import FALSE, TRUE, make_function, model_value
from conformance.trace.errors import TraceError
from conformance.trace.strict import dump, load
from conformance.trace.values import decode, encode

PLAIN = st.one_of(
    st.integers(-(2**70), 2**70),
    st.text(st.characters(codec="utf-8")),
    st.sampled_from(["p1", "#set"]),
    st.sampled_from([TRUE, FALSE]),
)
ATOMS = PLAIN | st.sampled_from(["m1", "m2"]).map(model_value)


def made_of(atoms: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of every kind over the atoms."""
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.frozensets(inner, max_size=3),
            st.lists(inner, max_size=3).map(tuple),
            st.dictionaries(inner, inner, max_size=3).map(make_function),
        ),
        max_leaves=8,
    )


VALUES = made_of(ATOMS)


@given(VALUES)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert decode(load(dump(encode(value)).encode())) == value


@given(st.dictionaries(VALUES, ATOMS, max_size=4))
def test_the_order_in_which_a_function_was_made_does_not_show(pairs: dict[Any, Any]) -> None:
    backwards = dict(reversed(pairs.items()))

    assert dump(encode(make_function(pairs))) == dump(encode(make_function(backwards)))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (2**53, '{"#bigint":"9007199254740992"}'),
        (TRUE, "true"),
        ("é", '"é"'),
        ((1, "a"), '[1,"a"]'),
        ((), "[]"),
        (frozenset({2, 1}), '{"#set":[1,2]}'),
        (make_function({"b": 1, "a": ()}), '{"a":[],"b":1}'),
        (make_function({("h", "q"): TRUE}), '{"#map":[[["h","q"],true]]}'),
        (make_function({0: "x"}), '{"#map":[[0,"x"]]}'),
        (make_function({"#set": 1}), '{"#map":[["#set",1]]}'),
        (model_value("m"), '{"#mv":"m"}'),
    ],
)
def test_each_kind_of_value_has_its_form(value: Any, text: str) -> None:
    assert dump(encode(value)) == text


def test_a_function_on_the_string_zero_keeps_its_string() -> None:
    assert decode(load(b'{"0":true}')) == make_function({"0": TRUE})


def test_the_empty_object_is_the_empty_sequence() -> None:
    assert decode(load(b"{}")) == decode(load(b"[]")) == ()


def test_a_large_number_keeps_its_digits() -> None:
    assert decode(load(b"9007199254740993")) == 9007199254740993


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("null", "null is no TLA"),
        ("1.5", "numbers are integers"),
        ("1e3", "numbers are integers"),
        ('{"#set":[1,1]}', "lists an element twice"),
        ('{"#map":[[1,2],[1,3]]}', "has a key twice"),
        ('{"#map":[[1]]}', "list of pairs"),
        ('{"#tup":[1]}', "#tup with this content is not known"),
        ('{"#set":[],"a":1}', "has no other names"),
        ('{"#bigint":"01"}', "without leading zeros|no leading zeros"),
        ('{"#bigint":"' + "9" * 101 + '"}', "at most 100 digits"),
        ('{"#mv":1}', "#mv with this content is not known"),
    ],
)
def test_what_is_no_value_is_refused(text: str, said: str) -> None:
    with pytest.raises(TraceError, match=said):
        decode(load(text.encode()))


def test_a_value_of_python_alone_is_not_written() -> None:
    with pytest.raises(TraceError, match="not a value that a trace can hold"):
        encode(True)
