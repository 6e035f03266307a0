"""Makes a list of requests of a fresh service, and tells how far it follows a counterexample.

Three rules:

1. An observed step is the first told one of that action and those arguments that is left;
   steps that are none of the part's are not looked at.  A told step that later ones
   overtake costs something, a step that nobody told more.
2. A list of requests whose steps are all told must lead to the told state, but for what
   the steps besides have changed; otherwise it is astray, and nothing follows it.
3. What may be asked next is what provokes the told steps that are left, the next one first.
4. Callbacks run turn by turn, until something is told or asked of a store; a single turn
   of several in which nothing happens costs something.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from conformance.judge import Divergence, Judge
from conformance.judging.profile import judging_model
from conformance.refinement.matching import OBSERVED
from conformance.refinement.provoking import provocations
from conformance.refinement.scene import TURN, Request, Scene
from conformance.simulation.store import Effect
from conformance.targets.requests import RequestError
from conformance.targets.simulation import Simulation
from conformance.tla.model import State, Step
from conformance.walking.part import AsPart, part_model
from conformance.walking.told import Told

__all__ = ["UNTIL_NEWS", "Place", "Trial", "Witness", "besides", "leads_to", "prelude", "try_requests"]

AHEAD: Final = 6
"""How many told steps ahead of the next one may be provoked already."""

_OVERTAKEN, _BESIDES, _ANSWERED, _EARLY = 0.5, 2.0, 0.5, 0.1
"""What it costs that a step is overtaken by later ones, that one comes besides, that it is only an answer to
somebody who called, and that a request is made early."""

UNTIL_NEWS: Final[Request] = {"do": "turns"}
"""As many turns as it takes until there is something new; they are made, and noted, one by one."""

_DEADLINES_APART_MS = 100_000
_PATIENT_MS = 100_000_000

_ASKED: Final = frozenset(
    {"StartPoll", "AddTask", "CallerLeaves", "LeaveAdd", "NamespaceChanges", "ForgetPoll", "ForgetTask"}
)
"""Steps that come only where the driver asks for them."""


def prelude(told: Told) -> tuple[Request, ...]:
    """What is asked before anything is told: History must have its shard before it can bring a task."""
    if not told.carrying:
        return ()
    calls = ("take shard 0 1", "load shard 0#1")
    asked = [{"do": "store", "call": call, "effect": "commit", "answer": "ok", "run": True} for call in calls]
    return {"do": "run"}, *asked


@attrs.frozen
class Place:
    """One observed step, and which told step it is; None where nobody told it."""

    step: Step
    told: int | None


@attrs.frozen(kw_only=True)
class Trial:
    """A list of requests that were made, and what came of them."""

    requests: tuple[Request, ...]
    places: tuple[Place, ...]
    cost: float
    key: Any
    moves: tuple[tuple[float, Request], ...]
    is_dead: bool
    reached: int
    escapes: bool


def try_requests(told: Told, requests: Sequence[Request], wanted: int) -> Trial | None:
    """Make the requests of a fresh service; None where one cannot be carried out, or asks for what nobody told."""
    witness = Witness(told)
    simulation = Simulation(told.world, judge=witness)
    try:
        made: list[Request] = []
        for request in requests:
            for each in _turns(simulation) if request == UNTIL_NEWS else (request,):
                simulation.request(each)
                made.append(each)
        places, cost = _aligned(told, witness.taken, wanted)
        if places is None:
            return None
        reached = sum(place.told is not None for place in places)
        astray = reached == wanted and not _is_there(told, places, witness.states)
        return Trial(
            requests=tuple(made),
            places=tuple(places),
            cost=cost,
            key=(tuple([(step.action, step.args) for step in simulation.recorder.steps]), _shape(simulation)),
            moves=tuple(_moves(told, places, wanted, simulation, _since_turn(made))),
            is_dead=astray or simulation.divergence is not None,
            reached=reached - astray,
            escapes=told.escape(besides(told, places)) is not None,
        )
    except RequestError:
        return None
    finally:
        simulation.close()


def _turns(simulation: Simulation) -> Iterator[Request]:
    """Turns, until there is something new."""
    seen = len(simulation.recorder.steps), simulation.calls()
    while not simulation.loop.idle and (len(simulation.recorder.steps), simulation.calls()) == seen:
        yield TURN


def leads_to(told: Told, places: Sequence[Place]) -> bool:
    return {place.told for place in places}.issuperset(range(told.stem))


def besides(told: Told, places: Sequence[Place]) -> list[Step]:
    """What the service took besides, once it had come to the loop."""
    left = set(range(told.stem))
    found: list[Step] = []
    for place in places:
        if place.told is None and not left:
            found.append(place.step)
        left.discard(-1 if place.told is None else place.told)
    return found


class Witness(Judge):
    """A judge that remembers the run as the part sees it: ``states`` has one more than ``taken``."""

    def __init__(self, told: Told) -> None:
        whole = judging_model(told.world.constants)
        super().__init__(whole, OBSERVED)
        self.states: list[State] = []
        self.taken: list[Step] = []
        self._as_part = AsPart(whole, part_model(told.world.constants))

    def begin(self, values: Mapping[str, Any]) -> Divergence | None:
        found = super().begin(values)
        self.states.append(self._as_part.state(self.state))
        return found

    def step(self, action: str | None, args: tuple[Any, ...] | None, after: Mapping[str, Any]) -> Divergence | None:
        found = super().step(action, args, after)
        if action is not None and found is None:
            state = self._as_part.state(self.state)
            step = self._as_part.step(action, args or (), self.states[-1], state)
            if step is not None:
                self.taken.append(step)
                self.states.append(state)
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
            if step.action in _ASKED or _ends_too_soon(told, step, left):
                return None, 0.0
            cost += _ANSWERED if step.action in ("Return", "AnswerAdd") else _BESIDES
        else:
            del left[number]
            overtaken.update(each for each in left if each < number)
            if (number == told.mutated or number >= told.stem) and any(each < number for each in left):
                return None, 0.0  # a mutated step and a loop begin where they are told to
        places.append(Place(step, number))
    return places, cost + _OVERTAKEN * len(overtaken)


def _ends_too_soon(told: Told, step: Step, left: Mapping[int, Step]) -> bool:
    """Whether a poll has returned of which more is told, up to the mutated step."""
    if step.action != "Return":
        return False
    mutated = [] if told.mutated is None else [told.steps[told.mutated]]
    of_it = [each for each in (*left.values(), *mutated) if step.args[0] in each.args]
    return bool(of_it) and of_it[0].action not in ("StartPoll", "ForgetPoll")


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
            if request not in given and request != TURN:
                given.append(request)
                yield _EARLY * distance + _EARLY * (rank > 1), request
    if not simulation.loop.idle:
        yield 0.0, UNTIL_NEWS
        yield _EARLY, TURN
    for name, decided in scene.calls.items():
        for answer in ("ok", "error") if decided else ():
            request = {"do": "store", "call": name, "answer": answer}
            if request not in given:
                yield _BESIDES / 2, request


def _scene(told: Told, simulation: Simulation) -> Scene:
    return Scene(
        now=_ms(simulation.loop.time()),
        active=simulation.active,
        hosts=told.world.hosts,
        home=simulation.home.host,
        calls={call.name: call.effect is not Effect.PENDING for call in simulation.calls()},
        deadlines=_deadlines(told, simulation.recorder.steps),
        patient=_PATIENT_MS,
        next_timer=min(map(_ms, simulation.times()), default=None),
        next_upkeep=min(map(_ms, simulation.upkeep_times()), default=None),
        carrying=told.carrying,
        free_runs=tuple(simulation.history.free_runs()),
        open_runs=tuple(simulation.history.open_runs()),
        clusters=tuple(each.active_cluster for each in simulation.cluster.namespaces),
        known={str(host): known for host, known in simulation.cluster.known.items()},
        held=tuple(simulation.loop.held),
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
    calls = tuple((call.name, call.effect, call.answered) for call in simulation.calls())
    unheard = tuple((name, call.effect) for name, call in simulation.store.calls.items() if call.answered)
    return queued, calls, unheard, simulation.loop.time()


def _ms(time: float) -> int:
    return round(time * 1000)
