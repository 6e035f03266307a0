"""Whatever moment an owner is killed at, History keeps what it confirmed, and nobody who was fenced changes it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Generator
from pathlib import Path
from random import Random

import pytest

from matching.adapters.history import SqlHistoryStore
from matching.adapters.opening import sqlite_file
from matching.errors import LeaseLost, RowChanged
from tests.killed.history import SHARD, HistoryLedger, ShardOwner
from tests.killed.nursery import lives

SEED = 21


class OtherOwner:
    """Another owner of the shard, who takes over now and then."""

    def __init__(self, url: str, runner: asyncio.Runner, ledger: HistoryLedger) -> None:
        self._runner = runner
        self._ledger = ledger
        self._chance = Random(SEED)
        self._store = runner.run(SqlHistoryStore.open(url))

    def take_over(self) -> None:
        """Take the shard, note what is there, and change two runs."""
        owner = ShardOwner(self._store, self._chance, lambda *line: self._ledger.hear(list(line)))
        with contextlib.suppress(LeaseLost, RowChanged):
            self._runner.run(self._lead(owner))

    async def _lead(self, owner: ShardOwner) -> None:
        await owner.take()
        self._ledger.fence(owner.range_id, await self._store.durable(SHARD))
        await owner.change_some()

    def look(self) -> None:
        self._ledger.look(self._runner.run(self._store.durable(SHARD)))

    def close(self) -> None:
        self._runner.run(self._store.close())


def owners(job: str, url: str, kills: int) -> Generator[list[str], None, None]:
    """Let owners of one shard be killed, and give after each death what is wrong so far."""
    ledger = HistoryLedger()
    with asyncio.Runner() as runner, contextlib.closing(OtherOwner(url, runner, ledger)) as rival:
        yield from lives(job, url, kills=kills, seed=SEED, ledger=ledger, rival=rival)


@pytest.mark.slow
def test_a_file_keeps_what_it_confirmed_whenever_an_owner_is_killed(tmp_path: Path) -> None:
    assert list(owners("history", sqlite_file(tmp_path / "history.db"), kills=100))[-1] == []


@pytest.mark.slow
def test_a_server_keeps_what_it_confirmed_whenever_an_owner_is_killed(postgres_url: str) -> None:
    assert list(owners("history", postgres_url, kills=100))[-1] == []


@pytest.mark.parametrize(
    ("job", "fault"),
    [
        ("history, confirmed and not kept", "is confirmed, and"),
        ("history, not fenced", "by somebody else than its owner"),
        ("history, in parts", "is not what version"),
    ],
)
def test_a_history_that_is_broken_is_found_out(tmp_path: Path, job: str, fault: str) -> None:
    with contextlib.closing(owners(job, sqlite_file(tmp_path / "history.db"), kills=100)) as found:
        assert any(fault in each for faults in found for each in faults)
