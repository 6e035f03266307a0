"""How each kind of database is opened: what makes it durable, and where it takes the lock that decides.

Three rules:

1. A transaction that was confirmed outlives a crash of whoever asked and of the server.
2. A transaction that writes takes its lock before it looks at anything, and looks at
   what is committed by then.  SQLite has one lock for the whole database, which a
   transaction takes when it begins.  PostgreSQL locks the row on which the transaction
   depends (``SELECT … FOR UPDATE``) and runs at READ COMMITTED, so that each statement
   after the lock sees all that was committed before it was taken.  That is enough,
   for each condition is on one row; SERIALIZABLE would add failures to be
   retried, also between transactions that have nothing to do with one another.
3. What is wrong with a URL is told as such (`UrlUnusable`), from what the driver makes of it before
   anybody is asked; a database that is well named and does not answer is another matter.
"""

from __future__ import annotations

import contextlib
import sqlite3
import warnings
from collections.abc import Iterator
from time import monotonic, sleep
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, ProgrammingError, SAWarning
from sqlalchemy.pool import StaticPool

from matching.errors import UrlUnusable

__all__ = ["connect", "for_reads", "lock_schema", "make_engine", "parse"]

_READS = "matching_reads"

_FORMS = "sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE"
_ABANDONED_MS = 30_000
_AGAIN_SECONDS: Final = 0.01
_SCHEMA_LOCK = 0x6D617463
_CONNECTING = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}
"""How PostgreSQL's client notices that the server is gone; seconds, but the last in milliseconds."""


def parse(url: str) -> sa.URL:
    """Read the URL of a database.

    Raises:
        UrlUnusable: it names no database, or one of another kind.
    """
    with _refusing():
        parsed = sa.make_url(url)
    if parsed.port is not None and not 0 < parsed.port < 65536:
        raise UrlUnusable(f"the URL names no database: ports are 1 to 65535, and not {parsed.port}; write {_FORMS}")
    if parsed.drivername in ("sqlite", "sqlite+pysqlite"):
        return parsed
    if parsed.drivername in ("postgresql", "postgresql+psycopg"):
        return parsed.set(drivername="postgresql+psycopg", query={**_CONNECTING, **parsed.query})
    raise UrlUnusable(f"{parsed.drivername!r} is neither SQLite nor PostgreSQL through psycopg; write {_FORMS}")


def make_engine(url: sa.URL, busy_timeout_ms: int) -> sa.Engine:
    """Give the engine of one thread; a transaction waits at most ``busy_timeout_ms`` for a lock of somebody else."""
    make = _sqlite if url.get_backend_name() == "sqlite" else _postgresql
    return make(url, busy_timeout_ms)


def connect(engine: sa.Engine) -> None:
    """Connect for the first time.

    Raises:
        UrlUnusable: the driver can make nothing of what the URL says.
        SQLAlchemyError: the database does not answer.
    """
    try:
        with _refusing(), engine.connect():
            pass
    except DBAPIError as error:
        # A file that cannot be opened has a code of its own.
        if isinstance(error, ProgrammingError) or getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:
            raise _unusable(error.orig) from error
        raise


def for_reads(engine: sa.Engine) -> sa.Engine:
    """Give the engine for transactions that only read: they take no lock, and see one moment."""
    if engine.dialect.name == "postgresql":
        return engine.execution_options(isolation_level="REPEATABLE READ")
    return engine.execution_options(**{_READS: True})


def lock_schema(connection: sa.Connection) -> None:
    """Let nobody else create the schema before this transaction is over."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SCHEMA_LOCK)))


def _made(url: sa.URL, **options: Any) -> sa.Engine:
    """Make an engine, and read the whole of its URL, which is otherwise done only to connect."""
    with _refusing():
        engine = sa.create_engine(url, **options)
        engine.dialect.create_connect_args(url)
    return engine


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Refuse what is wrong with a URL, be it only warned of."""
    try:
        with warnings.catch_warnings(action="error", category=SAWarning):
            yield
    except (ArgumentError, OverflowError, SAWarning, TypeError, ValueError) as error:
        raise _unusable(error) from error


def _unusable(error: BaseException | None) -> UrlUnusable:
    """The refusal, without the URL, for that may have a password in it."""
    reason = str(error.args[0] if error is not None and error.args else error).partition("\n")[0]
    return UrlUnusable(f"the URL names no database: {reason}; write {_FORMS}")


def _sqlite(url: sa.URL, busy_timeout_ms: int) -> sa.Engine:
    def set_up(connection: Any, _record: object) -> None:
        # The driver must not open transactions by itself: the time at which a lock is taken matters.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={busy_timeout_ms}")
        _write_ahead(connection, busy_timeout_ms)
        for setting in ("synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {setting}")

    # A database in memory is its connection, so there is one; a file gets the pool that is usual for it.
    in_memory = url.database in (None, "", ":memory:")
    engine = _made(url, **({"poolclass": StaticPool} if in_memory else {}))
    sa.event.listen(engine, "connect", set_up)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _write_ahead(connection: Any, busy_timeout_ms: int) -> None:
    """Give the file its write-ahead log, which stays.

    SQLite lets nobody wait who would have it of a new file while another one opens or writes that: it refuses at once.
    """
    until = monotonic() + busy_timeout_ms / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() >= until:
                raise
            sleep(_AGAIN_SECONDS)
        else:
            return


def _begin(connection: sa.Connection) -> None:
    reads = connection.get_execution_options().get(_READS, False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _postgresql(url: sa.URL, busy_timeout_ms: int) -> sa.Engine:
    def set_up(connection: Any, _record: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {busy_timeout_ms}")
            # Whoever vanishes in the midst of a transaction must not keep the lease from others.
            cursor.execute(f"SET idle_in_transaction_session_timeout = {_ABANDONED_MS}")
            cursor.execute(
                "SELECT set_config('synchronous_commit', 'on', false)"
                " WHERE current_setting('synchronous_commit') = 'off'"
            )
        connection.commit()

    engine = _made(url, isolation_level="READ COMMITTED", pool_size=1, max_overflow=0)
    sa.event.listen(engine, "connect", set_up)
    return engine
