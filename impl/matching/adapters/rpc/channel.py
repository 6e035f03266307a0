"""The two calls of a host, as whoever makes them sees them.

Four rules:

1. A call is given seconds, and never lasts longer.
2. Whoever cancels the wait for an answer cancels the call.
3. Each call is made once: nothing that may have arrived is sent again behind the caller's back.
4. A host that has gone is noticed at once where the machine says so, and tried again within a second.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from matching.adapters.opening import needing_libraries
from matching.adapters.rpc.addresses import Address
from matching.adapters.rpc.messages import read_add_answer, read_poll_answer, write_add, write_poll
from matching.adapters.rpc.methods import ADD_TASK, POLL_TASK_QUEUE, Method
from matching.adapters.rpc.statuses import refusal
from matching.errors import Unavailable
from matching.hops import OfferAnswer
from matching.requests import PollRequest, Task

with needing_libraries("a call of a host"):
    import grpc.aio

if TYPE_CHECKING:
    from google.protobuf.message import Message

__all__ = ["RpcChannel"]

_OPTIONS: Final = (
    ("grpc.enable_retries", 0),
    ("grpc.enable_http_proxy", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 5000),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.use_local_subchannel_pool", 1),
)
"""No retries and no proxy; a connection may take 5 s to be made, and is tried again after 0.1 to 1 s."""


class RpcChannel:
    """The way to the host at an address; it connects when it is first called, and again where that is lost."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._channel = grpc.aio.insecure_channel(address.target, options=_OPTIONS)
        self._calls = {method.path: self._multicallable(method) for method in (POLL_TASK_QUEUE, ADD_TASK)}

    async def poll(self, request: PollRequest, seconds: float) -> Task | None:
        """Poll as a client or, with a forward_info, as a hop.

        Raises:
            MatchingError: the host refuses, or nobody can tell what became of the poll (`Unavailable`).
        """
        return read_poll_answer(await self._call(POLL_TASK_QUEUE, write_poll(request), seconds))

    async def add(self, task: Task, seconds: float) -> OfferAnswer | None:
        """Add a task or, with a forward_info, offer it; an add is answered None.

        Raises:
            MatchingError: the host refuses, or nobody can tell what became of the task (`Unavailable`).
        """
        return read_add_answer(await self._call(ADD_TASK, write_add(task), seconds))

    async def close(self) -> None:
        """Give up the calls that have no answer; a second time there is nothing to do."""
        await self._channel.close()

    def _multicallable(self, method: Method) -> grpc.aio.UnaryUnaryMultiCallable[Any, Any]:
        return self._channel.unary_unary(
            method.path,
            request_serializer=method.request.SerializeToString,
            response_deserializer=method.answer.FromString,
        )

    async def _call(self, method: Method, message: Message, seconds: float) -> Any:
        caller = asyncio.current_task()
        assert caller is not None
        cancels = caller.cancelling()
        try:
            return await self._calls[method.path](message, timeout=max(seconds, 0.0))
        except grpc.RpcError as error:
            raise refusal(error, str(self.address)) from error
        except asyncio.CancelledError:
            if caller.cancelling() > cancels:
                raise
            raise Unavailable(f"nobody waits any more for what {self.address} answers") from None
