"""A run of which not all is known about who was first: every order that the moments allow.

Four rules:

1. A step lies somewhere between its ``begin_ms`` and its ``end_ms``.  It came before
   another if it ended before that one began, or if both are of one host, whose order
   is the file's.
2. Two steps at one and the same moment stand in the file's order, unless two named
   hosts each say that they took theirs at that moment.
3. The lines of such a run stand in the order of ``begin_ms``, so that it can be read
   as it comes; how far two orders lie apart is bounded by the intervals themselves.
4. All orders are followed side by side, one step more at a time; ways that have taken
   the same steps and lead to the same state are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import attrs

from conformance.trace.errors import TraceError
from conformance.trace.step import TraceStep

if TYPE_CHECKING:
    from conformance.judge import Judge
    from conformance.judging.divergence import Divergence
    from conformance.judging.frontier import Broken, Candidates

__all__ = ["are_concurrent", "judge_orders"]

MOST_WAITING: Final = 1_000
"""How many steps may overlap with one."""

Told = tuple[TraceStep, dict[str, Any]]
Cut = tuple[int, frozenset[int]]
"""The first step that is not yet taken, and which later ones are."""


def are_concurrent(earlier: TraceStep, later: TraceStep) -> bool:
    """Whether two steps, in the order of the file, may have come the other way round."""
    if earlier.host is not None and earlier.host == later.host:
        return False
    if earlier.begin_ms is None or earlier.end_ms is None or later.begin_ms is None or later.end_ms is None:
        return False
    if earlier.end_ms < later.begin_ms:
        return False
    if earlier.begin_ms == earlier.end_ms == later.begin_ms == later.end_ms:
        return earlier.host is not None and later.host is not None
    return True


@attrs.define(eq=False)
class _Window:
    """The steps of which some way still needs one."""

    coming: Iterator[Told]
    steps: dict[int, Told] = attrs.field(factory=dict)
    read: int = 0
    latest: TraceStep | None = None

    def get(self, number: int) -> Told | None:
        """The step of that number, read as far as need be; None beyond the last."""
        while self.read <= number:
            told = next(self.coming, None)
            if told is None:
                return None
            self._refuse_disorder(told[0])
            self.steps[self.read] = told
            self.read += 1
        return self.steps[number]

    def forget(self, before: int) -> list[TraceStep]:
        """The steps that every way has taken; they are not needed any more."""
        return [self.steps.pop(number)[0] for number in sorted(self.steps) if number < before]

    def _refuse_disorder(self, step: TraceStep) -> None:
        latest, self.latest = self.latest, step
        if latest is None or latest.begin_ms is None or step.begin_ms is None:
            return
        if step.begin_ms < latest.begin_ms:
            raise TraceError(
                f"step {step.step} begins at {step.begin_ms} ms, before step {latest.step} above it;"
                " the lines of a run with intervals stand in the order of begin_ms"
            )


def judge_orders(judge: Judge, steps: Iterable[Told]) -> None:
    """Judge the steps after the beginning, in every order that their moments allow."""
    window = _Window(iter(steps))
    cuts: dict[Cut, Candidates] = {(0, frozenset()): judge.fitting}
    while True:
        reached, refused, more = _one_more(judge, window, cuts)
        if judge.lost is not None or not more:
            break
        judge.steps += 1
        if not reached:
            judge.divergence = refused
            return
        cuts = reached
        judge.count(window.forget(min(first for first, _ in cuts)))
    judge.stand(next(iter(cuts.values())))


def _one_more(
    judge: Judge, window: _Window, cuts: dict[Cut, Candidates]
) -> tuple[dict[Cut, Candidates], Divergence | None, bool]:
    """Every way, one step longer; the reason of the earliest step where no way goes on; whether there was a step."""
    from conformance.judging.frontier import TooManyError

    frontier = judge.frontier
    kept: dict[Cut, dict[Any, tuple[Any, Broken]]] = {}
    refused: tuple[int, Divergence] | None = None
    more = False
    for cut, candidates in cuts.items():
        for number in _next_steps(window, cut):
            more = True
            step, values = window.steps[number]
            if step.action is not None:
                judge.admission.admit(step.action, step.args)
            judge.admission.refuse_unknown(values, step.step)
            try:
                fitting, divergence = frontier.advance(candidates, step.action, step.args, values, step.step)
                if divergence is None:
                    frontier.merge(kept.setdefault(_taken(cut, number), {}), fitting)
                    if sum(map(len, kept.values())) > frontier.most:
                        raise TooManyError(frontier.most)
            except TooManyError as error:
                judge.lost = f"undecided at step {step.step}: more than {error.candidates} states fit; show more"
                return {}, None, True
            if divergence is not None and (refused is None or number < refused[0]):
                refused = (number, divergence)
    if kept and refused is not None:
        for name in refused[1].failing:
            frontier.possible.setdefault(name, refused[1].step)
    return (
        {cut: dict(states.values()) for cut, states in kept.items()},
        refused[1] if refused else None,
        more,
    )


def _next_steps(window: _Window, cut: Cut) -> Iterator[int]:
    """The steps that no step still to be taken must come before."""
    first, taken = cut
    waiting: list[TraceStep] = []
    number = first
    while (told := window.get(number)) is not None:
        step = told[0]
        if number not in taken:
            if waiting and not are_concurrent(waiting[0], step) and _is_after(waiting[0], step):
                return
            if all(are_concurrent(each, step) for each in waiting):
                yield number
            waiting.append(step)
            if len(waiting) > MOST_WAITING:
                raise TraceError(f"more than {MOST_WAITING} steps overlap with step {waiting[0].step}")
        number += 1


def _is_after(first: TraceStep, step: TraceStep) -> bool:
    """Whether no step from here on can overlap with the first: the lines stand in the order of their beginnings."""
    return first.end_ms is None or step.begin_ms is None or step.begin_ms > first.end_ms


def _taken(cut: Cut, number: int) -> Cut:
    first, taken = cut
    taken = taken | {number}
    while first in taken:
        taken = taken - {first}
        first += 1
    return first, taken
