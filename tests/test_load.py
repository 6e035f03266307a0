"""The load of ``bench`` ends, and says how, where it cannot bring its tasks through."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import bench.load
from bench.load import Producer
from matching.adapters.opening import sqlite_file
from matching.requests import Task


def load(*arguments: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "bench.load", *arguments)


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_load_whose_database_is_away_says_so_in_one_line(processes: str) -> None:
    ran = load("--tasks", "10", "--processes", processes, "--database", "postgresql+psycopg://localhost:1/nobody")

    assert ran.returncode == 3
    assert len(ran.stderr.splitlines()) == 1


def test_a_database_in_memory_is_no_common_one() -> None:
    ran = load("--tasks", "10", "--database", "sqlite://")

    assert ran.returncode == 2
    assert "cannot share a database in memory" in ran.stderr


def test_a_load_whose_second_process_ends_does_not_go_on_alone() -> None:
    program = """
import asyncio, sys
from bench.line import while_it_runs

async def go():
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", "raise SystemExit(7)")
    await while_it_runs(other, asyncio.sleep(3600))

asyncio.run(go())
"""
    ran = python("-c", program)

    assert "OtherProcessError: the second process ended with exit status 7" in ran.stderr


def test_a_database_that_keeps_nothing_is_not_taken_for_one_that_does(tmp_path: Path) -> None:
    url = sqlite_file(tmp_path / "other.db")
    load("--tasks", "1", "--database", url)
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("ALTER TABLE queues RENAME COLUMN range_id TO other")
    ran = load("--tasks", "10", "--database", url)

    assert ran.returncode == 3
    assert "its tables are of another service or version: in table queues" in ran.stderr


class LosingHost:
    """Accepts every task and gives it to nobody."""

    async def add_task(self, task: Task) -> None:
        pass

    async def take_lease(self) -> None:
        pass


def test_tasks_that_never_come_are_counted_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.load, "STALL_SECONDS", 0.05)

    async def bring_through() -> bench.load.Report:
        producer = Producer(3)
        producer.hosts = [LosingHost(), LosingHost()]
        return producer.report(await producer.bring_through([]), 0)

    report = asyncio.run(bring_through())

    assert (report.lost, report.doubled) == (3, 0)
