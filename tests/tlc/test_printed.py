"""Values and states as TLC prints them."""

import pytest

from conformance.tla.printed import UnreadableValueError, parse_state, parse_value
from conformance.tla.values import FALSE, TRUE, Value, make_function, model_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1..3", frozenset({1, 2, 3})),
        ("-1..1", frozenset({-1, 0, 1})),
        ("3..1", frozenset()),
        ("<< >>", ()),
        ("<<>>", ()),
        ("(0 :> 5 @@ 1 :> 6)", make_function({0: 5, 1: 6})),
        ("(1 :> 5)", (5,)),
        ("[a |-> 1]", make_function({"a": 1})),
        ("{{}, {{1}}, {1, 2}}", frozenset({frozenset(), frozenset({frozenset({1})}), frozenset({1, 2})})),
        ("<<TRUE, FALSE, -7>>", (TRUE, FALSE, -7)),
        (r'"a \"b\" \\ c\n"', 'a "b" \\ c\n'),
    ],
)
def test_a_printed_value_is_read_as_what_it_is(text: str, value: Value) -> None:
    """CASES 15."""
    assert parse_value(text) == value


def test_quotes_tell_a_string_from_a_model_value() -> None:
    """CASES 14."""
    assert parse_value('{a, "a"}') == frozenset({model_value("a"), "a"})
    assert parse_value("a") != parse_value('"a"')


@pytest.mark.parametrize(
    "text", ["", "{1", "<<1,>>", "[a : {1}]", "SUBSET {1}", "1 2", "(1 :> 2 @@ 1 :> 3)", "[1 |-> 2]", "#"]
)
def test_text_that_is_no_value_is_an_error(text: str) -> None:
    """CASES 15."""
    with pytest.raises(UnreadableValueError):
        parse_value(text)


def test_the_error_names_the_line() -> None:
    """CASES 15."""
    with pytest.raises(UnreadableValueError, match="line 12 "):
        parse_value("{1,\n 2,\n ?}", first_line=10)


WRAPPED = """/\\ log = << [ first |-> "some text that is long",
     rest |->
         {1, 2,
          3} ],
   [first |-> "x", rest |-> {}] >>
/\\ x = 1
"""


def test_a_value_means_the_same_however_it_is_wrapped() -> None:
    """CASES 16."""
    flat = (
        '/\\ log = <<[first |-> "some text that is long", rest |-> {1, 2, 3}], [first |-> "x", rest |-> {}]>>\n'
        "/\\ x = 1"
    )

    assert parse_state(WRAPPED) == parse_state(flat)
    assert list(parse_state(WRAPPED)) == ["log", "x"]


def test_a_state_of_one_variable_has_no_conjunction() -> None:
    assert parse_state("x = 5") == {"x": 5}


def test_a_variable_that_was_not_assigned_is_left_out() -> None:
    assert parse_state("/\\ x = 1\n/\\ y = null") == {"x": 1}


def test_a_variable_given_twice_is_an_error() -> None:
    with pytest.raises(UnreadableValueError, match="x is given twice"):
        parse_state("/\\ x = 1\n/\\ x = 2")
