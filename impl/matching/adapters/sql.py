"""The backlog in a SQL database, behind the async port.

Four rules:

1. One thread per store does one transaction after the other (``calls.py``), so the order
   in which effects are told is the order in which they happened.
2. What took effect is told before the caller gets its answer, and FailWrite only of what
   surely never will.  What is fenced was compared under the lock, and is certain.
3. A commit that failed is asked about again.  What the database then says is told, and
   then that its answer is lost (LoseClaim, LoseWrite, LoseSave), for the caller gets a
   `StoreError`.  Until the database says it, the call stays under way.
4. What the database says is wrong becomes a `StoreError`, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from matching.adapters.calls import Effect, End, Step, Tell
from matching.adapters.opening import DatabaseStore, needing_libraries
from matching.identity import Owner, PartitionKey
from matching.probe import Probe, silent
from matching.store import Batch, Lease, Record

if TYPE_CHECKING:
    from matching.adapters.database import Database
    from matching.adapters.records import Durable

__all__ = ["SqlStore"]


class SqlStore(DatabaseStore):
    """Durable records of tasks."""

    def __init__(self, database: Database, *, probe: Probe = silent) -> None:
        super().__init__(database, probe=probe)
        with needing_libraries():
            from matching.adapters.records import BacklogRecords

            self._records = BacklogRecords(database)

    # The port

    async def metadata(self, owner: Owner) -> Lease:
        lease: Lease = await self._calls.ask(lambda: self._records.metadata(owner.partition))
        return lease

    async def user_data_version(self, owner: Owner) -> int:
        version: int = await self._calls.ask(lambda: self._records.user_data_version(owner.partition))
        return version

    async def take_lease(self, owner: Owner, held: int) -> Lease:
        tell = _told_of_takeover(owner, held)
        lease: Lease = await self._calls.ask(lambda: self._records.take_lease(owner.partition, held), tell)
        return lease

    async def append(self, owner: Owner, range_id: int, records: Sequence[Record]) -> None:
        assert all(record.task.partition == owner.partition for record in records)
        tell = _told_of_write([record.task.task_id for record in records])
        await self._calls.ask(lambda: self._records.append(owner.partition, range_id, records), tell)

    async def read(self, owner: Owner, after: int, upto: int, limit: int) -> Batch:
        assert limit > 0
        make = lambda: self._records.read(owner.partition, after, upto, limit)  # noqa: E731
        batch: Batch = await self._calls.ask(make, _told_of_read(owner))
        return batch

    async def save_ack_level(self, owner: Owner, range_id: int, level: int) -> None:
        tell = _told_of_saving(owner, range_id)
        await self._calls.ask(lambda: self._records.save_ack_level(owner.partition, range_id, level), tell)

    async def delete(self, owner: Owner, range_id: int, upto: int) -> None:
        tell = _told_of_delete(owner, range_id, upto)
        await self._calls.ask(lambda: self._records.delete(owner.partition, upto), tell)

    # For those who look on

    async def count(self, partition: PartitionKey) -> int:
        """Give how many records are stored of a partition now, and tell the probe nothing.

        Raises:
            StoreError: the database cannot be read.
        """
        number: int = await self._calls.ask(lambda: self._records.count(partition))
        return number

    async def durable(self, partition: PartitionKey) -> Durable:
        """Give what is stored of a partition now, and tell the probe nothing.

        Raises:
            StoreError: the database cannot be read.
        """
        durable: Durable = await self._calls.ask(lambda: self._records.durable(partition))
        return durable


def _told_of_takeover(owner: Owner, held: int) -> Tell:
    partition = str(owner.partition)

    def tell(end: End, gone: bool) -> Iterable[Step]:
        if gone:
            yield ("TakeAdrift" if end.effect is Effect.APPLIED else "EndAdrift", partition, held)
            return
        if end.effect is not Effect.NEVER:
            yield ("TakeLease" if end.effect is Effect.APPLIED else "FenceClaim", owner.host, partition)
        if end.lost:
            yield ("LoseClaim", owner.host, partition)

    return tell


def _told_of_write(task_ids: Sequence[str]) -> Tell:
    action = {Effect.APPLIED: "CommitWrite", Effect.REFUSED: "FenceWrite", Effect.NEVER: "FailWrite"}

    def tell(end: End, _gone: bool) -> Iterable[Step]:
        yield from ((action[end.effect], task_id) for task_id in task_ids)
        if end.effect is Effect.APPLIED and end.lost:
            yield from (("LoseWrite", task_id) for task_id in task_ids)

    return tell


def _told_of_read(owner: Owner) -> Tell:
    def tell(end: End, gone: bool) -> Iterable[Step]:
        if end.effect is Effect.APPLIED and not gone:
            yield ("ServeRead", owner.host, str(owner.partition), end.value.upto)

    return tell


def _told_of_saving(owner: Owner, range_id: int) -> Tell:
    subject = (owner.host, str(owner.partition), range_id)

    def tell(end: End, _gone: bool) -> Iterable[Step]:
        if end.effect is not Effect.NEVER:
            yield ("CommitSave" if end.effect is Effect.APPLIED else "FenceSave", *subject)
        if end.lost:
            yield ("LoseSave", *subject)

    return tell


def _told_of_delete(owner: Owner, range_id: int, upto: int) -> Tell:
    def tell(end: End, _gone: bool) -> Iterable[Step]:
        if end.effect is Effect.APPLIED:
            yield ("CommitDelete", str(owner.partition), range_id, upto)

    return tell
