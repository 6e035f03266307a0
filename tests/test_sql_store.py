"""What is particular to the store in a database: its settings, its failures, its end."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from matching.adapters import calls, database
from matching.adapters.calls import DatabaseError
from matching.adapters.database import Database
from matching.adapters.opening import IN_MEMORY, find_database, sqlite_file
from matching.adapters.records import Durable
from matching.adapters.sql import SqlStore
from matching.errors import LeaseLost, MissingLibrary, StoreError, UrlUnusable
from matching.store import Lease
from tests.store_contract import NAME, ORDERS, OTHER, OWNER, Step, record

Story = Callable[[SqlStore], Awaitable[object]]


class Faulty(Database):
    """A database whose commits report an error, applied or not, and which may not say what became of them."""

    loses = False
    refuses = False
    is_blind = False

    def _commit(self, connection: sa.Connection) -> None:
        if self.refuses:
            raise OperationalError("COMMIT", None, Exception("disk I/O error"))
        super()._commit(connection)
        if self.loses:
            raise OperationalError("COMMIT", None, Exception("disk I/O error"))

    def applied(self, number: int) -> bool:
        if self.is_blind:
            raise DatabaseError("disk I/O error")
        return super().applied(number)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "backlog.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that several may open."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return sqlite_file(tmp_path / "backlog.db")


def played(url: str | Database, story: Story, told: list[Step] | None = None) -> Any:
    """Play a story with a store of its own, and give what it gives."""

    async def play() -> object:
        probe = (lambda *step: None) if told is None else (lambda *step: told.append(step))
        async with await SqlStore.open(url, probe=probe) as store:
            return await story(store)

    return asyncio.run(play())


async def leased(store: SqlStore) -> None:
    """Take the lease and write a record, so that there is something to lose."""
    await store.take_lease(OWNER, 0)
    await store.append(OWNER, 1, [record(1)])


# Settings


def setting(url: str, query: str) -> object:
    """A setting of the connections that the store opens."""
    opened = Database(url)
    opened.open()
    try:
        return opened.write(lambda connection: connection.exec_driver_sql(query).scalar())
    finally:
        opened.close()


@pytest.mark.parametrize(("name", "value"), [("journal_mode", "wal"), ("synchronous", 2), ("busy_timeout", 5000)])
def test_a_file_is_opened_with_the_settings_of_a_durable_database(file: Path, name: str, value: object) -> None:
    assert setting(sqlite_file(file), f"PRAGMA {name}") == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("synchronous_commit", "on"),
        ("transaction_isolation", "read committed"),
        ("lock_timeout", "5s"),
        ("idle_in_transaction_session_timeout", "30s"),
    ],
)
def test_a_server_is_opened_with_the_settings_of_a_durable_database(postgres_url: str, name: str, value: str) -> None:
    careless = "%20-csynchronous_commit=off%20-cdefault_transaction_isolation=serializable"

    assert setting(postgres_url + careless, f"SHOW {name}") == value


# Failures that surely have no effect


@pytest.fixture
def locked(url: str) -> Iterator[str]:
    """A database in which somebody else holds the lock of the partition."""
    played(url, leased)
    other = Database(url)
    other.open()
    with other._engine.connect() as connection:
        connection.execute(sa.text("UPDATE queues SET ack_level = ack_level"))
        yield url
    other.close()


def test_what_finds_the_database_locked_surely_has_no_effect(locked: str) -> None:
    told = list[Step]()

    async def story(store: SqlStore) -> None:
        with pytest.raises(StoreError, match="lock"):
            await store.append(OWNER, 1, [record(2), record(3)])
        with pytest.raises(StoreError, match="lock"):
            await store.take_lease(OWNER, 0)
        with pytest.raises(StoreError, match="lock"):
            await store.save_ack_level(OWNER, 1, 1)

    played(Database(locked, busy_timeout_ms=10), story, told)

    assert told == [
        ("FailWrite", "t2"),
        ("FailWrite", "t3"),
        ("LoseClaim", "h1", NAME),
        ("LoseSave", "h1", NAME, 1),
    ]


def test_a_read_waits_for_no_lock(locked: str) -> None:
    batch = played(Database(locked, busy_timeout_ms=10), lambda store: store.read(OWNER, 0, 9, 9))

    assert batch.records == (record(1),)


def test_a_takeover_that_surely_failed_and_whose_caller_has_left_ends_adrift(locked: str) -> None:
    told = list[Step]()

    async def story(store: SqlStore) -> None:
        await left(store.take_lease(OWNER, 0))

    played(Database(locked, busy_timeout_ms=10), story, told)

    assert told == [("EndAdrift", NAME, 0)]


def test_a_batch_with_an_id_that_is_taken_is_refused_whole(url: str) -> None:
    told = list[Step]()

    async def story(store: SqlStore) -> Durable:
        await leased(store)
        with pytest.raises(StoreError):
            await store.append(OWNER, 1, [record(2), record(1, "t9")])
        return await store.durable(ORDERS)

    durable = played(url, story, told)

    assert durable == Durable(range_id=1, ack_level=0, records=(record(1),))
    assert told[2:] == [("FailWrite", "t2"), ("FailWrite", "t9")]


def test_a_commit_that_the_database_refuses_is_told_as_failed(url: str) -> None:
    told = list[Step]()
    played(url, leased)
    refuse_at_commit(url)

    async def story(store: SqlStore) -> Durable:
        with pytest.raises(StoreError, match=r"(?i)foreign key"):
            await store.append(OWNER, 1, [record(2)])
        return await store.durable(ORDERS)

    durable = played(url, story, told)

    assert durable.records == (record(1),)
    assert told == [("FailWrite", "t2")]


def refuse_at_commit(url: str) -> None:
    """Make each write of a record break a rule that the database looks at only when it commits."""
    rules = [
        "CREATE TABLE parent (id INTEGER PRIMARY KEY)",
        "CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)",
    ]
    if url.startswith("sqlite"):
        rules += ["CREATE TRIGGER refuse AFTER INSERT ON tasks BEGIN INSERT INTO child VALUES (1); END"]
    else:
        rules += ["CREATE RULE refuse AS ON INSERT TO tasks DO ALSO INSERT INTO child VALUES (1)"]
    other = Database(url)
    other.open()
    other.write(lambda connection: [connection.exec_driver_sql(rule) for rule in rules])
    other.close()


def test_a_connection_that_was_lost_fails_one_call_and_no_more(postgres_url: str) -> None:
    told = list[Step]()

    async def story(store: SqlStore) -> None:
        await leased(store)
        end_sessions(postgres_url, "unlucky")
        with pytest.raises(StoreError):
            await store.append(OWNER, 1, [record(2)])
        await store.append(OWNER, 1, [record(3)])

    played(postgres_url + "&application_name=unlucky", story, told)

    assert told[2:] == [("FailWrite", "t2"), ("CommitWrite", "t3")]


def end_sessions(url: str, name: str) -> None:
    """End every session of this application name."""
    query = sa.text("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = :name")
    other = Database(url)
    other.open()
    ended = other.read(lambda connection: connection.execute(query, {"name": name}).scalars().all())
    other.close()
    assert ended == [True]


# Commits of which the database has to be asked


def lost(url: str, story: Story, *, loses: bool = False, refuses: bool = False) -> list[Step]:
    """What is told of a story whose first commit but those of `leased` fails: after it applied, or without."""
    told = list[Step]()
    faulty = Faulty(url)

    async def play(store: SqlStore) -> None:
        await leased(store)
        told.clear()
        faulty.loses, faulty.refuses = loses, refuses
        with pytest.raises(StoreError, match="did not confirm: disk I/O error"):
            await story(store)

    played(faulty, play, told)
    return told


def take(store: SqlStore) -> Awaitable[object]:
    return store.take_lease(OWNER, 1)


def append(store: SqlStore) -> Awaitable[object]:
    return store.append(OWNER, 1, [record(2), record(3)])


def save(store: SqlStore) -> Awaitable[object]:
    return store.save_ack_level(OWNER, 1, 1)


def delete(store: SqlStore) -> Awaitable[object]:
    return store.delete(OWNER, 1, 1)


@pytest.mark.parametrize(
    ("story", "told"),
    [
        (take, [("TakeLease", "h1", NAME), ("LoseClaim", "h1", NAME)]),
        (append, [("CommitWrite", "t2"), ("CommitWrite", "t3"), ("LoseWrite", "t2"), ("LoseWrite", "t3")]),
        (save, [("CommitSave", "h1", NAME, 1), ("LoseSave", "h1", NAME, 1)]),
        (delete, [("CommitDelete", NAME, 1, 1)]),
    ],
    ids=["takeover", "write", "saving", "delete"],
)
def test_what_applied_and_was_not_confirmed_is_told_as_applied_and_then_as_lost(
    url: str, story: Story, told: list[Step]
) -> None:
    assert lost(url, story, loses=True) == told


@pytest.mark.parametrize(
    ("story", "told"),
    [
        (take, [("LoseClaim", "h1", NAME)]),
        (append, [("FailWrite", "t2"), ("FailWrite", "t3")]),
        (save, [("LoseSave", "h1", NAME, 1)]),
        (delete, []),
    ],
    ids=["takeover", "write", "saving", "delete"],
)
def test_what_did_not_apply_and_was_not_confirmed_is_told_as_never_applied(
    url: str, story: Story, told: list[Step]
) -> None:
    assert lost(url, story, refuses=True) == told


def test_a_takeover_that_was_not_confirmed_and_whose_caller_has_left_is_told_as_adrift_alone(url: str) -> None:
    told = list[Step]()
    faulty = Faulty(url)
    faulty.loses = True

    async def story(store: SqlStore) -> None:
        await left(store.take_lease(OWNER, 0))

    played(faulty, story, told)

    assert told == [("TakeAdrift", NAME, 0)]


class Overtaken(Faulty):
    """A database in which somebody else takes over, and deletes all, before it is asked what became of a commit."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._own_url = url

    def applied(self, number: int) -> bool:
        self.loses = False
        worker = threading.Thread(target=played, args=(self._own_url, self._overtake))
        worker.start()
        worker.join()
        return super().applied(number)

    async def _overtake(self, store: SqlStore) -> None:
        lease = await store.take_lease(OTHER, 0)
        await store.delete(OTHER, lease.range_id, 100)


