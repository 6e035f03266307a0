"""Runs of the service's specification, made by the specification itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.judging.profile import judging_model
from conformance.tla.values import TRUE
from conformance.trace.header import Header
from conformance.trace.step import TraceStep

__all__ = ["HEADER", "IDS", "MODEL", "STORY", "told"]

IDS = {
    "Host": ("h1",),
    "Partition": ("q1",),
    "Version": ("v1",),
    "Worker": ("w1",),
    "Poll": ("p1", "p2"),
    "Task": ("t1", "t2"),
}
MODEL = judging_model(IDS)
HEADER = Header(observes={"PollRegistration": MODEL.variables}, target="story", why="a story told by the specification")

STORY: tuple[tuple[Any, ...], ...] = (
    ("Load", "h1", "q1"),
    ("StartPoll", "p1", "w1", "q1", "v1"),
    ("Register", "p1", "h1"),
    ("AddTask", "t1", "q1", "v1"),
    ("SyncMatch", "t1", "p1"),
    ("Deliver", "t1", "p1"),
    ("Return", "p1", ("task", "t1")),
    ("AnswerAdd", "t1", "accepted"),
    ("AddTask", "t2", "q1", "v1"),
    ("Spool", "t2", "h1"),
    ("CommitWrite", "t2"),
    ("AnswerAdd", "t2", "accepted"),
    ("ServeRead", "h1", "q1"),
    ("ReadBacklog", "h1", "q1"),
    ("StartPoll", "p2", "w1", "q1", "v1"),
    ("Take", "p2", "h1", "t2"),
    ("Deliver", "t2", "p2"),
    ("Return", "p2", ("task", "t2")),
    ("CommitDelete", "t2", "h1", 1),
    ("Acknowledge", "t2", "h1", 1),
)
"""One task meets a waiting poll; another is stored, read, and taken by a later poll."""


def told(story: Sequence[tuple[Any, ...]]) -> list[TraceStep]:
    """The story as the steps of a trace; each of its actions must be possible and leave one thing."""
    active = MODEL.variables.index("active")
    (state,) = {state for state in MODEL.initial_states() if state[active] is TRUE}
    steps = [TraceStep(step=0, action=None, new=IDS, after={"PollRegistration": MODEL.as_mapping(state)})]
    for number, (action, *args) in enumerate(story, 1):
        (successor,) = MODEL.apply(action, tuple(args), state)
        changed = {
            name: after
            for name, before, after in zip(MODEL.variables, state, successor, strict=True)
            if before != after
        }
        shown = {"PollRegistration": changed} if changed else {}
        steps.append(TraceStep(step=number, action=action, args=tuple(args), after=shown))
        state = successor
    return steps
