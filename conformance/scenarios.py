"""Scripted runs of the simulation, told as stories in ``traces/scenarios``.

A scenario is a YAML file with a ``title`` (a sentence), a ``story`` (why it is worth
telling), optionally what is unusual about its world (``active: false``; ``prompt: false``,
where the script decides every call of a store; ``narrow: true``, where a backlog writes and
reads two records at once at most; ``lively: true``, where hosts show gauges and idle out and
the script decides what a load asks for and when its own calls arrive; ``hosts``; ``flags``;
``clusters``; ``events``), and ``requests``.  What a request leaves out is usual: the first
worker, partition and version, a patient poll, and callbacks that run at once.  The run ends
at rest, or, with ``settle: false``, where the script ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from conformance.documents import DocumentError, load_yaml
from conformance.paths import traces_directory
from conformance.targets.requests import numbered
from conformance.targets.simulation import Run, Simulation, judge_for
from conformance.targets.world import World
from conformance.trace.errors import TraceError

__all__ = ["Scenario", "play", "read_scenario", "scenario_files"]

PATIENT_MS = 10_000


@attrs.frozen(kw_only=True)
class Scenario:
    """One story and the requests that tell it."""

    name: str
    title: str
    story: str
    world: World
    requests: tuple[Mapping[str, Any], ...]
    settle: bool


_PARTS: Final = {
    "title": (str, "a text"),
    "story": (str, "a text"),
    "requests": (list, "a list"),
    "settle": (bool, "true or false"),
    "active": (bool, "true or false"),
    "prompt": (bool, "true or false"),
    "narrow": (bool, "true or false"),
    "lively": (bool, "true or false"),
    "hosts": (list, "a list"),
    "flags": (list, "a list"),
    "clusters": (list, "a list"),
    "events": (list, "a list"),
}
"""The parts of a script, each with its kind."""

_WORLD: Final = ("active", "prompt", "narrow", "lively", "hosts", "flags", "clusters", "events")


def scenario_files() -> list[Path]:
    """The scripts, by name."""
    return sorted((traces_directory() / "scenarios").glob("*.yaml"))


def read_scenario(path: Path) -> Scenario:
    """Read one script and fill in what is usual.

    Raises:
        TraceError: the file is no scenario.
    """
    try:
        document = load_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, DocumentError) as error:
        raise TraceError(f"{path.name} cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(document, dict) or not {"title", "story", "requests"} <= set(document):
        raise TraceError(f"{path.name} is no scenario; it needs a title, a story and requests")
    for part, value in document.items():
        kind, name = _PARTS.get(part, (None, ""))
        if kind is None:
            raise TraceError(f"{path.name} has {part}, which a scenario does not know")
        if not isinstance(value, kind):
            raise TraceError(f"{path.name} has {value!r} as {part}; it is {name}")
    try:
        world = World.from_setup({part: document[part] for part in _WORLD if part in document})
    except TraceError as error:
        raise error.at(source=str(path)) from error
    return Scenario(
        name=path.stem,
        title=document["title"],
        story=" ".join(document["story"].split()),
        world=world,
        requests=tuple(_usual(request, world, path) for request in document["requests"]),
        settle=document.get("settle", True),
    )


def play(scenario: Scenario) -> Run:
    """Run the scenario on the simulation and have it judged.

    Raises:
        RequestError: a request cannot be carried out in this run.
    """
    simulation = Simulation(scenario.world, judge=judge_for(scenario.world))
    try:
        for number, request in enumerate(scenario.requests, 1):
            with numbered(number):
                simulation.request(request)
        if scenario.settle:
            simulation.finish()
        return simulation.recorded(why=scenario.title)
    finally:
        simulation.close()


def _usual(request: Any, world: World, path: Path) -> dict[str, Any]:
    if not isinstance(request, dict) or "do" not in request:
        raise TraceError(f"{path.name} has {request!r} where a request with a `do` belongs")
    usual: dict[str, Any] = {}
    if request["do"] in ("poll", "add"):
        usual |= {"partition": world.partitions[0], "version": world.versions[0]}
    if request["do"] in ("load", "unload"):
        usual |= {"partition": world.partitions[0]}
    if request["do"] == "poll":
        usual |= {"worker": world.workers[0], "wait_ms": PATIENT_MS}
    found = {**usual, **request}
    if found["do"] != "run" and found.setdefault("run", True) is False:
        del found["run"]
    return found
