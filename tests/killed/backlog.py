"""An owner of a partition that is killed, and what must be so of its backlog afterwards.

Three rules:

1. The owner says what it asks before it asks, and what was confirmed after.
2. What it said is all that the ledger knows; what it finds fault with it gives as sentences.
3. What was asked and not confirmed may be so or not, but a batch is whole or not there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from random import Random
from typing import Any

from matching.adapters.database import Database
from matching.adapters.records import Durable
from matching.adapters.sql import SqlStore
from matching.errors import LeaseLost
from matching.store import Record
from tests.killed.nursery import Say
from tests.store_contract import OWNER, record

__all__ = ["BLOCK", "BacklogLedger", "work_at_backlog"]

BLOCK = 40
"""How many ids belong to one range id."""


async def work_at_backlog(database: str | Database, chance: Random, say: Say) -> None:
    """Lead, and lead again after each loss."""
    async with await SqlStore.open(database) as store:
        while True:
            try:
                await _Owner(store, chance, say).lead()
            except LeaseLost:
                say("lost")


class _Owner:
    """One leadership: what it holds, and what it has not finished."""

    def __init__(self, store: SqlStore, chance: Random, say: Say) -> None:
        self._store = store
        self._chance = chance
        self._say = say
        self._range_id = 0
        self._next_id = 1
        self._level = 0
        self._unfinished: list[int] = []

    async def lead(self) -> None:
        """Take the lease, read what is there, then write and clean up until the lease is lost."""
        self._level = await self._take()
        batch = await self._store.read(OWNER, self._level, self._next_id - 1, 10_000)
        self._unfinished = [each.record_id for each in batch.records]
        self._say("found", self._level, self._next_id - 1, *self._unfinished)
        while True:
            if self._next_id > self._range_id * BLOCK:
                await self._take()
            await _all(self._append(), *self._clean_up())

    async def _take(self) -> int:
        self._say("take")
        lease = await self._store.take_lease(OWNER, self._range_id)
        self._say("took", lease.range_id, lease.ack_level)
        self._range_id, self._next_id = lease.range_id, (lease.range_id - 1) * BLOCK + 1
        return lease.ack_level

    async def _append(self) -> None:
        left = self._range_id * BLOCK - self._next_id + 1
        ids = [self._next_id + each for each in range(min(left, self._chance.randint(1, 6)))]
        self._next_id = ids[-1] + 1
        self._say("append", *ids)
        await self._store.append(OWNER, self._range_id, [record(each) for each in ids])
        self._say("appended", *ids)
        self._unfinished += ids

    def _clean_up(self) -> Iterator[Awaitable[None]]:
        done = self._chance.randint(0, len(self._unfinished))
        if done:
            self._level = self._unfinished[done - 1]
            del self._unfinished[:done]
            self._say("finish", self._level)
        if self._chance.random() < 0.4:
            yield self._save(self._level)
        if self._chance.random() < 0.3:
            yield self._delete(self._level)

    async def _save(self, level: int) -> None:
        self._say("save", level)
        await self._store.save_ack_level(OWNER, self._range_id, level)
        self._say("saved", level)

    async def _delete(self, level: int) -> None:
        self._say("delete", level)
        await self._store.delete(OWNER, self._range_id, level)
        self._say("deleted", level)


async def _all(*calls: Awaitable[None]) -> None:
    """Let the calls come to their ends, and raise the first error."""
    for error in await asyncio.gather(*calls, return_exceptions=True):
        if error is not None:
            raise error


class BacklogLedger:
    """What owners asked and were confirmed, and what is wrong if this is all."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self._batches: dict[int, tuple[int, ...]] = {}
        self._confirmed: set[int] = set()
        self._takes = 0
        self._taken: set[int] = {0}
        self._finished = 0
        self._saves: set[int] = {0}
        self._saved = 0
        self._deletes: set[int] = {0}
        self._deleted = 0
        self._fences: list[tuple[int, frozenset[int]]] = []

    def hear(self, line: list[Any]) -> None:
        """Note what an owner said."""
        kind, *numbers = line
        match kind:
            case "take":
                self._takes += 1
            case "took":
                self._take(numbers[0])
                if numbers[1] < self._saved:
                    self.faults.append(f"a takeover tells ack level {numbers[1]}, and {self._saved} was saved")
            case "found":
                level, upto, *ids = numbers
                kept = max(level, *self._deletes)
                missing = {each for each in self._confirmed if kept < each <= upto} - set(ids)
                self.faults += [f"record {each} is confirmed, and a new owner does not find it" for each in missing]
            case "append":
                self._batches.update({each: tuple(numbers) for each in numbers})
            case "appended":
                self._confirmed.update(numbers)
            case "finish":
                self._finished = max(self._finished, numbers[0])
            case "save":
                self._saves.add(numbers[0])
            case "saved":
                self._saved = max(self._saved, numbers[0])
            case "delete":
                self._deletes.add(numbers[0])
            case "deleted":
                self._deleted = max(self._deleted, numbers[0])
            case _:
                assert kind == "lost"

    def fence(self, range_id: int, durable: Durable) -> None:
        """Note what was there when somebody else had taken the lease: nothing may appear below his block."""
        last = (range_id - 1) * BLOCK
        self._takes += 1
        self._take(range_id)
        self._fences.append((last, frozenset(each.record_id for each in durable.records if each.record_id <= last)))

    def look(self, durable: Durable) -> None:
        """Find what cannot be, after all that was heard."""
        ids = {each.record_id for each in durable.records}
        self.faults += [*self._levels(durable), *self._records(durable.records), *self._batches_in(ids)]
        for last, there in self._fences:
            late = {each for each in ids if each <= last} - there
            self.faults += [f"record {each} appeared after another owner had taken over at {last}" for each in late]

    def _take(self, range_id: int) -> None:
        if range_id in self._taken:
            self.faults.append(f"range id {range_id} was given twice")
        self._taken.add(range_id)

    def _levels(self, durable: Durable) -> Iterator[str]:
        if not max(self._taken) <= durable.range_id <= self._takes:
            yield f"range id {durable.range_id}, and {max(self._taken)} was given in {self._takes} takeovers"
        if durable.ack_level not in self._saves or durable.ack_level < self._saved:
            yield f"ack level {durable.ack_level}, and {self._saved} was saved last"
        if durable.ack_level > self._finished:
            yield f"ack level {durable.ack_level}, and only {self._finished} is finished"

    def _records(self, records: tuple[Record, ...]) -> Iterator[str]:
        ids = [each.record_id for each in records]
        if ids != sorted(set(ids)):
            yield f"ids that are not unique, or out of order: {ids}"
        yield from (f"{each} is not what was written" for each in records if each != record(each.record_id))
        yield from (f"record {each} was never asked for" for each in ids if each not in self._batches)
        yield from (f"record {each} is deleted, and there" for each in ids if each <= self._deleted)
        missing = self._confirmed - set(ids)
        yield from (f"record {each} is confirmed, and gone" for each in missing if each > max(self._deletes))

    def _batches_in(self, ids: set[int]) -> Iterator[str]:
        kept = max(self._deletes)
        for batch in dict.fromkeys(self._batches.values()):
            there = [each in ids for each in batch if each > kept]
            if any(there) and not all(there):
                yield f"of the batch {batch} only a part is there"
