"""Makes a run that fails smaller, request by request.

Four rules:

1. What is tried is a list of requests, and it is run: nothing is believed of a run
   that was not made.  A smaller run fails as the larger one did: it diverges, or
   it makes a mistake if the larger one only did that, also with every partition loaded
   in the end: a stopped manager owes nothing.
2. A request that can no longer be carried out is left out.  A call of the store
   that another generation now makes stands for the one that was named.
3. Fewer requests come first, then plainer ones: callbacks run at once, the first
   worker, partition and version, ids in the order of their use.
4. Everything is tried in a fixed order until nothing helps or ``MOST_RUNS`` were
   made: the same run is made smaller in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import attrs

from conformance.targets.rest import EVERY_KIND
from conformance.targets.simulation import RequestError, Run, Simulation, judge_for
from conformance.targets.world import World

__all__ = ["MOST_RUNS", "requests_of_run", "smaller"]

MOST_RUNS = 2_500
USUAL_WAIT_MS = 10_000

Request = Mapping[str, Any]
_SETTLE: Request = {"do": "settle"}
_SERVE: Request = {"do": "serve", "kind": EVERY_KIND, "run": True}
_ONLY_RUN = ("run", "turn", "settle")
"""The requests that only run what others asked for."""


def smaller(run: Run, *, is_enough: Callable[[], bool] = lambda: False) -> Run:
    """The smallest run found that fails as this one does, as far as one was looked for; this one, where none is."""
    search = _Search(_made_plain(run), is_enough)
    while search.improves(_shorter) or search.improves(_plainer) or search.improves(_without_many):
        pass
    return search.best


def _made_plain(run: Run) -> Run:
    """A run that only made a mistake, gone on with until the specification names what the mistake left undone."""
    if run.divergence is not None:
        return run
    world = World.from_setup(run.header.setup)
    asked = [request for request in requests_of_run(run) if request["do"] != "settle"]
    loads: list[Request] = [{"do": "load", "partition": partition, "run": True} for partition in world.partitions]
    longer = _made(world, [*asked, *loads, _SETTLE])
    return run if longer.divergence is None else longer


def requests_of_run(run: Run) -> list[Request]:
    """Everything that the driver asked, in order."""
    return [request for step in run.steps for request in step.request] + list(run.footer.requests)


class _Search:
    def __init__(self, run: Run, is_enough: Callable[[], bool]) -> None:
        self.best = run
        self._is_enough = is_enough
        self.requests = requests_of_run(run)
        self.world = World.from_setup(run.header.setup)
        self._runs = 0

    def improves(self, ways: Any) -> bool:
        """Try each way once, taking every one that helps; tell whether one did."""
        helped = False
        tried: set[str] = set()
        for candidate in ways(self):
            if self._runs >= MOST_RUNS or self._is_enough():
                break
            key = repr(candidate)
            if key in tried:
                continue
            tried.add(key)
            if self._accept(*candidate):
                helped = True
        return helped

    def _accept(self, world: World, requests: list[Request]) -> bool:
        self._runs += 1
        run = _made(world, requests)
        if run.divergence is None and (run.mistake is None or self.best.divergence is not None):
            return False
        made = requests_of_run(run)
        if _size(world, made) >= _size(self.world, self.requests):
            return False
        self.best, self.requests, self.world = run, made, world
        return True


def _made(world: World, requests: list[Request]) -> Run:
    simulation = Simulation(world, judge=judge_for(world))
    try:
        for request in requests:
            if simulation.divergence is not None:
                break
            if request["do"] == "settle":
                simulation.finish()
                break
            try:
                simulation.request(_for_now(simulation, request))
            except RequestError:
                continue
        return simulation.recorded()
    finally:
        simulation.close()


def _for_now(simulation: Simulation, request: Request) -> Request:
    """The request, naming the call that waits now where another generation, or another batch, makes it."""
    if request["do"] != "store":
        return request
    names = [call.name for call in simulation.calls()]
    if request["call"] in names:
        return request
    wanted = _asked(request["call"])
    return next(({**request, "call": name} for name in names if _asked(name) & wanted), request)


def _asked(call: str) -> frozenset[str]:
    """What a call is about, whichever generation or attempt makes it; several where it is a batch."""
    kind, _, rest = call.partition(" ")
    if kind == "append":
        return frozenset(f"append {task}" for task in rest.split())
    if kind == "start":
        return frozenset({call.rpartition(" ")[0]})
    about, _, maker = rest.partition("#")
    return frozenset({f"{kind} {about}@{maker.partition('@')[2]}"})


def _size(world: World, requests: list[Request]) -> tuple[int, int, list[str]]:
    """What is to become less: the requests, what is unusual about them, and the ids that they name."""
    unusual = int(not world.active) + int(not world.prompt) + int(world.narrow) + len(world.hosts)
    for request in requests:
        unusual += not request.get("run") and request["do"] not in _ONLY_RUN
        unusual += bool(request.get("rotate"))
        unusual += sum(request[name] != value for name, value in _usual(world).items() if name in request)
    named = [request[kind] for request in requests for kind in ("poll", "task") if kind in request]
    return len(requests), unusual, named


def _usual(world: World) -> dict[str, Any]:
    return {
        "host": world.hosts[0],
        "partition": world.partitions[0],
        "version": world.versions[0],
        "worker": world.workers[0],
        "wait_ms": USUAL_WAIT_MS,
        "kind": EVERY_KIND,
    }


def _shorter(search: _Search) -> Iterator[tuple[World, list[Request]]]:
    """Runs with requests left out: many in a row, one, all after one, two that belong together."""
    yield from _plainer_worlds(search)
    length = len(search.requests) // 2
    while length >= 1:
        start = 0
        while start < len(search.requests):
            before = search.requests
            yield search.world, [*before[:start], *before[start + length :], _SETTLE]
            if search.requests is before:
                start += length
        length //= 2
    for end in range(1, len(search.requests)):
        yield search.world, [*search.requests[:end], _SETTLE]
    for start, end in _answered_together(search.requests):
        yield search.world, [*search.requests[:start], _SERVE, *search.requests[end:], _SETTLE]
    for first, second in combinations(range(len(search.requests)), 2):
        yield search.world, [*(each for at, each in enumerate(search.requests) if at not in (first, second)), _SETTLE]
        if second < len(search.requests) and _answers(search.requests[first], search.requests[second]):
            one = {**search.requests[first], **search.requests[second]}
            rest = [*search.requests[first + 1 : second], *search.requests[second + 1 :]]
            yield search.world, [*search.requests[:first], one, *rest]
    for at in range(len(search.requests)):
        if _runs_next(search.requests, at):
            for how in ("run", "turn"):
                together: Request = {**search.requests[at], how: True}
                yield search.world, [*search.requests[:at], together, *search.requests[at + 2 :]]


def _answered_together(requests: list[Request]) -> Iterator[tuple[int, int]]:
    """Where several requests in a row answer calls, the longest first: one that answers every call may do."""
    ends: dict[int, int] = {}
    for at in reversed(range(len(requests))):
        if requests[at]["do"] in ("store", "serve", "run", "turn"):
            ends[at] = ends.get(at + 1, at + 1)
    for start, end in sorted(ends.items()):
        yield from ((start, each) for each in range(end, start + 1, -1))


def _answers(effect: Request, answer: Request) -> bool:
    """Tell whether two requests choose the effect and the answer of one call."""
    return effect.get("call") == answer.get("call") is not None and "answer" not in effect and "effect" not in answer


def _without_many(search: _Search) -> Iterator[tuple[World, list[Request]]]:
    """Runs without everything about one poll, task or run and any two others, and runs without any three."""
    groups = [
        [at for at, request in enumerate(search.requests) if name in _subjects(request)]
        for name in (*search.world.polls, *search.world.tasks, *search.world.runs)
    ]
    places = range(len(search.requests))
    for gone in (*_joined(groups, places), *combinations(places, 3)):
        yield search.world, [*(each for at, each in enumerate(search.requests) if at not in gone), _SETTLE]


def _joined(groups: list[list[int]], places: range) -> Iterator[tuple[int, ...]]:
    for group in groups:
        for pair in combinations(places, 2):
            if group:
                yield (*group, *pair)


def _subjects(request: Request) -> frozenset[str]:
    """The ids of polls, tasks and runs that a request is about."""
    named = {request[kind] for kind in ("poll", "task", "execution") if kind in request}
    events = [request[kind] for kind in ("event", "token") if kind in request]
    kind, _, rest = str(request.get("call", "")).partition(" ")
    if kind == "append":
        named.update(rest.split())
    elif kind == "start":
        events.append(rest)
    elif kind in ("apply", "load"):
        named.add(rest.partition("#")[0])
    return frozenset(named | {event.rpartition("/")[0] for event in (each.partition(" ")[0] for each in events)})


def _runs_next(requests: list[Request], at: int) -> bool:
    return at + 1 < len(requests) and requests[at + 1]["do"] in ("run", "turn") and requests[at]["do"] not in _ONLY_RUN


def _plainer_worlds(search: _Search) -> Iterator[tuple[World, list[Request]]]:
    for plainer in ({"active": True}, {"prompt": True}, {"narrow": False}):
        yield attrs.evolve(search.world, **plainer), search.requests
    yield attrs.evolve(search.world, flags=search.world.hosts), search.requests
    alone = search.world.hosts[:1]
    flags = tuple(host for host in search.world.flags if host in alone)
    yield attrs.evolve(search.world, hosts=alone, flags=flags), search.requests


def _plainer(search: _Search) -> Iterator[tuple[World, list[Request]]]:
    """Runs with plainer requests."""
    yield from _plainer_worlds(search)
    world, usual = search.world, _usual(search.world)
    for kind, ids in (("poll", world.polls), ("task", world.tasks)):
        used = dict.fromkeys(each[kind] for each in search.requests if kind in each)
        for wanted, present in zip(ids, used, strict=False):
            yield world, _renamed(search.requests, {present: wanted, wanted: present})
    for name, value in usual.items():
        yield world, [{**each, name: value} if name in each else each for each in search.requests]
    for at in range(len(search.requests)):
        for change in _changes(search.requests, at, usual):
            yield world, [*search.requests[:at], _changed(search.requests[at], change), *search.requests[at + 1 :]]


def _changed(request: Request, change: Request) -> Request:
    """The request with a change; one after which everything runs does not run for one turn."""
    return {name: value for name, value in {**request, **change}.items() if name != "turn" or "run" not in change}


def _changes(requests: list[Request], at: int, usual: Mapping[str, Any]) -> list[Request]:
    """What could be plainer about one request."""
    if at >= len(requests) or requests[at]["do"] in _ONLY_RUN:
        return []
    changes: list[Request] = [{name: value} for name, value in usual.items() if name in requests[at]]
    return [*changes, {"run": True}, *([{"rotate": 0}] if requests[at].get("rotate") else [])]


def _renamed(requests: list[Request], names: Mapping[str, str]) -> list[Request]:
    return [{key: _named(value, names) for key, value in request.items()} for request in requests]


def _named(value: Any, names: Mapping[str, str]) -> Any:
    if not isinstance(value, str):
        return value
    kind, _, rest = value.partition(" ")
    if kind == "append":
        return " ".join((kind, *(names.get(task, task) for task in rest.split())))
    return names.get(value, value)
