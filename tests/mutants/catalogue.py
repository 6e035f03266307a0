"""The faults that are planted, each with the rule that it breaks.

Two rules:

1. Each is the smallest change that plants a fault of its kind, and the
   specification forbids what it does.  What cannot show is no fault, and is not
   here: a ``stop`` that is a step each time (the engine knows a manager only until
   it is stopped); an ``asyncio.timeout_at`` around a poll's wait (its timer runs
   behind the registration's own, and no match is made once either is due).
2. ``FAULTS Znn`` is a fault that a real service has had; ``own`` is one of ours.
"""

from __future__ import annotations

from typing import Final

from tests.mutants.mutant import Mutant

__all__ = ["MUTANTS"]

ENGINE: Final = "matching.engine:Engine"
REGISTRY: Final = "matching.registry:ManagerRegistry"
MANAGER: Final = "matching.manager:PartitionManager"
BACKLOG: Final = "matching.backlog:Backlog"
MEMORY: Final = "matching.memory:BacklogMemory"
REGISTRATION: Final = "matching.registration:Registration"
NAMESPACE: Final = "matching.namespace:NamespaceView"

LIFETIME: Final = (
    Mutant(
        name="stop-forgets-the-waiting-polls",
        source="FAULTS Z02",
        breaks="an unload ends every poll that waits under it",
        target=f"{MANAGER}._stop",
        find="ended = [poll for poll in self.polls.values() if poll.state is not State.ASKING]",
        replace="ended: list[Registration] = []",
    ),
    Mutant(
        name="stop-leaves-handlers-asleep",
        source="own",
        breaks="a poll that has ended returns to its caller",
        target=f"{MANAGER}._unload_poll",
        find="return self._end(registration, State.UNLOADED)",
        replace="return self.polls.pop(registration.request.poll_id).holding",
    ),
    Mutant(
        name="stop-lets-a-matched-poll-keep-its-task",
        source="own",
        breaks="a hand is filled only by a running manager of its own generation",
        target=f"{MANAGER}._stop",
        find="if poll.state is not State.ASKING",
        replace="if poll.state is State.WAITING",
    ),
    Mutant(
        name="stop-forgets-the-task-in-hand",
        source="own",
        breaks="a task taken back by an unload is offered again or stored, and its add is answered",
        target=f"{MANAGER}._stop",
        find="for holding in back:",
        replace="for holding in ():",
    ),
    Mutant(
        name="stop-keeps-its-memory",
        source="own",
        breaks="only a running manager has tasks in memory",
        target=f"{BACKLOG}.stop",
        find="self.memory.clear()",
        replace="pass",
    ),
    Mutant(
        name="start-reads-nothing",
        source="own",
        breaks="a new generation reads the backlog that is there",
        target=f"{BACKLOG}.start",
        find='self._tasks.spawn(self._read(), "read")',
        replace='self._tasks.spawn(asyncio.sleep(0), "read")',
    ),
    Mutant(
        name="generation-not-counted",
        source="own",
        breaks="a load makes the next generation",
        target=f"{REGISTRY}._begin",
        find="self._generations.get(partition, 0) + 1",
        replace="max(self._generations.get(partition, 0), 1)",
    ),
    Mutant(
        name="task-taken-back-is-offered-to-the-stopped-manager",
        source="own",
        breaks="a task taken back by an unload goes to a manager that runs",
        target=f"{ENGINE}._hand_over_or_store",
        find="    while True:\n        manager = await self._serving(task, has_waited=has_waited)\n",
        replace="    manager = await self._serving(task, has_waited=has_waited)\n    while True:\n",
    ),
)

