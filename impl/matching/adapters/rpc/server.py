"""The edge of a host: it answers to gRPC on a port of this machine.

Four rules:

1. A call without a deadline is refused: what nobody waits for must end.
2. A poll ends a little before its RPC does (`until_before`), so that its answer arrives; one that
   goes over several hosts ends earlier at each.
3. An RPC that is cancelled, or is too late, or whose client has gone, interrupts its call.
4. A close lets those calls that are ending be answered, and cancels the others.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Final

from matching.adapters.exposition import LOOPBACK
from matching.adapters.opening import needing_libraries
from matching.adapters.rpc.addresses import Address
from matching.adapters.rpc.handling import Handling
from matching.adapters.rpc.messages import read_poll, read_task, write_add_answer, write_poll_answer
from matching.adapters.rpc.methods import ADD_TASK, POLL_TASK_QUEUE, SERVICE, Method
from matching.adapters.rpc.statuses import status_of
from matching.errors import InvalidArgument, MatchingError, PortUnusable

with needing_libraries("a host that is called"):
    import grpc.aio

__all__ = ["RpcServer", "until_before"]

ANSWER_SECONDS: Final = 0.05
"""How long the answer to a poll may take on its way."""
ROUNDED_UP_BY: Final = 0.01
"""What part of its time gRPC may add to a deadline on its way: it sends two or three digits, rounded up."""
CLOSING_SECONDS: Final = 1.0
"""How long a close waits for the calls that are ending."""


def until_before(left: float) -> float:
    """For how many seconds a poll may wait whose RPC has so many left."""
    return left * (1 - ROUNDED_UP_BY) - ANSWER_SECONDS


class RpcServer:
    """Answers to the calls of one host, from ``start`` until ``close``."""

    def __init__(self, port: int) -> None:
        """Take a port of this machine; port 0 is any that is free.

        Raises:
            PortUnusable: somebody else listens there, or nobody may.
        """
        _try_port(port)
        self._server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        try:
            self.address = Address(LOOPBACK, self._server.add_insecure_port(f"{LOOPBACK}:{port}"))
        except RuntimeError as error:
            raise _unusable(port, "somebody else listens there") from error

    async def start(self, handling: Handling) -> None:
        """Answer from now on."""
        methods = _Methods(handling)
        answers = ((POLL_TASK_QUEUE, methods.poll), (ADD_TASK, methods.add))
        handlers = {method.name: _handler(method, answer) for method, answer in answers}
        self._server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, handlers)])
        await self._server.start()

    async def close(self) -> None:
        """Answer nobody any more, once those are answered whose calls are ending."""
        await self._server.stop(CLOSING_SECONDS)


def _handler(method: Method, answer: Any) -> Any:
    return grpc.unary_unary_rpc_method_handler(
        answer,
        request_deserializer=method.request.FromString,
        response_serializer=method.answer.SerializeToString,
    )


class _Methods:
    """The two methods as gRPC calls them; the running task is cancelled where nobody waits for the answer."""

    def __init__(self, handling: Handling) -> None:
        self._handling = handling

    async def poll(self, message: Any, context: Any) -> Any:
        try:
            deadline = asyncio.get_running_loop().time() + until_before(_left(context))
            return write_poll_answer(await self._handling.poll(read_poll(message, deadline)))
        except MatchingError as error:
            await context.abort(status_of(error), str(error))

    async def add(self, message: Any, context: Any) -> Any:
        try:
            _left(context)
            return write_add_answer(await self._handling.add(read_task(message.task)))
        except MatchingError as error:
            await context.abort(status_of(error), str(error))


def _left(context: Any) -> float:
    """How many seconds the RPC has left, as far as this host can tell."""
    left: float | None = context.time_remaining()
    if left is None:
        raise InvalidArgument("the call has no deadline; give it one")
    return left


def _try_port(port: int) -> None:
    """Let the machine say why nobody can listen on a port; gRPC does not tell."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((LOOPBACK, port))
            tried.listen(1)
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else "there is no such port"
            raise _unusable(port, str(reason)) from error


def _unusable(port: int, reason: str) -> PortUnusable:
    return PortUnusable(f"calls cannot be served on port {port}: {reason}; name another, or 0 for any that is free")
