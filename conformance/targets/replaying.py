"""A recorded run of the simulation, made again from its requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.targets.requests import numbered
from conformance.targets.run import Run
from conformance.targets.simulation import Simulation, judge_for
from conformance.targets.world import World
from conformance.trace.errors import TraceError
from conformance.trace.header import Header

__all__ = ["replay"]


def replay(header: Header, requests: Iterable[Mapping[str, Any]]) -> Run:
    """Make the same requests of a fresh simulation, and judge what it does now.

    Raises:
        RequestError: a request cannot be carried out in this run.
    """
    if header.target != "simulation":
        raise TraceError(f"the trace is of the target {header.target!r}; only runs of the simulation can be run again")
    world = World.from_setup(header.setup)
    simulation = Simulation(world, judge=judge_for(world))
    try:
        for number, request in enumerate(requests, 1):
            if simulation.divergence is not None:
                break
            if request.get("do") == "settle":
                simulation.finish()
            else:
                with numbered(number):
                    simulation.request(request)
        return simulation.recorded(header.why)
    finally:
        simulation.close()
