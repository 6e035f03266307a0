"""What a driver sees when it chooses, and what it may ask of the calls that wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import attrs

__all__ = [
    *("TURN", "Args", "Provoke", "Provoked", "Request", "Scene"),
    *("answers", "done", "effects", "named", "next_timer"),
]

Request = dict[str, Any]
Args = tuple[Any, ...]
Provoked = Iterator[Request]

TURN: Final[Request] = {"do": "turn"}


@attrs.frozen(kw_only=True)
class Scene:
    """What the driver sees when it chooses; times are in milliseconds.

    ``calls`` are the unanswered calls of stores and of History by name, and whether their
    effect is decided; ``deadlines`` are those of the polls that are to expire, ``next_timer``
    is the service's next but for the managers' upkeep.  Tasks that are ``carrying`` come from
    History, for a run that begins.  ``clusters`` are those in which the namespace was active, by revision, ``known``
    what each host knows: a revision and an ownership generation; ``held`` are the callbacks that wait for the driver.
    """

    now: int
    active: bool
    calls: Mapping[str, bool]
    deadlines: Mapping[str, int]
    patient: int
    hosts: tuple[str, ...] = ("h1",)
    home: str = "h1"
    next_timer: int | None = None
    next_upkeep: int | None = None
    carrying: frozenset[str] = frozenset()
    free_runs: tuple[str, ...] = ()
    open_runs: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    known: Mapping[str, tuple[int, int]] = attrs.field(factory=dict)
    held: tuple[str, ...] = ()


Provoke = Callable[[Args, Scene], Provoked]


def effects(prefix: str, effect: str, scene: Scene) -> Iterator[Request]:
    """Decide the calls whose names begin so."""
    for call in named(prefix, scene, decided=False):
        yield {"do": "store", "call": call, "effect": effect}


def answers(prefix: str, scene: Scene, answer: str) -> Iterator[Request]:
    """Answer the calls whose names begin so, where they are decided."""
    for call in named(prefix, scene, decided=True):
        yield {"do": "store", "call": call, "answer": answer}


def done(kind: str, scene: Scene) -> Iterator[Request]:
    """Let the calls of this kind take effect and be answered, well."""
    for call in named(f"{kind} ", scene, decided=False):
        yield {"do": "store", "call": call, "effect": "commit", "answer": "ok"}
    yield from answers(f"{kind} ", scene, "ok")


def named(prefix: str, scene: Scene, *, decided: bool) -> Iterator[str]:
    """The unanswered calls whose names begin so."""
    return (call for call, is_decided in scene.calls.items() if call.startswith(prefix) and is_decided is decided)


def next_timer(scene: Scene) -> Iterator[Request]:
    """Let time pass up to the service's next timer, if no poll is to expire before."""
    coming = [time for time in scene.deadlines.values() if time > scene.now]
    if scene.next_timer is not None and scene.now < scene.next_timer < min(coming, default=scene.patient):
        yield {"do": "advance", "by_ms": scene.next_timer - scene.now}
