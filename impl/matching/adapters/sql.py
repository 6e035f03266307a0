"""The backlog in a SQL database, behind the async port.

Four rules:

1. One thread per store does one transaction after the other, so the order in which
   effects are told is the order in which they happened.
2. The probe is told on the event loop, once the transaction is durable and before
   the caller gets its answer: CommitWrite, FailWrite, ServeRead, CommitDelete.
   FailWrite is told only of a write that surely did not apply.
3. A caller that leaves stops nothing: its write or delete takes effect and is told.
   A read that nobody waits for any more is told to nobody.
4. What the database says is wrong becomes a `StoreError`, and nothing else does.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import attrs

from matching.errors import MissingLibrary, StoreError
from matching.identity import Owner, PartitionKey, TaskId
from matching.probe import Probe, silent
from matching.requests import Task

if TYPE_CHECKING:
    from matching.adapters.records import Records

__all__ = ["IN_MEMORY", "SqlStore", "sqlite_file"]

IN_MEMORY = "sqlite://"
"""The URL of a database that lives as long as its store."""

T = TypeVar("T")


def sqlite_file(path: Path) -> str:
    """The URL of a SQLite database in this file, which is created where it is not there."""
    from urllib.parse import quote

    return f"sqlite:///file:{quote(str(path.absolute()))}?uri=true"


@attrs.frozen
class _Outcome:
    """What one transaction came to: what the probe is told, and what the caller gets."""

    told: tuple[str | int, ...] = ()
    value: Any = None
    error: Exception | None = None


class SqlStore:
    """Durable records of tasks; open it with ``open``, and close it."""

    def __init__(self, records: Records, *, probe: Probe = silent) -> None:
        self._records = records
        self._probe = probe
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="matching-store")
        self._closed = False

    @classmethod
    async def open(cls, database: str | Records = IN_MEMORY, *, probe: Probe = silent) -> Self:
        """Open the database, mostly named by its URL, and create its schema where it is not there yet.

        Raises:
            MissingLibrary: SQLAlchemy is not installed.
            StoreError: the database cannot be opened.
        """
        store = cls(_sql_records(database) if isinstance(database, str) else database, probe=probe)
        try:
            await store._ask(lambda: _tried(store._records.open))
        except BaseException:
            store._thread.shutdown(wait=False)
            raise
        return store

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let every call that was made take effect, then disconnect; a second time there is nothing to do."""
        if self._closed:
            return
        done = self._ask(lambda: _tried(self._records.close))
        self._closed = True
        # The thread ends by itself when its queue is empty, even if nobody waits for that.
        self._thread.shutdown(wait=False)
        await done

    # The port

    async def append(self, task: Task) -> None:
        await self._ask(lambda: self._append(task))

    async def read(self, owner: Owner) -> list[Task]:
        records: list[Task] = await self._ask(lambda: self._read(owner), stale_if_gone=True)
        return records

    async def delete(self, owner: Owner, task_id: TaskId) -> None:
        await self._ask(lambda: self._delete(owner, task_id))

    # For those who look on

    async def durable(self, partition: PartitionKey) -> list[Task]:
        """Give the records of a partition as they are now, and tell the probe nothing.

        Raises:
            StoreError: the database cannot be read.
        """
        records: list[Task] = await self._ask(lambda: _tried(lambda: self._records.read(partition)))
        return records

    # On the event loop

    def _ask(self, work: Callable[[], _Outcome], *, stale_if_gone: bool = False) -> asyncio.Future[Any]:
        answer: asyncio.Future[Any] = self._loop.create_future()
        if self._closed:
            answer.set_exception(StoreError("the store is closed; open it again"))
        else:
            self._thread.submit(self._work, work, answer, stale_if_gone)
        return answer

    def _tell(self, outcome: _Outcome, answer: asyncio.Future[Any], stale_if_gone: bool) -> None:
        """Tell the probe what took effect, then answer the caller."""
        if stale_if_gone and answer.cancelled():
            return
        try:
            if outcome.told:
                action, *args = outcome.told
                self._probe(str(action), *args)
        finally:
            if not answer.done():
                if outcome.error is not None:
                    answer.set_exception(outcome.error)
                else:
                    answer.set_result(outcome.value)

    # In the thread

    def _work(self, work: Callable[[], _Outcome], answer: asyncio.Future[Any], stale_if_gone: bool) -> None:
        try:
            outcome = work()
        except Exception as bug:
            outcome = _Outcome(error=bug)
        # A loop that was closed has nobody left who could be told.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._tell, outcome, answer, stale_if_gone)

    def _append(self, task: Task) -> _Outcome:
        committed, failed = ("CommitWrite", task.task_id), ("FailWrite", task.task_id)
        return _tried(lambda: self._records.append(task), applied=committed, not_applied=failed)

    def _read(self, owner: Owner) -> _Outcome:
        served = ("ServeRead", owner.host, str(owner.partition))
        return _tried(lambda: self._records.read(owner.partition), applied=served)

    def _delete(self, owner: Owner, task_id: TaskId) -> _Outcome:
        deleted = ("CommitDelete", task_id, owner.host, owner.generation)
        return _tried(lambda: self._records.delete(owner.partition, task_id), applied=deleted)


def _tried(
    work: Callable[[], object],
    *,
    applied: tuple[str | int, ...] = (),
    not_applied: tuple[str | int, ...] = (),
) -> _Outcome:
    """Do the work; tell the one or the other, and neither where nobody knows."""
    from matching.adapters.records import DatabaseError

    try:
        return _Outcome(told=applied, value=work())
    except DatabaseError as error:
        told = {True: applied, False: not_applied, None: ()}[error.applied]
        refusal = StoreError(f"the database did not confirm: {error}")
        refusal.__cause__ = error
        return _Outcome(told=told, error=refusal)


def _sql_records(database: str) -> Records:
    try:
        from matching.adapters.records import DatabaseError, SqlRecords
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sqlalchemy":
            raise
        raise MissingLibrary(
            "the store needs SQLAlchemy, which is not installed;"
            " install it with: pip install 'matching-conformance[service]'"
        ) from error
    try:
        return SqlRecords(database)
    except DatabaseError as error:
        raise StoreError(str(error)) from error
