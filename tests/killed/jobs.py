"""What a child may be told to do: a job for each store, and the same with a store that is broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from unittest import mock

import sqlalchemy as sa

from matching.adapters import records
from matching.adapters.database import Database
from matching.identity import PartitionKey
from matching.store import Record
from tests.killed.backlog import work_at_backlog
from tests.killed.nursery import Job, Say

__all__ = ["JOBS"]


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


JOBS: Mapping[str, Job] = {
    "backlog": work_at_backlog,
    "backlog, confirmed and not kept": work_at_hasty_backlog,
    "backlog, not fenced": work_at_open_backlog,
    "backlog, in parts": work_at_backlog_in_parts,
}
