"""How a host makes hops: to other hosts by RPC, and to its own partitions without.

Four rules:

1. An id of a hop has the name of the host, what its life is called, and a count: nobody else draws it.
2. A hop lasts no longer than its deadline, whether or not anybody answers.
3. A hop that is cancelled is cancelled where it is served, as soon as that is told there.
4. Whatever goes wrong with a hop says nothing about what became of it: it is `Unavailable`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from itertools import count
from typing import Any, TypeVar
from uuid import uuid4

from matching.adapters.rpc.addresses import Address
from matching.adapters.rpc.channel import RpcChannel
from matching.adapters.rpc.handling import Handling
from matching.errors import MatchingError, Unavailable
from matching.hops import OfferAnswer
from matching.identity import Host, PollId, TaskId
from matching.requests import PollRequest, Task

__all__ = ["GrpcPeers"]

T = TypeVar("T")


class GrpcPeers:
    """Implements `matching.hops.Peers` for one host; ``own`` is to be set to what serves its own partitions."""

    def __init__(self, host: Host, addresses: Mapping[Host, Address]) -> None:
        self.own: Handling | None = None
        self._host = host
        self._channels = {peer: RpcChannel(address) for peer, address in addresses.items()}
        self._ids = (f"{host}-{life}-{number}" for life in [uuid4().hex] for number in count(1))

    def new_poll_id(self) -> PollId:
        """Give an id that no other poll has."""
        return PollId(next(self._ids))

    def new_task_id(self) -> TaskId:
        """Give an id that no other task has."""
        return TaskId(next(self._ids))

    def poll(self, host: Host, request: PollRequest) -> asyncio.Task[Task | None]:
        """Poll the parent on behalf of another poll, until the request's deadline."""
        return self._under_way(self._poll(host, request), f"hop {request.poll_id} to {host}")

    def offer(self, host: Host, task: Task, deadline: float) -> asyncio.Task[OfferAnswer]:
        """Offer a task to the parent, until a time of the running event loop."""
        return self._under_way(self._offer(host, task, deadline), f"offer {task.task_id} to {host}")

    async def close(self) -> None:
        """Give up every hop."""
        for channel in self._channels.values():
            await channel.close()

    async def _poll(self, host: Host, request: PollRequest) -> Task | None:
        if host == self._host and self.own is not None:
            return await self.own.poll(request)
        return await self._channel(host).poll(request, _left_until(request.deadline))

    async def _offer(self, host: Host, task: Task, deadline: float) -> OfferAnswer:
        if host == self._host and self.own is not None:
            try:
                async with asyncio.timeout_at(deadline):
                    answer = await self.own.add(task)
            except TimeoutError as error:
                raise Unavailable(f"{host} did not answer the offer of {task.task_id} in time") from error
        else:
            answer = await self._channel(host).add(task, _left_until(deadline))
        if answer is None:
            raise Unavailable(f"{host} did not take the offer of {task.task_id} for one")
        return answer

    def _channel(self, host: Host) -> RpcChannel:
        if host not in self._channels:
            raise Unavailable(f"{self._host} does not reach {host}")
        return self._channels[host]

    def _under_way(self, hop: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Begin in a step of its own, so that whoever makes the hop can tell of it first."""
        return asyncio.get_running_loop().create_task(_or_unavailable(hop), name=name)


async def _or_unavailable(hop: Coroutine[Any, Any, T]) -> T:
    try:
        return await hop
    except Unavailable:
        raise
    except MatchingError as error:
        raise Unavailable(f"a hop was refused: {error}") from error


def _left_until(deadline: float) -> float:
    return deadline - asyncio.get_running_loop().time()
