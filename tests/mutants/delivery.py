"""Faults of the lease, of the backlog's levels, and of what Matching makes of History's answers.

Two rules:

1. Each is the smallest change that plants a fault of its kind, as in ``catalogue.py``; it shows
   where two hosts share one store and one History.
2. A kind that cannot exist here is planted as the nearest that can, and says so.
"""

from __future__ import annotations

from typing import Final

from tests.mutants.mutant import Mutant

__all__ = ["DELIVERY"]

BACKLOG: Final = "matching.backlog:Backlog"
MEMORY: Final = "matching.memory:BacklogMemory"
MANAGER: Final = "matching.manager:PartitionManager"
ENGINE: Final = "matching.engine:Engine"
REQUEST_IDS: Final = "matching.request_ids:RequestIds"

LEASE: Final = (
    Mutant(
        name="unmoved-level-is-not-saved",
        source="FAULTS Z34",
        breaks="a saving tells the manager that its lease was taken, also where nothing is to be saved",
        target=f"{BACKLOG}._upkeep",
        find="self._save()",
        replace="self.save_before_stop()",
    ),
    Mutant(
        name="fenced-write-stops-nobody",
        source="FAULTS Z35",
        breaks="a manager whose write was fenced stops before anybody learns of it",
        target=f"{BACKLOG}._write",
        find="            self._lose()\n",
        replace="",
    ),
    Mutant(
        name="fenced-saving-stops-nobody",
        source="FAULTS Z35",
        breaks="a manager whose saving was fenced stops",
        target=f"{BACKLOG}._saved",
        find="self._lose()",
        replace="pass",
    ),
    Mutant(
        name="fenced-claim-is-made-again",
        source="FAULTS Z35",
        breaks="a manager whose next block was fenced stops",
        target=f"{BACKLOG}._lead",
        find="            self._lose()\n            return\n",
        replace="            self._claiming = False\n            await asyncio.sleep(1.0)\n            continue\n",
    ),
    Mutant(
        name="block-begins-with-the-last-id-of-the-one-before",
        source="FAULTS Z36",
        breaks="a new range id begins a block that no other range id has",
        target=f"{BACKLOG}._begin_block",
        find="(lease.range_id - 1) * self._limits.block_size + 1",
        replace="(lease.range_id - 1) * self._limits.block_size",
    ),
    Mutant(
        name="id-of-a-doubtful-write-is-given-again",
        source="own",
        breaks="an id is never given twice, whatever became of its write",
        target=f"{BACKLOG}._end_write",
        find="        write.done.set_exception(error)",
        replace="        self._next_id = write.record.record_id\n        write.done.set_exception(error)",
    ),
    Mutant(
        name="next-block-is-claimed-unconditionally",
        source="own",
        breaks="a manager that goes on to its next block takes it only from itself",
        target=f"{BACKLOG}._lead",
        find="self._store.take_lease(self.owner, self.range_id)",
        replace="self._store.take_lease(self.owner, 0)",
    ),
    Mutant(
        name="doubtful-claim-is-not-made-again",
        source="own",
        breaks="a takeover that was not confirmed is tried again",
        target=f"{BACKLOG}._lead",
        find="            continue\n",
        replace="            return\n",
    ),
    Mutant(
        name="new-block-wakes-no-add",
        source="own",
        breaks="an add that waits for an id goes on when there is one",
        target=f"{BACKLOG}._lead",
        find="        self.let_adds_look_again()\n",
        replace="",
    ),
    Mutant(
        name="level-is-saved-after-the-stop",
        source="FAULTS Z42",
        breaks="a manager that has stopped saves nothing",
        target=f"{MANAGER}._stop",
        find="    for holding in back:\n",
        replace="    self.backlog.save_before_stop()\n    for holding in back:\n",
    ),
    Mutant(
        name="level-is-saved-without-a-lease",
        source="own",
        breaks="only who has the lease saves",
        target=f"{BACKLOG}._save",
        find="self.range_id == 0 or self._claiming or self._saving",
        replace="self._saving",
    ),
)

