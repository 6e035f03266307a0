"""A durable backlog whose every call is a thing that the driver chooses about.

Four rules:

1. A call waits until the driver decides its effect and, then or later, its
   answer.  An answer may be an error although the effect was; never the reverse.
2. The store is an actor of its own: it tells the probe what took effect, at the
   moment when it does, and what will not be answered.  The service sees only the answer.
3. A call whose caller has gone is still a call: its effect may come.  A read
   that nobody waits for has none, and goes.
4. A ``prompt`` store decides about leases, savings and deletes itself, at once and well: for drivers
   whose question is another.  So does one without ``slow_loads`` about what a load asks for.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from matching.errors import LeaseLost, StoreError
from matching.identity import Owner, PartitionKey
from matching.lifetime import Part
from matching.probe import Probe
from matching.store import Batch, Lease, Record

__all__ = ["KIND_BY_PART", "LOADED_KINDS", "Call", "Effect", "SimulatedStore", "name_of"]

KIND_BY_PART: Mapping[Part, str] = {Part.METADATA: "metadata", Part.USER_DATA: "userdata"}
"""What a load asks for, by the part that it brings."""
LOADED_KINDS = tuple(KIND_BY_PART.values())


class Effect(enum.Enum):
    """What became of a call so far."""

    PENDING = "pending"
    COMMITTED = "committed"
    FENCED = "fenced"
    FAILED = "failed"


@attrs.define(eq=False, kw_only=True)
class Call:
    """One call of the store, known by what it asks."""

    name: str
    kind: str
    owner: Owner
    answer: asyncio.Future[Any]
    range_id: int = 0
    records: tuple[Record, ...] = ()
    after: int = 0
    upto: int = 0
    limit: int = 0
    effect: Effect = Effect.PENDING
    answered: bool = False
    result: Any = None

    @property
    def partition(self) -> str:
        return str(self.owner.partition)


@attrs.define
class Queue:
    """What is durable of one partition."""

    lease: int = 0
    floor: int = 0
    records: dict[int, Record] = attrs.field(factory=dict)


class SimulatedStore:
    """Leases, ack levels and records in memory."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, probe: Probe, *, prompt: bool = False, slow_loads: bool = False
    ) -> None:
        self.queues: dict[PartitionKey, Queue] = {}
        self.calls: dict[str, Call] = {}
        self.load_answers: dict[tuple[str, Owner], bool] = {}
        """Whether what a generation asked for when it was loaded, by kind, was answered well, where it was."""
        self._loop = loop
        self._probe = probe
        self._prompt = frozenset({"lease", "save", "delete"}) if prompt else frozenset()
        self._slow_loads = slow_loads

    # The port

    async def metadata(self, owner: Owner) -> Lease:
        if not self._slow_loads:
            self.load_answers["metadata", owner] = True
            return self._metadata_of(owner)
        lease: Lease = await self._ask("metadata", name_of(owner), owner=owner)
        return lease

    async def user_data_version(self, owner: Owner) -> int:
        if not self._slow_loads:
            self.load_answers["userdata", owner] = True
            return 0
        version: int = await self._ask("userdata", name_of(owner), owner=owner)
        return version

    async def take_lease(self, owner: Owner, held: int) -> Lease:
        lease: Lease = await self._ask("lease", name_of(owner), owner=owner, range_id=held)
        return lease

    async def append(self, owner: Owner, range_id: int, records: Sequence[Record]) -> None:
        names = " ".join(record.task.task_id for record in records)
        await self._ask("append", names, owner=owner, range_id=range_id, records=tuple(records))

    async def read(self, owner: Owner, after: int, upto: int, limit: int) -> Batch:
        batch: Batch = await self._ask("read", name_of(owner), owner=owner, after=after, upto=upto, limit=limit)
        return batch

    async def save_ack_level(self, owner: Owner, range_id: int, level: int) -> None:
        await self._ask("save", name_of(owner), owner=owner, range_id=range_id, upto=level)

    async def delete(self, owner: Owner, range_id: int, upto: int) -> None:
        await self._ask("delete", name_of(owner), owner=owner, range_id=range_id, upto=upto)

    async def _ask(self, kind: str, what: str, **details: Any) -> Any:
        name = f"{kind} {what}"
        assert name not in self.calls, f"{name} is asked for twice at once"
        call = self.calls[name] = Call(name=name, kind=kind, answer=self._loop.create_future(), **details)
        if kind in self._prompt:
            self._loop.call_soon(self._answer_well, call)
        return await call.answer

    def _answer_well(self, call: Call) -> None:
        if call.effect is Effect.PENDING:
            self.commit(call)
            self.reply(call)

    # The driver's side

    def waiting(self) -> Iterator[Call]:
        """The calls that are not yet answered, oldest first."""
        for name, call in list(self.calls.items()):
            if call.kind == "read" and call.answer.cancelled():
                del self.calls[name]
            elif not call.answered and call.kind not in self._prompt:
                yield call

    def commit(self, call: Call) -> None:
        """Let the call take effect now, if its range id still counts."""
        assert call.effect is Effect.PENDING
        queue = self.queues.setdefault(call.owner.partition, Queue())
        is_fenced = call.kind in ("append", "save") or (call.kind == "lease" and call.range_id > 0)
        call.effect = Effect.FENCED if is_fenced and queue.lease != call.range_id else Effect.COMMITTED
        _EFFECTS[call.kind](self, call, queue)

    def fail(self, call: Call) -> None:
        """Let the call never take effect."""
        assert call.effect is Effect.PENDING
        call.effect = Effect.FAILED
        if call.kind == "append":
            self._tell_writes("FailWrite", call)

    def reply(self, call: Call, *, lost: bool = False) -> None:
        """Answer a call whose effect is decided; ``lost`` makes the answer an error whatever the effect."""
        assert call.effect is not Effect.PENDING
        call.answered = True
        self.calls.pop(call.name, None)
        lost = lost or call.effect is Effect.FAILED
        if call.kind in LOADED_KINDS:
            self.load_answers[call.kind, call.owner] = not lost
        if lost:
            self._tell_lost(call)
        if call.answer.done():
            return
        if lost:
            call.answer.set_exception(StoreError(f"{call.name}: no answer"))
        elif call.effect is Effect.FENCED:
            call.answer.set_exception(LeaseLost(f"{call.name}: range id {call.range_id} does not count any more"))
        else:
            call.answer.set_result(call.result)

    # What takes effect

    def _metadata_of(self, owner: Owner) -> Lease:
        queue = self.queues.get(owner.partition, Queue())
        return _as_lease(queue)

    def _read_metadata(self, call: Call, queue: Queue) -> None:
        call.result = self._metadata_of(call.owner)

    def _read_user_data(self, call: Call, queue: Queue) -> None:
        call.result = 0

    def _take_lease(self, call: Call, queue: Queue) -> None:
        gone = call.answer.cancelled()
        if call.effect is Effect.FENCED:
            if gone:
                self._probe("EndAdrift", call.partition, call.range_id)
            else:
                self._probe("FenceClaim", call.owner.host, call.partition)
            return
        queue.lease += 1
        call.result = _as_lease(queue)
        if gone:
            self._probe("TakeAdrift", call.partition, call.range_id)
        else:
            self._probe("TakeLease", call.owner.host, call.partition)

    def _append(self, call: Call, queue: Queue) -> None:
        for record in call.records:
            if call.effect is Effect.COMMITTED:
                queue.records[record.record_id] = record
            self._probe("CommitWrite" if call.effect is Effect.COMMITTED else "FenceWrite", record.task.task_id)

    def _read(self, call: Call, queue: Queue) -> None:
        found = [queue.records[each] for each in sorted(queue.records) if call.after < each <= call.upto]
        given = tuple(found[: call.limit])
        upto = given[-1].record_id if len(found) > call.limit else call.upto
        call.result = Batch(given, upto)
        self._probe("ServeRead", call.owner.host, call.partition, upto)

    def _save(self, call: Call, queue: Queue) -> None:
        if call.effect is Effect.COMMITTED:
            queue.floor = call.upto
        action = "CommitSave" if call.effect is Effect.COMMITTED else "FenceSave"
        self._probe(action, call.owner.host, call.partition, call.range_id)

    def _delete(self, call: Call, queue: Queue) -> None:
        for record_id in [each for each in queue.records if each <= call.upto]:
            del queue.records[record_id]
        self._probe("CommitDelete", call.partition, call.range_id, call.upto)

    def _tell_lost(self, call: Call) -> None:
        match call.kind:
            case "lease" if not call.answer.cancelled():
                self._probe("LoseClaim", call.owner.host, call.partition)
            case "lease" if call.effect is Effect.FAILED:
                self._probe("EndAdrift", call.partition, call.range_id)
            case "append" if call.effect is not Effect.FAILED:
                self._tell_writes("LoseWrite", call)
            case "save":
                self._probe("LoseSave", call.owner.host, call.partition, call.range_id)
            case "read" if call.effect is Effect.COMMITTED and not call.answer.done():
                self._probe("FailRead", call.owner.host, call.partition)
            case _:
                pass

    def _tell_writes(self, action: str, call: Call) -> None:
        for record in call.records:
            self._probe(action, record.task.task_id)


def name_of(owner: Owner) -> str:
    """The name of a generation, which is also whose call it is: no two calls of one kind have one name."""
    return f"{owner.partition}#{owner.generation}@{owner.host}"


_EFFECTS = {
    "metadata": SimulatedStore._read_metadata,
    "userdata": SimulatedStore._read_user_data,
    "lease": SimulatedStore._take_lease,
    "append": SimulatedStore._append,
    "read": SimulatedStore._read,
    "save": SimulatedStore._save,
    "delete": SimulatedStore._delete,
}


def _as_lease(queue: Queue) -> Lease:
    return Lease(queue.lease, queue.floor, sum(record_id > queue.floor for record_id in queue.records))
