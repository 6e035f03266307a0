"""A model: what it reads of a specification, and how it judges."""

from pathlib import Path

import pytest

from conformance.tla.errors import EvaluationError, SpecError, UnsupportedError
from conformance.tla.model import Model, Step
from conformance.tla.values import NAT, TRUE, make_function, model_value
from tests.tla.conftest import Write

COUNTER = """EXTENDS Naturals
VARIABLES a, b
Init == a = 0 /\\ b = 0
"""


def test_a_model_knows_its_variables_in_their_order_and_its_actions(polls: Model) -> None:
    assert polls.variables == ("registered", "state", "taken", "generation")
    assert list(polls.actions) == ["Register", "Match", "Expire", "Reload", "Forget"]


def test_an_action_has_its_parameters_its_place_and_its_reading(polls: Model) -> None:
    register, match = polls.actions["Register"], polls.actions["Match"]

    assert (register.parameters, register.location.line, register.reading) == (
        ("h", "q", "p"),
        36,
        "a poll waits on a host",
    )
    assert match.reading == "a task meets a waiting poll"


def test_fairness_is_no_part_of_what_is_judged_and_liveness_is_named(polls: Model) -> None:
    assert polls.step_properties == ("GenerationGrowsProp",)
    assert polls.temporal_properties == ("Eventually",)


def test_a_step_is_told_as_an_action_with_arguments(polls: Model) -> None:
    state = next(polls.initial_states())
    step = polls.enabled(state)[0]

    assert str(step) == "Register(h1, q1, p1)"
    assert str(Step("Match", ("t1", "p1"))) == 'Match("t1", "p1")'


def test_another_action_does_not_allow_the_step(polls: Model) -> None:
    state = next(polls.initial_states())
    step, following = next(iter(polls.successors(state)))

    assert polls.allows(step.action, step.args, state, following)
    assert not polls.allows("Expire", (model_value("p1"),), state, following)
    assert polls.check_step(state, following) == [step]


def test_stuttering_is_not_the_named_action(polls: Model) -> None:
    state = next(polls.initial_states())

    assert polls.check_step(state, state) == []
    assert polls.check_step_properties(state, state) == []


def test_a_state_that_breaks_an_invariant_is_named_by_it(polls: Model) -> None:
    mapping = polls.as_mapping(next(polls.initial_states()))
    waiting = make_function({model_value("p1"): "waiting", model_value("p2"): "idle"})

    assert polls.check_state(polls.state_from({**mapping, "state": waiting})) == ["WaitingIsRegisteredInv"]


def test_a_step_that_breaks_a_step_property_is_named_by_it(polls: Model) -> None:
    state = next(polls.initial_states())
    later = next(t for step, t in polls.successors(state) if step.action == "Reload")

    assert polls.check_step_properties(state, later) == []
    assert polls.check_step_properties(later, state) == ["GenerationGrowsProp"]


def test_a_constant_may_be_infinite_where_it_only_bounds(write: Write) -> None:
    model = write(
        COUNTER
        + "CONSTANT Number\nUp(n) == n \\in Number /\\ a' = n /\\ b' = b\nNext == \\E n \\in Number : Up(n)\n"
        + "Inv == a \\in Number",
        "INIT Init NEXT Next INVARIANT Inv",
        constants={"Number": NAT},
    )

    assert model.allows("Up", (1000,), (0, 0), (1000, 0))
    assert model.check_state((1000, 0)) == []
    assert model.check_step((0, 0), (7, 0)) == [Step("Up", (7,))]


def test_the_constants_that_are_given_win_over_the_configuration(write: Write) -> None:
    model = write(COUNTER + "CONSTANT C\nNext == FALSE", "INIT Init NEXT Next CONSTANT C = 1", constants={"C": 5})

    assert model.constants["C"] == 5


def test_a_variable_without_a_next_value_is_an_error_that_names_it(write: Write) -> None:
    """CASES 30."""
    model = write(COUNTER + "Next == a' = 1", "INIT Init NEXT Next")

    with pytest.raises(EvaluationError, match="no value to b"):
        list(model.successors((0, 0)))


def test_a_prime_that_is_read_too_early_is_an_error_that_names_the_variable(write: Write) -> None:
    """CASES 34."""
    model = write(COUNTER + "Next == a' = b' + 1 /\\ b' = 0", "INIT Init NEXT Next")

    with pytest.raises(EvaluationError, match="b' is used before"):
        list(model.successors((0, 0)))


def test_a_primed_definition_is_read_in_the_next_state(write: Write) -> None:
    """CASES 34."""
    model = write(
        COUNTER + "VARIABLE seen\nTotal == a + b\nNext == a' = 1 /\\ b' = a' + 1 /\\ seen' = Total'",
        "INIT Init NEXT Next",
    )

    assert [following for _, following in model.successors((0, 0, 0))] == [(1, 2, 3)]


def test_a_case_arm_assigns(write: Write) -> None:
    """CASES 35."""
    model = write(
        COUNTER + "Next == CASE a = 0 -> a' = 1 /\\ b' = 2 [] OTHER -> UNCHANGED <<a, b>>", "INIT Init NEXT Next"
    )

    assert [following for _, following in model.successors((0, 0))] == [(1, 2)]
    assert [following for _, following in model.successors((5, 5))] == [(5, 5)]


