"""What is particular to the store in a database: its settings, its failures, its end."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from matching.adapters.records import DatabaseError, SqlRecords
from matching.adapters.sql import IN_MEMORY, SqlStore, sqlite_file
from matching.errors import MissingLibrary, StoreError
from matching.requests import Task
from tests.store_contract import ORDERS, OWNER, Step, task


class AnswerLost(SqlRecords):
    """A database whose next commit applies, and then reports an error."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.lose_next = False

    def _commit(self, connection: sa.Connection) -> None:
        super()._commit(connection)
        if self.lose_next:
            self.lose_next = False
            raise OperationalError("COMMIT", None, Exception("disk I/O error"))


class Blinded(AnswerLost):
    """One that cannot be asked any more, either."""

    def _find(self, task_id: str) -> Task | None:
        raise DatabaseError("disk I/O error", applied=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "backlog.db"


@pytest.fixture
def locked(file: Path) -> Iterator[Path]:
    """A database whose write lock another process holds."""
    asyncio.run(close_at_once(file))
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield file
    other.rollback()
    other.close()


async def close_at_once(file: Path) -> None:
    store = await SqlStore.open(sqlite_file(file))
    await store.close()


async def appended(records: SqlRecords, told: list[Step]) -> StoreError | None:
    """Append t1, and give the error that this came to."""
    store = await SqlStore.open(records, probe=lambda *step: told.append(step))
    try:
        if isinstance(records, AnswerLost):
            records.lose_next = True
        await store.append(task("t1"))
    except StoreError as error:
        return error
    finally:
        await store.close()
    return None


def setting(file: Path, name: str) -> object:
    """A setting of the connections that the store opens."""
    records = SqlRecords(sqlite_file(file))
    records.open()
    try:
        with records._engine.connect() as connection:
            return connection.exec_driver_sql(f"PRAGMA {name}").scalar()
    finally:
        records.close()


@pytest.mark.parametrize(("name", "value"), [("journal_mode", "wal"), ("synchronous", 2), ("busy_timeout", 5000)])
def test_a_file_is_opened_with_the_settings_of_a_durable_database(file: Path, name: str, value: object) -> None:
    assert setting(file, name) == value


def test_a_write_that_finds_the_database_locked_surely_failed(locked: Path) -> None:
    told: list[Step] = []
    records = SqlRecords(sqlite_file(locked), busy_timeout_ms=1)

    error = asyncio.run(appended(records, told))

    assert "database is locked" in str(error)
    assert told == [("FailWrite", "t1")]


def test_a_commit_that_fails_before_it_applies_is_told_as_failed(file: Path) -> None:
    told: list[Step] = []
    asyncio.run(close_at_once(file))
    refuse_at_commit(file)

    error = asyncio.run(appended(SqlRecords(sqlite_file(file)), told))

    assert error is not None
    assert told == [("FailWrite", "t1")]


def refuse_at_commit(file: Path) -> None:
    """Make each write of a record break a rule that SQLite looks at only when it commits."""
    with sqlite3.connect(file) as other:
        other.executescript(
            "CREATE TABLE parent (id INTEGER PRIMARY KEY);"
            "CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);"
            "CREATE TRIGGER refuse AFTER INSERT ON backlog BEGIN INSERT INTO child VALUES (1); END;"
        )
    other.close()


def test_a_write_that_applied_and_was_not_confirmed_is_told_as_committed(file: Path) -> None:
    told: list[Step] = []

    error = asyncio.run(appended(AnswerLost(sqlite_file(file)), told))

    assert error is not None
    assert told == [("CommitWrite", "t1")]


def test_a_write_of_which_nobody_knows_is_told_neither_way(file: Path) -> None:
    told: list[Step] = []

    error = asyncio.run(appended(Blinded(sqlite_file(file)), told))

    assert error is not None
    assert told == []


def test_a_call_after_the_close_is_an_error_of_the_store(file: Path) -> None:
    async def story() -> None:
        store = await SqlStore.open(sqlite_file(file))
        await store.close()
        await store.close()
        with pytest.raises(StoreError, match="the store is closed"):
            await store.append(task("t1"))

    asyncio.run(story())


def test_a_close_waits_for_the_writes_that_were_asked_for(file: Path) -> None:
    told: list[Step] = []

    async def story() -> list[object]:
        store = await SqlStore.open(sqlite_file(file), probe=lambda *step: told.append(step))
        writes = [asyncio.ensure_future(store.append(task(f"t{number}"))) for number in range(5)]
        await asyncio.sleep(0)
        await store.close()
        return await asyncio.gather(*writes)

    answers = asyncio.run(story())

    assert answers == [None] * 5
    assert told == [("CommitWrite", f"t{number}") for number in range(5)]


def test_a_closed_store_leaves_no_thread_and_no_log_behind(file: Path) -> None:
    wait_for_threads("matching-store")
    before = set(threading.enumerate())

    async def story() -> None:
        async with await SqlStore.open(sqlite_file(file)) as store:
            await store.append(task("t1"))

    asyncio.run(story())
    wait_for_threads("matching-store")

    assert set(threading.enumerate()) <= before
    assert [path.name for path in file.parent.iterdir()] == ["backlog.db"]


def wait_for_threads(prefix: str) -> None:
    """Wait until the threads of this name have ended."""
    for thread in threading.enumerate():
        if thread.name.startswith(prefix):
            thread.join(timeout=10)


def test_looking_at_what_is_durable_tells_nothing(file: Path) -> None:
    told: list[Step] = []

    async def story() -> list[Task]:
        async with await SqlStore.open(sqlite_file(file), probe=lambda *step: told.append(step)) as store:
            await store.append(task("t1"))
            await store.read(OWNER)
            return await store.durable(ORDERS)

    durable = asyncio.run(story())

    assert durable == [task("t1")]
    assert [step[0] for step in told] == ["CommitWrite", "ServeRead"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "names no database"),
        ("postgresql://localhost/matching", "is not SQLite"),
        ("sqlite:////no/such/folder/backlog.db", "unable to open database file"),
    ],
)
def test_a_database_that_cannot_be_opened_is_an_error_of_the_store(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        asyncio.run(opened(url))


def test_a_file_that_is_no_database_is_an_error_of_the_store(file: Path) -> None:
    file.write_text("this is a letter, not a database\n" * 100, encoding="utf-8")

    with pytest.raises(StoreError, match="file is not a database"):
        asyncio.run(opened(sqlite_file(file)))


def test_without_sqlalchemy_the_error_names_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "matching.adapters.records", raising=False)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)

    with pytest.raises(MissingLibrary, match=r"pip install 'matching-conformance\[service\]'"):
        asyncio.run(opened(IN_MEMORY))


async def opened(url: str) -> None:
    async with await SqlStore.open(url):
        pass
