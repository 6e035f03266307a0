"""Runs of several hosts, of which not all is known about who was first."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from conformance.judge import Word
from conformance.judging.check import check_trace
from conformance.judging.orders import are_concurrent
from conformance.trace.errors import TraceError
from conformance.trace.step import TraceStep
from conformance.trace_spec import check_trace_with_tlc
from tests.trace.commits import COMMIT, event, holed_file, walk


def at(begin: float, end: float | None = None, host: str | None = None) -> dict[str, Any]:
    return {"begin_ms": begin, "end_ms": begin if end is None else end, **({"host": host} if host else {})}


def test_a_step_that_may_have_come_first_explains_what_the_file_tells_later(tmp_path: Path) -> None:
    """CASES 63: the worker logs what it got before the server logs that it was sent."""
    told = [event("Hear", "p0", **at(1, 5, "b")), event("Prepare", "p0", **at(2, 3, "a"))]

    assert check_trace(holed_file(tmp_path / "run.ndjson", told), COMMIT).word is Word.ACCEPTED


def test_a_step_that_ended_before_another_began_came_before_it(tmp_path: Path) -> None:
    told = [event("Hear", "p0", **at(1, 2, "b")), event("Prepare", "p0", **at(3, 4, "a"))]

    verdict = check_trace(holed_file(tmp_path / "run.ndjson", told), COMMIT)

    assert verdict.divergence is not None
    assert verdict.divergence.step == 1


def test_the_order_of_one_host_is_never_broken(tmp_path: Path) -> None:
    """CASES 61, second half."""
    told = [event("Hear", "p0", **at(1, 5, "a")), event("Prepare", "p0", **at(2, 3, "a"))]

    assert check_trace(holed_file(tmp_path / "run.ndjson", told), COMMIT).word is Word.REJECTED


@pytest.mark.parametrize(("host", "word"), [("b", Word.ACCEPTED), (None, Word.REJECTED)])
def test_equal_moments_of_two_hosts_are_a_tie(tmp_path: Path, host: str | None, word: Word) -> None:
    """CASES 61: ties are kept as concurrent, and moments are compared as numbers."""
    told = [event("Hear", "p0", **at(10, None, "a")), event("Prepare", "p0", **at(10.0, None, host))]

    assert check_trace(holed_file(tmp_path / "run.ndjson", told), COMMIT).word is word


def test_moments_are_numbers_and_not_texts(tmp_path: Path) -> None:
    """CASES 61: 9 comes before 10."""
    told = [event("Prepare", "p0", **at(9, 9.5, "a")), event("Hear", "p0", **at(10, 10.5, "b"))]

    assert check_trace(holed_file(tmp_path / "run.ndjson", told), COMMIT).word is Word.ACCEPTED


@pytest.mark.parametrize("seed", range(30))
def test_a_run_is_accepted_just_where_some_order_is_a_run(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    taken = walk(seed, 5, 3)
    random.shuffle(taken)
    rows = []
    for number, (action, args) in enumerate(taken):
        begin = 10 * number
        rows.append(event(action, *args, **at(begin, begin + random.choice([5, 15, 25]), f"h{random.randrange(3)}")))
    file = holed_file(tmp_path / "run.ndjson", rows)
    steps = [TraceStep.from_json({"step": number, "args": [], **row}) for number, row in enumerate(rows)]

    verdict = check_trace(file, COMMIT)

    assert verdict.accepted is any(_is_a_run(order) for order in permutations(steps) if _keeps(order))


def _keeps(order: tuple[TraceStep, ...]) -> bool:
    """Whether no step stands behind one that it must come before."""
    return not any(
        later.step < earlier.step and not are_concurrent(later, earlier)
        for position, earlier in enumerate(order)
        for later in order[position + 1 :]
    )


def _is_a_run(order: tuple[TraceStep, ...]) -> bool:
    model = COMMIT.model({"Participant": ["p0", "p1", "p2"]})
    states = list(model.initial_states())
    for step in order:
        assert step.action is not None
        assert step.args is not None
        states = [after for state in states for after in model.apply(step.action, step.args, state)]
    return bool(states)


def test_many_overlapping_steps_do_not_multiply(tmp_path: Path) -> None:
    told = [event("Prepare", f"p{number}", **at(number, 100, f"h{number}")) for number in range(12)]
    told += [event("Abort", **at(101, 102, "c"))]

    verdict = check_trace(holed_file(tmp_path / "run.ndjson", told, 12), COMMIT)

    assert verdict.word is Word.ACCEPTED
    assert verdict.steps == 13
    assert verdict.actions == {"Prepare": 12, "Abort": 1}


def test_lines_that_do_not_stand_in_the_order_of_their_beginnings_are_refused(tmp_path: Path) -> None:
    told = [event("Prepare", "p0", **at(5, 7, "a")), event("Prepare", "p1", **at(3, 8, "b"))]

    with pytest.raises(TraceError, match="order of begin_ms"):
        check_trace(holed_file(tmp_path / "run.ndjson", told), COMMIT)


def test_tlc_is_not_asked_about_orders(tmp_path: Path) -> None:
    told = [event("Prepare", "p0", **at(1, 5, "a")), event("Prepare", "p1", **at(2, 3, "b"))]

    with pytest.raises(TraceError, match="one order"):
        check_trace_with_tlc(holed_file(tmp_path / "run.ndjson", told), COMMIT)
