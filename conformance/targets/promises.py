"""What a backlog promises beside the specification, which knows neither counts nor seconds and owes no delete.

Three rules, for managers that hold a lease:

1. A count is at least the number of records that are not finished, and equal to it where it is told
   to be certain, as it is where everything has been read.
2. A manager whose lease was taken learns of it within the time of one saving.
3. Records up to the ack level are being deleted, or are asked for again within the time of one retry.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.simulation.store import Queue, SimulatedStore, name_of
from matching.engine import Engine
from matching.identity import Owner
from matching.manager import PartitionManager

__all__ = ["Deletes", "false_count", "outlived", "tell_outlived"]


def false_count(engines: list[Engine], store: SimulatedStore) -> str | None:
    """Say which count is false of what is in the store and in memory, if one is."""
    for manager, queue in _leading(engines, store):
        backlog = manager.backlog
        _, next_id, read_level, _ = backlog.levels
        unread = sum(record_id > read_level for record_id in queue.records)
        unfinished = sum(1 for _ in backlog.memory.known()) + unread
        told = backlog.count
        if read_level >= next_id - 1 and not told.certain:
            return f"{name_of(manager.owner)} has read everything, and counts at most {told.count} unfinished records"
        if told.count < unfinished or (told.certain and told.count != unfinished):
            how = "certainly" if told.certain else "at most"
            return f"{name_of(manager.owner)} counts {how} {told.count} unfinished records where there are {unfinished}"
    return None


def outlived(engines: list[Engine], store: SimulatedStore) -> list[PartitionManager]:
    """The managers that run under a lease that somebody else has taken."""
    return [manager for manager, queue in _holding(engines, store) if manager.backlog.range_id != queue.lease]


def tell_outlived(manager: PartitionManager) -> str:
    """Say that a manager should have learned of its loss."""
    name, range_id = name_of(manager.owner), manager.backlog.range_id
    return f"{name} runs under range id {range_id}, which was taken, and has saved since"


class Deletes:
    """Watches since when managers leave in the store what they are done with."""

    def __init__(self, engines: list[Engine], store: SimulatedStore, *, retry_seconds: float) -> None:
        self._engines = engines
        self._store = store
        self._retry_seconds = retry_seconds
        self._idle_since: dict[Owner, float] = {}

    def hear(self, action: str, args: tuple[object, ...]) -> None:
        """Note that a delete was answered: the time of a retry begins."""
        if action == "EndDelete":
            kept = [owner for owner in self._idle_since if str(owner.partition) != args[0]]
            self._idle_since = {owner: self._idle_since[owner] for owner in kept}

    def look(self, now: float) -> str | None:
        """Say which records were left for too long, if some were; nothing may be about to happen now."""
        idle = {manager.owner: left for manager, left in self._left()}
        self._idle_since = {owner: self._idle_since.get(owner, now) for owner in idle}
        late = next((each for each, since in self._idle_since.items() if now - since > self._retry_seconds), None)
        if late is None:
            return None
        records = ", ".join(map(str, idle[late]))
        return f"{name_of(late)} is done with the records {records}, and does not delete them"

    def _left(self) -> Iterator[tuple[PartitionManager, list[int]]]:
        asking = {call.owner for call in self._store.calls.values() if call.kind == "delete"}
        for manager, queue in _leading(self._engines, self._store):
            left = [record_id for record_id in queue.records if record_id <= manager.backlog.memory.ack_level]
            if left and manager.owner not in asking:
                yield manager, left


def _leading(engines: list[Engine], store: SimulatedStore) -> Iterator[tuple[PartitionManager, Queue]]:
    return ((manager, queue) for manager, queue in _holding(engines, store) if manager.backlog.range_id == queue.lease)


def _holding(engines: list[Engine], store: SimulatedStore) -> Iterator[tuple[PartitionManager, Queue]]:
    for engine in engines:
        for partition, manager in engine.managers.items():
            if manager.backlog.levels[0]:
                yield manager, store.queues[partition]
