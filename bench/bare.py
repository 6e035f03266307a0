"""``python -m bench.bare --role ROLE``: processes that answer by gRPC and know nothing of tasks.

A role is ``answer``, which answers at once; ``root``, at which a poll waits for an add and is answered with
``--answer``; or ``relay``, which makes each call that it gets at another process. Bytes go in and out as they are.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final

import click
import grpc.aio

from bench.hosts import HostProcess
from conformance.cli.running import run_and_leave

__all__ = ["BareChannel", "bare_process"]

SERVICE: Final = "bench.Bare"
METHODS: Final = ("Poll", "Add")
SECONDS: Final = 20.0

Call = Callable[[bytes], Awaitable[bytes]]


class BareChannel:
    """The way to such a process."""

    def __init__(self, port: int) -> None:
        self._channel = grpc.aio.insecure_channel(f"ipv4:127.0.0.1:{port}")
        self.poll, self.add = (self._call(method) for method in METHODS)

    def _call(self, method: str) -> Call:
        call: Any = self._channel.unary_unary(f"/{SERVICE}/{method}")
        return lambda request: call(request, timeout=SECONDS)

    async def close(self) -> None:
        await self._channel.close()


def bare_process(role: str, answer: bytes = b"", root: int = 0) -> HostProcess:
    """A process of this role, not yet started; ``root`` is the port to which a relay goes."""
    return HostProcess(
        [sys.executable, "-m", "bench.bare", "--role", role, "--answer", answer.hex(), "--root", str(root)]
    )


def _answering(answer: bytes) -> list[Call]:
    async def call(request: bytes) -> bytes:
        return answer

    return [call, call]


def _root(answer: bytes) -> list[Call]:
    answers: asyncio.Queue[bytes] = asyncio.Queue()

    async def poll(request: bytes) -> bytes:
        return await answers.get()

    async def add(request: bytes) -> bytes:
        answers.put_nowait(answer)
        return b""

    return [poll, add]


async def _serve(calls: list[Call]) -> None:
    """Answer until the process is killed."""
    server = grpc.aio.server()
    handlers: dict[str, Any] = {method: _handler(call) for method, call in zip(METHODS, calls, strict=True)}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    click.echo(f"bare, call 127.0.0.1:{port}")
    await server.wait_for_termination()


def _handler(call: Call) -> Any:
    async def handle(request: bytes, context: object) -> bytes:
        return await call(request)

    return grpc.unary_unary_rpc_method_handler(handle)


@click.command()
@click.option("--role", type=click.Choice(["answer", "root", "relay"]), required=True, help="What the process does.")
@click.option("--answer", default="", help="What is answered, in hexadecimal digits.")
@click.option("--root", type=int, default=0, help="The port to which a relay goes.")
def command(role: str, answer: str, root: int) -> int:
    """Answer by gRPC, until killed."""

    async def serve() -> None:
        if role == "relay":
            channel = BareChannel(root)
            await _serve([channel.poll, channel.add])
        else:
            await _serve(_root(bytes.fromhex(answer)) if role == "root" else _answering(bytes.fromhex(answer)))

    asyncio.run(serve())
    return 0


if __name__ == "__main__":
    run_and_leave(command, "python -m bench.bare")
