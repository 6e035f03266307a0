"""Races with a baton: small runs for the tests of the judge and of the format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from conformance.judge import Judge
from conformance.judging.profile import Profile
from conformance.tla.values import make_function
from conformance.trace.header import Footer, Header
from conformance.trace.step import TraceStep
from conformance.trace.writer import trace_text, write_trace

__all__ = ["BATON", "HEADER", "RACE", "after", "judge", "laps", "numbered", "race_file", "start", "step"]

MODULES = Path(__file__).parent / "modules"
BATON = Profile(MODULES / "Baton.tla", MODULES / "Baton.cfg")
RUNNERS = ("ann", "bob")
STOPPED = Footer(end="stopped")
HEADER = Header(observes={"Baton": ("holder", "laps")}, target="track", why="a race")


def laps(ann: int = 0, bob: int = 0) -> Any:
    """How often each runner has handed the baton on."""
    return make_function({"ann": ann, "bob": bob})


def after(*holders: str, **values: Any) -> Mapping[str, Mapping[str, Any]]:
    """What a step shows: who has the baton, and what else is named."""
    return {"Baton": {"holder": frozenset(holders), **values}}


def start(**values: Any) -> TraceStep:
    """Step 0: nobody has the baton."""
    shown = {"holder": frozenset(), "laps": laps(), **values}
    return TraceStep(step=0, action=None, new={"Runner": RUNNERS}, after={"Baton": shown})


def step(action: str | None, *args: Any, shows: Mapping[str, Mapping[str, Any]] | None = None) -> TraceStep:
    """One step, to be numbered later."""
    return TraceStep(step=0, action=action, args=args, after=shows or {})


def numbered(steps: Iterable[TraceStep]) -> list[TraceStep]:
    """The steps with their numbers."""
    return [attrs.evolve(each, step=number) for number, each in enumerate(steps)]


RACE = numbered(
    [
        start(),
        step("Start", "ann", shows=after("ann")),
        step("Pass", "ann", "bob", shows=after("bob", laps=laps(ann=1))),
        step("Pass", "bob", "ann", shows=after("ann", laps=laps(ann=1, bob=1))),
        step("Stop", "ann", shows=after()),
    ]
)
"""A race that is allowed: ann starts, so that bob must be the coach."""


def judge(*observed: str) -> Judge:
    """A judge of a race that shows these variables."""
    return Judge(BATON.model({"Runner": RUNNERS}), {"Baton": observed or ("holder", "laps")})


def race_file(
    folder: Path, steps: Iterable[TraceStep], *, header: Header = HEADER, footer: Footer | None = STOPPED
) -> Path:
    """The race as a file."""
    return write_trace(folder / "race.ndjson", trace_text(header, numbered(steps), footer))
