"""The load of ``bench`` ends, and says how, where it cannot bring its tasks through."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def load(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench.load", *arguments],
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
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert "OtherProcessError: the second process ended with exit status 7" in ran.stderr
