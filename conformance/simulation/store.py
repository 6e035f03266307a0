"""A durable backlog whose every call is a thing that the driver chooses about.

Three rules:

1. A call waits until the driver decides its effect and, then or later, its
   answer.  An answer may be an error although the effect was; never the reverse.
2. The store is an actor of its own: it tells the probe what took effect, at the
   moment when it does.  The service sees only the answer.
3. A call whose caller has gone is still a call: its effect may come.  A read
   that nobody waits for has none, and goes.  One that was served and whose answer
   was lost is remembered until the next is served, for it still names its records.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Iterator
from typing import Any

import attrs

from matching.errors import StoreError
from matching.identity import Owner, PartitionKey, TaskId
from matching.probe import Probe
from matching.requests import Task

__all__ = ["Call", "Effect", "SimulatedStore"]


class Effect(enum.Enum):
    """What became of a call so far."""

    PENDING = "pending"
    COMMITTED = "committed"
    FAILED = "failed"


@attrs.define(eq=False)
class Call:
    """One call of the store, known by what it asks."""

    name: str
    kind: str
    task: Task | None
    owner: Owner | None
    answer: asyncio.Future[Any]
    effect: Effect = Effect.PENDING
    answered: bool = False
    result: list[Task] | None = None


class SimulatedStore:
    """Records in memory, in the order of their commits."""

    def __init__(self, loop: asyncio.AbstractEventLoop, probe: Probe) -> None:
        self.records: dict[TaskId, Task] = {}
        self.calls: dict[str, Call] = {}
        self.lost_reads: dict[PartitionKey, Call] = {}
        self._loop = loop
        self._probe = probe

    # The port

    async def append(self, task: Task) -> None:
        await self._ask(f"append {task.task_id}", task=task)

    async def read(self, owner: Owner) -> list[Task]:
        result: list[Task] = await self._ask(f"read {owner.partition}#{owner.generation}", owner=owner)
        return result

    async def delete(self, owner: Owner, task_id: TaskId) -> None:
        task = Task(task_id, owner.partition)
        await self._ask(f"delete {task_id}#{owner.generation}", task=task, owner=owner)

    async def _ask(self, name: str, *, task: Task | None = None, owner: Owner | None = None) -> Any:
        assert name not in self.calls, f"{name} is asked for twice at once"
        call = Call(name, name.split(maxsplit=1)[0], task, owner, self._loop.create_future())
        self.calls[name] = call
        return await call.answer

    # The driver's side

    def waiting(self) -> Iterator[Call]:
        """The calls that are not yet answered, oldest first."""
        for name, call in list(self.calls.items()):
            if call.kind == "read" and call.answer.cancelled():
                del self.calls[name]
            elif not call.answered:
                yield call

    def commit(self, call: Call) -> None:
        """Let the call take effect now; a write under the id of another task's record fails."""
        assert call.effect is Effect.PENDING
        known = self.records.get(call.task.task_id) if call.task is not None else None
        if call.kind == "append" and known not in (None, call.task):
            self.fail(call)
            return
        call.effect = Effect.COMMITTED
        if call.kind == "append":
            assert call.task is not None
            self.records[call.task.task_id] = call.task
            self._probe("CommitWrite", call.task.task_id)
        elif call.kind == "read":
            assert call.owner is not None
            self.lost_reads.pop(call.owner.partition, None)
            call.result = [task for task in self.records.values() if task.partition == call.owner.partition]
            self._probe("ServeRead", call.owner.host, str(call.owner.partition))
        else:
            assert call.task is not None
            assert call.owner is not None
            if known is not None and known.partition == call.owner.partition:
                del self.records[known.task_id]
            self._probe("CommitDelete", call.task.task_id, call.owner.host, call.owner.generation)

    def fail(self, call: Call) -> None:
        """Let the call never take effect."""
        assert call.effect is Effect.PENDING
        call.effect = Effect.FAILED
        if call.kind == "append":
            assert call.task is not None
            self._probe("FailWrite", call.task.task_id)

    def reply(self, call: Call, *, lost: bool = False) -> None:
        """Answer a call whose effect is decided; ``lost`` makes the answer an error whatever the effect."""
        assert call.effect is not Effect.PENDING
        call.answered = True
        self.calls.pop(call.name, None)
        if call.kind == "read" and call.result is not None and (lost or call.answer.done()):
            assert call.owner is not None
            self.lost_reads[call.owner.partition] = call
        if call.answer.done():
            return
        if lost or call.effect is Effect.FAILED:
            call.answer.set_exception(StoreError(f"{call.name}: no answer"))
        else:
            call.answer.set_result(call.result)