@pytest.mark.parametrize(
    ("refuses", "told"),
    [(False, [("CommitWrite", "t2"), ("LoseWrite", "t2")]), (True, [("FailWrite", "t2")])],
    ids=["applied", "not applied"],
)
def test_what_became_of_a_commit_is_known_whatever_others_did_since(url: str, refuses: bool, told: list[Step]) -> None:
    heard = list[Step]()
    overtaken = Overtaken(url)

    async def story(store: SqlStore) -> None:
        await leased(store)
        overtaken.loses, overtaken.refuses = not refuses, refuses
        with pytest.raises(StoreError):
            await store.append(OWNER, 1, [record(2)])

    played(overtaken, story, heard)

    assert heard[2:] == told


@pytest.mark.parametrize("written_before", [0, 3])
@pytest.mark.parametrize("applies", [True, False])
def test_a_transaction_that_is_still_under_way_is_not_taken_for_over(
    url: str, written_before: int, applies: bool
) -> None:
    """As where the connection broke during the commit, and the server has not noticed."""
    asking = Database(url, busy_timeout_ms=10)
    asking.open()
    for _ in range(written_before):
        asking.write(lambda connection: None)
    number = written_before + 1
    broken = Database(url)

    with broken._engine.connect() as connection:
        database._leave_receipt(connection, asking._writer, number)
        with pytest.raises(DatabaseError, match="lock"):
            asking.applied(number)
        if applies:
            connection.commit()

    assert asking.applied(number) is applies
    broken.close()
    asking.close()


