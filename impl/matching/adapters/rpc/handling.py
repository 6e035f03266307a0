"""What a host does with a call that has come, from a client or as a hop.

Four rules:

1. Each call runs in a task of the process's `Caller`, which tells the probe of it.
2. Whoever waits for the call here is cancelled when nobody waits for the answer any more; then the
   call is interrupted.  What it has come to by then is lost on the way, as any answer may be.
3. An id that is under way here is refused: two calls must not have one id.
4. A host serves one namespace, and refuses what is of another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container

from matching.caller import Caller
from matching.engine import Engine
from matching.errors import AlreadyExists, InvalidArgument
from matching.hops import OfferAnswer
from matching.identity import PartitionKey
from matching.requests import PollRequest, Task

__all__ = ["Handling"]


class Handling:
    """Serves the calls of one engine."""

    def __init__(self, engine: Engine, caller: Caller, namespace: str) -> None:
        self._engine = engine
        self._caller = caller
        self._namespace = namespace
        self._offers: set[str] = set()

    async def poll(self, request: PollRequest) -> Task | None:
        """Serve a poll, be it a hop.

        Raises:
            MatchingError: it is refused, or nobody can tell what became of it above.
        """
        self._admit(request.poll_id, request.partition, self._caller.polls)
        serve = self._caller.start_poll if request.forward_info is None else self._caller.serve_poll
        call = serve(self._engine, request)
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            self._caller.leave(request.poll_id)
            raise

    async def add(self, task: Task) -> OfferAnswer | None:
        """Serve an add, which is answered None, or an offer.

        Raises:
            MatchingError: it is refused, or was not confirmed.
        """
        if task.forward_info is not None:
            return await self._offer(task)
        self._admit(task.task_id, task.partition, self._caller.adds)
        answer = self._caller.add_task(self._engine, task)
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            self._caller.lose_add(task.task_id, interrupt=True)
            raise

    async def _offer(self, task: Task) -> OfferAnswer:
        self._admit(task.task_id, task.partition, self._offers)
        self._offers.add(task.task_id)
        call = self._caller.serve_offer(self._engine, task)
        call.add_done_callback(lambda done: self._offers.discard(task.task_id))
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            self._caller.cancel_offer(task.task_id)
            raise

    def _admit(self, name: str, partition: PartitionKey, under_way: Container[str]) -> None:
        if partition.namespace != self._namespace:
            raise InvalidArgument(f"this host serves the namespace {self._namespace}, and {partition} is of another")
        if name in under_way:
            raise AlreadyExists(f"{name} is under way here; give each call an id of its own")
