"""The store of History in a database keeps the port's contract, outlives itself, and tells what its commits came to."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import attrs
import pytest
import sqlalchemy as sa

from matching.adapters import history_rows
from matching.adapters.history import SqlHistoryStore
from matching.adapters.opening import IN_MEMORY, sqlite_file
from matching.errors import LeaseLost, MissingLibrary, StoreError
from matching.history.draft import Draft
from matching.history.store import Change, Contents, HistoryStore
from matching.identity import RunId
from tests.history_store_contract import RUN, HistoryStoreContract, Step, begin, rich
from tests.test_sql_store import Faulty

T = TypeVar("T")


@attrs.define
class SqlBench:
    """A database on the ordinary event loop; each ``run`` opens it anew."""

    database: str | Faulty
    told: list[Step] = attrs.field(factory=list)

    def run(self, story: Callable[[HistoryStore], Awaitable[T]]) -> T:
        async def play() -> T:
            async with await SqlHistoryStore.open(self.database, probe=lambda *step: self.told.append(step)) as store:
                return await story(store)

        return asyncio.run(play())


class TestSqliteInMemory(HistoryStoreContract):
    @pytest.fixture
    def bench(self) -> SqlBench:
        return SqlBench(IN_MEMORY)


class TestSqliteInAFile(HistoryStoreContract):
    @pytest.fixture
    def bench(self, tmp_path: Path) -> SqlBench:
        return SqlBench(sqlite_file(tmp_path / "history.db"))


class TestPostgresql(HistoryStoreContract):
    @pytest.fixture
    def bench(self, postgres_url: str) -> SqlBench:
        return SqlBench(postgres_url)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that several may open."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return sqlite_file(tmp_path / "history.db")


async def begun(store: HistoryStore) -> None:
    await store.apply(0, await store.take_shard(0), begin())


def test_a_shard_outlives_its_store(url: str) -> None:
    async def second(store: HistoryStore) -> tuple[Contents, int]:
        return await store.load(0, 1), await store.take_shard(0)

    SqlBench(url).run(begun)

    assert SqlBench(url).run(second) == (Contents((begin().execution,), begin().parts[0].added), 2)


def test_what_is_made_after_a_reopening_comes_last(url: str) -> None:
    async def second(store: HistoryStore) -> Contents:
        await store.apply(0, await store.take_shard(0), begin(RunId("a")))
        return await store.load(0, 2)

    SqlBench(url).run(begun)
    contents = SqlBench(url).run(second)

    assert [row.run_id for row in contents.executions] == [RUN, "a"]
    assert [intent.run_id for intent in contents.intents] == [RUN, "a"]


def test_a_shard_is_fenced_by_another_store_of_the_same_database(url: str) -> None:
    async def story(store: HistoryStore) -> Contents:
        await begun(store)
        async with await SqlHistoryStore.open(url) as other:
            await other.take_shard(0)
            with pytest.raises(LeaseLost):
                await store.apply(0, 1, rich(begin()))
            with pytest.raises(LeaseLost):
                await store.load(0, 1)
            return await other.load(0, 2)

    assert SqlBench(url).run(story).executions == (begin().execution,)


def test_who_looks_on_sees_what_is_durable_whoever_has_the_shard(url: str) -> None:
    async def story() -> tuple[Contents, Contents]:
        async with await SqlHistoryStore.open(url) as store:
            before = await store.durable()
            await begun(store)
            return before, await store.durable()

    assert asyncio.run(story()) == (Contents(), Contents((begin().execution,), begin().parts[0].added))


def test_a_change_that_applied_and_was_not_confirmed_is_told_and_answered_with_an_error(url: str) -> None:
    faulty = Faulty(url)
    bench = SqlBench(faulty)

    async def story(store: HistoryStore) -> Contents:
        await store.take_shard(0)
        faulty.loses = True
        with pytest.raises(StoreError, match="did not confirm"):
            await store.apply(0, 1, begin())
        return await store.load(0, 1)

    assert bench.run(story).executions == (begin().execution,)
    assert bench.told == [("Schedule", f"{RUN}/1")]


def test_a_change_that_did_not_apply_and_was_not_confirmed_is_not_told(url: str) -> None:
    faulty = Faulty(url)
    bench = SqlBench(faulty)

    async def story(store: HistoryStore) -> Contents:
        await store.take_shard(0)
        faulty.refuses = True
        with pytest.raises(StoreError, match="did not confirm"):
            await store.apply(0, 1, begin())
        return await store.load(0, 1)

    assert bench.run(story) == Contents()
    assert bench.told == []


def test_nothing_is_read_while_a_change_is_in_doubt(url: str) -> None:
    faulty = Faulty(url)
    bench = SqlBench(faulty)

    async def story(store: HistoryStore) -> bool:
        await store.take_shard(0)
        faulty.loses = faulty.is_blind = True
        change = asyncio.ensure_future(store.apply(0, 1, begin()))
        await asyncio.sleep(0)
        with pytest.raises(StoreError, match="nothing else begins"):
            await store.load(0, 1)
        return change.done()

    answered = bench.run(story)

    assert not answered
    assert bench.told == []


def test_a_load_sees_one_moment(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody closes the run between the reading of executions and that of intents."""
    draft = Draft(begin().execution)
    draft.discard_intent(draft.execution.events[0].item)
    removal = draft.change()
    made = history_rows._CONVERTER.loads

    def loads(*args: object) -> object:
        apply_elsewhere(url, removal)
        monkeypatch.setattr(history_rows._CONVERTER, "loads", made)
        return made(*args)  # type: ignore[arg-type]

    async def story(store: HistoryStore) -> Contents:
        await begun(store)
        monkeypatch.setattr(history_rows._CONVERTER, "loads", loads)
        return await store.load(0, 1)

    assert SqlBench(url).run(story) == Contents((begin().execution,), begin().parts[0].added)


