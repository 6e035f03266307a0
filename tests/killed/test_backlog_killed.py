"""Whatever moment an owner is killed at, the backlog keeps what it confirmed, and nobody who was fenced adds to it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Generator
from pathlib import Path

import pytest

from matching.adapters.opening import sqlite_file
from matching.adapters.sql import SqlStore
from matching.store import Lease
from tests.killed.backlog import BLOCK, BacklogLedger
from tests.killed.nursery import lives
from tests.store_contract import ORDERS, OTHER, record

SEED = 20


class OtherOwner:
    """Another owner of the partition, who takes over now and then."""

    def __init__(self, url: str, runner: asyncio.Runner, ledger: BacklogLedger) -> None:
        self._runner = runner
        self._ledger = ledger
        self._store = runner.run(SqlStore.open(url))

    def take_over(self) -> None:
        """Take the lease, note what is there, and write one record."""
        lease: Lease = self._runner.run(self._store.take_lease(OTHER, 0))
        self._ledger.fence(lease.range_id, self._runner.run(self._store.durable(ORDERS)))
        first = (lease.range_id - 1) * BLOCK + 1
        self._ledger.hear(["append", first])
        if self._runner.run(self._appended(lease, first)):
            self._ledger.hear(["appended", first])

    async def _appended(self, lease: Lease, record_id: int) -> bool:
        """Tell whether the lease was still his."""
        write = self._store.append(OTHER, lease.range_id, [record(record_id)])
        [error] = await asyncio.gather(write, return_exceptions=True)
        return error is None

    def look(self) -> None:
        self._ledger.look(self._runner.run(self._store.durable(ORDERS)))

    def close(self) -> None:
        self._runner.run(self._store.close())


def owners(job: str, url: str, kills: int) -> Generator[list[str], None, None]:
    """Let owners of one partition be killed, and give after each death what is wrong so far."""
    ledger = BacklogLedger()
    with asyncio.Runner() as runner, contextlib.closing(OtherOwner(url, runner, ledger)) as rival:
        yield from lives(job, url, kills=kills, seed=SEED, ledger=ledger, rival=rival)


@pytest.mark.slow
def test_a_file_keeps_what_it_confirmed_whenever_an_owner_is_killed(tmp_path: Path) -> None:
    assert list(owners("backlog", sqlite_file(tmp_path / "backlog.db"), kills=120))[-1] == []


@pytest.mark.slow
def test_a_server_keeps_what_it_confirmed_whenever_an_owner_is_killed(postgres_url: str) -> None:
    assert list(owners("backlog", postgres_url, kills=100))[-1] == []


@pytest.mark.parametrize(
    ("job", "fault"),
    [
        ("backlog, confirmed and not kept", "is confirmed, and"),
        ("backlog, not fenced", "appeared after another owner had taken over"),
        ("backlog, in parts", "only a part is there"),
    ],
)
def test_a_backlog_that_is_broken_is_found_out(tmp_path: Path, job: str, fault: str) -> None:
    with contextlib.closing(owners(job, sqlite_file(tmp_path / "backlog.db"), kills=400)) as found:
        assert any(fault in each for faults in found for each in faults)