LEVELS: Final = (
    Mutant(
        name="read-passes-writes-under-way",
        source="FAULTS Z32",
        breaks="a read goes no further than where nothing can appear any more",
        target=f"{BACKLOG}._top",
        find="next(iter(self._writes), self._next_id) - 1",
        replace="self._next_id - 1",
    ),
    Mutant(
        name="levels-begin-anew-with-each-block",
        source="FAULTS Z33",
        breaks="no level falls while its manager runs",
        target=f"{BACKLOG}._begin_block",
        find="if self.range_id == 0:",
        replace="if self.range_id >= 0:",
    ),
    Mutant(
        name="gap-is-read-again",
        source="FAULTS Z38",
        breaks="a read that found nothing moves the read level (a batch of gaps, where there are no expired tasks)",
        target=f"{MEMORY}.bring_in",
        find="self.read_level = batch.upto",
        replace="self.read_level = batch.records[-1].record_id if batch.records else self.read_level",
    ),
    Mutant(
        name="read-level-is-what-was-asked-for",
        source="own",
        breaks="a read that ends at its limit has read no further",
        target=f"{BACKLOG}._read",
        find="        self._bring_in(batch)\n",
        replace=(
            "        whole = len(batch.records) < self._limits.most_read\n"
            "        self._bring_in(batch if whole else attrs.evolve(batch, upto=self._top))\n"
        ),
    ),
    Mutant(
        name="ack-level-stays-before-a-gap",
        source="FAULTS Z38",
        breaks="the ack level follows the read level over ids that no record bears",
        target=f"{MEMORY}._move",
        find="else self.read_level",
        replace="else self.ack_level",
    ),
    Mutant(
        name="ack-level-is-that-of-the-last-finished",
        source="own",
        breaks="no ack level passes a task that is not finished",
        target=f"{MEMORY}.finish",
        find="    self._move()",
        replace="    self._move()\n    self.ack_level = max(self.ack_level, record.record_id)",
    ),
    Mutant(
        name="delete-goes-up-to-the-read-level",
        source="own",
        breaks="a record goes only when its task is finished",
        target=f"{BACKLOG}._delete",
        find="self.range_id, self.memory.ack_level",
        replace="self.range_id, self.memory.read_level",
    ),
    Mutant(
        name="delete-in-doubt-counts-as-done",
        source="own",
        breaks="what a manager is done with is deleted in the end",
        target=f"{BACKLOG}._delete",
        find="        except StoreError:\n",
        replace="        except StoreError:\n            self._deleted_level = level\n",
    ),
    Mutant(
        name="saved-level-is-the-read-level",
        source="own",
        breaks="what is saved is how far the manager is done",
        target=f"{BACKLOG}._save",
        find="self.memory.ack_level",
        replace="self.memory.read_level",
    ),
    Mutant(
        name="count-forgets-what-is-not-read",
        source="FAULTS Z40",
        breaks="a count is certain only where everything was read",
        target=f"{BACKLOG}.count",
        find="self.memory.unfinished + unread",
        replace="self.memory.unfinished",
    ),
    Mutant(
        name="count-is-always-certain",
        source="FAULTS Z40",
        breaks="a count is certain only where everything was read",
        target=f"{BACKLOG}.count",
        find="bool(self.range_id) and unread == 0",
        replace="bool(self.range_id)",
    ),
    Mutant(
        name="count-omits-what-is-in-a-hand",
        source="FAULTS Z40",
        breaks="a record in a hand is not finished",
        target=f"{MEMORY}.unfinished",
        find="len(self._available) + len(self._held)",
        replace="len(self._available)",
    ),
    Mutant(
        name="doubtful-write-is-accepted",
        source="own",
        breaks="an accepted task is stored or done with",
        target=f"{BACKLOG}._write",
        find="error = unknown",
        replace="error = None",
    ),
    Mutant(
        name="doubtful-read-is-not-repeated",
        source="own",
        breaks="what is stored is read in the end",
        target=f"{BACKLOG}._read",
        find="            await asyncio.sleep(self._limits.retry_seconds)\n            continue\n",
        replace="            return\n",
    ),
)

