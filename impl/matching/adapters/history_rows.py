"""History's tables, and the transactions on them.

Three rules:

1. A shard has one row, with its range id.  A change locks that row first and compares
   there, then compares the version of its execution's row, in the transaction that writes.
2. An execution is one row, with what it holds as one text; an intent is one row.
3. What a shard makes it numbers, under the lock of its row: so executions and intents
   come back in the order of their making.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import sqlalchemy as sa
from cattrs.preconf.json import make_converter

from matching.adapters.database import Database, insert_if_absent
from matching.adapters.schema import SCHEMA, Number, Words
from matching.errors import LeaseLost, RowChanged
from matching.history.store import Change, Contents, Execution, Intent
from matching.identity import EventId, Item, PartitionKey, RunId, Version

__all__ = ["HistoryRows"]

_SHARDS = sa.Table(
    "shards",
    SCHEMA,
    sa.Column("shard", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("range_id", Number, nullable=False),
    sa.Column("made", Number, nullable=False),
)

_EXECUTIONS = sa.Table(
    "executions",
    SCHEMA,
    sa.Column("shard", sa.Integer, primary_key=True),
    sa.Column("run_id", Words, primary_key=True),
    sa.Column("made", Number, nullable=False),
    sa.Column("row_version", Number, nullable=False),
    sa.Column("execution", Words, nullable=False),
    sqlite_with_rowid=False,
)

_INTENTS = sa.Table(
    "intents",
    SCHEMA,
    sa.Column("shard", sa.Integer, primary_key=True),
    sa.Column("event_id", Words, primary_key=True),
    sa.Column("attempt", Number, primary_key=True),
    sa.Column("stamp", Number, primary_key=True),
    sa.Column("made", Number, nullable=False),
    sa.Column("run_id", Words, nullable=False),
    sa.Column("partition", Words, nullable=False),
    sa.Column("version", Words, nullable=False),
    sa.Index("intents_by_run", "shard", "run_id"),
    sqlite_with_rowid=False,
)

_CONVERTER = make_converter(forbid_extra_keys=True, omit_if_default=True)
_CONVERTER.register_unstructure_hook(PartitionKey, str)
_CONVERTER.register_structure_hook(PartitionKey, lambda text, _: PartitionKey.parse(text))


@attrs.define
class _Shard:
    range_id: int = 0
    made: int = 0

    def number(self) -> int:
        """The next number of what this shard makes."""
        self.made += 1
        return self.made


class HistoryRows:
    """The durable state of shards in one database.  Every call blocks; its errors are those of `Database`, and

    `LeaseLost` and `RowChanged`, which say that there was no effect.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def take_shard(self, number: int) -> int:
        """Raise the range id by one."""

        def work(connection: sa.Connection) -> int:
            insert_if_absent(connection, _SHARDS, {"shard": number, "range_id": 0, "made": 0})
            shard = _locked(connection, number)
            shard.range_id += 1
            _keep(connection, number, shard)
            return shard.range_id

        return self._database.write(work)

    def load(self, number: int, range_id: int, run_id: RunId | None) -> Contents:
        """Give what the shard holds, as of one moment at which the range id is its own."""

        def work(connection: sa.Connection) -> Contents:
            found = connection.execute(sa.select(_SHARDS.c.range_id).where(_SHARDS.c.shard == number)).scalar()
            _demand(number, range_id, found or 0)
            return _contents(connection, number, run_id)

        return self._database.read(work)

    def apply(self, number: int, range_id: int, change: Change) -> None:
        """Write the row as the change leaves it, and its intents, while range id and row version are as expected."""

        def work(connection: sa.Connection) -> None:
            shard = _locked(connection, number)
            _demand(number, range_id, shard.range_id)
            _write_row(connection, number, shard, change)
            for part in change.parts:
                _remove(connection, number, part.removed)
                _add(connection, number, shard, part.added)
            _keep(connection, number, shard)

        self._database.write(work)

    def durable(self, number: int) -> Contents:
        """Give what the shard holds, whoever has it."""
        return self._database.read(lambda connection: _contents(connection, number, None))


def _locked(connection: sa.Connection, number: int) -> _Shard:
    """Lock the row of a shard, and give it; a shard without a row has range id 0."""
    query = sa.select(_SHARDS.c.range_id, _SHARDS.c.made).where(_SHARDS.c.shard == number).with_for_update()
    row = connection.execute(query).one_or_none()
    return _Shard(row.range_id, row.made) if row is not None else _Shard()


def _keep(connection: sa.Connection, number: int, shard: _Shard) -> None:
    connection.execute(
        sa.update(_SHARDS).where(_SHARDS.c.shard == number).values(range_id=shard.range_id, made=shard.made)
    )


def _demand(number: int, range_id: int, found: int) -> None:
    if found != range_id:
        raise LeaseLost(f"shard {number} has range id {found}, no longer {range_id}")


def _write_row(connection: sa.Connection, number: int, shard: _Shard, change: Change) -> None:
    here = (_EXECUTIONS.c.shard == number, _EXECUTIONS.c.run_id == change.run_id)
    version = connection.execute(sa.select(_EXECUTIONS.c.row_version).where(*here)).scalar() or 0
    if version != change.expected:
        raise RowChanged(f"run {change.run_id} has row version {version}, not {change.expected}; load it again")
    row = {"row_version": change.execution.row_version, "execution": _CONVERTER.dumps(change.execution)}
    if version:
        connection.execute(sa.update(_EXECUTIONS).where(*here).values(row))
    else:
        key = {"shard": number, "run_id": change.run_id, "made": shard.number()}
        connection.execute(sa.insert(_EXECUTIONS).values(**key, **row))


def _add(connection: sa.Connection, number: int, shard: _Shard, intents: Sequence[Intent]) -> None:
    if intents:
        rows = [{"shard": number, "made": shard.number(), **_intent_row(intent)} for intent in intents]
        connection.execute(sa.insert(_INTENTS), rows)


def _remove(connection: sa.Connection, number: int, items: Sequence[Item]) -> None:
    for item in items:
        here = [_INTENTS.c[name] == value for name, value in attrs.asdict(item).items()]
        removed = connection.execute(sa.delete(_INTENTS).where(_INTENTS.c.shard == number, *here)).rowcount
        assert removed == 1, f"{item} has no intent"


def _contents(connection: sa.Connection, number: int, run_id: RunId | None) -> Contents:
    def of(table: sa.Table) -> sa.Select[Any]:
        only = [table.c.run_id == run_id] if run_id is not None else []
        return sa.select(table).where(table.c.shard == number, *only).order_by(table.c.made)

    return Contents(
        tuple(_CONVERTER.loads(row.execution, Execution) for row in connection.execute(of(_EXECUTIONS))),
        tuple(_intent(row) for row in connection.execute(of(_INTENTS))),
    )


def _intent_row(intent: Intent) -> dict[str, Any]:
    return {
        **attrs.asdict(intent.item),
        "run_id": intent.run_id,
        "partition": str(intent.partition),
        "version": intent.version,
    }


def _intent(row: sa.Row[Any]) -> Intent:
    item = Item(EventId(row.event_id), row.attempt, row.stamp)
    return Intent(item, RunId(row.run_id), PartitionKey.parse(row.partition), Version(row.version))
