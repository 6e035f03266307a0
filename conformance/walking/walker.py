"""Walks the simulated service through what a counterexample tells.

Four rules:

1. Every told step must be observed, with its arguments.  The order is the told one
   where the service can take it; steps that do not hang on one another may change
   places, and the service may have to do something besides.  Both cost, so the walk that
   is found has the least of it, and both are told.
2. A walk is a list of requests, made of a fresh simulation each time; the requests are
   those with which the mapping says that the told actions are provoked.
3. The judge looks on all the way: a walk on which the service parts from the
   specification ends there.
4. At a mutated step, and at the end of a loop, the service is led on as far as that can
   be done; what it does instead is what is reported.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from conformance.judge import Divergence, Judge
from conformance.judging.profile import judging_model
from conformance.refinement.poll_registration import MODULE, OBSERVED
from conformance.refinement.provoking import TURN, Request, Scene, provocations
from conformance.simulation.store import Effect
from conformance.targets.requests import RequestError
from conformance.targets.run import Run
from conformance.targets.simulation import Simulation, judge_for
from conformance.tla.errors import EvaluationError
from conformance.tla.model import Model, State, Step
from conformance.walking.told import Told

__all__ = ["Place", "Walk", "walk"]

MOST_TRIES: Final = 4_000
"""How many lists of requests are tried before the walk is given up."""

FURTHER_TRIES: Final = 60
"""How many more are tried to bring a mutated step about."""

AHEAD: Final = 6
"""How many told steps ahead of the next one may be provoked already."""

_OVERTAKEN, _BESIDES, _EARLY = 1.0, 2.0, 0.25
"""What it costs that a step is overtaken by later ones, that one comes besides, and that a request is made early."""
_FORTH = 0.5
"""What each observed step is worth when it is decided where to try on; more would find a worse walk sooner."""

_RUN: Final[Request] = {"do": "run"}

_DEADLINES_APART_MS = 100_000
_PATIENT_MS = 100_000_000


@attrs.frozen
class Place:
    """One observed step, and which told step it is; None where nobody told it."""

    step: Step
    told: int | None


@attrs.frozen(kw_only=True)
class Walk:
    """How far the service went: what it did, step by step, and what came when it was led on."""

    told: Told
    requests: tuple[Request, ...]
    places: tuple[Place, ...]
    run: Run
    tries: int
    further: tuple[Step, ...] = ()
    """The steps from the mutated one on, or from the end of the loop on, that the service took instead."""

    @property
    def reached(self) -> int:
        """How many of the lawful steps were observed."""
        return sum(place.told is not None for place in self.places)

    @property
    def is_complete(self) -> bool:
        """Whether every step was observed that the specification allows; of a loop, those that lead to it."""
        return _leads_to(self.told, self.places)

    @property
    def is_as_told(self) -> bool:
        """Whether the steps came in the told order, and nothing besides."""
        return [place.told for place in self.places] == list(range(len(self.places)))

    @property
    def escape(self) -> Step | None:
        """The first step with which the service leaves a loop that goes on for ever; None where it has none."""
        return self.told.escape((*_besides(self.told, self.places), *self.further))


def _leads_to(told: Told, places: Sequence[Place]) -> bool:
    return {place.told for place in places}.issuperset(range(told.stem))


def _besides(told: Told, places: Sequence[Place]) -> list[Step]:
    """What the service took besides, once it had come to the loop."""
    left = set(range(told.stem))
    found: list[Step] = []
    for place in places:
        if place.told is None and not left:
            found.append(place.step)
        left.discard(-1 if place.told is None else place.told)
    return found


@attrs.frozen(kw_only=True)
class _Trial:
    """A list of requests that were made, and what came of them."""

    places: tuple[Place, ...]
    cost: float
    key: Any
    moves: tuple[tuple[float, Request], ...]
    is_dead: bool
    reached: int
    escapes: bool


@attrs.frozen(order=True)
class _Candidate:
    """A list of requests, ordered by what it costs and how far it goes; without a trial the cost is a lower bound."""

    cost: float
    behind: int
    number: int
    requests: tuple[Request, ...] = attrs.field(order=False)
    early: float = attrs.field(order=False)
    trial: _Trial | None = attrs.field(default=None, order=False)


def walk(told: Told, *, most_tries: int = MOST_TRIES) -> Walk:
    """The walk that goes furthest, of those the least unlike what is told."""
    tries = 0
    if told.mutated is not None and _may_be_taken(told):
        # The service has this step too, with another outcome: lead it to that very step.
        found, tries = _search(told, told.mutated + 1, most_tries // 4)
        if found.trial is not None and found.trial.reached == told.mutated + 1:
            return _result(told, (*found.requests, _RUN), found.trial.places[:-1], tries)
    found, more = _search(told, told.lawful, most_tries)
    tries += more
    assert found.trial is not None
    if not _leads_to(told, found.trial.places) or (told.mutated is None and told.loop is None):
        return _result(told, found.requests, found.trial.places, tries)
    best: Walk | None = None
    for way in itertools.islice(_ways(told, found.trial), FURTHER_TRIES):
        requests = (*found.requests, *way)
        if (run := _run(told, requests)) is not None:
            walked = _walk(told, requests, found.trial.places, run, tries)
            if run.divergence is not None:
                return walked
            if best is None or (walked.further and not best.further):
                best = walked
    assert best is not None, "callbacks can always run"
    return best


def _may_be_taken(told: Told) -> bool:
    """Whether the specification has the mutated step's action there, with whatever outcome."""
    assert told.mutated is not None
    step = told.steps[told.mutated]
    try:
        return bool(judging_model(told.world.constants).apply(step.action, step.args, told.states[told.mutated]))
    except EvaluationError:
        return False


