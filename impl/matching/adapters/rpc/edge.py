"""The edge of one host: where it is called, and how it calls others.

Two rules:

1. Its port is taken when it is opened, and answered on once there is somebody who serves.
2. It is closed after what it serves has shut down: until then hops come and go.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from matching.adapters.rpc.addresses import Address, Calls
from matching.adapters.rpc.handling import Handling
from matching.adapters.rpc.peers import GrpcPeers
from matching.adapters.rpc.server import RpcServer
from matching.caller import Caller
from matching.engine import Engine
from matching.identity import Host

__all__ = ["Edge"]


class Edge:
    """Opened by ``async with`` on the loop that is running."""

    def __init__(self, host: Host, calls: Calls) -> None:
        self._host = host
        self._calls = calls

    async def __aenter__(self) -> Self:
        self._server = RpcServer(self._calls.port)
        self.peers = GrpcPeers(self._host, self._calls.peers)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def address(self) -> Address:
        """Where the host is called."""
        return self._server.address

    async def serve(self, engine: Engine, caller: Caller) -> None:
        """Let the engine serve what comes, and its own hops to its own partitions."""
        handling = self.peers.own = Handling(engine, caller, self._calls.namespace)
        await self._server.start(handling)

    async def close(self) -> None:
        """Answer nobody any more, and give up every hop; a second time there is nothing to do."""
        await self._server.close()
        await self.peers.close()
