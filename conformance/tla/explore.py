"""Breadth-first exploration, counted as TLC counts.

Five rules:

1. The order is fixed by the specification and its configuration: the same
   input gives the same states in the same order.
2. Every state is checked when it is found, excluded ones too; only states
   within the constraints count as distinct and are followed.
3. The first failure ends the search with a shortest counterexample; a survey
   notes every property that fails anywhere, and goes on.
4. A search that reaches its limit says so; it is never taken for complete.
5. Under SYMMETRY and VIEW states that count as one are followed once: from the first
   of them that was found, as it is.
6. What looks at more than the state (`Questions.remembers` says so) is asked whenever TLC
   asks it, of a state that was met before too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from conformance.tla.depth import deeply
from conformance.tla.errors import FAULTS, EvaluationError, TlaError, UnassignedError
from conformance.tla.model import Model, State, Step
from conformance.tla.questions import Move, Questions
from conformance.tla.recall import Numbers, Row
from conformance.tla.symmetry import standing_for

__all__ = ["EndedError", "Exploration", "Progress", "StateLimitError", "breadth_first"]

Progress = Callable[[int, int, int], None]


class StateLimitError(TlaError):
    """There are more states than were allowed: nothing is decided."""

    exit_status = 4
    verdict = "undecided"


class EndedError(StateLimitError):
    """The specification itself ended the search: nothing is decided."""


@attrs.frozen
class Exploration:
    """What was found: a verdict word, the counts, and a counterexample where there is one."""

    verdict: str
    distinct: int
    generated: int
    depth: int
    violated: str | None = None
    counterexample: tuple[tuple[Step | None, State], ...] = ()
    violations: tuple[str, ...] = ()
    unchecked_properties: tuple[str, ...] = ()
    assumptions: int = 0
    states: tuple[State, ...] = ()
    edges: frozenset[tuple[int, str, int]] = frozenset()
    error: str | None = None
    taken: tuple[tuple[str, int], ...] = ()


def breadth_first(
    model: Model,
    *,
    max_states: int = 1_000_000,
    deadlock: bool | None = None,
    edges: bool = False,
    survey: bool = False,
    ignore_symmetry: bool = False,
    progress: Progress | None = None,
) -> Exploration:
    """Explore every reachable state.

    ``deadlock`` defaults to the configuration's CHECK_DEADLOCK, and that to yes.  With
    ``ignore_symmetry`` neither SYMMETRY nor VIEW is applied: every state is followed.
    """
    if deadlock is None:
        deadlock = model.config.check_deadlock is not False
    asked = (model, max_states, deadlock, edges, survey, ignore_symmetry, progress)
    return deeply(lambda: _Search(*asked).run())


@attrs.define
class _Stop(Exception):
    verdict: str
    violated: str | None
    trace: list[tuple[Step | None, State]]


class _Search:
    def __init__(
        self,
        model: Model,
        max_states: int,
        deadlock: bool,
        edges: bool,
        survey: bool,
        ignore_symmetry: bool,
        progress: Progress | None,
    ) -> None:
        self.model = model
        self.max_states = max_states
        self.deadlock = deadlock
        self.keep_edges = edges
        self.survey = survey
        self.ignore_symmetry = ignore_symmetry
        self.progress = progress
        self.numbers = Numbers()
        self.index: dict[Any, int] = {}
        self.rows: list[Row] = []
        self.origin: list[tuple[int, Move] | None] = []
        self.levels: list[int] = []
        self.outside: set[Row] = set()
        self.edges: set[tuple[int, str, int]] = set()
        self.violations: dict[str, None] = {}
        self.taken: dict[str, int] = dict.fromkeys(model.actions, 0)
        self.generated = 0
        self.level = 0
        self.queue = 0
        # As TLC counts it, also where there is no state.
        self.depth = 1
        self.bounded = bool(model.config.constraints)
        self.constrained = self.bounded or bool(model.config.action_constraints)
        self.stands_for: Callable[[Row], Any] | None = None
        self.asks_again = False
        self.judged: tuple[Move, Row] | None = None
        """The step whose state is being judged: an error there is an error behind it."""
        self.questions: Questions

    @property
    def distinct(self) -> int:
        return len(self.rows)

    def run(self) -> Exploration:
        with self.model.program.registers.opened(self):
            return self._run()

    def _run(self) -> Exploration:
        model = self.model
        try:
            self.questions = Questions(model, self.numbers)
            self.asks_again = not self.questions.remembers
            if model.check_assumptions():
                return self._result("assumption", error="an ASSUME is false")
            if model.is_constant:
                return self._result("ok")
            if not self.ignore_symmetry:
                self.stands_for = standing_for(model, self.numbers)
            self._start()
            self._follow()
        except _Stop as stop:
            return self._result(stop.verdict, stop.violated, tuple(stop.trace))
        except TlaError as error:
            trace = getattr(error, "trace", ())
            error.exploration = self._result(error.verdict, None, trace, str(error))  # type: ignore[attr-defined]
            raise
        if self.violations:
            return self._result(
                "deadlock" if set(self.violations) == {"deadlock"} else "safety", next(iter(self.violations))
            )
        return self._result("ok")

    def _start(self) -> None:
        for state in self.model.initial_states():
            self.generated += 1
            row = self.numbers.row(state)
            if row in self.outside:
                continue
            try:
                self._begin(row)
            except FAULTS as error:
                raise self._explained(error, ((None, state),)) from error

    def _begin(self, row: Row) -> None:
        questions = self.questions
        key = row if self.stands_for is None else self.stands_for(row)
        new = key not in self.index
        asked = self.bounded and (new or self.asks_again or self.stands_for is not None)
        excluded = asked and not questions.within_constraints(row)
        if excluded:
            self._exclude(row)
        elif new:
            self._enter(row, key, None)
            self.queue += 1
        if new or excluded:
            self._check(row, None, [*questions.failing(row, None), *questions.failing_first(row)])

    def _exclude(self, row: Row) -> None:
        if not self.asks_again:
            self.outside.add(row)

    def _follow(self) -> None:
        at = 0
        while at < len(self.rows):
            if self.model.program.registers.exit:
                raise EndedError(f'TLCSet("exit", TRUE) ended the search; {self.queue} states were not followed')
            self.level, self.queue = self.levels[at], self.queue - 1
            if self.progress is not None and at % 1000 == 0:
                self.progress(len(self.rows), self.generated, self.depth)
            try:
                stuck = self._expand(at)
            except FAULTS as error:
                self.generated += isinstance(error, UnassignedError)
                trace = self._trace(at)
                if self.judged is not None:
                    trace.append((_step(self.judged[0]), self.numbers.state(self.judged[1])))
                raise self._explained(error, tuple(trace)) from error
            if stuck and self.deadlock:
                self._fail("deadlock", None, self._trace(at))
            at += 1

    def _expand(self, at: int) -> bool:
        """Follow every step from a state; whether there is none."""
        row, before = self.rows[at], self.generated
        for move in self.questions.moves(row):
            self.generated += 1
            cells = list(row)
            for index, number in move.changes:
                cells[index] = number
            target = self._take(at, row, move, tuple(cells))
            if target is not None:
                self.taken[move.action] += 1
                if self.keep_edges:
                    self.edges.add((at, move.action, target))
        return self.generated == before

    def _take(self, at: int, row: Row, move: Move, following: Row) -> int | None:
        """Judge one step: constraints, then invariants, then step properties; the number of the state it leads to."""
        questions = self.questions
        key = following if self.stands_for is None else self.stands_for(following)
        target = self.index.get(key)
        checked = target is not None
        entered = len(self.rows)
        if self.constrained:
            known = following in self.outside
            if known or not self._within(row, following, target):
                # What is not followed is checked all the same.
                checked, target = known, None
            elif target is None:
                target = self._enter(following, key, (at, move))
        elif target is None:
            target = self._enter(following, key, (at, move))
        self.judged = (move, following)
        if not checked:
            self._check(following, (at, move), questions.failing(following, move.changed))
        if questions.stepwise:
            self._check(following, (at, move), questions.failing_step(row + following))
        self.judged = None
        self.queue += len(self.rows) - entered
        return target

    def _within(self, row: Row, following: Row, target: int | None) -> bool:
        """Whether a step may be followed: TLC asks the constraints on states first, then those on steps."""
        questions = self.questions
        met = target is not None and self.stands_for is None and not self.asks_again
        if self.bounded and not met and not questions.within_constraints(following):
            self._exclude(following)
            return False
        return questions.within_action_constraints(row + following)

    def _enter(self, row: Row, key: Any, origin: tuple[int, Move] | None) -> int:
        if len(self.rows) >= self.max_states:
            raise StateLimitError(
                f"there are more than {self.max_states} states; give smaller bounds, or a larger limit"
            )
        number = self.index[key] = len(self.rows)
        self.rows.append(row)
        self.origin.append(origin)
        self.levels.append(1 if origin is None else self.levels[origin[0]] + 1)
        self.depth = max(self.depth, self.levels[-1])
        return number

    # --- what is told -------------------------------------------------------------------------

    def _check(self, row: Row, origin: tuple[int, Move] | None, failed: list[str]) -> None:
        for name in failed:
            trace: list[tuple[Step | None, State]] = []
            if not self.survey:
                last = (_step(origin[1]) if origin else None, self.numbers.state(row))
                trace = [*self._trace(origin[0]), last] if origin else [last]
            self._fail("safety", name, trace)

    def _fail(self, verdict: str, name: str | None, trace: list[tuple[Step | None, State]]) -> None:
        if not self.survey:
            raise _Stop(verdict, name, trace)
        self.violations.setdefault(name or verdict)

    def _trace(self, at: int) -> list[tuple[Step | None, State]]:
        told: list[tuple[Step | None, State]] = []
        here: int | None = at
        while here is not None:
            origin = self.origin[here]
            told.append((_step(origin[1]) if origin else None, self.numbers.state(self.rows[here])))
            here = origin[0] if origin else None
        return told[::-1]

    def _explained(self, error: BaseException, trace: tuple[tuple[Step | None, State], ...]) -> EvaluationError:
        explained = self.model.program.explain_error(error)
        explained.trace = trace  # type: ignore[attr-defined]
        return explained

    def _result(
        self,
        verdict: str,
        violated: str | None = None,
        trace: tuple[tuple[Step | None, State], ...] = (),
        error: str | None = None,
    ) -> Exploration:
        return Exploration(
            verdict=verdict,
            distinct=len(self.rows),
            generated=self.generated,
            depth=self.depth,
            violated=violated,
            counterexample=trace,
            violations=tuple(sorted(self.violations)) if self.survey else (violated,) if violated else (),
            unchecked_properties=self.model.temporal_properties,
            assumptions=self.model.assumptions,
            states=tuple(map(self.numbers.state, self.rows)) if self.keep_edges else (),
            edges=frozenset(self.edges),
            error=error,
            taken=tuple(self.taken.items()),
        )


def _step(move: Move) -> Step:
    return Step(move.action, move.args)