def _search(told: Told, wanted: int, most_tries: int) -> tuple[_Candidate, int]:
    order = itertools.count()
    best = _Candidate(0.0, 1, next(order), (), 0.0)
    queue = [best]
    seen: set[Any] = set()
    tries = 0
    while queue and tries < most_tries:
        here = heapq.heappop(queue)
        trial = here.trial
        if trial is None:
            trial = _try(told, here.requests, wanted)
            tries += 1
            if trial is None or trial.key in seen:
                continue
            seen.add(trial.key)
            cost = trial.cost + here.early - _FORTH * trial.reached
            here = _Candidate(cost, -trial.reached, next(order), here.requests, here.early, trial)
            if (here.behind, here.cost) < (best.behind, best.cost):
                best = here
            heapq.heappush(queue, here)
        elif trial.reached == wanted or (trial.escapes and here.behind == best.behind):
            return here, tries
        elif not trial.is_dead:
            for price, request in trial.moves:
                early = here.early + price
                cost = trial.cost + early - _FORTH * trial.reached
                heapq.heappush(queue, _Candidate(cost, here.behind, next(order), (*here.requests, request), early))
    return best, tries


def _ways(told: Told, trial: _Trial) -> Iterator[tuple[Request, ...]]:
    """Requests that may lead the service on: to the mutated step, each alone or after a turn; or out of a loop."""
    if told.mutated is None:
        yield ({"do": "settle"},)
        return
    for request in [request for _, request in trial.moves if request != TURN]:
        yield (request, _RUN)
        yield (TURN, request, _RUN)
    yield (_RUN,)


def _result(told: Told, requests: tuple[Request, ...], places: tuple[Place, ...], tries: int) -> Walk:
    run = _run(told, requests)
    assert run is not None, "what was walked once can be walked again"
    return _walk(told, requests, places, run, tries)


def _walk(told: Told, requests: tuple[Request, ...], places: tuple[Place, ...], run: Run, tries: int) -> Walk:
    taken = [Step(step.action, step.args) for step in run.steps if step.action is not None]
    leads_on = told.mutated is not None or told.loop is not None
    further = taken[len(places) :] if leads_on else []
    return Walk(told=told, requests=requests, places=places, run=run, tries=tries, further=tuple(further))


def _run(told: Told, requests: Sequence[Request]) -> Run | None:
    simulation = Simulation(told.world, judge=judge_for(told.world))
    try:
        for request in requests:
            if request["do"] == "settle":
                simulation.finish()
            else:
                simulation.request(request)
        return simulation.recorded(f"a counterexample of {told.name}")
    except RequestError:
        return None
    finally:
        simulation.close()


def _try(told: Told, requests: Sequence[Request], wanted: int) -> _Trial | None:
    """Make the requests of a fresh service; None where one cannot be carried out, or asks for what nobody told."""
    witness = _Witness(judging_model(told.world.constants), {MODULE: OBSERVED})
    simulation = Simulation(told.world, judge=witness)
    try:
        for request in requests:
            simulation.request(request)
        observed = [Step(step.action, step.args) for step in simulation.recorder.steps if step.action is not None]
        places, cost = _aligned(told, observed, wanted)
        if places is None:
            return None
        reached = sum(place.told is not None for place in places)
        astray = reached == wanted and not _is_there(told, places, witness.states)
        return _Trial(
            places=tuple(places),
            cost=cost,
            key=(tuple(observed), _shape(simulation)),
            moves=tuple(_moves(told, places, wanted, simulation, _since_turn(requests))),
            is_dead=astray or simulation.divergence is not None,
            reached=reached - astray,
            escapes=told.escape(_besides(told, places)) is not None,
        )
    except RequestError:
        return None
    finally:
        simulation.close()


class _Witness(Judge):
    """A judge that remembers the state after each step with an action; the first is that of step 0."""

    def __init__(self, model: Model, observes: Mapping[str, Sequence[str]]) -> None:
        super().__init__(model, observes)
        self.states: list[State] = []

    def begin(self, values: Mapping[str, Any]) -> Divergence | None:
        found = super().begin(values)
        self.states.append(self.state)
        return found

    def step(self, action: str | None, args: tuple[Any, ...], after: Mapping[str, Any]) -> Divergence | None:
        found = super().step(action, args, after)
        if action is not None:
            self.states.append(self.state)
        return found


