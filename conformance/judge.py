"""Judges a run by the specification, step by step, as the run goes on.

Five rules:

1. The named action must hold: the step must be *that* action with *those*
   arguments.  Stuttering is not enough, and another action is not enough.
2. What is observed must be what the action leaves: a variable that the run shows
   and does not mention is unchanged; one that it does not show is whatever the
   specification makes of it, so that a few states may be possible at once.
3. Every invariant is asked in every state and every step property of every step.
4. A run may end in a divergence only once: after the first, nothing more is judged.
5. What is asked wrongly (an unknown action, an argument outside its domain, a
   value of the wrong shape) is a `TraceError`, not a divergence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from conformance.judging.admission import Admission
from conformance.judging.divergence import Divergence, Kind
from conformance.judging.memory import Place, Way, memory_of
from conformance.judging.verdict import TraceVerdict, Word
from conformance.tla.errors import EvaluationError
from conformance.trace.errors import TraceError

if TYPE_CHECKING:
    from conformance.tla.model import Model, State

__all__ = ["Divergence", "Judge", "Kind", "TraceVerdict", "Word"]

MOST_CANDIDATES: Final = 10_000


class Judge:
    """One run under judgement.

    ``observes`` names, for each module, the variables that the run shows.
    """

    def __init__(self, model: Model, observes: Mapping[str, Sequence[str]]) -> None:
        self.model = model
        self.steps = 0
        self.actions_taken: Counter[str] = Counter()
        self.divergence: Divergence | None = None
        self._evaluations = 0
        self._allows = model.allows
        self._apply = model.apply
        self._check_state = model.check_state
        self._check_step_properties = model.check_step_properties
        self._per_step = len(model.invariants) + len(model.step_properties)
        self.admission = Admission(model, observes)
        self._index = {name: position for position, name in enumerate(model.variables)}
        self._observed = self.admission.observed
        self._seen = itemgetter(*self._observed.values()) if self._observed else lambda state: None
        self._sees_all = self.admission.sees_all
        self._candidates: list[State] = []
        self._memory = memory_of(model, tuple(self._observed))
        self._here: Place | None = None
        """Where the run is, if that is one place."""

    @property
    def candidates(self) -> tuple[State, ...]:
        """The states in which the run may be, as far as it shows; mostly one."""
        return tuple(self._candidates)

    @property
    def state(self) -> State:
        """The first of the states in which the run may be."""
        return self._candidates[0]

    def begin(self, values: Mapping[str, Any]) -> Divergence | None:
        """Start with the observed values of step 0."""
        self.admission.admit_beginning(values)
        seen = [(position, values[name]) for name, position in self._observed.items()]
        best: tuple[int, State] | None = None
        for state in self._memory.beginnings():
            wrong = sum(state[position] != value for position, value in seen)
            if not wrong:
                self._candidates.append(state)
            elif best is None or wrong < best[0]:
                best = (wrong, state)
        if not self._candidates:
            return self._not_initial(best[1] if best else None, values)
        fitting, self._candidates = self._candidates, []
        failing: list[str] = []
        for state in fitting:
            self._evaluations += len(self.model.invariants)
            failing = [] if self._memory.find(state) else self._check_state(state)
            if not failing:
                self._candidates.append(state)
        if not self._candidates:
            self._candidates = fitting
            state = fitting[-1]
            return self._part(Kind.INVARIANT, failing=tuple(failing), state=state, next_state=state)
        self._stand(self._candidates)
        return None

    def step(self, action: str | None, args: tuple[Any, ...], after: Mapping[str, Any]) -> Divergence | None:
        """Judge one step: ``after`` has the observed variables that changed; no action is a stutter."""
        if self.divergence is not None:
            return self.divergence
        self.steps += 1
        if action is None:
            return self._stutter(after)
        here = self._here
        if here is None:
            self.admission.admit(action, args)
            return self._search(action, args, after)
        way = here.ways.get((action, args))
        if way is None or way.shown != after:
            self.admission.admit(action, args)
            way = self._new_way(here, action, args, after)
            if way is None:
                return self._search(action, args, after)
        self._evaluations += self._per_step
        self.actions_taken[action] += 1
        self._here = way.goal
        self._candidates[0] = way.goal.state
        return None

    def observe(self, values: Mapping[str, Any]) -> Divergence | None:
        """Compare what is observed now with the present state: nothing may have changed since the last step."""
        if self.divergence is not None:
            return self.divergence
        state = self._candidates[0]
        index = self._index
        for name, value in values.items():
            if state[index[name]] != value:
                break
        else:
            if len(self._candidates) == 1:
                return None
        kept = [each for each in self._candidates if all(each[index[name]] == value for name, value in values.items())]
        if kept:
            self._stand(kept)
            return None
        name = next(name for name, value in values.items() if state[index[name]] != value)
        return self._part(
            Kind.UNREPORTED_CHANGE,
            variable=name,
            expected=state[index[name]],
            observed=values[name],
            state=state,
            next_state=self._expected(state, values) if self._sees_all else None,
        )

    def rest(self, waiting: Collection[str] = ()) -> Divergence | None:
        """Ask whether a run that rests here owes nothing, other than the actions named in ``waiting``."""
        without, here = frozenset(waiting), self._here
        if self.divergence is not None or (here is not None and without in here.quiet):
            return self.divergence
        found = self._check_quiet(without)
        if found is None and here is not None:
            here.quiet.add(without)
        return found

    def finish(self, end: str | None, note: str = "") -> TraceVerdict:
        """The verdict about the run; ``end`` is how it ended, None where it was cut short."""
        if end == "quiescent":
            self.rest()
        word, reason = self.word(end, self.divergence, note)
        return self.verdict(word, reason, end, self.divergence)

    def word(self, end: str | None, divergence: Divergence | None, note: str = "") -> tuple[Word, str]:
        """The verdict in one word, and the sentence that belongs to it."""
        if divergence is not None:
            return Word.REJECTED, divergence.headline
        if end is None:
            return Word.UNDECIDED, note or "the run was cut short; what there is of it is allowed"
        if end == "failed":
            return Word.UNDECIDED, "the run says that it failed, and the specification allows every step that it shows"
        if not self.actions_taken:
            return Word.VACUOUS, f"no action of {self.model.module} was taken: nothing was judged"
        return Word.ACCEPTED, "every step is allowed"

    def verdict(self, word: Word, reason: str, end: str | None, divergence: Divergence | None) -> TraceVerdict:
        """The word with all that it rests on."""
        return TraceVerdict(
            word=word,
            reason=reason,
            specification=self.model.module,
            steps=self.steps,
            end=end,
            actions=self.actions_taken,
            invariants=tuple(self.model.invariants),
            step_properties=tuple(self.model.step_properties),
            evaluations=self._evaluations,
            constants=self.model.constants,
            divergence=divergence,
        )

    # --- the step -----------------------------------------------------------------------------

    def _new_way(self, here: Place, action: str, args: tuple[Any, ...], after: Mapping[str, Any]) -> Way | None:
        """The way that the action takes, if there is one; None leaves it to the search."""
        before = here.state
        successor = self._only_successor(action, args, before, after)
        if successor is None:
            return None
        successor = self._memory.same_objects(successor, before)
        goal = self._memory.find(successor)
        if goal is None:
            if self._check_state(successor, before):
                return None
            goal = self._memory.place(successor)
        if self._check_step_properties(before, goal.state):
            return None
        way = here.ways[action, args] = Way(dict(after), goal)
        return way

    def _only_successor(
        self, action: str, args: tuple[Any, ...], before: State, after: Mapping[str, Any]
    ) -> State | None:
        """The one state that the action leads to and that agrees with what is shown."""
        if not self._sees_all:
            successors = self._apply(action, args, before)
            if len(successors) == 1 and self._agrees(before, successors[0], after):
                return successors[0]
            return None
        shown = self._expected(before, after)
        try:
            return shown if self._allows(action, args, before, shown) else None
        except EvaluationError:
            # A value of another type than the specification's own cannot be compared with it.
            return None

    def _stand(self, candidates: list[State]) -> None:
        """Go on from these states, each of which keeps every invariant."""
        self._candidates = candidates = list(map(self._memory.same_objects, candidates))
        self._here = self._memory.place(candidates[0]) if len(candidates) == 1 else None

    def _agrees(self, before: State, successor: State, after: Mapping[str, Any]) -> bool:
        if not after.keys() <= self._observed.keys():
            return False
        return bool(self._seen(successor) == self._seen(self._expected(before, after)))

    def _expected(self, before: State, after: Mapping[str, Any]) -> State:
        """The state that the run shows, where it shows every variable."""
        if not after:
            return before
        state = list(before)
        index = self._index
        try:
            for name, value in after.items():
                state[index[name]] = value
        except KeyError:
            self.admission.refuse_unknown(after, self.steps)
        return tuple(state)

    def _search(self, action: str, args: tuple[Any, ...], after: Mapping[str, Any]) -> Divergence | None:
        """The step with every candidate; slower, and with a reason where none is left."""
        self.admission.refuse_unknown(after, self.steps)
        kept: list[State] = []
        failures: list[dict[str, Any]] = []
        pairs = [(before, successor) for before in self._candidates for successor in self._apply(action, args, before)]
        for before, successor in pairs:
            wrong = self._difference(before, successor, after)
            if wrong is not None:
                failures.append({"kind": Kind.WRONG_OBSERVATION, "state": before, "next_state": successor} | wrong)
                continue
            self._evaluations += self._per_step
            if failing := self._check_state(successor):
                kind = Kind.INVARIANT
            elif failing := self._check_step_properties(before, successor):
                kind = Kind.STEP_PROPERTY
            else:
                if successor not in kept:
                    kept.append(successor)
                continue
            failures.append({"kind": kind, "failing": tuple(failing), "state": before, "next_state": successor})
        if kept:
            if len(kept) > MOST_CANDIDATES:
                raise TraceError(f"step {self.steps}: more than {MOST_CANDIDATES} states are possible; observe more")
            self._stand(kept)
            self.actions_taken[action] += 1
            return None
        if not pairs:
            return self._part(Kind.NOT_ALLOWED, action=action, args=args, state=self._candidates[0])
        # The nearest miss: a state that agrees and breaks a property, before one that shows something else.
        chosen = next((each for each in failures if each["kind"] is not Kind.WRONG_OBSERVATION), failures[0])
        return self._part(action=action, args=args, **chosen)

    def _difference(self, before: State, successor: State, after: Mapping[str, Any]) -> dict[str, Any] | None:
        for name, position in self._observed.items():
            shown = after[name] if name in after else before[position]
            if successor[position] != shown:
                return {"variable": name, "expected": successor[position], "observed": shown}
        return None

    def _stutter(self, after: Mapping[str, Any]) -> Divergence | None:
        self.admission.refuse_unknown(after, self.steps)
        return self.observe(after)

    # --- the end ------------------------------------------------------------------------------

    def _not_initial(self, nearest: State | None, values: Mapping[str, Any]) -> Divergence:
        if nearest is None:
            return self._part(Kind.NOT_INITIAL)
        name = next(each for each, position in self._observed.items() if nearest[position] != values[each])
        expected = nearest[self._index[name]]
        return self._part(Kind.NOT_INITIAL, variable=name, expected=expected, observed=values[name], state=nearest)

    def _check_quiet(self, waiting: frozenset[str]) -> Divergence | None:
        from conformance.judging.quiescence import fair_actions, owed

        fair = fair_actions(self.model) - waiting
        first: tuple[Any, ...] = ()
        for state in self._candidates:
            steps = owed(self.model, state, fair)
            if not steps:
                return None
            first = first or steps
        return self._part(Kind.NOT_QUIESCENT, owed=first, state=self._candidates[0])

    def _part(self, kind: Kind, **details: Any) -> Divergence:
        self.divergence = Divergence(kind=kind, step=self.steps, model=self.model, **details)
        return self.divergence
