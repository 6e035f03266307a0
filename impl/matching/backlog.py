"""One generation's hold on its partition's durable backlog: lease, writer, reader, and what it cleans up.

Five rules:

1. Nothing is written before the lease is this generation's, and each record gets the
   next id of the block that belongs to the range id.  An id is never given twice,
   whatever became of its write.
2. A read goes no further than where nothing can appear any more: not past the first
   write whose answer is not there.
3. Whoever learns that the lease was lost stops the manager, before anything else.
4. An error of the store says nothing: a takeover, a read and a delete are tried again, a
   saving comes again by itself, and a write is answered as not confirmed.
5. Stop is final.  What was asked of the store may still take effect, and each answer is
   still heard: a call of add waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import islice

import attrs

from matching.errors import LeaseLost, StoreError
from matching.identity import Owner
from matching.memory import BacklogMemory
from matching.own_tasks import OwnTasks
from matching.probe import Probe
from matching.requests import Task
from matching.store import BacklogStore, Batch, Lease, Record

__all__ = ["Backlog", "BacklogCount", "BacklogLimits"]


@attrs.frozen(kw_only=True)
class BacklogLimits:
    """How much is done at once, and how long is waited; times are in seconds.

    ``block_size`` is the number of ids for each range id; every owner of a partition
    must have the same.
    """

    # temporal: common/dynamicconfig/constants.go, MatchingGetTasksBatchSize, MatchingUpdateAckInterval
    block_size: int = 100_000
    most_written: int = 1_000
    most_read: int = 1_000
    read_below: int = 500
    retry_seconds: float = 1.0
    save_seconds: float = 60.0


@attrs.frozen
class BacklogCount:
    """How many records are not finished; where that is not certain, there are at most so many."""

    count: int
    certain: bool


@attrs.define(eq=False)
class _Write:
    record: Record
    done: asyncio.Future[None]


class Backlog:
    """Writes, reads and cleans up for one generation of a manager.

    ``found`` is called when more is known of the backlog, ``lost`` when somebody else has
    taken the lease, and ``hungry`` tells whether polls wait for more than is in memory.
    """

    def __init__(
        self,
        owner: Owner,
        *,
        store: BacklogStore,
        probe: Probe,
        limits: BacklogLimits,
        found: Callable[[], None],
        lost: Callable[[], None],
        hungry: Callable[[], bool],
    ) -> None:
        self.owner = owner
        self.memory = BacklogMemory()
        self.running = False
        self.range_id = 0
        self._store = store
        self._probe = probe
        self._limits = limits
        self._found = found
        self._lost = lost
        self._hungry = hungry
        self._names = (owner.host, str(owner.partition))
        self._next_id = 1
        self._last_id = 0
        self._blocks: list[int] = []
        """The first ids of the blocks of which ids were given that are not yet read."""
        self._behind = 0
        """How many records of earlier owners are not yet read, at most."""
        self._claiming = False
        self._adds_waiting: dict[asyncio.Future[None], None] = {}
        self._writes: dict[int, _Write] = {}
        self._saving = False
        self._saved_level = 0
        self._deleted_level = 0
        self._delete_not_before = 0.0
        self._lease_wanted = asyncio.Event()
        self._write_wanted = asyncio.Event()
        self._read_wanted = asyncio.Event()
        self._delete_wanted = asyncio.Event()
        self._upkeep_timer: asyncio.TimerHandle | None = None
        self._tasks = OwnTasks(f"{owner.partition}#{owner.generation}")
        self._ended_by_stop: tuple[asyncio.Task[None], ...] = ()

    # Its life

    def start(self) -> None:
        """Begin: take the lease, then read."""
        self.running = True
        self._ended_by_stop = (self._tasks.spawn(self._lead(), "lease"), self._tasks.spawn(self._read(), "read"))
        self._tasks.spawn(self._write(), "write")
        self._tasks.spawn(self._delete(), "delete")
        self._upkeep_timer = asyncio.get_running_loop().call_later(self._limits.save_seconds, self._upkeep)

    def save_before_stop(self) -> None:
        """Save how far it came, if that is not saved. (SaveLevel)"""
        if self.memory.ack_level > self._saved_level:
            self._save()

    def stop(self) -> None:
        """Give everything up; the manager tells that it stops."""
        self.running = False
        self.memory.clear()
        if self._upkeep_timer is not None:
            self._upkeep_timer.cancel()
        for task in self._ended_by_stop:
            task.cancel()
        for event in (self._write_wanted, self._delete_wanted):
            event.set()
        self.let_adds_look_again()

    @property
    def quiet(self) -> bool:
        """Tell whether nothing of it runs any more."""
        return self._tasks.quiet

    async def stopped(self) -> None:
        """Wait until it is quiet, after it was told to stop."""
        await self._tasks.ended()

    @property
    def upkeep_timer(self) -> asyncio.TimerHandle | None:
        """The timer that saves the ack level next; there is always one while it runs."""
        return self._upkeep_timer

    @property
    def levels(self) -> tuple[int, int, int, int]:
        """The range id, the next id, the read level and the ack level; all 0 without a lease, and after a stop."""
        if not self.running or not self.range_id:
            return 0, 0, 0, 0
        return self.range_id, self._next_id, self.memory.read_level, self.memory.ack_level

    @property
    def count(self) -> BacklogCount:
        """How many records are not finished; each id that was given and is not yet read may be a record's."""
        unread = self._behind + self._given
        return BacklogCount(self.memory.unfinished + unread, certain=bool(self.range_id) and unread == 0)

    @property
    def _given(self) -> int:
        """How many ids were given that are not yet read."""
        size, read_level = self._limits.block_size, self.memory.read_level
        ends = [min(self._next_id, first + size) for first in self._blocks]
        return sum(max(0, end - max(first, read_level + 1)) for first, end in zip(self._blocks, ends, strict=True))

    # Adds

    @property
    def ready(self) -> bool:
        """Tell whether a task can be given an id now."""
        return self.running and not self._claiming and self._next_id <= self._last_id

    async def until_ready(self) -> None:
        """Wait until a task can be given an id, or something else has changed; look again then."""
        if self.ready or not self.running:
            return
        going_on: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._adds_waiting[going_on] = None
        self._lease_wanted.set()
        try:
            await going_on
        finally:
            self._adds_waiting.pop(going_on, None)

    async def append(self, task: Task) -> None:
        """Give the task an id, and make a record of it. (Spool, before the first await)

        Raises:
            LeaseLost: somebody else has taken the lease; the task is not stored.
            StoreError: the write was not confirmed.
        """
        assert self.ready
        record = Record(self._next_id, task)
        self._next_id += 1
        write = self._writes[record.record_id] = _Write(record, asyncio.get_running_loop().create_future())
        self._probe("Spool", task.task_id, self.owner.host)
        self._write_wanted.set()
        await write.done

    @property
    def writing(self) -> tuple[Task, ...]:
        """The tasks whose writes are not over."""
        return tuple(write.record.task for write in self._writes.values())

    def wake_reader(self) -> None:
        """Look whether more should be read."""
        self._read_wanted.set()

    def finish(self, record: Record) -> None:
        """Note that the task of a record in a hand was handed over, or need not be."""
        self.memory.finish(record)
        self._delete_wanted.set()
        self._read_wanted.set()

    # The lease

    async def _lead(self) -> None:
        """Take the lease; take it again when its block has run out. (Claim, Lead, ClaimAgain)"""
        while True:
            await _until(self._lease_wanted, self._wants_lease)
            self._claiming = True
            self._probe("Claim", *self._names)
            try:
                lease = await self._store.take_lease(self.owner, self.range_id)
            except LeaseLost:
                self._lose()
                return
            except StoreError:
                self._claiming = False
                self._probe("ClaimAgain", *self._names)
                await asyncio.sleep(self._limits.retry_seconds)
                continue
            self._begin_block(lease)
            self._probe("Lead", *self._names)
            self.let_adds_look_again()
            self._read_wanted.set()
            self._delete_wanted.set()
            self._found()

    def _wants_lease(self) -> bool:
        block_is_over = self._next_id > self._last_id and bool(self._adds_waiting)
        return self.range_id == 0 or (block_is_over and not self._writes and not self._saving)

    def _begin_block(self, lease: Lease) -> None:
        if self.range_id == 0:
            self.memory.begin(lease.ack_level)
            self._saved_level = lease.ack_level
            self._behind = lease.records
        self._claiming = False
        self.range_id = lease.range_id
        self._next_id = (lease.range_id - 1) * self._limits.block_size + 1
        self._last_id = lease.range_id * self._limits.block_size
        self._blocks.append(self._next_id)

    def _lose(self) -> None:
        if self.running:
            self._lost()

    def let_adds_look_again(self) -> None:
        """Wake the adds that wait for an id: there may be one, or a poll."""
        for waiting in self._adds_waiting:
            if not waiting.done():
                waiting.set_result(None)

    # Writes

    async def _write(self) -> None:
        """Write what there is, as one batch after the other. (EndWrite)"""
        while True:
            await _until(self._write_wanted, lambda: bool(self._writes) or not self.running)
            if not self._writes:
                return
            batch = list(islice(self._writes.values(), self._limits.most_written))
            error: Exception | None = None
            try:
                await self._store.append(self.owner, self.range_id, [write.record for write in batch])
            except LeaseLost as lost:
                error = lost
                self._lose()
            except StoreError as unknown:
                error = unknown
            for write in batch:
                self._end_write(write, error)
            self._lease_wanted.set()
            self._read_wanted.set()

    def _end_write(self, write: _Write, error: Exception | None) -> None:
        del self._writes[write.record.record_id]
        self._probe("EndWrite", write.record.task.task_id)
        if write.done.done():
            return  # the call of add has gone
        if error is None:
            write.done.set_result(None)
        else:
            write.done.set_exception(error)

    # Reads

    async def _read(self) -> None:
        """Read on while there is more, and memory or polls want it. (ReadBacklog)"""
        while True:
            await _until(self._read_wanted, self._wants_to_read)
            try:
                batch = await self._store.read(self.owner, self.memory.read_level, self._top, self._limits.most_read)
            except StoreError:
                await asyncio.sleep(self._limits.retry_seconds)
                continue
            self._bring_in(batch)
            self._probe("ReadBacklog", *self._names)
            self._delete_wanted.set()
            self._found()

    def _bring_in(self, batch: Batch) -> None:
        self.memory.bring_in(batch)
        first = self._blocks[0]
        brought = sum(record.record_id < first for record in batch.records)
        self._behind = 0 if batch.upto >= first - 1 else max(0, self._behind - brought)
        while len(self._blocks) > 1 and batch.upto >= self._blocks[0] + self._limits.block_size - 1:
            del self._blocks[0]

    @property
    def _top(self) -> int:
        """Up to which id nothing can appear any more."""
        return next(iter(self._writes), self._next_id) - 1

    def _wants_to_read(self) -> bool:
        if not self.range_id or self.memory.read_level >= self._top:
            return False
        return self.memory.unfinished < self._limits.read_below or self._hungry()

    # What is done

    async def _delete(self) -> None:
        """Delete the records up to the ack level, whenever it has moved. (Delete, EndDelete)"""
        loop = asyncio.get_running_loop()
        while True:
            await _until(self._delete_wanted, lambda: not self.running or self._wants_to_delete(loop.time()))
            if not self.running:
                return
            range_id, level = self.range_id, self.memory.ack_level
            self._probe("Delete", *self._names)
            try:
                await self._store.delete(self.owner, range_id, level)
                self._deleted_level = level
            except StoreError:
                self._delete_not_before = loop.time() + self._limits.retry_seconds
                loop.call_at(self._delete_not_before, self._delete_wanted.set)
            self._probe("EndDelete", str(self.owner.partition), range_id, level)

    def _wants_to_delete(self, now: float) -> bool:
        moved = self.range_id > 0 and self.memory.ack_level > self._deleted_level
        return moved and now >= self._delete_not_before

    def _upkeep(self) -> None:
        """Save the ack level, moved or not: a lease that was lost must not go unnoticed. (SaveLevel)"""
        # temporal: service/matching/db.go, the periodic sync
        if not self.running:
            return
        self._upkeep_timer = asyncio.get_running_loop().call_later(self._limits.save_seconds, self._upkeep)
        self._save()

    def _save(self) -> None:
        if self.range_id == 0 or self._claiming or self._saving:
            return
        self._saving = True
        self._probe("SaveLevel", *self._names)
        self._tasks.spawn(self._saved(self.range_id, self.memory.ack_level), "save")

    async def _saved(self, range_id: int, level: int) -> None:
        """Ask for the saving and hear its answer. (EndSave)"""
        try:
            await self._store.save_ack_level(self.owner, range_id, level)
            self._saved_level = level
        except LeaseLost:
            self._lose()
        except StoreError:
            pass  # the next saving says it again
        self._saving = False
        self._probe("EndSave", *self._names, range_id)
        self._lease_wanted.set()


async def _until(event: asyncio.Event, holds: Callable[[], bool]) -> None:
    """Wait until the condition holds; the event, which has one waiter, says when to look again."""
    while not holds():
        event.clear()
        await event.wait()