def _is_there(told: Told, places: Sequence[Place], states: Sequence[State]) -> bool:
    """Whether the steps led to the told state, but for the variables that steps besides have changed."""
    changed = {
        at
        for number, place in enumerate(places)
        if place.told is None
        for at, (before, after) in enumerate(zip(states[number], states[number + 1], strict=True))
        if before != after
    }
    here = len(places) if not places or places[-1].told != told.mutated else len(places) - 1
    goal = told.states[told.lawful]
    if not all(at in changed or mine == goal[at] for at, mine in enumerate(states[here])):
        return False
    return told.is_reached is None or told.is_reached(states[max(here - 1, 0)], states[here])


def _aligned(told: Told, observed: Sequence[Step], wanted: int) -> tuple[list[Place] | None, float]:
    """Which told step each observed one is, and what the differences cost; what comes after the end costs nothing."""
    left = dict(enumerate(told.steps[:wanted]))
    places: list[Place] = []
    cost = 0.0
    overtaken: set[int] = set()
    for step in observed:
        if not left:
            break
        number = next((number for number, each in left.items() if each == step), None)
        if number is None:
            if step.action in _ASKED:
                return None, 0.0
            cost += _BESIDES
        else:
            del left[number]
            overtaken.update(each for each in left if each < number)
            if any((number == told.mutated or each >= told.stem) and each < number for each in left):
                return None, 0.0
        places.append(Place(step, number))
    return places, cost + _OVERTAKEN * len(overtaken)


_ASKED: Final = frozenset({"StartPoll", "AddTask", "CallerLeaves", "NamespaceChanges", "ForgetPoll", "ForgetTask"})
"""Steps that come only where the driver asks for them."""


def _since_turn(requests: Sequence[Request]) -> list[Request]:
    """The requests that were made since callbacks last ran; none of them need be made again."""
    return list(itertools.takewhile(lambda request: request != TURN, reversed(requests)))


def _moves(
    told: Told, places: Sequence[Place], wanted: int, simulation: Simulation, made: Sequence[Request]
) -> Iterator[tuple[float, Request]]:
    """What may be asked next, with what it costs to ask for it already."""
    scene = _scene(told, simulation)
    done = {place.told for place in places}
    left = [step for number, step in enumerate(told.steps[:wanted]) if number not in done]
    if not left and told.mutated is not None:
        left = [told.steps[told.mutated]]
    given: list[Request] = list(made)
    for distance, step in enumerate(left[:AHEAD]):
        for rank, request in enumerate(provocations(step.action, step.args, scene)):
            if request not in given:
                given.append(request)
                yield _EARLY * distance + _EARLY * (rank > 1), request
    if TURN not in given:
        yield 0.0, TURN
    for name, decided in scene.calls.items():
        for answer in ("ok", "error") if decided else ():
            request = {"do": "store", "call": name, "answer": answer}
            if request not in given:
                yield _BESIDES / 2, request


def _scene(told: Told, simulation: Simulation) -> Scene:
    due = [_ms(time) for time in simulation.loop.due_times()]
    return Scene(
        now=_ms(simulation.loop.time()),
        active=simulation.namespace.active,
        calls={call.name: call.effect is not Effect.PENDING for call in simulation.store_calls()},
        deadlines=_deadlines(told, simulation.recorder.steps),
        patient=_PATIENT_MS,
        next_timer=min(due, default=None),
    )


def _deadlines(told: Told, steps: Sequence[Any]) -> Mapping[str, int]:
    """When the polls expire, each in its turn: for every slot the deadline of its present or next poll."""
    started: dict[str, int] = {}
    for step in steps:
        if step.action == "StartPoll":
            started[step.args[0]] = started.get(step.args[0], 0) + 1
    lives: dict[str, int] = {}
    expiring: list[tuple[str, int]] = []
    steps_told = told.steps
    for each in steps_told:
        if each.action == "StartPoll":
            lives[each.args[0]] = lives.get(each.args[0], 0) + 1
        elif each.action == "DeadlinePasses":
            expiring.append((each.args[0], lives.get(each.args[0], 0)))
    now_waiting = _open_polls(steps)
    found: dict[str, int] = {}
    for turn, (poll, life) in enumerate(expiring, 1):
        if life == started.get(poll, 0) + (0 if poll in now_waiting else 1):
            found[poll] = turn * _DEADLINES_APART_MS
    return found


def _open_polls(steps: Sequence[Any]) -> set[str]:
    waiting: set[str] = set()
    for step in steps:
        if step.action == "StartPoll":
            waiting.add(step.args[0])
        elif step.action == "ForgetPoll":
            waiting.discard(step.args[0])
    return waiting


def _shape(simulation: Simulation) -> Any:
    """What else makes two places of a run alike: what is queued, what the store holds back, and the time."""
    queued = tuple(
        getattr(getattr(handle._callback, "__self__", None), "get_name", lambda handle=handle: repr(handle._callback))()
        for handle in simulation.loop._ready
    )
    calls = tuple((name, call.effect, call.answered) for name, call in simulation.store.calls.items())
    return queued, calls, simulation.loop.time()


def _ms(time: float) -> int:
    return round(time * 1000)
