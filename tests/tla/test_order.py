"""Strings and names are ordered as TLC meets them, and a CHOOSE that hangs on it is told."""

from tests.tla.conftest import Write


def test_the_string_that_stands_first_in_the_text_is_chosen(write: Write) -> None:
    """CASES 41."""
    model = write('E == CHOOSE x \\in {"zeta", "alpha"} : TRUE')
    other = write('First == "alpha"\nE == CHOOSE x \\in {"zeta", "alpha"} : TRUE')

    assert model.evaluate("E") == "zeta"
    assert other.evaluate("E") == "alpha"


def test_a_choice_that_hangs_on_the_order_of_names_is_told_with_its_place(write: Write) -> None:
    """CASES 41."""
    model = write('E == CHOOSE x \\in {"zeta", "alpha"} : TRUE\nF == CHOOSE x \\in {"zeta", "alpha"} : x # "zeta"')
    model.evaluate("F")
    before = model.program.order_dependent
    model.evaluate("E")

    assert before == []
    assert [place.line for place in model.program.order_dependent] == [2]


def test_a_choice_that_numbers_decide_is_not_told(write: Write) -> None:
    """CASES 41."""
    model = write('E == CHOOSE x \\in {<<1, "zeta">>, <<2, "alpha">>} : TRUE')

    assert model.evaluate("E") == (1, "zeta")
    assert model.program.order_dependent == []


def test_model_values_are_ordered_as_the_configuration_names_them(write: Write) -> None:
    """CASES 41."""
    model = write("CONSTANT S\nE == CHOOSE x \\in S : TRUE", "CONSTANT S = {z, a}")

    assert str(model.evaluate("E")) == "z"
