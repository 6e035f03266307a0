"""What a backlog promises beside the specification, whose variables show neither counts nor seconds.

Two rules, for managers that hold a lease:

1. A count is at least the number of records that are not finished, and equal to it where it is told
   to be certain.
2. A manager whose lease was taken learns of it within the time of one saving.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.simulation.store import Queue, SimulatedStore
from matching.engine import Engine
from matching.manager import PartitionManager

__all__ = ["false_count", "outlived", "tell_outlived"]


def false_count(engines: list[Engine], store: SimulatedStore) -> str | None:
    """Say which count is false of what is in the store and in memory, if one is."""
    for manager, queue in _leading(engines, store):
        backlog = manager.backlog
        _, _, read_level, _ = backlog.levels
        unread = sum(record_id > read_level for record_id in queue.records)
        unfinished = sum(1 for _ in backlog.memory.known()) + unread
        told = backlog.count
        if told.count < unfinished or (told.certain and told.count != unfinished):
            how = "certainly" if told.certain else "at most"
            return f"{_name(manager)} counts {how} {told.count} unfinished records where there are {unfinished}"
    return None


def outlived(engines: list[Engine], store: SimulatedStore) -> list[PartitionManager]:
    """The managers that run under a lease that somebody else has taken."""
    return [manager for manager, queue in _holding(engines, store) if manager.backlog.range_id != queue.lease]


def tell_outlived(manager: PartitionManager) -> str:
    """Say that a manager should have learned of its loss."""
    return f"{_name(manager)} runs under range id {manager.backlog.range_id}, which was taken, and has saved since"


def _leading(engines: list[Engine], store: SimulatedStore) -> Iterator[tuple[PartitionManager, Queue]]:
    return ((manager, queue) for manager, queue in _holding(engines, store) if manager.backlog.range_id == queue.lease)


def _holding(engines: list[Engine], store: SimulatedStore) -> Iterator[tuple[PartitionManager, Queue]]:
    for engine in engines:
        for partition, manager in engine.managers.items():
            if manager.backlog.levels[0]:
                yield manager, store.queues[partition]


def _name(manager: PartitionManager) -> str:
    return f"{manager.owner.partition}#{manager.owner.generation}@{manager.owner.host}"
