"""Processes that work at a store as fast as they can until they are killed, forked from one that is warm.

The warm process (`main`) reads seeds, one a line.  For each it forks a child that does
the job and says on standard output what it asks and what it was confirmed, one JSON list
a line; before the first stands ``["born", pid]``, behind the last ``["died", status]``.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Protocol

from matching.adapters.opening import find_database

__all__ = ["Job", "Ledger", "Line", "Rival", "Say", "lives", "main"]

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 30.0
MOST_LINES = 16
LONGEST_SECONDS = 0.006
TAKEOVERS = 0.3
"""How long a child's life is: so many lines, then so many seconds; and in which part of them a rival takes over."""

Line = list[Any]
Say = Callable[..., None]
"""Says one line: what was asked or confirmed, and of what."""

Job = Callable[[str, Random, Say], Awaitable[None]]
"""Works at the database of this URL, for ever."""


class Nursery:
    """The warm process, seen from the test."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._rest = b""
        self._child: int | None = None

    @classmethod
    @contextlib.contextmanager
    def open(cls, job: str, url: str) -> Iterator[Nursery]:
        """Start it; at the end it goes, and a child that is still there with it."""
        command = [sys.executable, "-c", "from tests.killed import jobs; jobs.main()", job, url]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
            nursery = cls(process)
            try:
                yield nursery
            finally:
                process.kill()
                if nursery._child is not None:
                    os.kill(nursery._child, signal.SIGKILL)

    def bear(self, seed: int) -> Child:
        """Let a child begin to work."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"%d\n" % seed)
        kind, pid = next(self.lines(MOST_SECONDS))
        assert kind == "born"
        self._child = pid
        return Child(self, pid)

    def bury(self, status: int) -> None:
        """Note that the child is dead."""
        self._child = None
        assert status == -signal.SIGKILL, f"the child ended by itself: {status}"

    def lines(self, seconds: float) -> Iterator[Line]:
        """Give the lines that come, until none does for so long."""
        assert self._process.stdout is not None
        while True:
            line, found, rest = self._rest.partition(b"\n")
            if found:
                self._rest = rest
                yield json.loads(line)
            elif select.select([self._process.stdout], [], [], seconds)[0]:
                more = self._process.stdout.read(65536)
                assert more, "the nursery has ended"
                self._rest += more
            else:
                return


class Child:
    """A process that works until it is killed."""

    def __init__(self, nursery: Nursery, pid: int) -> None:
        self._nursery = nursery
        self._pid = pid

    def listen(self, lines: int) -> Iterator[Line]:
        """Give so many lines, as they come."""
        coming = self._nursery.lines(MOST_SECONDS)
        for _ in range(lines):
            yield next(coming)

    def kill(self, after_seconds: float) -> Iterator[Line]:
        """Kill it so long from now, and give what it had said that was not heard yet."""
        select.select([], [], [], after_seconds)
        os.kill(self._pid, signal.SIGKILL)
        for line in self._nursery.lines(MOST_SECONDS):
            if line[0] == "died":
                self._nursery.bury(line[1])
                return
            yield line
        raise AssertionError("the child did not die")


class Ledger(Protocol):
    """What workers asked and were confirmed, and what is wrong if this is all."""

    faults: list[str]

    def hear(self, line: Line) -> None:
        """Note what a worker said."""
        ...


class Rival(Protocol):
    """Somebody else at the same database, in the test's own process."""

    def take_over(self) -> None:
        """Fence the worker, and tell the ledger."""
        ...

    def look(self) -> None:
        """Have the ledger look at what is durable."""
        ...


def lives(job: str, url: str, *, kills: int, seed: int, ledger: Ledger, rival: Rival) -> Iterator[list[str]]:
    """Let workers live and be killed, and give after each death what is wrong so far."""
    chance = Random(seed)
    with Nursery.open(job, url) as nursery:
        for _ in range(kills):
            _live(nursery.bear(chance.getrandbits(32)), chance, ledger, rival)
            rival.look()
            yield ledger.faults


def _live(child: Child, chance: Random, ledger: Ledger, rival: Rival) -> None:
    for line in child.listen(chance.randint(0, MOST_LINES)):
        ledger.hear(line)
    if chance.random() < TAKEOVERS:
        rival.take_over()
    for line in child.kill(chance.uniform(0, LONGEST_SECONDS)):
        ledger.hear(line)


def say(*line: object) -> None:
    """Say a line at once; it is short enough for the pipe to take it whole or not at all."""
    text = json.dumps(line).encode() + b"\n"
    assert len(text) <= select.PIPE_BUF
    os.write(sys.stdout.fileno(), text)


def main(job: Job, url: str) -> None:
    """Bear a child for each seed, one after the other; what a database needs is imported before."""
    find_database(url)
    gc.freeze()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            asyncio.run(_born(job, url, int(line)))
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        say("died", os.waitstatus_to_exitcode(status))


async def _born(job: Job, url: str, seed: int) -> None:
    say("born", os.getpid())
    await job(url, Random(seed), say)
