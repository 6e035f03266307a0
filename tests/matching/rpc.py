"""Hosts that are called by RPC, for tests that wait for what is told and never for a while."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import attrs

from matching.adapters.rpc.addresses import Address, Calls
from matching.adapters.rpc.client import RpcClient
from matching.adapters.rpc.edge import Edge
from matching.adapters.rpc.handling import Handling
from matching.adapters.rpc.server import RpcServer
from matching.adapters.sql import SqlStore
from matching.caller import Caller
from matching.engine import Engine
from matching.hops import OfferAnswer
from matching.identity import Host, PartitionKey, PollId, TaskType, Worker
from matching.namespace import NamespaceView
from matching.requests import PollRequest, Task

__all__ = ["ROOT", "Called", "Stub", "Told", "called", "poll_at", "run", "stubbed"]

PATIENT_SECONDS = 30.0
ROOT = PartitionKey("shop", "orders", TaskType.WORKFLOW)
T = TypeVar("T")


def run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run what a test does, for a while at most."""

    async def patient() -> T:
        async with asyncio.timeout(PATIENT_SECONDS):
            return await work()

    return asyncio.run(patient())


def poll_at(deadline: float, name: str = "p1") -> PollRequest:
    return PollRequest(PollId(name), Worker("w1"), ROOT, deadline)


class Told:
    """A probe of which a test can wait for a step."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self._news = asyncio.Event()

    def __call__(self, action: str, *args: object) -> None:
        self.steps.append(" ".join(map(str, (action, *args))))
        self._news.set()

    async def until(self, begin: str) -> None:
        """Wait until a step is told that begins so."""
        while not any(step.startswith(begin) for step in self.steps):
            self._news.clear()
            await self._news.wait()


@attrs.frozen
class Called:
    """A host that is called, and a client of it."""

    engine: Engine
    address: Address
    client: RpcClient
    told: Told


@contextlib.asynccontextmanager
async def called(name: str = "h1") -> AsyncIterator[Called]:
    """A host alone, over a database in memory."""
    host, told = Host(name), Told()
    caller = Caller(asyncio.get_running_loop(), told)
    async with (
        Edge(host, Calls(port=0, namespace="shop", peers={})) as edge,
        await SqlStore.open(probe=caller.hear) as store,
        RpcClient(edge.address) as client,
    ):
        engine = Engine(
            host, store=store, namespace=NamespaceView(host, probe=caller.hear), peers=edge.peers, probe=caller.hear
        )
        await edge.serve(engine, caller)
        try:
            yield Called(engine, edge.address, client, told)
        finally:
            await engine.shutdown()


class Stub(Handling):
    """Stands for what serves a host: answers as it is told, and notes what came and what was cancelled."""

    def __init__(
        self,
        poll: Callable[[PollRequest], Awaitable[Task | None]] | None = None,
        add: Callable[[Task], Awaitable[OfferAnswer | None]] | None = None,
    ) -> None:
        self.came: asyncio.Queue[PollRequest | Task] = asyncio.Queue()
        self.cancelled: asyncio.Queue[PollRequest | Task] = asyncio.Queue()
        self._poll = poll
        self._add = add

    async def poll(self, request: PollRequest) -> Task | None:
        return await self._answered(request, self._poll)

    async def add(self, task: Task) -> OfferAnswer | None:
        return await self._answered(task, self._add)

    async def _answered(self, call: Any, answer: Callable[[Any], Awaitable[T]] | None) -> T:
        self.came.put_nowait(call)
        try:
            if answer is None:
                await asyncio.Event().wait()
            assert answer is not None
            return await answer(call)
        except asyncio.CancelledError:
            self.cancelled.put_nowait(call)
            raise


@contextlib.asynccontextmanager
async def stubbed(stub: Stub) -> AsyncIterator[Address]:
    """The address of a host that a stub serves."""
    server = RpcServer(0)
    await server.start(stub)
    try:
        yield server.address
    finally:
        await server.close()
