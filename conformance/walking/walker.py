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
from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs

from conformance.refinement.scene import TURN, Request
from conformance.targets.requests import RequestError
from conformance.targets.run import Run
from conformance.targets.simulation import Simulation
from conformance.tla.errors import EvaluationError
from conformance.tla.model import Step
from conformance.walking.part import part_model
from conformance.walking.told import Told
from conformance.walking.trial import UNTIL_NEWS, Place, Trial, Witness, besides, leads_to, prelude, try_requests

__all__ = ["Walk", "walk"]

MOST_TRIES: Final = 4_000
"""How many lists of requests are tried before the walk is given up."""

FURTHER_TRIES: Final = 60
"""How many more are tried to bring a mutated step about."""

_FORTH = 0.5
"""What each observed step is worth when it is decided where to try on; more would find a worse walk sooner."""

_RUN: Final[Request] = {"do": "run"}


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
        return leads_to(self.told, self.places)

    @property
    def is_as_told(self) -> bool:
        """Whether the steps came in the told order, and nothing besides."""
        return [place.told for place in self.places] == list(range(len(self.places)))

    @property
    def escape(self) -> Step | None:
        """The first step with which the service leaves a loop that goes on for ever; None where it has none."""
        return self.told.escape((*besides(self.told, self.places), *self.further))


@attrs.frozen(order=True)
class _Candidate:
    """A list of requests, ordered by what it costs and how far it goes; without a trial the cost is a lower bound."""

    cost: float
    behind: int
    number: int
    requests: tuple[Request, ...] = attrs.field(order=False)
    early: float = attrs.field(order=False)
    trial: Trial | None = attrs.field(default=None, order=False)


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
    if not leads_to(told, found.trial.places) or (told.mutated is None and told.loop is None):
        return _result(told, found.requests, found.trial.places, tries)
    best: Walk | None = None
    for way in itertools.islice(_ways(told, found.trial), FURTHER_TRIES):
        requests = (*found.requests, *way)
        if (made := _run(told, requests)) is not None:
            walked = _walk(told, requests, found.trial.places, made, tries)
            if walked.run.divergence is not None:
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
        return bool(part_model(told.world.constants).apply(step.action, step.args, told.states[told.mutated]))
    except EvaluationError:
        return False


def _search(told: Told, wanted: int, most_tries: int) -> tuple[_Candidate, int]:
    order = itertools.count()
    best = _Candidate(0.0, 1, next(order), prelude(told), 0.0)
    queue = [best]
    seen: set[Any] = set()
    tries = 0
    while queue and tries < most_tries:
        here = heapq.heappop(queue)
        trial = here.trial
        if trial is None:
            trial = try_requests(told, here.requests, wanted)
            tries += 1
            if trial is None or trial.key in seen:
                continue
            seen.add(trial.key)
            cost = trial.cost + here.early - _FORTH * trial.reached
            here = _Candidate(cost, -trial.reached, next(order), trial.requests, here.early, trial)
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


def _ways(told: Told, trial: Trial) -> Iterator[tuple[Request, ...]]:
    """Requests that may lead the service on: to the mutated step, each alone or after a turn; or out of a loop."""
    if told.mutated is None:
        yield ({"do": "settle"},)
        return
    for request in [request for _, request in trial.moves if request not in (TURN, UNTIL_NEWS)]:
        yield (request, _RUN)
        yield (TURN, request, _RUN)
    yield (_RUN,)


def _result(told: Told, requests: tuple[Request, ...], places: tuple[Place, ...], tries: int) -> Walk:
    made = _run(told, requests)
    assert made is not None, "what was walked once can be walked again"
    return _walk(told, requests, places, made, tries)


def _walk(
    told: Told, requests: tuple[Request, ...], places: tuple[Place, ...], made: tuple[Run, list[Step]], tries: int
) -> Walk:
    run, taken = made
    leads_on = told.mutated is not None or told.loop is not None
    further = taken[len(places) :] if leads_on else []
    return Walk(told=told, requests=requests, places=places, run=run, tries=tries, further=tuple(further))


def _run(told: Told, requests: Sequence[Request]) -> tuple[Run, list[Step]] | None:
    """The run that these requests make, and the part's steps in it."""
    witness = Witness(told)
    simulation = Simulation(told.world, judge=witness)
    try:
        for request in requests:
            if request["do"] == "settle":
                simulation.finish()
            else:
                simulation.request(request)
        return simulation.recorded(f"a counterexample of {told.name}"), witness.taken
    except RequestError:
        return None
    finally:
        simulation.close()
