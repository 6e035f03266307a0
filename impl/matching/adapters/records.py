"""Tasks' records in a SQL database, one short transaction at a time.

Three rules:

1. Everything here blocks, and one thread does all of it; the store in ``sql.py``
   owns that thread.
2. A write takes the database's write lock before anything else, so that the order
   of the positions is the order of the commits, whoever else writes.
3. A transaction that fails says whether it applied: no, if it failed before its
   commit.  If the commit itself failed, nobody said, and the database is asked again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from matching.identity import PartitionKey, TaskId, TaskType, Version
from matching.requests import Task

__all__ = ["BUSY_TIMEOUT_MS", "DatabaseError", "Records", "SqlRecords"]

BUSY_TIMEOUT_MS = 5_000
"""How long a transaction waits for another process that holds the lock."""

T = TypeVar("T")

_METADATA = sa.MetaData()

_RECORDS = sa.Table(
    "backlog",
    _METADATA,
    sa.Column("position", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("task_id", sa.Text, nullable=False, unique=True),
    sa.Column("namespace", sa.Text, nullable=False),
    sa.Column("family", sa.Text, nullable=False),
    sa.Column("task_type", sa.Text, nullable=False),
    sa.Column("partition", sa.Integer, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Index("backlog_by_partition", "namespace", "family", "task_type", "partition", "position"),
    sqlite_autoincrement=True,
)


class DatabaseError(Exception):
    """A transaction that was not confirmed; ``applied`` is None where nobody can tell."""

    def __init__(self, message: str, *, applied: bool | None) -> None:
        super().__init__(message)
        self.applied = applied


class Records(Protocol):
    """What a store needs of its database.  Every call may raise `DatabaseError`."""

    def open(self) -> None: ...

    def append(self, task: Task) -> None: ...

    def read(self, partition: PartitionKey) -> list[Task]: ...

    def delete(self, partition: PartitionKey, task_id: TaskId) -> None: ...

    def close(self) -> None: ...


class SqlRecords:
    """The records in the database of one URL, such as ``sqlite:////path/to/file`` or ``sqlite://`` in memory."""

    def __init__(self, url: str, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> None:
        self._busy_timeout_ms = busy_timeout_ms
        try:
            self._url = sa.make_url(url)
        except ArgumentError as error:
            raise DatabaseError(f"{url!r} names no database; write sqlite:///FILE", applied=False) from error
        if self._url.get_backend_name() != "sqlite":
            raise DatabaseError(f"{self._url!r} is not SQLite; write sqlite:///FILE", applied=False)

    def open(self) -> None:
        """Connect, and create the schema where it is not there yet."""
        # A database in memory is its connection, so there is one; a file gets the pool that is usual for it.
        in_memory = self._url.database in (None, "", ":memory:")
        self._engine = sa.create_engine(self._url, **({"poolclass": StaticPool} if in_memory else {}))
        sa.event.listen(self._engine, "connect", self._set_up)
        sa.event.listen(self._engine, "begin", _begin)
        if not self._looks(lambda connection: sa.inspect(connection).has_table(_RECORDS.name)):
            self._transact(lambda connection: _METADATA.create_all(connection))

    def append(self, task: Task) -> None:
        """Make one record durable; a task that has its record keeps it, at its place."""
        try:
            self._transact(lambda connection: connection.execute(sa.insert(_RECORDS), _row(task)), task, present=True)
        except _TakenError as taken:
            if self._find(task.task_id) != task:
                raise DatabaseError(f"task id {task.task_id} has a record of another task", applied=False) from taken

    def read(self, partition: PartitionKey) -> list[Task]:
        """Give every record of the partition, in the order of their commits."""
        query = sa.select(_RECORDS).where(*_belongs_to(partition)).order_by(_RECORDS.c.position)
        return self._looks(lambda connection: [_task(row) for row in connection.execute(query)])

    def delete(self, partition: PartitionKey, task_id: TaskId) -> None:
        """Remove the record of a task of this partition, if it is there."""
        statement = sa.delete(_RECORDS).where(*_belongs_to(partition), _RECORDS.c.task_id == task_id)
        self._transact(lambda connection: connection.execute(statement), Task(task_id, partition), present=False)

    def close(self) -> None:
        """Disconnect; the last one that leaves a file folds its write-ahead log into it."""
        self._engine.dispose()

    def _commit(self, connection: sa.Connection) -> None:
        connection.commit()

    def _transact(
        self, work: Callable[[sa.Connection], Any], task: Task | None = None, *, present: bool = True
    ) -> None:
        """Do the work and commit it; ``present`` is whether the task has a record afterwards."""
        try:
            with self._engine.connect() as connection:
                work(connection)
                try:
                    self._commit(connection)
                except SQLAlchemyError as error:
                    with contextlib.suppress(SQLAlchemyError):
                        connection.rollback()
                    raise DatabaseError(_told(error), applied=self._applied(task, present)) from error
        except IntegrityError as error:
            raise _TakenError(_told(error), applied=False) from error
        except SQLAlchemyError as error:
            raise DatabaseError(_told(error), applied=False) from error

    def _applied(self, task: Task | None, present: bool) -> bool | None:
        if task is None:
            return None
        try:
            return (self._find(task.task_id) is not None) is present
        except DatabaseError:
            return None

    def _find(self, task_id: TaskId) -> Task | None:
        query = sa.select(_RECORDS).where(_RECORDS.c.task_id == task_id)
        row = self._looks(lambda connection: connection.execute(query).one_or_none())
        return _task(row) if row is not None else None

    def _looks(self, work: Callable[[sa.Connection], T]) -> T:
        """Do work that only reads, and so needs no write lock."""
        try:
            with self._engine.connect().execution_options(matching_reads=True) as connection:
                return work(connection)
        except SQLAlchemyError as error:
            raise DatabaseError(_told(error), applied=False) from error

    def _set_up(self, connection: Any, _record: object) -> None:
        # The driver must not open transactions by itself: the time at which a lock is taken matters.
        connection.isolation_level = None
        for setting in (
            f"busy_timeout={self._busy_timeout_ms}",
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
        ):
            connection.execute(f"PRAGMA {setting}")


class _TakenError(DatabaseError):
    """The task id has a record already."""


def _begin(connection: sa.Connection) -> None:
    reads = connection.get_execution_options().get("matching_reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _row(task: Task) -> dict[str, Any]:
    key = task.partition
    return {
        "task_id": task.task_id,
        "namespace": key.namespace,
        "family": key.family,
        "task_type": key.task_type.value,
        "partition": key.partition,
        "version": task.version,
    }


def _task(row: sa.Row[Any]) -> Task:
    partition = PartitionKey(row.namespace, row.family, TaskType(row.task_type), row.partition)
    return Task(TaskId(row.task_id), partition, Version(row.version))


def _belongs_to(partition: PartitionKey) -> list[sa.ColumnElement[bool]]:
    columns = _RECORDS.c
    return [
        columns.namespace == partition.namespace,
        columns.family == partition.family,
        columns.task_type == partition.task_type.value,
        columns.partition == partition.partition,
    ]


def _told(error: SQLAlchemyError) -> str:
    """What the database itself said, without the statement around it."""
    return str(getattr(error, "orig", None) or error)
