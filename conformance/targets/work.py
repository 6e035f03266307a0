"""What the errands of a driver have in common: a request gives work, which a callback of the run may do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from conformance.targets.requests import one_of
from matching.engine import Engine
from matching.identity import PartitionKey

if TYPE_CHECKING:
    from conformance.targets.simulation import Simulation

__all__ = ["Errand", "Request", "Work", "host_of", "later", "partition_of"]

Work = Callable[[], None]
Request = Mapping[str, Any]
Errand = Callable[["Simulation", Request], Work]


def later(run: Simulation, work: Callable[..., object], *args: Any) -> Work:
    def queue() -> None:
        run.loop.call_soon(work, *args)

    return queue


def partition_of(run: Simulation, request: Request) -> PartitionKey:
    return PartitionKey.parse(one_of(request["partition"], run.world.partitions, "a partition"))


def host_of(run: Simulation, request: Request) -> Engine:
    """The host that is named; where none is, the one that is home."""
    if "host" not in request:
        return run.home
    return run.engines[run.world.hosts.index(one_of(request["host"], run.world.hosts, "a host"))]
