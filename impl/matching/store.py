"""The port to the durable backlog of a partition, fenced by range ids.

Six rules that every store keeps, and that ``tests/store_contract.py`` holds:

1. A call takes effect at one moment, or never; its answer comes later.
2. ``StoreError`` says nothing about the effect: the caller must live with both.
   ``LeaseLost`` says that there was none, and that there will be none.
3. A write or a saving takes effect only while its range id is the partition's, in one
   transaction.  Reads and deletes are not fenced.
4. A record is known by its id, which its owner gave it; reads go by id.
5. The store tells the probe what took effect, before it answers and in the order in
   which it happened (TakeLease, FenceClaim, CommitWrite, FenceWrite, FailWrite,
   ServeRead, CommitSave, FenceSave, CommitDelete), and then what of it is not answered
   (LoseClaim, LoseWrite, LoseSave, FailRead).
6. A caller that leaves stops neither a takeover nor a write, a saving or a delete.  A
   takeover that nobody waits for is told as TakeAdrift or EndAdrift, a read that nobody
   waits for is told to nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import attrs

from matching.identity import Owner
from matching.requests import Task

__all__ = ["BacklogStore", "Batch", "Lease", "Record"]


@attrs.frozen
class Record:
    """A stored task and its id, which orders the records of its partition."""

    record_id: int
    task: Task


@attrs.frozen
class Lease:
    """What a takeover tells: the range id that it raised, the ack level saved last, and how many records follow it."""

    range_id: int
    ack_level: int
    records: int = 0


@attrs.frozen
class Batch:
    """What a read found, in the order of ids: every record behind where it began, up to ``upto``."""

    records: tuple[Record, ...]
    upto: int


class BacklogStore(Protocol):
    """Durable records of tasks by partition, and who may write them."""

    async def metadata(self, owner: Owner) -> Lease:
        """Read how the partition is; everything is 0 where nobody ever took the lease.

        Raises:
            StoreError: the read failed.
        """
        ...

    async def user_data_version(self, owner: Owner) -> int:
        """Read the version of what operators configured for the partition's family; 0 where they configured nothing.

        Raises:
            StoreError: the read failed.
        """
        ...

    async def take_lease(self, owner: Owner, held: int) -> Lease:
        """Raise the partition's range id by one, whoever held it; with ``held`` above 0 only from that very id.

        Raises:
            LeaseLost: the range id is not ``held`` any more.
            StoreError: the takeover was not confirmed.
        """
        ...

    async def append(self, owner: Owner, range_id: int, records: Sequence[Record]) -> None:
        """Make all these records durable, or none.

        Raises:
            LeaseLost: the range id was raised since; nothing was written.
            StoreError: the write was not confirmed.
        """
        ...

    async def read(self, owner: Owner, after: int, upto: int, limit: int) -> Batch:
        """Give at most ``limit`` records with ids above ``after`` and at most ``upto``.

        Where there are more, ``Batch.upto`` is the id of the last one given; else it is ``upto``.

        Raises:
            StoreError: the read failed.
        """
        ...

    async def save_ack_level(self, owner: Owner, range_id: int, level: int) -> None:
        """Save the ack level, from which the next owner goes on.

        Raises:
            LeaseLost: the range id was raised since; nothing was saved.
            StoreError: the saving was not confirmed.
        """
        ...

    async def delete(self, owner: Owner, range_id: int, upto: int) -> None:
        """Remove the records with ids up to ``upto``, which all are finished; the range id only says who asks.

        Raises:
            StoreError: the delete was not confirmed.
        """
        ...
