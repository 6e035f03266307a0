"""Runs of a commitment of which only part was logged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from conformance.judging.profile import Profile

__all__ = ["COMMIT", "event", "events_of", "holed_file", "walk"]

MODULES = Path(__file__).parent / "modules"
COMMIT = Profile(MODULES / "Commit.tla", MODULES / "Commit.cfg")


def holed_file(
    path: Path,
    events: Iterable[dict[str, Any] | str],
    participants: int = 3,
    *,
    shows: Sequence[str] = (),
    first: dict[str, Any] | None = None,
    end: str = "stopped",
) -> Path:
    """A trace of events, each the name of an action or the columns of a step; ``shows`` names what is observed."""
    beginning: dict[str, Any] = {"new": {"Participant": [f"p{number}" for number in range(participants)]}}
    if first is not None:
        beginning["after"] = {"Commit": first}
    header = {"format": "matching-trace/1", "observes": {"Commit": list(shows)}, "target": "wire"}
    lines: list[dict[str, Any]] = [header, {"step": 0, "action": None, "args": [], **beginning}]
    for number, each in enumerate(events, 1):
        lines.append({"step": number, **(event(each) if isinstance(each, str) else each)})
    lines.append({"end": end})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def event(name: str, *args: Any, **columns: Any) -> dict[str, Any]:
    """A step of which only the name was logged, or the name and its arguments."""
    return {"action": name, **({"args": list(args)} if args else {}), **columns}


def events_of(participants: int, seed: int = 0) -> list[str]:
    """The names of the actions of a run that commits, interleaved at random."""
    random = Random(seed)
    prepared = heard = 0
    names: list[str] = []
    while heard < participants:
        if prepared < participants and (prepared == heard or random.random() < 0.6):
            names.append("Prepare")
            prepared += 1
        else:
            names.append("Hear")
            heard += 1
    return [*names, "Commit", *["Obey"] * participants]


def walk(seed: int, length: int, participants: int) -> list[tuple[str, tuple[Any, ...]]]:
    """The actions, with their arguments, of a random run of the specification."""
    model = COMMIT.model({"Participant": [f"p{number}" for number in range(participants)]})
    random = Random(seed)
    (state,) = model.initial_states()
    taken: list[tuple[str, tuple[Any, ...]]] = []
    for _ in range(length):
        steps = list(model.successors(state))
        if not steps:
            break
        step, state = random.choice(steps)
        taken.append((step.action, step.args))
    return taken