def test_a_session_that_ends_in_its_commit_is_told_as_it_was(postgres_url: str) -> None:
    told = list[Step]()

    class Ended(Faulty):
        def _commit(self, connection: sa.Connection) -> None:
            if self.refuses:
                self.refuses = False
                end_sessions(postgres_url, "unlucky")
            super()._commit(connection)

    ended = Ended(postgres_url + "&application_name=unlucky")

    async def story(store: SqlStore) -> Durable:
        await leased(store)
        ended.refuses = True
        with pytest.raises(StoreError):
            await store.append(OWNER, 1, [record(2)])
        return await store.durable(ORDERS)

    durable = played(ended, story, told)

    assert durable.records == (record(1),)
    assert told[2:] == [("FailWrite", "t2")]


# Commits of which the database does not say what became of them


async def doubtful(store: SqlStore, faulty: Faulty) -> asyncio.Future[None]:
    """Bring a write of t2 into doubt, which applied."""
    await leased(store)
    faulty.loses = faulty.is_blind = True
    write = asyncio.ensure_future(store.append(OWNER, 1, [record(2)]))
    await asyncio.sleep(0)
    with pytest.raises(StoreError, match="nothing else begins"):
        await store.append(OWNER, 1, [record(3)])
    faulty.loses = False
    return write


