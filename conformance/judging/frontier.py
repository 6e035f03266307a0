"""Every state in which a run may be, as far as it shows, from step to step.

Five rules:

1. A step that names its action and its arguments is that action with those
   arguments; what it leaves out (the action, written `ANY`, or arguments) may be anything.
2. Between two steps a stated number of silent ones may lie, and no more.
3. A state is kept with the properties that every way to it has broken; one that
   can be reached without breaking any is kept as that.
4. A property is *violated* only if it is broken on every way that still fits, and
   *possibly* broken otherwise.
5. States that differ by an exchange of interchangeable ids are one state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from conformance.judging.divergence import Divergence, Kind
from conformance.trace.step import ANY, is_open

if TYPE_CHECKING:
    from conformance.tla.interchange import Interchange
    from conformance.tla.model import Model, State

__all__ = ["Candidates", "Frontier", "TooManyError"]

Broken = frozenset[str]
Candidates = dict["State", Broken]
"""Each state with the properties that were broken on every way to it."""

MOST_COMPARED = 100
"""Of so many states at most the steps are compared with what is shown, once nothing fits."""


class TooManyError(Exception):
    """More states fit than were allowed."""

    def __init__(self, candidates: int) -> None:
        super().__init__(f"more than {candidates} states fit")
        self.candidates = candidates


@attrs.define(eq=False)
class Frontier:
    """How the states that fit are found, step after step."""

    model: Model
    observed: Mapping[str, int]
    """The variables that the run shows, and where they stand in a state."""
    most: int
    silent: int = 0
    """How many steps may lie between two that the run shows."""
    silent_actions: Collection[str] | None = None
    """The actions of which silent steps may be; None for any."""
    named: Callable[[], Collection[Any]] | None = None
    """Finds the ids that the run names anywhere; without it, no ids are interchangeable."""
    widest: int = 0
    evaluations: int = 0
    possible: dict[str, int] = attrs.field(factory=dict)
    """The properties that some way breaks and another does not, and the step where that was seen first."""

    interchange: Interchange | None = attrs.field(init=False, default=None)
    """The ids that nothing tells apart; looked for when there is more than one state."""

    def start(self, beginnings: Candidates) -> Candidates:
        """The beginnings that fit, those once that differ by an exchange only."""
        kept: dict[Any, tuple[State, Broken]] = {}
        self.merge(kept, beginnings)
        return dict(kept.values())

    def advance(
        self,
        candidates: Candidates,
        action: str | None,
        args: tuple[Any, ...] | None,
        after: Mapping[str, Any],
        step: int,
    ) -> tuple[Candidates, Divergence | None]:
        """The states that fit after one more step; without any, why."""
        kept: dict[Any, tuple[State, Broken]] = {}
        refused: list[Divergence] = []
        unlike = Kind.WRONG_OBSERVATION if action is not None else Kind.UNREPORTED_CHANGE
        for before, broken in candidates.items():
            for here, so_far in self._silently(before, broken):
                for successor in self._successors(here, action, args):
                    wrong = self._difference(before, successor, after)
                    if wrong is not None:
                        if not refused:
                            refused.append(
                                self._part(unlike, step, action, args, **wrong, state=here, next_state=successor)
                            )
                        continue
                    if not so_far and self._is_known(kept, successor):
                        continue
                    failing = self._failing(here, successor, so_far) if successor != here or action else []
                    if failing and len(refused) < 2:
                        refused.insert(0, self._failed(failing, step, action, args, here, successor))
                    self._keep(kept, successor, so_far.union(failing))
        if kept and not all(broken for _, broken in kept.values()):
            for _, broken in kept.values():
                for name in broken:
                    self.possible.setdefault(name, step)
            return dict(kept.values()), None
        if kept:
            return {}, self._broken_anyway(refused, kept, step, action, args)
        if refused:
            told = refused[0]
            return {}, told if told.kind is not unlike else self._nearest(told, candidates, after)
        state = next(iter(candidates))
        return {}, self._part(Kind.NOT_ALLOWED, step, action, args, state=state, **self._shown(state, after))

    def merge(self, into: dict[Any, tuple[State, Broken]], candidates: Candidates) -> None:
        """Add states that were reached on another way."""
        for state, broken in candidates.items():
            self._keep(into, state, broken)

    # --- the steps ----------------------------------------------------------------------------

    def _silently(self, before: State, broken: Broken) -> Iterator[tuple[State, Broken]]:
        """The state, and those that silent steps lead to from it."""
        yield before, broken
        reached: dict[Any, tuple[State, Broken]] = {}
        self._keep(reached, before, broken)
        latest = [(before, broken)]
        for _ in range(self.silent):
            coming: list[tuple[State, Broken]] = []
            for here, so_far in latest:
                for _, successor in self.model.successors(here, self.silent_actions):
                    if successor == here or (not so_far and self._is_known(reached, successor)):
                        continue
                    failing = self._failing(here, successor, so_far)
                    if self._keep(reached, successor, so_far.union(failing)):
                        coming.append((successor, so_far.union(failing)))
            yield from coming
            latest = coming

    def _successors(self, state: State, action: str | None, args: tuple[Any, ...] | None) -> Iterator[State]:
        if action is None:
            yield state
        elif args is not None and not is_open(action, args):
            yield from self.model.apply(action, args, state)
        else:
            for taken, successor in self.model.successors(state, None if action == ANY else (action,)):
                if args is None or _fits(taken.args, args):
                    yield successor

    def _difference(self, before: State, successor: State, after: Mapping[str, Any]) -> dict[str, Any] | None:
        for name, position in self.observed.items():
            shown = after[name] if name in after else before[position]
            if successor[position] != shown:
                return {"variable": name, "expected": successor[position], "observed": shown}
        return None

    def _failing(self, here: State, successor: State, so_far: Broken) -> list[str]:
        self.evaluations += len(self.model.invariants) + len(self.model.step_properties)
        failing = self.model.check_state(successor, None if so_far else here)
        return failing + self.model.check_step_properties(here, successor)

    def _key(self, state: State) -> Any:
        return state if self.interchange is None else self.interchange.key(state)

    def _is_known(self, kept: dict[Any, tuple[State, Broken]], state: State) -> bool:
        """Tell whether the state was reached already, on a way that breaks nothing."""
        known = kept.get(self._key(state)) if kept else None
        return known is not None and not known[1]

    def _keep(self, kept: dict[Any, tuple[State, Broken]], state: State, broken: Broken) -> bool:
        """Keep a state; tell whether it is new, or is now known to be reached with less broken."""
        key = self._key(state)
        known = kept.get(key)
        if known is not None and (not known[1] or broken):
            return False
        kept[key] = (state, broken)
        if self.interchange is None and len(kept) > 1:
            self._merge_interchanged(kept)
        self.widest = max(self.widest, len(kept))
        if len(kept) > self.most:
            raise TooManyError(self.most)
        return True

    def _merge_interchanged(self, kept: dict[Any, tuple[State, Broken]]) -> None:
        from conformance.tla.interchange import Interchange, interchangeable

        if self.named is None:
            self.interchange = Interchange({}, "it is not known which ids the run names")
        else:
            self.interchange = interchangeable(self.model, self.named())
        states = list(kept.values())
        kept.clear()
        for state, broken in states:
            self._keep(kept, state, broken)

    # --- what is said where nothing fits ------------------------------------------------------

    def _shown(self, before: State, after: Mapping[str, Any]) -> dict[str, Any]:
        """The state that the run shows, and where it shows nothing of it."""
        shown = list(before)
        for name, value in after.items():
            shown[self.observed[name]] = value
        seen = set(self.observed.values())
        return {"next_state": tuple(shown), "hidden": tuple(each for each in range(len(shown)) if each not in seen)}

    def _nearest(self, first: Divergence, candidates: Candidates, after: Mapping[str, Any]) -> Divergence:
        """Of the steps that leave something else than is shown, the one that leaves the least else."""
        best, fewest = first, len(self.observed) + 1
        for before in list(candidates)[:MOST_COMPARED]:
            shown = {name: after.get(name, before[position]) for name, position in self.observed.items()}
            for successor in self._successors(before, first.action, first.args):
                unlike = [name for name, position in self.observed.items() if successor[position] != shown[name]]
                if unlike and len(unlike) < fewest:
                    name, fewest = unlike[0], len(unlike)
                    left = {"variable": name, "expected": successor[self.observed[name]], "observed": shown[name]}
                    best = attrs.evolve(first, **left, state=before, next_state=successor)
        return best

    def _failed(
        self,
        failing: list[str],
        step: int,
        action: str | None,
        args: tuple[Any, ...] | None,
        here: State,
        successor: State,
    ) -> Divergence:
        invariants = tuple(name for name in failing if name in self.model.invariants)
        kind = Kind.INVARIANT if invariants else Kind.STEP_PROPERTY
        return self._part(
            kind, step, action, args, failing=invariants or tuple(failing), state=here, next_state=successor
        )

    def _broken_anyway(
        self,
        refused: list[Divergence],
        kept: dict[Any, tuple[State, Broken]],
        step: int,
        action: str | None,
        args: tuple[Any, ...] | None,
    ) -> Divergence:
        """Every way that fits has broken something: here, or before."""
        broken_here = [each for each in refused if each.kind in (Kind.INVARIANT, Kind.STEP_PROPERTY)]
        if broken_here:
            return broken_here[0]
        names = sorted(frozenset().union(*(broken for _, broken in kept.values())))
        return self._part(Kind.BROKEN_BEFORE, step, action, args, failing=tuple(names))

    def _part(
        self, kind: Kind, step: int, action: str | None, args: tuple[Any, ...] | None, **details: Any
    ) -> Divergence:
        return Divergence(kind=kind, step=step, action=action, args=args, model=self.model, **details)


def _fits(given: tuple[Any, ...], told: tuple[Any, ...]) -> bool:
    pairs = zip(told, given, strict=True)
    return len(given) == len(told) and all(each is None or each == value for each, value in pairs)
