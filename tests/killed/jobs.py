"""What a child may be told to do: a job for each store, and the same with a store that is broken."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from random import Random
from unittest import mock

import attrs
import sqlalchemy as sa

from matching.adapters import history_rows, records
from matching.adapters.database import Database
from matching.history.store import Change
from matching.identity import PartitionKey
from matching.store import Record
from tests.killed import nursery
from tests.killed.backlog import work_at_backlog
from tests.killed.history import work_at_history
from tests.killed.nursery import Job, Say

__all__ = ["JOBS", "main"]


class Hasty(Database):
    """A database that confirms some writes and does not keep them."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._count = 0

    def _commit(self, connection: sa.Connection) -> None:
        self._count += 1
        if self._count % 10:
            super()._commit(connection)
        else:
            connection.rollback()


async def work_at_hasty_backlog(url: str, chance: Random, say: Say) -> None:
    """Write through a store that confirms what it does not keep."""
    await work_at_backlog(Hasty(url), chance, say)


async def work_at_open_backlog(url: str, chance: Random, say: Say) -> None:
    """Write through a store that does not look whose the lease is."""
    with mock.patch.object(records, "_demand"):
        await work_at_backlog(url, chance, say)


async def work_at_backlog_in_parts(url: str, chance: Random, say: Say) -> None:
    """Write through a store that commits the records of a batch one after the other."""
    whole = records.BacklogRecords.append

    def append(self: records.BacklogRecords, partition: PartitionKey, range_id: int, batch: Sequence[Record]) -> None:
        for each in batch:
            whole(self, partition, range_id, [each])

    with mock.patch.object(records.BacklogRecords, "append", append):
        await work_at_backlog(url, chance, say)


async def work_at_hasty_history(url: str, chance: Random, say: Say) -> None:
    """Write through a store that confirms what it does not keep."""
    await work_at_history(Hasty(url), chance, say)


async def work_at_open_history(url: str, chance: Random, say: Say) -> None:
    """Write through a store that does not look whose the shard is."""
    with mock.patch.object(history_rows, "_demand"):
        await work_at_history(url, chance, say)


async def work_at_history_in_parts(url: str, chance: Random, say: Say) -> None:
    """Write through a store that commits an execution before the intents that come with it."""
    whole = history_rows.HistoryRows.apply

    def apply(self: history_rows.HistoryRows, shard: int, range_id: int, change: Change) -> None:
        added = [intent for part in change.parts for intent in part.added]
        gone = {item for part in change.parts for item in part.removed}
        parts = tuple(attrs.evolve(part, added=()) for part in change.parts)
        whole(self, shard, range_id, attrs.evolve(change, parts=parts))
        kept = [intent for intent in added if intent.item not in gone]
        numbers = history_rows._Shard(made=10_000 * range_id + change.expected)
        self._database.write(lambda connection: history_rows._add(connection, shard, numbers, kept))

    with mock.patch.object(history_rows.HistoryRows, "apply", apply):
        await work_at_history(url, chance, say)


JOBS: Mapping[str, Job] = {
    "backlog": work_at_backlog,
    "backlog, confirmed and not kept": work_at_hasty_backlog,
    "backlog, not fenced": work_at_open_backlog,
    "backlog, in parts": work_at_backlog_in_parts,
    "history": work_at_history,
    "history, confirmed and not kept": work_at_hasty_history,
    "history, not fenced": work_at_open_history,
    "history, in parts": work_at_history_in_parts,
}


def main() -> None:
    """Be the warm process for the job and the URL of the command line."""
    nursery.main(JOBS[sys.argv[1]], sys.argv[2])
