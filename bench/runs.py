"""Runs to measure with: long, varied, and the same every time."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.simulation.store import Effect
from conformance.targets.simulation import Run, Simulation
from conformance.targets.world import World
from conformance.trace.writer import trace_text, write_trace

__all__ = ["long_run", "write_run"]


def long_run(steps: int, *, seed: int = 0) -> Run:
    """A run of the unjudged service that has exactly so many steps."""
    world = World()
    simulation = Simulation(world)
    chance = random.Random(seed)
    try:
        while len(simulation.recorder.steps) < steps:
            simulation.request(_request(simulation, chance))
        run = simulation.recorded(why="a run to measure with")
        return Run(header=run.header, steps=run.steps[: steps + 1], footer=run.footer, divergence=None)
    finally:
        simulation.close()


def write_run(path: Path, run: Run) -> Path:
    """The run as a trace."""
    return write_trace(path, trace_text(run.header, run.steps, run.footer))


def _request(simulation: Simulation, chance: random.Random) -> Mapping[str, Any]:
    world = simulation.world
    place: dict[str, Any] = {"partition": world.partitions[0], "version": world.versions[0], "run": True}
    kind = chance.choice(("poll", "add", "store", "store", "store", "leave", "advance"))
    if kind == "poll" and simulation.free_polls():
        return {"do": "poll", "poll": chance.choice(simulation.free_polls()), "worker": "w1", "wait_ms": 1000, **place}
    if kind == "add" and simulation.free_tasks():
        return {"do": "add", "task": chance.choice(simulation.free_tasks()), **place}
    calls = simulation.calls()
    if kind == "store" and calls:
        call = chance.choice(calls)
        effect = {"effect": "commit"} if call.effect is Effect.PENDING else {}
        return {"do": "store", "call": call.name, **effect, "answer": "ok", "run": True}
    if kind == "leave" and simulation.open_polls():
        return {"do": "leave", "poll": chance.choice(simulation.open_polls()), "run": True}
    return {"do": "advance", "by_ms": 100, "run": True}
