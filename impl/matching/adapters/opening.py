"""How a store in a database is opened and closed, how a host gets its edges, and what adapters need to be installed.

Two rules:

1. A library that is not there is told with the one command that brings it.
2. A close lets every call that was made take effect.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self
from uuid import uuid4

from matching.adapters.calls import CallThread
from matching.errors import MissingLibrary
from matching.identity import Host
from matching.probe import Probe, silent

if TYPE_CHECKING:
    from matching.adapters.database import Database
    from matching.adapters.metrics import HostMetrics
    from matching.adapters.rpc.addresses import Calls
    from matching.adapters.rpc.edge import Edge

__all__ = [
    "IN_MEMORY",
    "DatabaseStore",
    "find_database",
    "needing_libraries",
    "new_request_id",
    "open_edge",
    "open_metrics",
    "sqlite_file",
]

IN_MEMORY = "sqlite://"
"""The URL of a database that lives as long as its store."""

_EXTRAS = {
    "sqlalchemy": "service",
    "cattrs": "service",
    "google": "service",
    "grpc": "service",
    "prometheus_client": "service",
    "psycopg": "postgres",
}
_CALLED = {"google": "protobuf", "grpc": "grpcio"}
"""What libraries are called where they are installed, if not as they are imported."""


def sqlite_file(path: Path) -> str:
    """The URL of a SQLite database in this file, which is created where it is not there."""
    from urllib.parse import quote

    return f"sqlite:///file:{quote(str(path.absolute()))}?uri=true"


@contextlib.contextmanager
def needing_libraries(what: str = "the store") -> Iterator[None]:
    """Import what is installed apart, for this purpose.

    Raises:
        MissingLibrary: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in _EXTRAS:
            raise
        raise MissingLibrary(
            f"{what} needs {_CALLED.get(library, library)}, which is not installed;"
            f" install it with: pip install 'matching-conformance[{_EXTRAS[library]}]'"
        ) from error


def find_database(url: str) -> Database:
    """Give the database of this URL, not yet opened.

    Raises:
        MissingLibrary: SQLAlchemy or the database's driver is not installed.
        UrlUnusable: the URL names no database.
    """
    with needing_libraries():
        from matching.adapters.database import Database

        return Database(url)


def open_metrics(host: Host) -> HostMetrics:
    """Give the registry of a host that shows nothing yet.

    Raises:
        MissingLibrary: prometheus_client is not installed.
    """
    with needing_libraries("a host that shows metrics"):
        from matching.adapters.metrics import HostMetrics

        return HostMetrics(host)


def open_edge(host: Host, calls: Calls) -> Edge:
    """Give the edge of a host, which answers nobody yet.

    Raises:
        MissingLibrary: grpcio or protobuf is not installed.
    """
    with needing_libraries("a host that is called"):
        from matching.adapters.rpc.edge import Edge

        return Edge(host, calls)


def new_request_id() -> int:
    """Give an id of a start that no host has drawn, in whatever life: 63 bits of chance."""
    return uuid4().int >> 65


class DatabaseStore:
    """A store whose calls one thread makes; open it with ``open``, and close it."""

    def __init__(self, database: Database, *, probe: Probe = silent) -> None:
        self._calls = CallThread(database, probe)
        self._database = database

    @classmethod
    async def open(cls, database: str | Database = IN_MEMORY, *, probe: Probe = silent) -> Self:
        """Open the database, mostly named by its URL, and create its schema where it is not there yet.

        Raises:
            MissingLibrary: what the database needs is not installed.
            UrlUnusable: the URL names no database.
            StoreError: the database cannot be opened.
        """
        store = cls(find_database(database) if isinstance(database, str) else database, probe=probe)
        await store._calls.open()
        return store

    async def try_writing(self) -> None:
        """Find out whether the database may be written, and change nothing.

        Raises:
            StoreError: it may not be.
        """
        await self._calls.ask(self._database.try_writing)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def hurry(self) -> None:
        """Begin no call any more once one has failed for the database's sake."""
        self._calls.hurry()

    async def close(self) -> None:
        """Let every call that was made take effect, then disconnect; a second time there is nothing to do."""
        await self._calls.close()