OUTCOMES: Final = (
    Mutant(
        name="kept-record-is-forgotten",
        source="FAULTS Z43",
        breaks="a record whose start nobody knows of is offered again",
        target=f"{MANAGER}.keep",
        find="self.backlog.memory.postpone(holding.record)",
        replace="self.backlog.memory._held.pop(holding.record.record_id)",
    ),
    Mutant(
        name="kept-record-counts-as-finished",
        source="FAULTS Z43",
        breaks="a record whose start nobody knows of is not finished",
        target=f"{MANAGER}.keep",
        find="self.backlog.memory.postpone(holding.record)",
        replace="self.backlog.finish(holding.record)",
    ),
    Mutant(
        name="kept-record-goes-before-the-others",
        source="own",
        breaks="a record whose start nobody knows of keeps no other waiting",
        target=f"{MANAGER}.keep",
        find="self.backlog.memory.postpone(holding.record)",
        replace="self.backlog.memory.release(holding.record)",
    ),
    Mutant(
        name="task-started-elsewhere-is-kept",
        source="FAULTS Z44",
        breaks="a task whose attempt another call started is dropped",
        target=f"{ENGINE}._ask",
        find="return DISPOSITIONS[outcome]",
        replace="return Disposition.KEEP if outcome is StartOutcome.ALREADY_STARTED else DISPOSITIONS[outcome]",
    ),
    Mutant(
        name="kept-task-without-a-record-is-accepted",
        source="FAULTS Z46",
        breaks="a task that arrived and whose start nobody knows of is stored before its add is answered",
        target=f"{ENGINE}._hand_over_or_store",
        find="if fate in _ENDS:\n                return _ENDS[fate]",
        replace="if fate is not Fate.BACK:\n                return None",
    ),
    Mutant(
        name="kept-task-is-not-stored",
        source="FAULTS Z46",
        breaks="a task that arrived and whose start nobody knows of is stored, not offered again",
        target=f"{ENGINE}._hand_over_or_store",
        find="must_be_stored = fate is Fate.OWED",
        replace="must_be_stored = False",
    ),
    Mutant(
        name="doubtful-start-fails-the-poll",
        source="FAULTS Z46",
        breaks="a poll goes on where History does not answer",
        target=f"{ENGINE}._ask",
        find="        outcome = StartOutcome.RETRYABLE",
        replace="        raise",
    ),
    Mutant(
        name="task-without-a-record-moves-the-ack-level",
        source="FAULTS Z48",
        breaks="a task that was never stored touches no level",
        target=f"{MANAGER}._finish",
        find="    if holding.handover is not None:\n",
        replace="    if holding.handover is not None:\n        self.backlog.memory.ack_level += 1\n",
    ),
    Mutant(
        name="task-is-handed-over-unasked",
        source="own",
        breaks="a worker gets only attempts that were started",
        target=f"{ENGINE}._ask",
        find="if task.item is None:",
        replace="if task.partition:",
    ),
    Mutant(
        name="doubtful-start-counts-as-started",
        source="own",
        breaks="a worker gets an attempt only where the start is known",
        target=f"{ENGINE}._ask",
        find="outcome = StartOutcome.RETRYABLE",
        replace="outcome = StartOutcome.STARTED",
    ),
    Mutant(
        name="stop-ends-a-handler-that-asks",
        source="own",
        breaks="a handler that asks outlives its manager",
        target=f"{MANAGER}._stop",
        find="ended = [poll for poll in self.polls.values() if poll.state is not State.ASKING]",
        replace="ended = list(self.polls.values())",
    ),
    Mutant(
        name="each-offer-has-a-request-id-of-its-own",
        source="own",
        breaks="a task keeps its request id until an answer is certain",
        target=f"{REQUEST_IDS}.of",
        find="if task.task_id not in kept:",
        replace="if task:",
    ),
    Mutant(
        name="request-id-outlives-its-manager",
        source="own",
        breaks="what a host knew of doubtful starts goes with its manager",
        target=f"{MANAGER}._stop",
        find="    self._request_ids.forget(self.owner.partition)\n",
        replace="",
    ),
    Mutant(
        name="request-id-goes-with-its-poll",
        source="own",
        breaks="a caller that leaves makes no start certain",
        target=f"{MANAGER}.abandon",
        find='        self._probe("GiveBack", ',
        replace='        self._request_ids.settle(holding.task)\n        self._probe("GiveBack", ',
    ),
    Mutant(
        name="given-back-record-is-forgotten",
        source="own",
        breaks="a record that was given back is offered again",
        target=f"{MANAGER}.abandon",
        find="self.backlog.memory.release(holding.record)",
        replace="self.backlog.memory._held.pop(holding.record.record_id)",
    ),
)

DELIVERY: Final = (*LEASE, *LEVELS, *OUTCOMES)
