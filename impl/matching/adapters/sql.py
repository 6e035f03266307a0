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
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from matching.adapters.calls import CallThread, DatabaseError, Effect, End, Step, Tell
from matching.errors import MissingLibrary, StoreError
from matching.identity import Owner, PartitionKey
from matching.probe import Probe, silent
from matching.store import Batch, Lease, Record

if TYPE_CHECKING:
    from matching.adapters.database import Database
    from matching.adapters.records import Durable

__all__ = ["IN_MEMORY", "SqlStore", "find_database", "sqlite_file"]

IN_MEMORY = "sqlite://"
"""The URL of a database that lives as long as its store."""


def sqlite_file(path: Path) -> str:
    """The URL of a SQLite database in this file, which is created where it is not there."""
    from urllib.parse import quote

    return f"sqlite:///file:{quote(str(path.absolute()))}?uri=true"


class SqlStore:
    """Durable records of tasks; open it with ``open``, and close it."""

    def __init__(self, database: Database, *, probe: Probe = silent) -> None:
        from matching.adapters.records import BacklogRecords

        self._records = BacklogRecords(database)
        self._calls = CallThread(database, probe)

    @classmethod
    async def open(cls, database: str | Database = IN_MEMORY, *, probe: Probe = silent) -> Self:
        """Open the database, mostly named by its URL, and create its schema where it is not there yet.

        Raises:
            MissingLibrary: SQLAlchemy or the database's driver is not installed.
            StoreError: the database cannot be opened.
        """
        store = cls(find_database(database) if isinstance(database, str) else database, probe=probe)
        await store._calls.open()
        return store

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let every call that was made take effect, then disconnect; a second time there is nothing to do."""
        await self._calls.close()

    # The port

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
    action = {Effect.APPLIED: "CommitWrite", Effect.FENCED: "FenceWrite", Effect.NEVER: "FailWrite"}

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


def find_database(url: str) -> Database:
    """Give the database of this URL, not yet opened.

    Raises:
        MissingLibrary: SQLAlchemy or the database's driver is not installed.
        StoreError: the URL names no database that can be used.
    """
    try:
        from matching.adapters.database import Database

        return Database(url)
    except ModuleNotFoundError as error:
        library, extra = _LIBRARIES.get((error.name or "").partition(".")[0], (None, None))
        if library is None:
            raise
        raise MissingLibrary(
            f"the store needs {library}, which is not installed;"
            f" install it with: pip install 'matching-conformance[{extra}]'"
        ) from error
    except DatabaseError as error:
        raise StoreError(str(error)) from error


_LIBRARIES = {"sqlalchemy": ("SQLAlchemy", "service"), "psycopg": ("psycopg", "postgres")}
