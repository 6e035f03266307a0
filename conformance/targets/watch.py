"""Everybody who listens to one run for what is promised beside the specification, as one.

Two rules:

1. Every step is heard by all, also those of callers; who knows nothing of callers takes no notice.
2. What is told is the first promise that was not kept.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.refinement.books import Books
from conformance.simulation.history_store import SimulatedHistoryStore
from conformance.simulation.network import SimulatedNetwork
from conformance.simulation.store import SimulatedStore
from conformance.targets.hop_promises import HopPromises
from conformance.targets.limits import SMALL_LIMITS
from conformance.targets.loads import Loads
from conformance.targets.promises import Deletes, false_count, outlived, tell_outlived
from conformance.targets.shutdowns import Shutdowns
from conformance.targets.time_limits import TimeLimits
from conformance.targets.turns import Turns
from conformance.targets.upkeep import Upkeep
from matching.caller import Caller
from matching.engine import Engine

__all__ = ["Watch"]


class Watch:
    """What was promised in one run, and what became of it."""

    def __init__(
        self,
        engines: list[Engine],
        store: SimulatedStore,
        history: SimulatedHistoryStore,
        network: SimulatedNetwork,
        caller: Caller,
        books: Books,
        now: Callable[[], float],
    ) -> None:
        self._engines = engines
        self._caller = caller
        self._store = store
        self._now = now
        options = engines[0].options
        self._time_limits = TimeLimits(history, now)
        self._upkeep = Upkeep(options, books, now)
        self._loads = Loads(engines, caller, books, store, retry_seconds=options.load_retry_seconds, now=now)
        self._turns = Turns(engines)
        self._hops = HopPromises(engines, network, caller, books, now)
        self.shutdowns = Shutdowns(engines, store)
        self._deletes = Deletes(engines, store, retry_seconds=SMALL_LIMITS.retry_seconds)
        self._heard = (self._time_limits, self._upkeep, self._loads, self._turns, self._hops, self.shutdowns)

    def hear(self, action: str, args: tuple[object, ...]) -> None:
        """Hear a step of a host, of a store, of History or of a caller."""
        for each in (*self._heard, self._deletes):
            each.hear(action, args)

    @property
    def broken(self) -> str | None:
        """The first promise that was not kept by what was heard, or is not by what is counted."""
        heard = next(filter(None, (each.broken for each in self._heard)), None)
        return heard or false_count(self._engines, self._store)

    def look(self) -> str | None:
        """Say which promise is not kept; nothing may be about to happen now."""
        adding = {add.host for add in self._caller.adds.values()}
        late = self._deletes.look(self._now()) or self._upkeep.look(self._engines, adding)
        return late or self._loads.look() or self._hops.look()

    def look_at_the_end(self) -> str | None:
        """Say which promise was not kept, where nothing is to come any more."""
        unaware = next(map(tell_outlived, outlived(self._engines, self._store)), None)
        return unaware or self._time_limits.overdue() or self.shutdowns.still_under_way()

    def owed_times(self) -> list[float]:
        """The moments to come at which something should have happened by then."""
        owed = (*self._upkeep.owed_times(), *self._loads.owed_times())
        return [time for time in owed if time > self._now()]
