"""The transactions of one database, and what became of each.

Three rules:

1. Everything here blocks, and one thread does all of it, that of ``calls.py``.
2. A transaction that ends before its commit surely has no effect: `DatabaseError`.
3. A transaction that writes leaves a receipt: its number, in a row of this database's
   own user.  Where the commit failed (`InDoubtError`), the receipt is read under the
   very lock that the transaction held, so the transaction is over when it is read, and
   the receipt tells whether it applied, whatever others did since.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from matching.adapters.calls import DatabaseError, InDoubtError
from matching.adapters.engines import connect, for_reads, lock_schema, make_engine, parse
from matching.adapters.schema import SCHEMA, Number, Words, difference, missing_tables, try_writing

__all__ = ["BUSY_TIMEOUT_MS", "Database", "insert_if_absent"]

BUSY_TIMEOUT_MS = 5_000
"""How long a transaction waits for another process that holds the lock."""

T = TypeVar("T")

_RECEIPTS = sa.Table(
    "receipts",
    SCHEMA,
    sa.Column("writer", Words, primary_key=True),
    sa.Column("number", Number, nullable=False),
)


class Database:
    """The database of one URL, such as ``sqlite:////path/to/file`` or ``sqlite://`` in memory."""

    def __init__(self, url: str, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> None:
        self._engine = make_engine(parse(url), busy_timeout_ms)
        self._reading = for_reads(self._engine)
        self._writer = uuid.uuid4().hex
        self._number = 0

    def open(self) -> None:
        """Connect, and create the schema where it is not there yet.

        Raises:
            UrlUnusable: the driver can make nothing of the URL.
            DatabaseError: the database did not answer, or has tables of these names that are not the service's.
        """
        try:
            connect(self._engine)
        except SQLAlchemyError as error:
            raise DatabaseError(_told(error)) from error
        if (other := self.read(difference)) is not None:
            raise DatabaseError(f"its tables are of another service or version: {other}; name another database")
        if self.read(missing_tables):
            self._create()

    def try_writing(self) -> None:
        """Find out whether everything that the service writes may be written, and change nothing.

        Raises:
            DatabaseError: it may not, or the database did not answer.
        """
        try:
            with self._engine.connect() as connection:
                try_writing(connection)
                connection.rollback()
        except SQLAlchemyError as error:
            raise DatabaseError(_told(error)) from error

    def close(self) -> None:
        """Disconnect; the last one that leaves a file folds its write-ahead log into it."""
        # A receipt that stays for want of an answer takes up a line, and means nothing to anybody.
        with contextlib.suppress(SQLAlchemyError), self._engine.begin() as connection:
            if self._number:
                connection.execute(sa.delete(_RECEIPTS).where(_RECEIPTS.c.writer == self._writer))
        self._engine.dispose()

    def write(self, work: Callable[[sa.Connection], T]) -> T:
        """Do the work in one transaction and commit it; an error of ``work`` itself undoes it, and is passed on.

        Raises:
            DatabaseError: it did not apply, and never will.
            InDoubtError: the commit failed.
        """
        self._number += 1
        try:
            with self._engine.connect() as connection:
                value = work(connection)
                _leave_receipt(connection, self._writer, self._number)
                try:
                    self._commit(connection)
                except SQLAlchemyError as error:
                    with contextlib.suppress(SQLAlchemyError):
                        connection.rollback()
                    raise InDoubtError(_told(error), self._number) from error
                return value
        except SQLAlchemyError as error:
            raise DatabaseError(_told(error)) from error

    def read(self, work: Callable[[sa.Connection], T]) -> T:
        """Do work that only reads, all as of one moment; an error of ``work`` itself is passed on.

        Raises:
            DatabaseError: the database did not answer.
        """
        try:
            with self._reading.connect() as connection:
                return work(connection)
        except SQLAlchemyError as error:
            raise DatabaseError(_told(error)) from error

    def applied(self, number: int) -> bool:
        """Tell whether the write of this number, which is the last one, applied.

        Raises:
            DatabaseError: the database does not say.
        """
        try:
            with self._engine.connect() as connection:
                # PostgreSQL waits here for whoever writes the same row, be it his first time; SQLite waited already.
                insert_if_absent(connection, _RECEIPTS, {"writer": self._writer, "number": 0})
                query = sa.select(_RECEIPTS.c.number).where(_RECEIPTS.c.writer == self._writer).with_for_update()
                return bool(connection.execute(query).scalar_one() == number)
        except SQLAlchemyError as error:
            raise DatabaseError(_told(error)) from error

    def _commit(self, connection: sa.Connection) -> None:
        connection.commit()

    def _create(self) -> None:
        try:
            with self._engine.begin() as connection:
                lock_schema(connection)
                SCHEMA.create_all(connection)
        except SQLAlchemyError as error:
            raise DatabaseError(_told(error)) from error


def insert_if_absent(connection: sa.Connection, table: sa.Table, row: Mapping[str, Any]) -> None:
    """Insert a row, unless there is one of its primary key."""
    connection.execute(_insert(connection, table, row).on_conflict_do_nothing())


def _leave_receipt(connection: sa.Connection, writer: str, number: int) -> None:
    receipt = _insert(connection, _RECEIPTS, {"writer": writer, "number": number})
    connection.execute(receipt.on_conflict_do_update(index_elements=["writer"], set_={"number": number}))


def _insert(connection: sa.Connection, table: sa.Table, row: Mapping[str, Any]) -> sqlite.Insert | postgresql.Insert:
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table).values(**row)
    return postgresql.insert(table).values(**row)


def _told(error: SQLAlchemyError) -> str:
    """What the database itself said, without the statement around it."""
    return str(getattr(error, "orig", None) or error).partition("\n")[0]