def test_nothing_is_told_of_a_write_in_doubt_and_what_comes_later_surely_fails(url: str) -> None:
    told = list[Step]()
    faulty = Faulty(url)

    async def story(store: SqlStore) -> bool:
        return (await doubtful(store, faulty)).done()

    answered = played(faulty, story, told)

    assert not answered
    assert told[2:] == [("FailWrite", "t3")]


def test_a_read_is_not_served_while_a_write_is_in_doubt(url: str) -> None:
    told = list[Step]()
    faulty = Faulty(url)

    async def story(store: SqlStore) -> None:
        await doubtful(store, faulty)
        with pytest.raises(StoreError, match="nothing else begins"):
            await store.read(OWNER, 0, 9, 9)

    played(faulty, story, told)

    assert told[2:] == [("FailWrite", "t3")]


def test_a_write_in_doubt_is_told_before_the_next_call_begins(url: str) -> None:
    told = list[Step]()
    faulty = Faulty(url)

    async def story(store: SqlStore) -> None:
        write = await doubtful(store, faulty)
        faulty.is_blind = False
        await store.append(OWNER, 1, [record(4)])
        with pytest.raises(StoreError, match="did not confirm"):
            await write

    played(faulty, story, told)

    assert told[3:] == [("CommitWrite", "t2"), ("LoseWrite", "t2"), ("CommitWrite", "t4")]


def test_the_database_is_asked_again_by_itself(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "RETRY_SECONDS", 0.01)
    told = list[Step]()
    faulty = Faulty(url)

    async def story(store: SqlStore) -> None:
        write = await doubtful(store, faulty)
        faulty.is_blind = False
        with pytest.raises(StoreError, match="did not confirm"):
            await write

    played(faulty, story, told)

    assert told[3:] == [("CommitWrite", "t2"), ("LoseWrite", "t2")]


def test_a_write_that_stays_in_doubt_is_told_neither_way_and_answered_at_the_close(url: str) -> None:
    told = list[Step]()
    faulty = Faulty(url)

    async def story(store: SqlStore) -> asyncio.Future[None]:
        return await doubtful(store, faulty)

    async def play() -> None:
        async with await SqlStore.open(faulty, probe=lambda *step: told.append(step)) as store:
            write = await story(store)
        with pytest.raises(StoreError, match="did not confirm"):
            await write

    asyncio.run(play())

    assert told[2:] == [("FailWrite", "t3")]


# Somebody in a hurry


def test_who_is_in_a_hurry_waits_for_a_database_that_is_locked_once(locked: str) -> None:
    told = list[Step]()

    async def story(store: SqlStore) -> list[object]:
        store.hurry()
        read = await store.read(OWNER, 0, 9, 9)
        waits = [store.append(OWNER, 1, [record(number)]) for number in (2, 3)]
        return [read.upto, *(str(each) for each in await asyncio.gather(*waits, return_exceptions=True))]

    answers = played(Database(locked, busy_timeout_ms=10), story, told)

    assert answers[0] == 9
    assert "lock" in str(answers[1])
    assert answers[2] == "the database is away, and nobody waits any more"
    assert told[1:] == [("FailWrite", "t2"), ("FailWrite", "t3")]


def test_who_is_in_a_hurry_does_not_wait_to_know_what_became_of_a_write(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "RETRY_SECONDS", 0.01)
    told = list[Step]()
    faulty = Faulty(url)

    async def story(store: SqlStore) -> None:
        write = await doubtful(store, faulty)
        store.hurry()
        with pytest.raises(StoreError, match="did not confirm"):
            await write

    played(faulty, story, told)

    assert told[2:] == [("FailWrite", "t3")]


# Several at one database


def test_a_store_is_fenced_by_another_one_of_the_same_database(url: str) -> None:
    async def story(store: SqlStore) -> Durable:
        await leased(store)
        async with await SqlStore.open(url) as other:
            await other.take_lease(OTHER, 0)
        with pytest.raises(LeaseLost):
            await store.append(OWNER, 1, [record(2)])
        return await store.durable(ORDERS)

    assert played(url, story) == Durable(range_id=2, ack_level=0, records=(record(1),))


def test_takeovers_by_several_stores_at_once_get_different_range_ids(url: str) -> None:
    async def story(_: SqlStore) -> list[Lease]:
        stores = await asyncio.gather(*(SqlStore.open(url) for _ in range(4)))
        leases = await asyncio.gather(*(store.take_lease(OWNER, 0) for store in stores for _ in range(5)))
        await asyncio.gather(*(store.close() for store in stores))
        return leases

    leases = played(url, story)

    assert sorted(lease.range_id for lease in leases) == list(range(1, 21))