POLLS: Final = (
    Mutant(
        name="zombie-poll-keeps-its-place",
        source="FAULTS Z16",
        breaks="a poll whose caller has left is taken back",
        target=f"{MANAGER}.abandon",
        find=(
            "        self._end(registration, State.INTERRUPTED)\n"
            '        self._probe("Withdraw", registration.request.poll_id)\n'
        ),
        replace="        return\n",
    ),
    Mutant(
        name="task-for-a-poll-cancelled-in-the-same-tick",
        source="own",
        breaks="a task comes only into the hand of a poll whose caller is there",
        target=f"{REGISTRATION}.can_receive",
        find=" and not self._waiter.done()",
        replace="",
    ),
    Mutant(
        name="task-for-a-poll-past-its-deadline",
        source="own",
        breaks="a task comes only into the hand of a poll in time",
        target=f"{REGISTRATION}.can_receive",
        find="now < self.request.deadline and ",
        replace="",
    ),
    Mutant(
        name="deadline-keeps-the-registration",
        source="own",
        breaks="a poll that has ended has no registration",
        target=f"{MANAGER}._expire",
        find="self._end(registration, State.EXPIRED)",
        replace="registration.move(State.EXPIRED)",
    ),
    Mutant(
        name="deadline-comes-early",
        source="own",
        breaks="the deadline ends only polls whose deadline has passed",
        target=f"{REGISTRATION}.start_timer",
        find="self.request.deadline, expire",
        replace="self.request.deadline - 0.05, expire",
    ),
    Mutant(
        name="poll-past-its-deadline-may-wait",
        source="own",
        breaks="a poll that arrives too late ends at once",
        target=f"{ENGINE}.poll",
        find="while request.deadline > loop.time():",
        replace="while True:",
    ),
    Mutant(
        name="leaving-after-a-match-is-overlooked",
        source="own",
        breaks="nothing is handed over to a caller that has left",
        target=f"{ENGINE}._or_abandon",
        find="        manager.abandon(registration)\n        raise",
        replace=(
            "        if registration.state is not State.MATCHED:\n"
            "            manager.abandon(registration)\n"
            "            raise"
        ),
    ),
    Mutant(
        name="leaving-decides-though-a-task-was-in-hand",
        source="own",
        breaks="a task on its way to a caller that left is given back; no exception decides an outcome",
        target=f"{ENGINE}._or_abandon",
        find="        manager.abandon(registration)\n",
        replace="        if registration.state is State.WAITING:\n            manager.abandon(registration)\n",
    ),
    Mutant(
        name="withdrawal-is-not-told",
        source="own",
        breaks="every change of state is a step of the specification",
        target=f"{MANAGER}.abandon",
        find='self._probe("Withdraw", registration.request.poll_id)',
        replace="pass",
    ),
    Mutant(
        name="unload-returns-an-error-instead-of-nothing",
        source="own",
        breaks="an unloaded poll returns empty",
        target=f"{ENGINE}.poll",
        find="        if registration.state is not State.MATCHED:\n",
        replace=(
            "        assert registration.state is not State.UNLOADED\n"
            "        if registration.state is not State.MATCHED:\n"
        ),
    ),
)

MATCHING: Final = (
    Mutant(
        name="match-ignores-the-namespace",
        source="own",
        breaks="no task moves while the namespace is passive",
        target=f"{MANAGER}._suits",
        find="self._namespace.active and ",
        replace="",
    ),
    Mutant(
        name="match-ignores-the-version",
        source="own",
        breaks="a task goes to a poll of its own version",
        target=f"{MANAGER}._suits",
        find=" and task.version == request.version",
        replace="",
    ),
    Mutant(
        name="failover-is-announced-too-soon",
        source="own",
        breaks="a task beside a suitable poll is matched when the namespace becomes active",
        target=f"{NAMESPACE}.hear",
        find="        self.known = news\n",
        replace=(
            "        for subscriber in self._subscribers:\n            subscriber(before, before)\n"
            "        self.known, self._subscribers = news, []\n"
        ),
    ),
    Mutant(
        name="registration-overlooks-the-memory",
        source="own",
        breaks="no registration leaves a task in memory beside a poll that may have it",
        target=f"{MANAGER}.register",
        find="lambda task: self._suits(task, request)",
        replace="lambda task: False",
    ),
    Mutant(
        name="give-back-drops-the-task",
        source="own",
        breaks="a task given back by a caller that left goes back to memory",
        target=f"{MANAGER}.abandon",
        find="self.backlog.memory.release(holding.record)",
        replace="self.backlog.memory._held.pop(holding.record.record_id)",
    ),
    Mutant(
        name="give-back-never-answers-the-add",
        source="own",
        breaks="an arriving task given back is offered again or stored, and its add is answered",
        target=f"{MANAGER}.abandon",
        find="self._settle(holding, Fate.BACK)",
        replace="pass",
    ),
    Mutant(
        name="give-back-matches-nobody",
        source="own",
        breaks="a task given back meets the next poll that may have it",
        target=f"{MANAGER}.abandon",
        find="self.rematch()",
        replace="pass",
    ),
    Mutant(
        name="match-leaves-the-task-in-memory",
        source="own",
        breaks="a task in a hand is in no memory",
        target=f"{MEMORY}.hold",
        find="self._available.pop(record.record_id)",
        replace="record",
    ),
    Mutant(
        name="handed-over-task-is-stored-as-well",
        source="own",
        breaks="a task that was handed over is not written",
        target=f"{ENGINE}._hand_over_or_store",
        find="            if fate in _ENDS:\n                return _ENDS[fate]\n",
        replace="",
    ),
)

