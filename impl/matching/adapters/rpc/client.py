"""Whoever calls a host from outside: workers, producers, operators, measurements and tests."""

from __future__ import annotations

from itertools import count
from types import TracebackType
from typing import Final, Self
from uuid import uuid4

from matching.adapters.rpc.addresses import Address
from matching.adapters.rpc.channel import RpcChannel
from matching.identity import UNVERSIONED, Item, PartitionKey, PollId, TaskId, Version, Worker
from matching.requests import PollRequest, Task

__all__ = ["ADD_SECONDS", "RpcClient"]

ADD_SECONDS: Final = 10.0
"""How long an add waits for its answer where nobody says otherwise."""


class RpcClient:
    """Calls the host at one address, with ids that nobody else draws; it is used on one event loop, and closed."""

    def __init__(self, address: Address) -> None:
        self._channel = RpcChannel(address)
        self._ids = (f"client-{life}-{number}" for life in [uuid4().hex] for number in count(1))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Give up the calls that have no answer."""
        await self._channel.close()

    async def poll(
        self,
        partition: PartitionKey,
        *,
        seconds: float,
        worker: Worker = Worker("client"),  # noqa: B008
        version: Version = UNVERSIONED,
        poll_id: PollId | None = None,
    ) -> Task | None:
        """Wait for one task, at most for so long; None where none came.

        Raises:
            MatchingError: the host refuses, or nobody can tell what became of the poll (`Unavailable`).
        """
        name = PollId(next(self._ids)) if poll_id is None else poll_id
        return await self._channel.poll(PollRequest(name, worker, partition, seconds, version), seconds)

    async def add_task(
        self,
        partition: PartitionKey,
        *,
        task_id: TaskId | None = None,
        version: Version = UNVERSIONED,
        item: Item | None = None,
        seconds: float = ADD_SECONDS,
    ) -> TaskId:
        """Add a task, and give its id: it was handed over, dropped or stored.

        Raises:
            MatchingError: the host refuses, or nobody can tell what became of the task (`Unavailable`).
        """
        name = TaskId(next(self._ids)) if task_id is None else task_id
        await self._channel.add(Task(name, partition, version, item), seconds)
        return name
