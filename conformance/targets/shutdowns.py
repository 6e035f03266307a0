"""What hosts promise of a shutdown, of which the specification says nothing: it is over when nothing runs any more.

Three rules:

1. While something waits for an answer of the store, also under a generation that was unloaded before, the shutdown
   of its host goes on.
2. A run at rest has no shutdown that goes on.
3. A process that ends takes its shutdown with it, and whatever its generations wait for, also what they ask later:
   what a writer had begun may reach the store all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial

from conformance.simulation.store import Call, SimulatedStore
from matching.engine import Engine
from matching.identity import Host, PartitionKey

__all__ = ["Shutdowns"]


class Shutdowns:
    """Follows the shutdowns of all hosts, and knows what waits for the store."""

    def __init__(self, engines: Sequence[Engine], store: SimulatedStore) -> None:
        self.broken: str | None = None
        """The first shutdown that was over too soon."""
        self._engines = {engine.host: engine for engine in engines}
        self._store = store
        self._under_way: dict[asyncio.Task[None], Host] = {}
        self._lost: dict[Host, Mapping[PartitionKey, int]] = {}
        """The last generation of each partition at a host when its process last ended."""

    def hear(self, action: str, args: tuple[object, ...]) -> None:
        """Note that a process has ended."""
        if action == "Crash":
            ended = Host(str(args[0]))
            self._under_way = {task: host for task, host in self._under_way.items() if host != ended}
            self._lost[ended] = dict(self._engines[ended].registry.generations)

    def follow(self, host: Host, shutdown: asyncio.Task[None]) -> None:
        """Follow a shutdown that begins."""
        self._under_way[shutdown] = host
        shutdown.add_done_callback(partial(self._ended, host))

    def _ended(self, host: Host, shutdown: asyncio.Task[None]) -> None:
        if self._under_way.pop(shutdown, None) is None or shutdown.cancelled():
            return
        if waits := [call.name for call in self._store.calls.values() if self._is_waited_for(call, host)]:
            self.broken = self.broken or f"the shutdown of {host} is over, and {', '.join(waits)} is not answered"

    def _is_waited_for(self, call: Call, host: Host) -> bool:
        lost = self._lost.get(host, {}).get(call.owner.partition, 0)
        return call.owner.host == host and not call.answer.done() and call.owner.generation > lost

    def still_under_way(self) -> str | None:
        """Say which shutdown goes on, where nothing is to come any more."""
        return next((f"the shutdown of {host} is not over" for host in self._under_way.values()), None)
