"""The backlog's tables, and the transactions on them.

Two rules:

1. A queue has one row, with its range id and its ack level.  What a range id must allow
   locks that row first and compares there, in the transaction that then writes.
2. A record stands under its queue and its id.  An id that is taken is an error: its
   owner gave it twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import sqlalchemy as sa

from matching.adapters.database import Database, insert_if_absent
from matching.adapters.schema import SCHEMA, Number, Words
from matching.errors import LeaseLost
from matching.identity import EventId, Item, PartitionKey, TaskId, Version
from matching.requests import Task
from matching.store import Batch, Lease, Record

__all__ = ["BacklogRecords", "Durable"]


def _queue_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("namespace", Words, primary_key=True),
        sa.Column("family", Words, primary_key=True),
        sa.Column("task_type", Words, primary_key=True),
        sa.Column("partition", sa.Integer, primary_key=True),
    ]


_QUEUES = sa.Table(
    "queues",
    SCHEMA,
    *_queue_columns(),
    sa.Column("range_id", Number, nullable=False),
    sa.Column("ack_level", Number, nullable=False),
    sqlite_with_rowid=False,
)

_TASKS = sa.Table(
    "tasks",
    SCHEMA,
    *_queue_columns(),
    sa.Column("record_id", Number, primary_key=True),
    sa.Column("task_id", Words, nullable=False),
    sa.Column("version", Words, nullable=False),
    sa.Column("event_id", Words),
    sa.Column("attempt", Number),
    sa.Column("stamp", Number),
    sa.CheckConstraint("(event_id IS NULL) = (attempt IS NULL) AND (event_id IS NULL) = (stamp IS NULL)", "whole_item"),
    sqlite_with_rowid=False,
)


_USER_DATA = sa.Table(
    "user_data",
    SCHEMA,
    sa.Column("namespace", Words, primary_key=True),
    sa.Column("family", Words, primary_key=True),
    sa.Column("version", Number, nullable=False),
    sqlite_with_rowid=False,
)


@attrs.frozen
class Durable:
    """What is stored of one partition: its range id (0: nobody ever took the lease), ack level and records."""

    range_id: int = 0
    ack_level: int = 0
    records: tuple[Record, ...] = ()


class BacklogRecords:
    """The durable backlog in one database.  Every call blocks; its errors are those of `Database`, and `LeaseLost`."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def metadata(self, partition: PartitionKey) -> Lease:
        """Give the range id, the ack level, and how many records lie behind it."""
        behind = _count(partition, _QUEUES.c.ack_level).scalar_subquery()
        query = sa.select(_QUEUES.c.range_id, _QUEUES.c.ack_level, behind).where(*_belongs(_QUEUES, partition))
        row = self.database.read(lambda connection: connection.execute(query).one_or_none())
        return Lease(0, 0) if row is None else Lease(*row)

    def user_data_version(self, partition: PartitionKey) -> int:
        """Give the version of the family's user data."""
        query = sa.select(_USER_DATA.c.version).where(
            _USER_DATA.c.namespace == partition.namespace, _USER_DATA.c.family == partition.family
        )
        version: int | None = self.database.read(lambda connection: connection.execute(query).scalar_one_or_none())
        return version or 0

    def take_lease(self, partition: PartitionKey, held: int) -> Lease:
        """Raise the range id by one, from ``held`` if that is above 0."""

        def work(connection: sa.Connection) -> Lease:
            if not held:
                insert_if_absent(connection, _QUEUES, {**_queue(partition), "range_id": 0, "ack_level": 0})
            found = _locked(connection, partition)
            if held not in (0, found.range_id):
                raise _lost(partition, held, found)
            _set(connection, partition, range_id=found.range_id + 1)
            behind = connection.execute(_count(partition, found.ack_level)).scalar_one()
            return Lease(found.range_id + 1, found.ack_level, behind)

        return self.database.write(work)

    def append(self, partition: PartitionKey, range_id: int, records: Sequence[Record]) -> None:
        """Insert all these records while the range id is the partition's."""

        def work(connection: sa.Connection) -> None:
            _demand(connection, partition, range_id)
            if records:
                connection.execute(sa.insert(_TASKS), [_row(partition, record) for record in records])

        self.database.write(work)

    def read(self, partition: PartitionKey, after: int, upto: int, limit: int) -> Batch:
        """Give at most ``limit`` records behind ``after`` and up to ``upto``."""
        query = _records_of(partition).where(_TASKS.c.record_id > after, _TASKS.c.record_id <= upto).limit(limit + 1)
        rows = self.database.read(lambda connection: connection.execute(query).all())
        records = tuple(_record(partition, row) for row in rows[:limit])
        return Batch(records, records[-1].record_id if len(rows) > limit else upto)

    def save_ack_level(self, partition: PartitionKey, range_id: int, level: int) -> None:
        """Set the ack level while the range id is the partition's."""

        def work(connection: sa.Connection) -> None:
            _demand(connection, partition, range_id)
            _set(connection, partition, ack_level=level)

        self.database.write(work)

    def delete(self, partition: PartitionKey, upto: int) -> None:
        """Remove the records with ids up to ``upto``."""
        statement = sa.delete(_TASKS).where(*_belongs(_TASKS, partition), _TASKS.c.record_id <= upto)
        self.database.write(lambda connection: connection.execute(statement))

    def count(self, partition: PartitionKey) -> int:
        """Count the records that are stored of the partition."""
        number: int = self.database.read(lambda connection: connection.execute(_count(partition, 0)).scalar_one())
        return number

    def durable(self, partition: PartitionKey) -> Durable:
        """Give everything that is stored of the partition, as of one moment."""
        query = (
            sa.select(_QUEUES.c.range_id, _QUEUES.c.ack_level, *_TASKS.c)
            .outerjoin(_TASKS, sa.and_(*(column == _TASKS.c[column.name] for column in _QUEUES.primary_key)))
            .where(*_belongs(_QUEUES, partition))
            .order_by(_TASKS.c.record_id)
        )
        rows = self.database.read(lambda connection: connection.execute(query).all())
        if not rows:
            return Durable()
        records = tuple(_record(partition, row) for row in rows if row.record_id is not None)
        return Durable(rows[0].range_id, rows[0].ack_level, records)


