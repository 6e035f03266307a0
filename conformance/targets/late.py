"""Which callbacks of the service a driver may hold back, or let come once more when their generation is dead.

Three rules:

1. Held back is what another step of the service asked for and can be overtaken: a call to unload, the start of
   what was published, the end of a stop.
2. Whatever a generation once gave to the loop may come again after its stop, and must change nothing.
3. Nor does it begin anything: where it has come again, no timer of a dead generation is to come that was not before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.simulation.loop import SimulationLoop
from conformance.simulation.store import name_of
from matching.backlog import Backlog
from matching.identity import Owner
from matching.lifetime import Lifetime
from matching.manager import PartitionManager
from matching.registry import ManagerRegistry

__all__ = ["belongs_to_a_generation", "come_again", "comes_late", "of_a_dead_generation", "owner_of"]

_LATE: Mapping[tuple[type, str], str] = {
    (ManagerRegistry, ManagerRegistry._arrive.__name__): "unload",
    (Lifetime, Lifetime._start.__name__): "start",
    (Lifetime, Lifetime._finish_stop.__name__): "stop",
}
"""By name: a fault that is planted in one of them is another function."""

Callback = Callable[..., object]


def comes_late(callback: Callback, args: tuple[Any, ...]) -> str | None:
    """Name a callback that the driver decides about, ``unload shop/orders/workflow/0#1@h1``; None for others."""
    kind = _LATE.get((type(getattr(callback, "__self__", None)), getattr(callback, "__name__", "")))
    if kind is None:
        return None
    owner = owner_of(callback, args)
    assert owner is not None
    return f"{kind} {owner.partition}#{owner.generation}@{owner.host}"


def owner_of(callback: Callback, args: tuple[Any, ...]) -> Owner | None:
    """Find the generation to which a callback belongs."""
    manager = _manager_of(callback, args)
    return None if manager is None else manager.owner


def belongs_to_a_generation(callback: Callback, args: tuple[Any, ...]) -> bool:
    """Tell whether the callback is a generation's own."""
    return _manager_of(callback, args) is not None


def of_a_dead_generation(callback: Callback, args: tuple[Any, ...]) -> bool:
    """Tell whether the callback is that of a generation that has stopped."""
    holder = _manager_of(callback, args)
    match holder:
        case PartitionManager():
            return not holder.life.alive
        case Lifetime():
            return not holder.alive
        case Backlog():
            return not holder.running
        case _:
            return False


def come_again(loop: SimulationLoop, run: Callable[[], None]) -> str | None:
    """Let every callback of dead generations come once more and run; say which of them has begun something."""
    before = loop.timers(of_a_dead_generation)
    loop.fire_again(of_a_dead_generation)
    run()
    begun = [timer for timer in loop.timers(of_a_dead_generation) if not any(timer is each for each in before)]
    owners = [owner_of(timer._callback, tuple(timer._args)) for timer in begun]  # type: ignore[attr-defined]
    return next((f"{name_of(owner)} has stopped, and winds a timer" for owner in owners if owner is not None), None)


def _manager_of(callback: Callback, args: tuple[Any, ...]) -> PartitionManager | Lifetime | Backlog | None:
    holder = getattr(callback, "__self__", None)
    if isinstance(holder, ManagerRegistry) and args and isinstance(args[0], PartitionManager):
        return args[0]
    return holder if isinstance(holder, PartitionManager | Lifetime | Backlog) else None
