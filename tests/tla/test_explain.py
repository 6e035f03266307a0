"""Explanations: the false conjunct, its place, the values, the witness."""

from typing import Any

import pytest

from conformance.tla.explain import allowed, explain_action, explain_invariant, explain_step_property, nearest
from conformance.tla.model import Model, State
from conformance.tla.values import make_function, model_value
from tests.tla.conftest import Write

P1, P2, T1, H1, Q1 = map(model_value, ("p1", "p2", "t1", "h1", "q1"))


@pytest.fixture
def start(polls: Model) -> State:
    return next(polls.initial_states())


def changed(model: Model, before: State, **more: Any) -> State:
    return model.state_from({**model.as_mapping(before), **more})


def test_a_false_guard_is_told_with_its_text_its_place_and_its_values(polls: Model, start: State) -> None:
    reason = explain_action(polls, "Expire", (P1,), start, start)
    guard = reason.guards[0]

    assert reason.subject == "Expire(p1)"
    assert guard.text == 'state[p] = "waiting"'
    assert (guard.location.module, guard.location.line) == ("Polls", 54)
    assert dict(guard.values) == {"state[p]": '"idle"'}


def test_an_effect_that_did_not_happen_is_told_with_what_it_should_be(polls: Model, start: State) -> None:
    later = changed(polls, start, state=make_function({P1: "waiting", P2: "idle"}))
    reason = explain_action(polls, "Register", (H1, Q1, P1), start, later)

    assert [clause.text.split(" = ")[0] for clause in reason.clauses] == ["registered'"]
    assert reason.guards == ()


def test_an_action_that_allows_the_step_has_no_reason(polls: Model, start: State) -> None:
    step, following = next(iter(polls.successors(start)))

    assert explain_action(polls, step.action, step.args, start, following).clauses == ()


def test_without_a_next_state_only_guards_are_told(polls: Model, start: State) -> None:
    reason = explain_action(polls, "Match", (T1, P1), start)

    assert [clause.of_next for clause in reason.clauses] == [False] * len(reason.clauses)


def test_an_exists_over_one_element_is_followed_into_it(polls: Model, start: State) -> None:
    reason = explain_action(polls, "Match", (T1, P1), start, start)

    assert reason.clauses[0].text == "mine # {}"
    assert dict(reason.clauses[0].witness) == {"w": "<<h1, q1>>"}


def test_a_failed_invariant_brings_its_witness(polls: Model, start: State) -> None:
    bad = changed(polls, start, taken=make_function({model_value("t1"): P1, model_value("t2"): P1}))
    reason = explain_invariant(polls, "TakenOnceInv", bad)

    assert reason.conjunct == "taken[t] # taken[u]"
    assert reason.witness == {"t": "t2", "u": "t1"}
    assert reason.location is not None
    assert reason.location.line == 84


def test_a_failed_step_property_brings_its_witness(polls: Model, start: State) -> None:
    later = changed(polls, start, generation=make_function({(H1, Q1): 1}))
    reason = explain_step_property(polls, "GenerationGrowsProp", later, start)

    assert reason.conjunct == "generation'[w] >= generation[w]"
    assert reason.witness == {"w": "<<h1, q1>>"}
    assert dict(reason.clauses[0].values) == {"generation'[w]": "0", "generation[w]": "1"}


def test_the_nearest_action_is_the_one_with_the_fewest_false_conjuncts(polls: Model, start: State) -> None:
    later = changed(polls, start, state=make_function({P1: "waiting", P2: "idle"}))

    assert [reason.subject for reason in nearest(polls, start, later, most=1)] == ["Register(h1, q1, p1)"]


def test_what_is_allowed_is_each_step_once(polls: Model, start: State) -> None:
    assert [str(step) for step in allowed(polls, start)] == [
        "Register(h1, q1, p1)",
        "Register(h1, q1, p2)",
        "Reload(h1, q1)",
    ]


def test_a_wrapper_of_an_instance_is_explained_by_the_action_within(write: Write) -> None:
    model = write(
        "VARIABLE y\nInner == INSTANCE Part WITH x <- y\nInit == y = 0\nUp(n) == Inner!Up(n)\nNext == Up(1)",
        "INIT Init NEXT Next",
        Part="EXTENDS Naturals\nVARIABLE x\nUp(n) ==\n  /\\ x > n\n  /\\ x' = x + n",
    )
    reason = explain_action(model, "Up", (1,), (0,), (1,))

    assert reason.conjunct == "x > n"
    assert dict(reason.clauses[0].values) == {"x": "0", "n": "1"}
    assert reason.location is not None
    assert reason.location.module == "Part"


def test_an_error_behind_a_false_guard_is_not_a_reason(write: Write) -> None:
    model = write(
        "EXTENDS Sequences\nVARIABLE s\nInit == s = <<>>\nTake == s # <<>> /\\ Head(s) = 1 /\\ s' = s\nNext == Take",
        "INIT Init NEXT Next",
    )
    reason = explain_action(model, "Take", (), ((),), ((),))

    assert [clause.text for clause in reason.clauses] == ["s # <<>>"]


def test_an_error_alone_is_the_reason(write: Write) -> None:
    model = write(
        "EXTENDS Sequences\nVARIABLE s\nInit == s = <<>>\nTake == Head(s) = 1 /\\ s' = s\nNext == Take",
        "INIT Init NEXT Next",
    )
    reason = explain_action(model, "Take", (), ((),), ((),))

    assert reason.clauses[0].error is not None
    assert "Head of <<>> is undefined" in reason.clauses[0].error


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("IF x = 0 THEN x = 1 ELSE TRUE", "x = 1"),
        ("CASE x = 0 -> x = 2 [] OTHER -> TRUE", "x = 2"),
        ("x = 0 => x = 3", "x = 3"),
        ("LET y == x + 1 IN y = 7", "y = 7"),
        ("\\A n \\in {0, 4} : x = n", "x = n"),
        ("x = 5 \\/ x = 6", "x = 5 \\/ x = 6"),
    ],
)
def test_a_formula_is_followed_to_what_is_false_in_it(write: Write, formula: str, told: str) -> None:
    model = write(
        f"EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x\nInv == TRUE /\\ ({formula})", "INIT Init"
    )

    assert explain_invariant(model, "Inv", (0,)).conjunct == told