def apply_elsewhere(url: str, change: Change) -> None:
    """Apply a change through a store in another thread, under the first range id."""
    bench = SqlBench(url)
    worker = threading.Thread(target=bench.run, args=(lambda store: store.apply(0, 1, change),))
    worker.start()
    worker.join()
    assert bench.told == [change.parts[0].step]


def test_a_change_that_removes_what_is_not_there_is_a_bug_and_has_no_effect(url: str) -> None:
    draft = Draft(begin().execution)
    draft.discard_intent(draft.execution.events[0].item)
    removal = draft.change()
    again = attrs.evolve(removal, expected=2, parts=(attrs.evolve(removal.parts[0], execution=begin().execution),))

    async def story(store: HistoryStore) -> Contents:
        await begun(store)
        await store.apply(0, 1, removal)
        with pytest.raises(AssertionError, match="has no intent"):
            await store.apply(0, 1, again)
        return await store.load(0, 1)

    assert SqlBench(url).run(story) == Contents((removal.execution,))


def test_a_text_that_holds_more_than_is_known_is_not_read_as_less(tmp_path: Path) -> None:
    url = sqlite_file(tmp_path / "history.db")
    SqlBench(url).run(begun)
    engine = sa.create_engine(url)
    with contextlib.closing(engine.raw_connection()) as connection:
        connection.cursor().execute(
            "UPDATE executions SET execution = replace(execution, '{\"run_id', '{\"x\":1,\"run_id')"
        )
        connection.commit()
    engine.dispose()

    with pytest.raises(Exception, match="While structuring Execution"):
        SqlBench(url).run(lambda store: store.load(0, 1))


def test_without_cattrs_the_error_names_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "matching.adapters.history_rows")
    monkeypatch.setitem(sys.modules, "cattrs", None)
    monkeypatch.setitem(sys.modules, "cattrs.preconf.json", None)

    with pytest.raises(MissingLibrary, match=r"pip install 'matching-conformance\[service\]'"):
        SqlBench(IN_MEMORY).run(begun)