def _count(partition: PartitionKey, level: int | sa.ColumnElement[int]) -> sa.Select[Any]:
    """A query for the number of records with ids above the level."""
    return sa.select(sa.func.count()).where(*_belongs(_TASKS, partition), _TASKS.c.record_id > level)


def _locked(connection: sa.Connection, partition: PartitionKey) -> Any:
    """Lock the row of a queue, and give its range id and ack level; a queue without a row has range id 0."""
    query = sa.select(_QUEUES.c.range_id, _QUEUES.c.ack_level).where(*_belongs(_QUEUES, partition)).with_for_update()
    return connection.execute(query).one_or_none() or Durable()


def _demand(connection: sa.Connection, partition: PartitionKey, range_id: int) -> None:
    found = _locked(connection, partition)
    if found.range_id != range_id:
        raise _lost(partition, range_id, found)


def _lost(partition: PartitionKey, range_id: int, found: Any) -> LeaseLost:
    return LeaseLost(f"{partition}: the range id is {found.range_id}, no longer {range_id}")


def _set(connection: sa.Connection, partition: PartitionKey, **values: int) -> None:
    connection.execute(sa.update(_QUEUES).where(*_belongs(_QUEUES, partition)).values(values))


def _records_of(partition: PartitionKey) -> sa.Select[Any]:
    return sa.select(_TASKS).where(*_belongs(_TASKS, partition)).order_by(_TASKS.c.record_id)


def _queue(partition: PartitionKey) -> dict[str, Any]:
    return {
        "namespace": partition.namespace,
        "family": partition.family,
        "task_type": partition.task_type.value,
        "partition": partition.partition,
    }


def _belongs(table: sa.Table, partition: PartitionKey) -> list[sa.ColumnElement[bool]]:
    return [table.c[name] == value for name, value in _queue(partition).items()]


def _row(partition: PartitionKey, record: Record) -> dict[str, Any]:
    task = record.task
    item = {name: getattr(task.item, name, None) for name in ("event_id", "attempt", "stamp")}
    return {
        **_queue(partition),
        "record_id": record.record_id,
        "task_id": task.task_id,
        "version": task.version,
        **item,
    }


def _record(partition: PartitionKey, row: sa.Row[Any]) -> Record:
    item = Item(EventId(row.event_id), row.attempt, row.stamp) if row.event_id is not None else None
    return Record(row.record_id, Task(TaskId(row.task_id), partition, Version(row.version), item))