def test_several_stores_may_open_an_empty_database_at_once(url: str) -> None:
    async def story() -> list[SqlStore]:
        stores = await asyncio.gather(*(SqlStore.open(url) for _ in range(4)))
        await asyncio.gather(*(store.close() for store in stores))
        return stores

    assert len(asyncio.run(story())) == 4


def test_a_new_file_that_somebody_writes_is_opened_once_that_is_over(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE other (name TEXT)")
        other.execute("BEGIN IMMEDIATE")
        over = threading.Timer(0.05, other.execute, ["COMMIT"])
        over.start()
        opened = Database(sqlite_file(file))
        opened.open()
        opened.close()
        over.join()

    assert setting(sqlite_file(file), "PRAGMA journal_mode") == "wal"


# The end


def test_a_call_after_the_close_is_an_error_of_the_store(file: Path) -> None:
    async def story() -> None:
        store = await SqlStore.open(sqlite_file(file))
        await store.close()
        await store.close()
        with pytest.raises(StoreError, match="the store is closed"):
            await store.take_lease(OWNER, 0)

    asyncio.run(story())


def test_a_close_waits_for_the_writes_that_were_asked_for(file: Path) -> None:
    told = list[Step]()

    async def story() -> list[object]:
        store = await SqlStore.open(sqlite_file(file), probe=lambda *step: told.append(step))
        await store.take_lease(OWNER, 0)
        writes = [asyncio.ensure_future(store.append(OWNER, 1, [record(number)])) for number in range(1, 6)]
        await asyncio.sleep(0)
        await store.close()
        return await asyncio.gather(*writes)

    answers = asyncio.run(story())

    assert answers == [None] * 5
    assert told[1:] == [("CommitWrite", f"t{number}") for number in range(1, 6)]


def test_a_closed_store_leaves_no_thread_and_no_log_behind(file: Path) -> None:
    wait_for_threads("matching-store")
    before = set(threading.enumerate())

    played(sqlite_file(file), leased)
    wait_for_threads("matching-store")

    assert set(threading.enumerate()) <= before
    assert [path.name for path in file.parent.iterdir()] == ["backlog.db"]


def test_a_closed_store_leaves_no_receipt_behind(file: Path) -> None:
    played(sqlite_file(file), leased)

    with closing(sqlite3.connect(file)) as other:
        assert other.execute("SELECT count(*) FROM receipts").fetchone() == (0,)


def wait_for_threads(prefix: str) -> None:
    """Wait until the threads of this name have ended."""
    for thread in threading.enumerate():
        if thread.name.startswith(prefix):
            thread.join(timeout=10)


def test_looking_at_what_is_durable_tells_nothing(url: str) -> None:
    told = list[Step]()

    async def story(store: SqlStore) -> tuple[Durable, Durable]:
        before = await store.durable(ORDERS)
        await leased(store)
        await store.save_ack_level(OWNER, 1, 1)
        return before, await store.durable(ORDERS)

    before, after = played(url, story, told)

    assert before == Durable(range_id=0, ack_level=0, records=())
    assert after == Durable(range_id=1, ack_level=1, records=(record(1),))
    assert [step[0] for step in told] == ["TakeLease", "CommitWrite", "CommitSave"]


# Databases that cannot be opened


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:////no/such/folder/backlog.db", "unable to open database file"),
        ("postgresql://nobody@/matching?host=/no/such/folder", "did not confirm: .*failed"),
    ],
)
def test_a_database_that_cannot_be_opened_is_an_error_of_the_store(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        played(url, leased)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "Could not parse"),
        ("mysql://localhost/matching", "is neither SQLite nor PostgreSQL"),
        ("postgresql+asyncpg://localhost/matching", "is neither SQLite nor PostgreSQL through psycopg"),
        ("sqlite://host", "Invalid SQLite URL"),
        ("sqlite://?timeout=abc", "could not convert"),
        ("sqlite://?timeout=1&timeout=2", "must be a string or a real number"),
        ("sqlite://?check_same_thread=maybe", "not true/false"),
        ("sqlite://?nothing=1", "nothing"),
        ("sqlite://?plugin=nothing", "plugin"),
        ("sqlite:///file:a?mode=strange&uri=true", "no such access mode"),
        ("sqlite:///a%00b", "null byte"),
        ("postgresql://localhost:abc/matching", "invalid literal"),
        ("postgresql://localhost:0/matching", "ports are 1 to 65535"),
        ("postgresql://localhost:65536/matching", "ports are 1 to 65535"),
        ("postgresql://localhost/matching?port=abc", "non-integer port"),
        ("postgresql://127.0.0.1:1/matching?nothing=1", "invalid connection option"),
        ("postgresql://127.0.0.1:1/matching?connect_timeout=abc", "bad value for connect_timeout"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_url_that_names_no_database_is_at_fault_itself(url: str, message: str) -> None:
    with pytest.raises(UrlUnusable, match=message) as refused:
        played(url, leased)

    assert "\n" not in str(refused.value)


def test_a_refusal_does_not_show_the_password() -> None:
    with pytest.raises(UrlUnusable) as refused:
        played("mysql://me:secret@localhost/matching", leased)

    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("ALTER TABLE queues DROP COLUMN ack_level", "in table queues, ack_level is no such column"),
        ("ALTER TABLE queues ADD COLUMN more TEXT", "in table queues, more is TEXT or NULL"),
        ("DROP TABLE tasks; CREATE TABLE tasks (id INTEGER PRIMARY KEY)", "in table tasks, attempt is no such column"),
        ("DROP TABLE receipts; CREATE TABLE receipts (writer TEXT NOT NULL, number BIGINT NOT NULL)", "writer is TEXT"),
        ("DROP TABLE receipts; CREATE TABLE receipts (writer TEXT PRIMARY KEY, number BIGINT)", "BIGINT or NULL"),
        (
            "DROP TABLE receipts; CREATE TABLE receipts (writer TEXT PRIMARY KEY, number TEXT NOT NULL)",
            "number is TEXT",
        ),
    ],
)
def test_tables_of_another_make_are_not_used(url: str, statement: str, told: str) -> None:
    played(url, leased)
    execute(url, *statement.split("; "))

    with pytest.raises(StoreError, match=f"another service or version: .*{told}"):
        played(url, leased)


