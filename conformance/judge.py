"""Judges a run by the specification, step by step, as the run goes on.

Five rules:

1. The named action must hold: the step must be *that* action with *those*
   arguments.  Stuttering is not enough, and another action is not enough.
2. What is observed must be what the action leaves: a variable that the run shows
   and does not mention is unchanged; one that it does not show is whatever the
   specification makes of it.  Where that, or what a step leaves open, makes several
   states possible, all of them are followed (`conformance.judging.frontier`).
3. Every invariant is asked in every state and every step property of every step.
4. A run may end in a divergence only once: after the first, nothing more is judged.
5. What is asked wrongly (an unknown action, an argument outside its domain, a
   value of the wrong shape) is a `TraceError`, not a divergence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import attrs

from conformance.judging.admission import Admission
from conformance.judging.divergence import Divergence, Kind
from conformance.judging.frontier import Candidates, Frontier, TooManyError
from conformance.judging.memory import Place, Way, memory_of
from conformance.judging.verdict import Holes, TraceVerdict, Word
from conformance.tla.errors import EvaluationError
from conformance.trace.step import is_open

if TYPE_CHECKING:
    from conformance.tla.model import Model, State
    from conformance.trace.step import TraceStep

__all__ = ["Divergence", "Judge", "Kind", "Leeway", "TraceVerdict", "Word"]


@attrs.frozen(kw_only=True)
class Leeway:
    """How much of a run may be missing, and how far it is made up for; the checker's word, never the trace's."""

    silent: int = 0
    """How many steps may lie unseen between two that the run shows."""
    silent_actions: tuple[str, ...] | None = None
    """The actions that may be taken unseen; None for any."""
    most_candidates: int = 10_000
    """How many states may fit; beyond, the run is undecided."""
    named: Callable[[], Collection[Any]] | None = None
    """Finds the ids that the whole run names; without it, no ids are interchangeable."""


class Judge:
    """One run under judgement.

    ``observes`` names, for each module, the variables that the run shows.
    """

    def __init__(self, model: Model, observes: Mapping[str, Sequence[str]], leeway: Leeway | None = None) -> None:
        self.model = model
        self.leeway = leeway or Leeway()
        self.steps = 0
        self.actions_taken: Counter[str] = Counter()
        self.divergence: Divergence | None = None
        self.lost: str | None = None
        """Why the run cannot be followed any further, where it cannot."""
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
        self._memory = memory_of(model, tuple(self._observed))
        self._here: Place | None = None
        """Where the run is, if that is one place; ``_fitting`` then says nothing."""
        self._fitting: Candidates = {}
        self._past: list[State] | None = [] if model.temporal_properties else None
        """Every state of the run, as long as each is known; only where a temporal property asks for it."""
        self._asked_at_rest = False
        self._frontier: Frontier | None = None

    @property
    def frontier(self) -> Frontier:
        """How the states that fit are found where there is more than one."""
        if self._frontier is None:
            leeway = self.leeway
            for action in leeway.silent_actions or ():
                self.admission.admit(action, None)
            self._frontier = Frontier(
                model=self.model,
                observed=self._observed,
                most=leeway.most_candidates,
                silent=leeway.silent,
                silent_actions=leeway.silent_actions,
                named=leeway.named,
            )
        return self._frontier

    @property
    def fitting(self) -> Candidates:
        """The states in which the run may be, each with what every way to it has broken; mostly one, and nothing."""
        return self._fitting if self._here is None else {self._here.state: frozenset()}

    @property
    def candidates(self) -> tuple[State, ...]:
        """The states in which the run may be, as far as it shows."""
        return tuple(self.fitting)

    @property
    def state(self) -> State:
        """The first of the states in which the run may be."""
        return next(iter(self.fitting))

    def begin(self, values: Mapping[str, Any]) -> Divergence | None:
        """Start with the observed values of step 0."""
        self.admission.admit_beginning(values)
        seen = [(position, values[name]) for name, position in self._observed.items()]
        best: tuple[int, State] | None = None
        fitting: Candidates = {}
        for state in self._memory.beginnings():
            wrong = sum(state[position] != value for position, value in seen)
            if not wrong:
                self._evaluations += len(self.model.invariants)
                fitting[state] = frozenset(() if self._memory.find(state) else self._check_state(state))
            elif best is None or wrong < best[0]:
                best = (wrong, state)
        if not fitting:
            return self._not_initial(best[1] if best else None, values)
        state, failing = next(iter(fitting.items()))
        if all(fitting.values()):
            self._fitting = fitting
            return self._part(Kind.INVARIANT, failing=tuple(sorted(failing)), state=state, next_state=state)
        if len(fitting) > 1:
            fitting = self.frontier.start(fitting)
        self.stand(fitting)
        return None

    def stand(self, fitting: Candidates) -> None:
        """Go on from these states."""
        self._fitting, self._here = fitting, None
        if len(fitting) == 1:
            (state,) = fitting
            self._here = self._memory.place(self._memory.same_objects(state))
        if self._past is not None:
            if self._here is None or self.leeway.silent:
                self._past = None
            else:
                self._past.append(self._here.state)

    def step(self, action: str | None, args: tuple[Any, ...] | None, after: Mapping[str, Any]) -> Divergence | None:
        """Judge one step: ``after`` has the observed variables that changed; no action is a stutter."""
        if self.divergence is not None or self.lost is not None:
            return self.divergence
        self.steps += 1
        here = self._here
        if action is None:
            return self._stutter(after)
        if args is None or here is None or self.leeway.silent or is_open(action, args):
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
        if self._past is not None:
            self._past.append(way.goal.state)
        return None

    def observe(self, values: Mapping[str, Any]) -> Divergence | None:
        """Compare what is observed now with the present state: nothing may have changed since the last step."""
        if self.divergence is not None or self.lost is not None:
            return self.divergence
        here = self._here
        if here is None:
            return self._search(None, (), values)
        state = here.state
        index = self._index
        name = next((name for name, value in values.items() if state[index[name]] != value), None)
        if name is None:
            return None
        return self._part(
            Kind.UNREPORTED_CHANGE,
            variable=name,
            expected=state[index[name]],
            observed=values[name],
            state=state,
            next_state=self._expected(state, values),
            hidden=tuple(each for each in range(len(state)) if each not in self._observed.values()),
        )

    def rest(self, waiting: Collection[str] = ()) -> Divergence | None:
        """Ask whether a run that rests here owes nothing, other than the actions named in ``waiting``."""
        without, here = frozenset(waiting), self._here
        known = here is not None and without in here.quiet
        if self.divergence is not None or self.lost is not None or known:
            return self.divergence
        found = self._check_quiet(without)
        if found is None and here is not None:
            here.quiet.add(without)
        return found

    def count(self, steps: Iterable[TraceStep]) -> None:
        """Note the actions of steps that were taken."""
        self.actions_taken.update(step.action for step in steps if step.action is not None)

    def finish(self, end: str | None, note: str = "") -> TraceVerdict:
        """The verdict about the run; ``end`` is how it ended, None where it was cut short."""
        if end == "quiescent":
            self.rest()
            self._ask_at_rest()
        word, reason = self.word(end, self.divergence, note)
        return self.verdict(word, reason, end, self.divergence)

    def word(self, end: str | None, divergence: Divergence | None, note: str = "") -> tuple[Word, str]:
        """The verdict in one word, and the sentence that belongs to it."""
        if divergence is not None:
            return Word.REJECTED, divergence.headline
        if self.lost is not None:
            return Word.UNDECIDED, self.lost
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
            holes=self._holes(),
            unchecked_properties=() if self._asked_at_rest else self.model.temporal_properties,
        )

    def _holes(self) -> Holes | None:
        frontier = self._frontier
        if frontier is None or (frontier.widest < 2 and not frontier.silent and frontier.interchange is None):
            return None
        interchange = frontier.interchange
        classes = interchange.classes if interchange is not None else {}
        return Holes(
            candidates=len(self.fitting),
            widest=frontier.widest,
            silent=frontier.silent,
            merged={name: len(atoms) for name, atoms in classes.items()},
            not_merged=interchange.why_not if interchange is not None else "",
            possible=dict(frontier.possible),
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

    def _search(self, action: str | None, args: tuple[Any, ...] | None, after: Mapping[str, Any]) -> Divergence | None:
        """The step with every candidate; slower, and with a reason where none is left."""
        self.admission.refuse_unknown(after, self.steps)
        frontier = self.frontier
        evaluated = frontier.evaluations
        try:
            kept, self.divergence = frontier.advance(self.fitting, action, args, after, self.steps)
        except TooManyError as error:
            self.lost = f"undecided at step {self.steps}: more than {error.candidates} states fit; show more"
            return None
        self._evaluations += frontier.evaluations - evaluated
        if self.divergence is None:
            self.stand(kept)
            if action is not None:
                self.actions_taken[action] += 1
        return self.divergence

    def _stutter(self, after: Mapping[str, Any]) -> Divergence | None:
        self.admission.refuse_unknown(after, self.steps)
        return self._search(None, (), after) if self.leeway.silent else self.observe(after)

    # --- the end ------------------------------------------------------------------------------

    def _not_initial(self, nearest: State | None, values: Mapping[str, Any]) -> Divergence:
        if nearest is None:
            return self._part(Kind.NOT_INITIAL)
        name = next(each for each, position in self._observed.items() if nearest[position] != values[each])
        expected = nearest[self._index[name]]
        return self._part(Kind.NOT_INITIAL, variable=name, expected=expected, observed=values[name], state=nearest)

    def _ask_at_rest(self) -> None:
        """The temporal properties, of a run that repeats its last state for ever."""
        if self.divergence is not None or not self._past:
            return
        from conformance.tla.temporal import broken_at_rest

        broken = broken_at_rest(self.model, self._past)
        self._asked_at_rest = True
        if broken:
            self._part(Kind.LIVENESS, failing=tuple(broken), state=self.state)

    def _check_quiet(self, waiting: frozenset[str]) -> Divergence | None:
        from conformance.judging.quiescence import fair_actions, owed

        fair = fair_actions(self.model) - waiting
        first: tuple[Any, ...] = ()
        for state in self.fitting:
            steps = owed(self.model, state, fair)
            if not steps:
                return None
            first = first or steps
        return self._part(Kind.NOT_QUIESCENT, owed=first, state=self.state)

    def _part(self, kind: Kind, **details: Any) -> Divergence:
        self.divergence = Divergence(kind=kind, step=self.steps, model=self.model, **details)
        return self.divergence
