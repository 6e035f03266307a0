"""Hosts in processes of their own, for measurements over RPC.

Two rules:

1. Which host owns a partition follows from names alone, so a queue is looked for whose partitions
   are where they are wanted.
2. A process is there when it has said where it is called, and is ended with whoever started it.
"""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Mapping, Sequence
from itertools import count
from types import TracebackType
from typing import Self

import attrs

from bench.line import OtherProcessError
from matching.identity import Host, PartitionKey, TaskType
from matching.membership import Membership

__all__ = ["HostProcess", "queue_where"]

_CALLED = re.compile(rb", call 127\.0\.0\.1:([0-9]+)")


def queue_where(owners: Mapping[int, Host]) -> dict[int, PartitionKey]:
    """The partitions of a queue of which each is owned by the host that is wanted."""
    hosts = Membership(owners.values())
    for number in count():
        found = {each: PartitionKey("shop", f"orders-{number}", TaskType.WORKFLOW, each) for each in owners}
        if all(hosts.route(found[each]) == host for each, host in owners.items()):
            return found
    raise AssertionError("numbers do not end")


@attrs.define
class HostProcess:
    """A process that serves; it is killed at the end of an ``async with``, if it has not ended."""

    words: Sequence[str]
    process: asyncio.subprocess.Process | None = None
    port: int | None = None
    """Where it is called, as it says."""

    async def start(self) -> None:
        """Start, and wait until it is called.

        Raises:
            OtherProcessError: it ended instead.
        """
        self.process = await asyncio.create_subprocess_exec(*self.words, stdout=asyncio.subprocess.PIPE)
        assert self.process.stdout is not None
        said = await self.process.stdout.readline()
        if (found := _CALLED.search(said)) is None:
            raise OtherProcessError(f"a host ended with exit status {await self.process.wait()}")
        self.port = int(found[1])

    def freeze(self) -> None:
        """Let it do nothing any more, without anybody being told."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    async def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.kill()
