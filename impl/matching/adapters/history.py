"""The shards of History in a SQL database, behind the async port.

Three rules:

1. One thread per store does one transaction after the other (``calls.py``): what is
   asked after an answer sees what became of the call that was answered.
2. The steps of a change are told when it has taken effect, before its answer, and nothing else is told.
3. A commit that failed is asked about again; a change that applied is told all the same,
   and its caller gets a `StoreError`.  Until the database says which, the change is
   under way: nobody is answered, and no later call begins.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from matching.adapters.calls import Effect, End, Step
from matching.adapters.opening import DatabaseStore, needing_libraries
from matching.history.store import Change, Contents
from matching.identity import RunId
from matching.probe import Probe, silent

if TYPE_CHECKING:
    from matching.adapters.database import Database

__all__ = ["SqlHistoryStore"]


class SqlHistoryStore(DatabaseStore):
    """A `HistoryStore` whose rows outlive it."""

    def __init__(self, database: Database, *, probe: Probe = silent) -> None:
        super().__init__(database, probe=probe)
        with needing_libraries():
            from matching.adapters.history_rows import HistoryRows

            self._rows = HistoryRows(database)

    # The port

    async def take_shard(self, shard: int) -> int:
        range_id: int = await self._calls.ask(lambda: self._rows.take_shard(shard))
        return range_id

    async def load(self, shard: int, range_id: int, run_id: RunId | None = None) -> Contents:
        contents: Contents = await self._calls.ask(lambda: self._rows.load(shard, range_id, run_id))
        return contents

    async def apply(self, shard: int, range_id: int, change: Change) -> None:
        def tell(end: End, _gone: bool) -> Iterable[Step]:
            return [part.step for part in change.parts if part.step and end.effect is Effect.APPLIED]

        await self._calls.ask(lambda: self._rows.apply(shard, range_id, change), tell)

    # For those who look on

    async def durable(self, shard: int = 0) -> Contents:
        """Give what the shard holds now, whoever has it.

        Raises:
            StoreError: the database cannot be read.
        """
        contents: Contents = await self._calls.ask(lambda: self._rows.durable(shard))
        return contents