def test_a_model_value_is_not_the_string_of_its_name(write: Write) -> None:
    """CASES 14."""
    model = write('CONSTANT a\nS == {a, "a"}\nSame == a = "a"\nThree == a = 3', "CONSTANT a = a")

    assert model.evaluate("S") == frozenset((model_value("a"), "a"))
    assert not model.evaluate("Same")
    assert not model.evaluate("Three")


def test_other_is_not_the_string_that_stands_for_it(write: Write) -> None:
    """CASES 37."""
    model = write('E == CASE FALSE -> 1 [] OTHER -> "$Other"')

    assert model.evaluate("E") == "$Other"


def test_assumptions_are_evaluated_and_counted(write: Write) -> None:
    model = write("EXTENDS Naturals\nCONSTANT N\nASSUME N > 0\nASSUME Small == N < 3", "CONSTANT N = 7")

    assert model.assumptions == 2
    assert [place.line for place in model.check_assumptions()] == [5]


def test_a_name_that_is_not_defined_is_told(write: Write) -> None:
    """CASES 11."""
    with pytest.raises(SpecError, match="NotThere"):
        write(COUNTER + "Next == FALSE", "INIT Init NEXT Next INVARIANT NotThere")


def test_a_constant_without_a_value_is_told() -> None:
    with pytest.raises(SpecError, match="no value to Generation, Host, Partition, Poll, Task"):
        Model.load(Path(__file__).parent / "modules" / "Polls.tla", None)


def test_an_action_that_is_not_there_is_told_with_those_that_are(polls: Model) -> None:
    state = next(polls.initial_states())

    with pytest.raises(SpecError, match="no action Nonsense; its actions are Expire, Forget"):
        polls.allows("Nonsense", (), state, state)


def test_too_few_arguments_are_told(polls: Model) -> None:
    state = next(polls.initial_states())

    with pytest.raises(SpecError, match=r"Match takes \(t, p\), and 1 arguments"):
        polls.allows("Match", (model_value("t1"),), state, state)


def test_what_is_not_evaluated_is_refused_with_its_place(write: Write) -> None:
    model = write("EXTENDS TLC\nVARIABLE x\nInit == x = 0\nNext == x' \\in Any", "INIT Init NEXT Next")

    with pytest.raises(UnsupportedError, match=r"Here.tla:5:16: Any is not evaluated here"):
        list(model.successors((0,)))


def test_a_number_that_tlc_cannot_hold_is_refused_before_anything_is_evaluated(write: Write) -> None:
    """CASES 45."""
    with pytest.raises(SpecError, match=r"Here.tla:3:11: the number 2147483648 is beyond 32 bits"):
        write("EXTENDS Naturals\nUnused == 2147483648\nE == 1")


def test_an_error_tells_through_which_definitions_it_came(write: Write) -> None:
    model = write("EXTENDS Naturals\nHalf(n) == 1 \\div n\nBoth(n) == Half(n) + 1\nE == Both(0)")

    with pytest.raises(EvaluationError) as caught:
        model.evaluate("E")

    assert [place.line for place in caught.value.chain] == [3, 4, 5]
    assert str(caught.value) == "Here.tla:3:12: the second argument of \\div is 0"


def test_a_recursion_without_end_is_an_error_of_the_specification(write: Write) -> None:
    """CASES 39."""
    model = write("EXTENDS Naturals\nRECURSIVE R(_)\nR(n) == \\E x \\in {n} : R(x + 1)\nE == R(0)")

    with pytest.raises(EvaluationError, match="too deep"):
        model.evaluate("E")


def test_a_recursion_of_three_thousand_steps_is_no_trouble(write: Write) -> None:
    model = write(
        "EXTENDS Sequences, Naturals\nRECURSIVE S(_)\nS(s) == IF s = <<>> THEN 0 ELSE Head(s) + S(Tail(s))\n"
        "E == S([i \\in 1..3000 |-> 1])"
    )

    assert model.evaluate("E") == 3000


def test_deep_and_long_formulas_are_no_trouble(write: Write) -> None:
    chain = " + ".join(["1"] * 1000)
    nest = "".join(f"\\E y{i} \\in {{1}} : " for i in range(30)) + "y0 = y29"
    model = write(f"EXTENDS Naturals\nLong == {chain}\nDeep == {nest}\nSets == {'{' * 80}{'}' * 80}")

    assert model.evaluate("Long") == 1000
    assert model.evaluate("Deep") is TRUE
    assert len(str(model.evaluate("Sets"))) > 80


def test_many_choices_in_one_conjunction_do_not_multiply_the_source(write: Write) -> None:
    choice = "((a = 0 /\\ b = 0) \\/ (a = 1 /\\ b = 0) \\/ (a = 2 /\\ b = 1))"
    many = " /\\ ".join([choice] * 30)
    model = write(COUNTER + f"Next == {many} /\\ a' = 1 /\\ b' = 1", "INIT Init NEXT Next")

    assert [following for _, following in model.successors((0, 0))] == [(1, 1)]
