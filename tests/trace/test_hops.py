"""Runs with hops are judged as TLC judges them: what is allowed, and what a faulty service would show."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import attrs
import pytest

from conformance.judging.check import check_trace
from conformance.judging.divergence import Divergence
from conformance.refinement.matching import OWNERS
from conformance.tla.values import make_function
from conformance.trace.header import Footer
from conformance.trace.step import TraceStep
from conformance.trace.writer import trace_text
from conformance.trace_spec import check_trace_with_tlc
from tests.trace.hop_stories import FORWARDED, IDS, OFFERED, STORIES, Story
from tests.trace.stories import HEADER, MODEL, by_module, observes, told

SHOWN = {"everything": MODEL.variables, "what a service can": tuple(OWNERS)}


def written(folder: Path, steps: list[TraceStep], shown: Collection[str] = OWNERS) -> Path:
    path = folder / "run.ndjson"
    header = attrs.evolve(HEADER, observes=observes(shown))
    path.write_text(trace_text(header, steps, Footer(end="stopped")), encoding="utf-8")
    return path


def place(story: Story, action: str) -> int:
    """The number of the first step of that action."""
    return next(number for number, step in enumerate(story, 1) if step[0] == action)


def changed(steps: list[TraceStep], at: int, **values: Any) -> list[TraceStep]:
    """The run, one step of which shows other values."""
    step = steps[at]
    return [*steps[:at], attrs.evolve(step, after=by_module({**step.values, **values})), *steps[at + 1 :]]


def inserted(steps: list[TraceStep], at: int, action: str, args: tuple[Any, ...], **values: Any) -> list[TraceStep]:
    """The run with one step more, before the one of that number."""
    more = TraceStep(step=at, action=action, args=args, after=by_module(values))
    return [*steps[:at], more, *(attrs.evolve(step, step=step.step + 1) for step in steps[at:])]


def put(function: Any, key: str, value: Any) -> Any:
    return make_function({**function.m, key: value})


def last(steps: list[TraceStep], variable: str, before: int) -> Any:
    """What the run showed of the variable last, before a step."""
    return next(step.values[variable] for step in reversed(steps[:before]) if variable in step.values)


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_run_with_hops_is_accepted(tmp_path: Path, story: Story, shown: Collection[str]) -> None:
    verdict = check_trace(written(tmp_path, told(story, shown=shown, ids=IDS), shown))

    assert verdict.reason == "every step is allowed"
    assert verdict.steps == len(story)


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_run_with_hops_is_accepted_by_tlc(tools: None, tmp_path: Path, story: Story) -> None:
    verdict = check_trace_with_tlc(written(tmp_path, told(story, shown=OWNERS, ids=IDS)))

    assert verdict.reason == "every step is allowed"
    assert verdict.steps == len(story)


# What a faulty service would show


def a_lost_field() -> tuple[list[TraceStep], int]:
    """The parent takes the hop to begin at its own partition."""
    steps, at = told(FORWARDED, shown=OWNERS, ids=IDS), place(FORWARDED, "ArrivePoll")
    hop = last(steps, "hop", at)
    (made,) = hop["c1"]
    return changed(steps, at, hop=put(hop, "c1", frozenset({put(made, "origin", "q/0")}))), at


def a_lost_version() -> tuple[list[TraceStep], int]:
    """The parent receives a task that is nobody's hop."""
    steps, at = told(OFFERED, shown=OWNERS, ids=IDS), place(OFFERED, "ArriveTask")
    return changed(steps, at, hop=put(last(steps, "hop", at), "u1", frozenset())), at


def a_poll_at_both_places() -> tuple[list[TraceStep], int]:
    """The child lets the poll wait that it has forwarded."""
    steps, at = told(FORWARDED, shown=OWNERS, ids=IDS), place(FORWARDED, "Register") + 1
    registrations = last(steps, "registrations", at)
    (above,) = registrations["c1"]
    here = frozenset({put(above, "partition", "q/1")})
    return inserted(steps, at, "Register", ("p1", "h1"), registrations=put(registrations, "p1", here)), at


def a_registration_that_stays() -> tuple[list[TraceStep], int]:
    """A poll that is forwarded shows at the child all the same."""
    steps, at = told(FORWARDED, shown=OWNERS, ids=IDS), place(FORWARDED, "Forward")
    here = {"host": "h1", "partition": "q/1", "generation": 1, "version": "v1", "worker": "w1"}
    registrations = put(last(steps, "registrations", at), "p1", frozenset({make_function(here)}))
    return changed(steps, at, registrations=registrations), at


def another_task() -> tuple[list[TraceStep], int]:
    """The child is answered with a task that the root gave to nobody."""
    steps, at = told(FORWARDED, shown=OWNERS, ids=IDS), place(FORWARDED, "Resume")
    return changed(steps, at, answer=put(last(steps, "answer", at), "c1", ("task", "t2"))), at


def a_taken_task_that_is_canceled() -> tuple[list[TraceStep], int]:
    """The child hears that nobody has the task that the root handed over."""
    steps, at = told(OFFERED, shown=OWNERS, ids=IDS), place(OFFERED, "Conclude")
    return changed(steps, at, added=put(last(steps, "added", at), "u1", "canceled")), at


def a_task_lent_for_ever() -> tuple[list[TraceStep], int]:
    """The child forgets to take an offer off its books that was answered."""
    steps, at = told(OFFERED, shown=OWNERS, ids=IDS), place(OFFERED, "Conclude")
    return changed(steps, at, lent=last(steps, "lent", at)), at


FAULTS = [
    a_lost_field,
    a_lost_version,
    a_poll_at_both_places,
    a_registration_that_stays,
    another_task,
    a_taken_task_that_is_canceled,
    a_task_lent_for_ever,
]


def found(divergence: Divergence | None) -> int | None:
    return divergence.step if divergence is not None else None


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_both_judges_find_where_a_fault_of_a_hop_shows(
    tools: None, tmp_path: Path, fault: Callable[[], tuple[list[TraceStep], int]]
) -> None:
    steps, at = fault()
    path = written(tmp_path, steps)

    assert found(check_trace(path).divergence) == at
    assert found(check_trace_with_tlc(path).divergence) == at
