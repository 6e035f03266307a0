"""The judge can fail: an allowed run with one thing wrong is rejected, where it is wrong (CASES 74)."""

from collections.abc import Iterable
from typing import Any

import attrs
import pytest

from conformance.judge import Judge, TraceVerdict, Word
from conformance.judging.check import judge_steps
from conformance.tla.values import Fn, make_function
from conformance.trace.step import TraceStep
from tests.trace.races import numbered
from tests.trace.stories import HEADER, MODEL, STORY, told

STEPS = told(STORY)
NAMES = [each[0] for each in STORY]
ALONE = ("AnswerAdd", "CommitDelete", ("Return", "p2"))
DEPENDED_ON = [number for number, step in enumerate(STORY[:-1], 1) if step[0] not in ALONE and step[:2] not in ALONE]
"""Not the answers to the adds and to the second poll, nor what a delete does: a run without them is allowed too."""


def place(action: str) -> int:
    """The number of the first such step in the story."""
    return NAMES.index(action) + 1


TAKEN = place("Take")
LOADED = STORY[: place("Start")]
IN_ORDER = [1, 2, 4, 5, 7, 9, 10, 11, 14, 15, 17, 18, 19, 20, 22, 24, 25, 26, 28]
"""The steps on which the next one depends, but for the last two: a delete may end before, or without, its effect."""


def verdict_of(steps: Iterable[TraceStep]) -> TraceVerdict:
    return judge_steps(Judge(MODEL, HEADER.observes), numbered(steps))


def renamed(value: Any, old: str, new: str) -> Any:
    """The value with one id for another, wherever it stands."""
    if value == old:
        return new
    if isinstance(value, tuple):
        return tuple(renamed(each, old, new) for each in value)
    if isinstance(value, frozenset):
        return frozenset(renamed(each, old, new) for each in value)
    if isinstance(value, Fn):
        return make_function({key: renamed(item, old, new) for key, item in value.items()})
    return value


def with_another_id(number: int, old: str, new: str) -> list[TraceStep]:
    """The run with one id for another in what one step shows."""
    step = STEPS[number]
    shown = {
        module: {name: renamed(value, old, new) for name, value in values.items()}
        for module, values in step.after.items()
    }
    return [*STEPS[:number], attrs.evolve(step, after=shown), *STEPS[number + 1 :]]


def test_the_story_itself_is_accepted() -> None:
    assert verdict_of(STEPS).word is Word.ACCEPTED


@pytest.mark.parametrize("number", DEPENDED_ON, ids=lambda each: NAMES[each - 1])
def test_a_dropped_line_is_missed_by_those_that_depend_on_it(number: int) -> None:
    verdict = verdict_of([*STEPS[:number], *STEPS[number + 1 :]])

    assert verdict.word is Word.REJECTED
    assert verdict.divergence is not None
    assert verdict.divergence.step >= number


@pytest.mark.parametrize("number", IN_ORDER, ids=lambda each: NAMES[each - 1])
def test_two_dependent_lines_in_the_wrong_order_are_rejected_at_the_first(number: int) -> None:
    verdict = verdict_of([*STEPS[:number], STEPS[number + 1], STEPS[number], *STEPS[number + 2 :]])

    assert verdict.divergence is not None
    assert verdict.divergence.step == number


@pytest.mark.parametrize(
    ("number", "old", "new"),
    [
        (7, "w1", "w2"),
        (7, "q1", "q2"),
        (8, "h1", "h2"),
        (10, "t1", "t2"),
        (11, "t1", "t2"),
        (12, "t1", "t2"),
        (TAKEN, "t2", "t1"),
    ],
)
def test_an_id_that_is_another_one_is_rejected_at_its_line(number: int, old: str, new: str) -> None:
    verdict = verdict_of(with_another_id(number, old, new))

    assert verdict.divergence is not None
    assert verdict.divergence.step == number


@pytest.mark.parametrize("number", [10, 11, 12, TAKEN, TAKEN + 1, TAKEN + 2], ids=lambda each: NAMES[each - 1])
def test_a_delivery_that_happens_twice_is_rejected_the_second_time(number: int) -> None:
    verdict = verdict_of([*STEPS[: number + 1], *STEPS[number:]])

    assert verdict.divergence is not None
    assert verdict.divergence.step == number + 1


def test_an_end_where_only_the_reader_goes_round_is_quiescent() -> None:
    """A stored task that nobody polls for is read again and again, and nothing is owed."""
    stored = STORY[place("Claim") - 1 : place("ReadBacklog")]
    verdict = judge_steps(Judge(MODEL, HEADER.observes), told([*LOADED, *stored]), end="quiescent")

    assert verdict.word is Word.ACCEPTED


def test_an_end_with_a_poll_that_has_not_returned_is_not_quiescent() -> None:
    led = [*STORY[: place("Register")], *STORY[place("Claim") - 1 : place("Lead")]]
    verdict = judge_steps(Judge(MODEL, HEADER.observes), told(led), end="quiescent")

    assert verdict.divergence is not None
    assert [str(step) for step in verdict.divergence.owed] == ['DeadlinePasses("p1")']
