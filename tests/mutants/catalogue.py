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
MANAGER: Final = "matching.manager:PartitionManager"
MEMORY: Final = "matching.memory:BacklogMemory"
REGISTRATION: Final = "matching.registration:Registration"
NAMESPACE: Final = "matching.namespace:NamespaceState"

LIFETIME: Final = (
    Mutant(
        name="stop-forgets-the-waiting-polls",
        source="FAULTS Z02",
        breaks="an unload ends every poll that waits under it",
        target=f"{MANAGER}.stop",
        find="polls, self.polls = self.polls, {}",
        replace="polls: dict[str, Registration] = {}",
    ),
    Mutant(
        name="stop-leaves-handlers-asleep",
        source="own",
        breaks="a poll that has ended returns to its caller",
        target=f"{MANAGER}.stop",
        find="for registration in polls.values():",
        replace="for registration in ():",
    ),
    Mutant(
        name="stop-lets-a-matched-poll-keep-its-task",
        source="own",
        breaks="a hand is filled only by a running manager of its own generation",
        target=f"{MANAGER}.stop",
        find="polls, self.polls = self.polls, {}",
        replace=(
            "polls = {key: poll for key, poll in self.polls.items() if poll.state is State.WAITING}\n"
            "    self.polls = {key: poll for key, poll in self.polls.items() if poll.state is not State.WAITING}"
        ),
    ),
    Mutant(
        name="stop-forgets-the-task-in-hand",
        source="own",
        breaks="a task taken back by an unload is offered again or stored, and its add is answered",
        target=f"{MANAGER}.stop",
        find="if held is not None and held.handover is not None:",
        replace="if False:",
    ),
    Mutant(
        name="stop-keeps-its-memory",
        source="own",
        breaks="only a running manager has tasks in memory",
        target=f"{MANAGER}.stop",
        find="self.memory.clear()",
        replace="pass",
    ),
    Mutant(
        name="start-reads-nothing",
        source="own",
        breaks="a new generation reads the backlog that is there",
        target=f"{MANAGER}.start",
        find="self._read_wanted.set()",
        replace="pass",
    ),
    Mutant(
        name="generation-not-counted",
        source="own",
        breaks="a load makes the next generation",
        target=f"{ENGINE}.load",
        find="self._generations.get(partition, 0) + 1",
        replace="max(self._generations.get(partition, 0), 1)",
    ),
    Mutant(
        name="late-answer-counts-for-a-stopped-generation",
        source="own",
        breaks="an answer to a delete that comes when its generation has stopped changes nothing",
        target=f"{MANAGER}._delete",
        find="confirmed = self.running",
        replace="confirmed = True",
    ),
    Mutant(
        name="written-task-wakes-only-the-generation-that-asked",
        source="own",
        breaks="a stored task is read by the manager that runs now",
        target=f"{ENGINE}.add_task",
        find="self._refresh(task.partition)",
        replace="manager.refresh()",
    ),
    Mutant(
        name="task-taken-back-is-offered-to-the-stopped-manager",
        source="own",
        breaks="a task taken back by an unload goes to a manager that runs",
        target=f"{ENGINE}.add_task",
        find="            return\n        manager = self.load(task.partition)",
        replace="            return",
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
        find=" and now < self.request.deadline",
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
        find="if request.deadline <= asyncio.get_running_loop().time():",
        replace="if False:",
    ),
    Mutant(
        name="leaving-after-a-match-is-overlooked",
        source="own",
        breaks="nothing is handed over to a caller that has left",
        target=f"{ENGINE}.poll",
        find="            manager.abandon(registration)\n            raise",
        replace=(
            "            if registration.state is State.MATCHED:\n"
            "                return manager.deliver(registration)\n"
            "            manager.abandon(registration)\n"
            "            raise"
        ),
    ),
    Mutant(
        name="leaving-decides-though-a-task-was-in-hand",
        source="own",
        breaks="a task on its way to a caller that left is given back; no exception decides an outcome",
        target=f"{ENGINE}.poll",
        find="            manager.abandon(registration)\n",
        replace="            if registration.state is State.WAITING:\n                manager.abandon(registration)\n",
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
        find="return manager.deliver(registration) if registration.state is State.MATCHED else None",
        replace=(
            "assert registration.state is not State.UNLOADED\n"
            "    return manager.deliver(registration) if registration.state is State.MATCHED else None"
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
        target=f"{NAMESPACE}.change",
        find="    self._active = active\n",
        replace=(
            "    for callback in self._callbacks:\n        callback()\n    self._active, self._callbacks = active, []\n"
        ),
    ),
    Mutant(
        name="registration-overlooks-the-memory",
        source="own",
        breaks="no registration leaves a task in memory beside a poll that may have it",
        target=f"{MANAGER}.register",
        find="self.memory.first(lambda task: self._suits(task, request))",
        replace="self.memory.first(lambda task: False)",
    ),
    Mutant(
        name="give-back-drops-the-task",
        source="own",
        breaks="a task given back by a caller that left goes back to memory",
        target=f"{MANAGER}.abandon",
        find="self.memory.release(holding.task)",
        replace="self.memory._held.pop(holding.task.task_id)",
    ),
    Mutant(
        name="give-back-never-answers-the-add",
        source="own",
        breaks="an arriving task given back is offered again or stored, and its add is answered",
        target=f"{MANAGER}.abandon",
        find="holding.handover.settle(taken=False)",
        replace="pass",
    ),
    Mutant(
        name="give-back-matches-nobody",
        source="own",
        breaks="a task given back meets the next poll that may have it",
        target=f"{MANAGER}.abandon",
        find="        self._match()",
        replace="        pass",
    ),
    Mutant(
        name="match-leaves-the-task-in-memory",
        source="own",
        breaks="a task in a hand is in no memory",
        target=f"{MEMORY}.hold",
        find="self._available.pop(task.task_id)",
        replace="task",
    ),
    Mutant(
        name="handed-over-task-is-stored-as-well",
        source="own",
        breaks="a task that was handed over is not written",
        target=f"{ENGINE}.add_task",
        find="            return\n",
        replace="            break\n",
    ),
)

STORE: Final = (
    Mutant(
        name="delete-before-delivery",
        source="own",
        breaks="a record goes only after its task was handed over",
        target=f"{MANAGER}._match",
        find="self.memory.hold(task)",
        replace=(
            'self.memory.hold(task)\n            self._spawn(self._store.delete(self.owner, task.task_id), "early")'
        ),
    ),
    Mutant(
        name="failed-delete-counts-as-confirmed",
        source="own",
        breaks="a delete counts as confirmed only if the record is gone",
        target=f"{MANAGER}._delete",
        find="confirmed = False",
        replace="confirmed = self.running",
    ),
    Mutant(
        name="doubtful-delete-is-not-looked-into",
        source="own",
        breaks="a record that a failed delete left is read again",
        target=f"{MANAGER}._delete",
        find="            self._read_wanted.set()\n",
        replace="",
    ),
    Mutant(
        name="handed-over-task-is-never-deleted",
        source="own",
        breaks="handing over a task with a record owes a delete",
        target=f"{MANAGER}.deliver",
        find="self._spawn(self._delete(holding.task), ",
        replace="self._spawn(asyncio.sleep(0), ",
    ),
    Mutant(
        name="read-brings-back-what-is-being-deleted",
        source="own",
        breaks="a read brings in only records that are not being deleted",
        target=f"{MEMORY}.bring_in",
        find="self._held, self._deleting, self",
        replace="self._held, self",
    ),
    Mutant(
        name="read-brings-in-what-is-in-a-hand",
        source="own",
        breaks="a task is in at most one hand, and then in no memory",
        target=f"{MEMORY}.bring_in",
        find="self._available, self._held, ",
        replace="self._available, ",
    ),
    Mutant(
        name="old-read-brings-back-what-was-deleted",
        source="own",
        breaks="a read answered late does not bring back a record that is gone",
        target=f"{MEMORY}.confirm_delete",
        find="if self._reading:",
        replace="if False:",
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
        name="failed-read-is-not-repeated",
        source="own",
        breaks="a stored task is read in the end",
        target=f"{MANAGER}._read_backlog",
        find="            self._read_wanted.set()\n",
        replace="",
    ),
)

MUTANTS: Final = (*LIFETIME, *POLLS, *MATCHING, *STORE)