STORE: Final = (
    Mutant(
        name="lease-wakes-no-add",
        source="own",
        breaks="a task that waited for an id is stored once there is one",
        target=f"{BACKLOG}._lead",
        find="        self.let_adds_look_again()\n",
        replace="",
    ),
    Mutant(
        name="id-is-given-twice",
        source="own",
        breaks="no two tasks of a queue bear one id",
        target=f"{BACKLOG}.append",
        find="self._next_id += 1",
        replace="pass",
    ),
    Mutant(
        name="block-is-overrun",
        source="own",
        breaks="an id belongs to the block of the range id under which it is written",
        target=f"{BACKLOG}.ready",
        find=" and self._next_id <= self._last_id",
        replace="",
    ),
    Mutant(
        name="next-block-before-the-writes-of-this-one-are-answered",
        source="own",
        breaks="the next range id is asked for when no write under the present one is under way",
        target=f"{BACKLOG}._wants_lease",
        find="not self._writes and ",
        replace="",
    ),
    Mutant(
        name="only-the-first-of-a-batch-is-answered",
        source="own",
        breaks="every add is answered",
        target=f"{BACKLOG}._write",
        find="for write in batch:",
        replace="for write in batch[:1]:",
    ),
    Mutant(
        name="failed-write-is-accepted",
        source="own",
        breaks="an accepted task has a record or has been handed over",
        target=f"{ENGINE}.add_task",
        find='raise Unavailable(f"the write of task {task.task_id} was not confirmed; add it again") from error',
        replace="return",
    ),
    Mutant(
        name="written-task-is-not-read",
        source="own",
        breaks="a stored task is read by the manager that wrote it",
        target=f"{BACKLOG}._write",
        find="        self._read_wanted.set()\n",
        replace="",
    ),
    Mutant(
        name="new-generation-reads-only-what-it-writes",
        source="own",
        breaks="a new generation reads on from where the saved ack level is",
        target=f"{BACKLOG}._begin_block",
        find="self.memory.begin(lease.ack_level)",
        replace="self.memory.begin((lease.range_id - 1) * self._limits.block_size)",
    ),
    Mutant(
        name="read-passes-a-write-under-way",
        source="own",
        breaks="a read goes no further than where nothing can appear any more",
        target=f"{BACKLOG}._top",
        find="next(iter(self._writes), self._next_id) - 1",
        replace="self._next_id - 1",
    ),
    Mutant(
        name="failed-read-is-not-repeated",
        source="own",
        breaks="a stored task is read in the end",
        target=f"{BACKLOG}._read",
        find="            continue\n",
        replace="            return\n",
    ),
    Mutant(
        name="gap-is-not-jumped",
        source="own",
        breaks="ids that no record bears do not hold the levels back",
        target=f"{MEMORY}.bring_in",
        find="self.read_level = batch.upto",
        replace="self.read_level = batch.records[-1].record_id if batch.records else self.read_level",
    ),
    Mutant(
        name="ack-level-passes-what-is-not-finished",
        source="own",
        breaks="no ack level has passed a task that is not finished",
        target=f"{MEMORY}._move",
        find="self._unfinished[0] - 1 if self._unfinished else self.read_level",
        replace="self.read_level",
    ),
    Mutant(
        name="delete-before-delivery",
        source="own",
        breaks="a record goes only after its task was handed over",
        target=f"{BACKLOG}._delete",
        find="range_id, level = self.range_id, self.memory.ack_level",
        replace="range_id, level = self.range_id, self.memory.read_level",
    ),
    Mutant(
        name="handed-over-record-is-not-finished",
        source="own",
        breaks="a task that was handed over does not hold the ack level back",
        target=f"{MANAGER}._finish",
        find="self.backlog.finish(holding.record)",
        replace="pass",
    ),
)

MUTANTS: Final = (*LIFETIME, *POLLS, *MATCHING, *STORE)
