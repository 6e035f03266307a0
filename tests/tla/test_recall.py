"""What is remembered of functions of states, and what never is."""

import pytest

from conformance.tla.compile.runtime import same
from conformance.tla.config import parse_config
from conformance.tla.errors import EvaluationError
from conformance.tla.explore import breadth_first
from conformance.tla.model import Model
from conformance.tla.questions import Questions
from conformance.tla.recall import Numbers, Remembered
from tests.tla.conftest import MODULES, POLLS, Write


def test_a_function_is_asked_once_for_the_values_that_it_reads() -> None:
    numbers, asked = Numbers(), []

    def first_is_known(now: tuple[int, ...], then: object) -> bool:
        asked.append(now[0])
        return now[0] > 1 or now[1] > 1

    holds = Remembered(first_is_known, numbers, 3, remember=True)
    answers = [holds(numbers.row(state)) for state in [(2, 1, 1), (2, 5, 5), (1, 1, 1), (1, 1, 9), (1, 2, 9)]]

    assert answers == [True, True, False, False, True]
    assert asked == [2, 1, 1]


def test_of_a_variable_that_is_only_compared_the_values_do_not_matter(write: Write) -> None:
    body = "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == x' \\in {0, 1} /\\ UNCHANGED y\nKept == [][UNCHANGED y]_x"
    model = write(body, "INIT Init NEXT Next PROPERTY Kept")
    numbers = Numbers()
    questions = Questions(model, numbers)
    kept, changed = numbers.row((0, 1, 1, 1)), numbers.row((0, 1, 0, 2))

    assert questions.failing_step(kept) == []
    assert questions.failing_step(numbers.row((5, 7, 9, 7))) == []
    assert questions.failing_step(changed) == []
    assert questions.failing_step(numbers.row((0, 1, 1, 2))) == ["Kept"]


def test_a_step_that_is_worked_out_may_be_held_to_what_keeps_a_variable(write: Write) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y \\in {0, 1}\nTurns(n) == x' = n /\\ UNCHANGED y\n"
        "Next == x' = 1 - x /\\ y' \\in {0, 1} /\\ Turns(1 - x)"
    )
    model = write(body, "INIT Init NEXT Next")
    questions = Questions(model, Numbers())

    moves = list(questions.moves(questions.numbers.row((0, 1))))

    assert questions.remembers
    assert [[(index, questions.numbers.values[value]) for index, value in move.changes] for move in moves] == [
        [(0, 1), (1, 1)]
    ]


def test_what_tlc_cannot_compare_is_an_error_however_often_others_could_be() -> None:
    numbers = Numbers()
    keeps = Remembered(lambda now, then: same(now, then, 0, -1), numbers, 1, remember=True, about_steps=True)

    assert [keeps(numbers.row(step)) for step in [(1, 1), (1, 2), (3, 4), ("a", "b")]] == [True, False, False, False]
    with pytest.raises(EvaluationError, match="cannot compare"):
        keeps(numbers.row((1, "a")))


def test_nothing_is_remembered_where_a_model_looks_at_more_than_its_state(write: Write) -> None:
    body = "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x /\\ PrintT(x)"
    model = write(body, "INIT Init NEXT Next")
    questions = Questions(model, Numbers())
    row = questions.numbers.row((0,))

    assert [len(list(questions.moves(row))) for _ in range(2)] == [1, 1]
    assert not questions.remembers


def test_remembering_stops_where_no_row_comes_again(write: Write) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 5000 /\\ x' = x + 1\nInv == x <= 5000"
    found = breadth_first(write(body, "INIT Init NEXT Next INVARIANT Inv"), deadlock=False)

    assert (found.verdict, found.distinct) == ("ok", 5001)


def test_steps_are_the_same_with_and_without_memory(tools: None) -> None:
    model = Model.load(MODULES / "Polls.tla", parse_config(POLLS))
    found = breadth_first(model, deadlock=False, edges=True, survey=True)
    rows = list(enumerate(found.states))
    counted = {(at, step.action, following) for at, state in rows for step, following in model.successors(state)}
    numbered = {(at, action, found.states[to]) for at, action, to in found.edges}

    assert len(rows) > 5
    assert counted == numbered
