"""What is to come by itself: managers' upkeep and offers, whatever happens, and polls whose handlers pause."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

from matching.caller import Caller
from matching.engine import Engine
from matching.manager import PartitionManager

__all__ = ["is_pausing", "is_retrying", "upkeep_timers"]


def upkeep_timers(engines: Iterable[Engine]) -> list[asyncio.TimerHandle]:
    """The timers of all managers that are wound whatever happens."""
    timers = [
        each
        for manager in _managers(engines)
        for each in (manager.backlog.upkeep_timer, manager.life.emitter, manager.idle_timer, _retry_timer(manager))
    ]
    return [timer for timer in timers if timer is not None]


def is_retrying(engines: Iterable[Engine]) -> bool:
    """Tell whether a manager is to offer a stored task again, or waits for what becomes of one that it has offered."""
    return any(_retry_timer(manager) is not None or _offers(manager) for manager in _managers(engines))


def is_pausing(caller: Caller) -> bool:
    """Tell whether a poll is with no manager: its handler waits for one, or before it asks for another task."""
    return any(not (poll.arrived or poll.ended or poll.left) for poll in caller.polls.values())


def _retry_timer(manager: PartitionManager) -> asyncio.TimerHandle | None:
    return None if manager.forwarder is None else manager.forwarder.retry_timer


def _offers(manager: PartitionManager) -> bool:
    return manager.forwarder is not None and bool(manager.forwarder.offers)


def _managers(engines: Iterable[Engine]) -> Iterator[PartitionManager]:
    return (manager for engine in engines for manager in engine.managers.values())
