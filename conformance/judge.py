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
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from conformance.judging.admission import Admission
from conformance.judging.divergence import Divergence, Kind
from conformance.judging.verdict import TraceVerdict, Word
from conformance.tla.errors import EvaluationError
from conformance.trace.errors import TraceError

if TYPE_CHECKING:
    from conformance.tla.model import Model, State

__all__ = ["Divergence", "Judge", "Kind", "TraceVerdict", "Word"]

MOST_CANDIDATES: Final = 10_000
MOST_VALUES: Final = 200_000

_met: WeakKeyDictionary[Model, dict[Any, Any]] = WeakKeyDictionary()
"""The values that the runs of a model have met, each once."""


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
        self._met = _met.setdefault(model, {})
        self._allows = model.allows
        self._apply = model.apply
        self._check_state = model.check_state
        self._check_step_properties = model.check_step_properties
        self._per_step = len(model.invariants) + len(model.step_properties)
        self.admission = Admission(model, observes)
        self._known = self.admission.known
        self._index = {name: position for position, name in enumerate(model.variables)}
        self._observed = self.admission.observed
        self._observed_items = tuple(self._observed.items())
        self._sees_all = self.admission.sees_all
        self._candidates: list[State] = []

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
        for state in dict.fromkeys(self.model.initial_states()):
            wrong = sum(state[position] != value for position, value in seen)
            if not wrong:
                self._candidates.append(state)
            elif best is None or wrong < best[0]:
                best = (wrong, state)
        if not self._candidates:
            return self._not_initial(best[1] if best else None, values)
        failing: list[str] = []
        for state in self._candidates:
            self._evaluations += len(self.model.invariants)
            failing = self._check_state(state)
            if not failing:
                return None
        return self._part(Kind.INVARIANT, failing=tuple(failing), state=state, next_state=state)

    def step(self, action: str | None, args: tuple[Any, ...], after: Mapping[str, Any]) -> Divergence | None:
        """Judge one step: ``after`` has the observed variables that changed; no action is a stutter."""
        if self.divergence is not None:
            return self.divergence
        self.steps += 1
        if action is None:
            return self._stutter(after)
        if (action, args) not in self._known:
            self.admission.admit(action, args)
        candidates = self._candidates
        if len(candidates) == 1:
            before = candidates[0]
            successor = self._only_successor(action, args, before, after)
            if successor is not None:
                successor = self._same_objects(before, successor)
                self._evaluations += self._per_step
                if not self._check_state(successor, before) and not self._check_step_properties(before, successor):
                    candidates[0] = successor
                    self.actions_taken[action] += 1
                    return None
        return self._search(action, args, after)

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
            self._candidates = kept
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
        if self.divergence is None:
            self._check_quiet(frozenset(waiting))
        return self.divergence

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

    def _only_successor(
        self, action: str, args: tuple[Any, ...], before: State, after: Mapping[str, Any]
    ) -> State | None:
        """The one state that the action leads to and that agrees with what is shown; None leaves it to the search."""
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

    def _same_objects(self, before: State, successor: State) -> State:
        """The state, made of values that were met before: what is asked of it is then found by identity."""
        met = self._met
        if len(met) > MOST_VALUES:
            met.clear()
        return tuple(
            [now if now is was else met.setdefault(now, now) for now, was in zip(successor, before, strict=True)]
        )

    def _agrees(self, before: State, successor: State, after: Mapping[str, Any]) -> bool:
        for name, position in self._observed_items:
            value = successor[position]
            shown = after[name] if name in after else before[position]
            if value is not shown and value != shown:
                return False
        return after.keys() <= self._observed.keys()

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
            self._candidates = kept
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

    def _check_quiet(self, waiting: frozenset[str]) -> None:
        from conformance.judging.quiescence import fair_actions, owed

        fair = fair_actions(self.model) - waiting
        first: tuple[Any, ...] = ()
        for state in self._candidates:
            steps = owed(self.model, state, fair)
            if not steps:
                return
            first = first or steps
        self._part(Kind.NOT_QUIESCENT, owed=first, state=self._candidates[0])

    def _part(self, kind: Kind, **details: Any) -> Divergence:
        self.divergence = Divergence(kind=kind, step=self.steps, model=self.model, **details)
        return self.divergence