def execute(url: str, *statements: str) -> None:
    """Do something to the database as nobody of the service does."""
    with closing(sa.create_engine(url).connect()) as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
        connection.commit()


def test_tables_that_are_the_services_own_are_used_again(url: str) -> None:
    played(url, leased)

    assert played(url, lambda store: store.durable(ORDERS)) == Durable(range_id=1, ack_level=0, records=(record(1),))


@pytest.mark.parametrize(
    "statement",
    ["UPDATE queues SET range_id = 'many'", "UPDATE queues SET ack_level = 1.5", "UPDATE tasks SET version = x'00'"],
)
def test_a_row_of_another_type_is_an_error_of_the_store(file: Path, statement: str) -> None:
    url = sqlite_file(file)
    played(url, leased)
    execute(url, statement)

    with pytest.raises(StoreError, match=r"a row has .* where a value of type .* belongs"):
        played(url, lambda store: store.durable(ORDERS))


def test_a_database_that_may_only_be_read_is_known_before_anything_is_written(url: str) -> None:
    played(url, leased)
    reading = "&mode=ro" if url.startswith("sqlite") else "%20-cdefault_transaction_read_only=on"

    with pytest.raises(StoreError, match=r"read-?only"):
        played(url + reading, lambda store: store.try_writing())


def test_finding_out_whether_a_database_may_be_written_changes_nothing(url: str) -> None:
    async def story(store: SqlStore) -> Durable:
        await leased(store)
        await store.try_writing()
        return await store.durable(ORDERS)

    assert played(url, story) == Durable(range_id=1, ack_level=0, records=(record(1),))


def test_a_file_that_is_no_database_is_an_error_of_the_store(file: Path) -> None:
    file.write_text("this is a letter, not a database\n" * 100, encoding="utf-8")

    with pytest.raises(StoreError, match="file is not a database"):
        played(sqlite_file(file), leased)


def test_without_sqlalchemy_the_error_names_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "matching.adapters.database", raising=False)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)

    with pytest.raises(MissingLibrary, match=r"pip install 'matching-conformance\[service\]'"):
        played(IN_MEMORY, leased)


def test_without_a_driver_the_error_names_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(MissingLibrary, match=r"pip install 'matching-conformance\[postgres\]'"):
        find_database("postgresql://localhost/matching")


async def left(call: Awaitable[object]) -> None:
    """Make a call, and leave as soon as the store has been asked."""
    caller = asyncio.ensure_future(call)
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
