"""Breadth-first exploration, counted as TLC counts.

Four rules:

1. The order is fixed by the specification and its configuration: the same
   input gives the same states in the same order.
2. Every state is checked when it is found, excluded ones too; only states
   within the constraints count as distinct and are followed.
3. The first failure ends the search with a shortest counterexample; a survey
   notes every property that fails anywhere, and goes on.
4. A search that reaches its limit says so; it is never taken for complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from conformance.tla.errors import EvaluationError, TlaError, UnassignedError, UnsupportedError
from conformance.tla.model import Model, State, Step, Successor

__all__ = ["Exploration", "StateLimitError", "breadth_first"]

Progress = Callable[[int, int, int], None]


class StateLimitError(TlaError):
    """There are more states than were allowed."""


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
    """Explore every reachable state; ``deadlock`` defaults to the configuration's CHECK_DEADLOCK, and that to yes."""
    config = model.config
    if (config.symmetry or config.view) and not ignore_symmetry:
        word = "SYMMETRY" if config.symmetry else "VIEW"
        raise UnsupportedError(f"{config.name} has {word}, which is not applied here; explore without it, or use TLC")
    if deadlock is None:
        deadlock = config.check_deadlock is not False
    return _Search(model, max_states, deadlock, edges, survey, progress).run()


@attrs.define
class _Stop(Exception):
    verdict: str
    violated: str | None
    trace: list[tuple[Step | None, State]]


class _Search:
    def __init__(
        self, model: Model, max_states: int, deadlock: bool, edges: bool, survey: bool, progress: Progress | None
    ) -> None:
        self.model = model
        self.max_states = max_states
        self.deadlock = deadlock
        self.keep_edges = edges
        self.survey = survey
        self.progress = progress
        self.index: dict[State, int] = {}
        self.states: list[State] = []
        self.origin: list[tuple[int, Step] | None] = []
        self.levels: list[int] = []
        self.outside: set[State] = set()
        self.edges: set[tuple[int, str, int]] = set()
        self.violations: dict[str, None] = {}
        self.taken: dict[str, int] = dict.fromkeys(model.actions, 0)
        self.generated = 0
        self.depth = 0
        self.stepwise = bool(model.step_properties)
        self.constrained = bool(model.config.action_constraints)

    def run(self) -> Exploration:
        try:
            self.model.prepare()
            if self.model.check_assumptions():
                return self._result("assumption", error="an ASSUME is false")
            if self.model.is_constant:
                # Nothing to explore; TLC calls that a depth of 1.
                self.depth = 1
                return self._result("ok")
            self._start()
            self._follow()
        except _Stop as stop:
            return self._result(stop.verdict, stop.violated, tuple(stop.trace))
        except TlaError as error:
            trace = getattr(error, "trace", ())
            error.exploration = self._result("error", None, trace, str(error))  # type: ignore[attr-defined]
            raise
        if self.violations:
            return self._result(
                "deadlock" if set(self.violations) == {"deadlock"} else "safety", next(iter(self.violations))
            )
        return self._result("ok")

    def _start(self) -> None:
        model = self.model
        for state in model.initial_states():
            self.generated += 1
            if state not in self.index and state not in self.outside:
                self._enter(state, None)
                self._check(state, None, [*model.check_state(state), *model.check_initial(state)])

    def _follow(self) -> None:
        at = 0
        while at < len(self.states):
            state = self.states[at]
            if self.progress is not None and at % 1000 == 0:
                self.progress(len(self.states), self.generated, self.depth)
            stuck = True
            for action, args, following in self._moves(at, state):
                stuck = False
                self.generated += 1
                target = self._take(at, state, action, args, following)
                if target is not None:
                    self.taken[action] += 1
                    if self.keep_edges:
                        self.edges.add((at, action, target))
            if stuck and self.deadlock:
                self._fail("deadlock", None, self._trace(at))
            at += 1

    def _take(self, at: int, state: State, action: str, args: tuple[Any, ...], following: State) -> int | None:
        """Judge one step: constraints, then invariants, then step properties; the number of the state it leads to."""
        model = self.model
        target = self.index.get(following)
        new = target is None and following not in self.outside
        if self.constrained and following not in self.outside and not self._within(state, following):
            target = None
        elif new:
            target = self._enter(following, (at, Step(action, args)))
        if new:
            self._check(following, (at, Step(action, args)), model.check_state(following))
        if self.stepwise:
            self._check(following, (at, Step(action, args)), model.check_step_properties(state, following))
        return target

    def _within(self, state: State, following: State) -> bool:
        """Whether a step may be followed: TLC asks the constraints on states first."""
        if following not in self.index and not self.model.within_constraints(following):
            self.outside.add(following)
            return False
        return self.model.within_action_constraints(state, following)

    def _moves(self, at: int, state: State) -> Iterator[Successor]:
        try:
            yield from self.model.moves(state)
        except EvaluationError as error:
            self.generated += isinstance(error, UnassignedError)
            error.trace = tuple(self._trace(at))  # type: ignore[attr-defined]
            raise

    def _enter(self, state: State, origin: tuple[int, Step] | None) -> int | None:
        if self.model.config.constraints and not self.model.within_constraints(state):
            self.outside.add(state)
            return None
        if len(self.states) >= self.max_states:
            raise StateLimitError(
                f"there are more than {self.max_states} states; give smaller bounds, or a larger limit"
            )
        number = self.index[state] = len(self.states)
        self.states.append(state)
        self.origin.append(origin)
        self.levels.append(1 if origin is None else self.levels[origin[0]] + 1)
        self.depth = max(self.depth, self.levels[-1])
        return number

    def _check(self, state: State, origin: tuple[int, Step] | None, failed: list[str]) -> None:
        for name in failed:
            trace: list[tuple[Step | None, State]] = []
            if not self.survey:
                trace = [*self._trace(origin[0]), (origin[1], state)] if origin else [(None, state)]
            self._fail("safety", name, trace)

    def _fail(self, verdict: str, name: str | None, trace: list[tuple[Step | None, State]]) -> None:
        if not self.survey:
            raise _Stop(verdict, name, trace)
        self.violations.setdefault(name or verdict)

    def _trace(self, at: int) -> list[tuple[Step | None, State]]:
        rows: list[tuple[Step | None, State]] = []
        here: int | None = at
        while here is not None:
            origin = self.origin[here]
            rows.append((origin[1] if origin else None, self.states[here]))
            here = origin[0] if origin else None
        return rows[::-1]

    def _result(
        self,
        verdict: str,
        violated: str | None = None,
        trace: tuple[tuple[Step | None, State], ...] = (),
        error: str | None = None,
    ) -> Exploration:
        return Exploration(
            verdict=verdict,
            distinct=len(self.states),
            generated=self.generated,
            depth=self.depth,
            violated=violated,
            counterexample=trace,
            violations=tuple(sorted(self.violations)) if self.survey else (violated,) if violated else (),
            unchecked_properties=self.model.temporal_properties,
            assumptions=self.model.assumptions,
            states=tuple(self.states) if self.keep_edges else (),
            edges=frozenset(self.edges),
            error=error,
            taken=tuple(self.taken.items()),
        )
