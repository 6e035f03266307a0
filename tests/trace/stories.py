"""Runs of the service's specification, made by the specification itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from conformance.judging.profile import judging_model
from conformance.refinement.matching import OWNERS
from conformance.trace.header import Header
from conformance.trace.step import TraceStep
from matching.namespace import HERE

__all__ = ["HEADER", "IDS", "MODEL", "OWNER", "STORY", "by_module", "observes", "told"]

IDS = {
    "Host": ("h1",),
    "Partition": ("q1",),
    "Version": ("v1",),
    "Worker": ("w1",),
    "Poll": ("p1", "p2"),
    "Task": ("t1", "t2"),
    "UnloadOnNamespaceStateChange": ("h1",),
}
MODEL = judging_model(IDS)
HIDDEN = {
    "PartitionLifetime": ("sought", "called", "samples"),
    "PollRegistration": ("settled", "write", "fetched", "done", "delivered", "dropped"),
    "Forwarding": ("back",),
    "Delivery": ("asks", "strays", "kept", "tokens", "completed"),
    "Backlog": ("unfinished", "claims", "adrift", "reads", "saves", "writes", "confirmed", "deletes"),
}
"""What no run of the service shows, by the module that owns it."""

OWNER = {**OWNERS, **{name: module for module, names in HIDDEN.items() for name in names}}


def observes(names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The header's list of these variables, each under its module."""
    modules = dict.fromkeys(OWNER[name] for name in MODEL.variables)
    return {
        module: tuple(name for name in MODEL.variables if name in names and OWNER[name] == module) for module in modules
    }


HEADER = Header(observes=observes(MODEL.variables), target="story", why="a story told by the specification")

STORY: tuple[tuple[Any, ...], ...] = (
    ("OrderLoad", "h1", "q1"),
    ("Load", "h1", "q1"),
    ("FinishPart", "h1", "q1", 1, "metadata"),
    ("FinishPart", "h1", "q1", 1, "user data"),
    ("Publish", "h1", "q1", 1),
    ("Start", "h1", "q1", 1),
    ("StartPoll", "p1", "w1", "q1", "v1"),
    ("Register", "p1", "h1"),
    ("AddTask", "t1", "h1", "q1", "v1"),
    ("SyncMatch", "t1", "p1"),
    ("Deliver", "t1", "p1"),
    ("Return", "p1", ("task", "t1")),
    ("AnswerAdd", "t1", "accepted"),
    ("Claim", "h1", "q1"),
    ("TakeLease", "h1", "q1"),
    ("Lead", "h1", "q1"),
    ("AddTask", "t2", "h1", "q1", "v1"),
    ("Spool", "t2", "h1"),
    ("CommitWrite", "t2"),
    ("EndWrite", "t2"),
    ("AnswerAdd", "t2", "accepted"),
    ("ServeRead", "h1", "q1", 1),
    ("ReadBacklog", "h1", "q1"),
    ("StartPoll", "p2", "w1", "q1", "v1"),
    ("Take", "p2", "h1", "t2"),
    ("Deliver", "t2", "p2"),
    ("Return", "p2", ("task", "t2")),
    ("Delete", "h1", "q1"),
    ("CommitDelete", "q1", 1, 1),
    ("EndDelete", "q1", 1, 1),
)
"""One task meets a waiting poll; another is stored, read, and taken by a later poll."""

LATE_TICK: tuple[tuple[Any, ...], ...] = (
    *STORY[:6],
    ("Claim", "h1", "q1"),
    ("TakeLease", "h1", "q1"),
    ("Lead", "h1", "q1"),
    ("Sample", "h1", "q1", 1, 0),
    ("OrderUnload", "h1", "q1"),
    ("Unload", "h1", "q1", 1),
    ("Stop", "h1", "q1", 1),
    ("Emit", "h1", "q1", 1),
    ("RemoveSeries", "h1", "q1", 1),
)
"""An emitter has read when its manager is unloaded, and comes to show it when that has stopped: it shows nothing."""


def told(
    story: Sequence[tuple[Any, ...]],
    *,
    shown: Collection[str] = MODEL.variables,
    ids: Mapping[str, tuple[str, ...]] = IDS,
) -> list[TraceStep]:
    """The story as the steps of a trace; each of its actions must be possible and leave one thing."""
    model = judging_model(ids)
    clusters = model.variables.index("clusters")
    (state,) = {state for state in model.initial_states() if state[clusters] == (HERE,)}
    first = {name: value for name, value in model.as_mapping(state).items() if name in shown}
    steps = [TraceStep(step=0, action=None, new=ids, after=by_module(first))]
    for number, (action, *args) in enumerate(story, 1):
        (successor,) = model.apply(action, tuple(args), state)
        rows = zip(model.variables, state, successor, strict=True)
        changed = {name: after for name, before, after in rows if before != after and name in shown}
        steps.append(TraceStep(step=number, action=action, args=tuple(args), after=by_module(changed)))
        state = successor
    return steps


def by_module(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The values of variables, each under the module that owns it."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        found.setdefault(OWNER[name], {})[name] = value
    return found
