"""Faults of the tree: of what a hop carries, and of who waits for it; those of offered tasks are in ``offers.py``.

Three rules:

1. Each is the smallest change that plants a fault of its kind, as in ``catalogue.py``; it shows where two hosts share
   a tree of partitions whose hops are slow or lost.
2. A kind that cannot exist here is planted as the nearest that can, and says so.
3. What cannot show is no fault, and is not here: a poll that stays among the waiting ones of a child (none is given
   a task once it is forwarded); a timer for another offer that outlives its manager (it finds nothing to offer).
"""

from __future__ import annotations

from typing import Final

from tests.mutants.mutant import Mutant
from tests.mutants.offers import OFFERS

__all__ = ["FORWARDING"]

ENGINE: Final = "matching.engine:Engine"
FORWARDER: Final = "matching.forwarder:Forwarder"
MANAGER: Final = "matching.manager:PartitionManager"
CARRY_POLL: Final = "matching.forwarder:carry_poll"
CARRY_TASK: Final = "matching.forwarder:carry_task"

FIELDS: Final = (
    Mutant(
        name="hop-of-a-poll-loses-its-worker",
        source="FAULTS Z17",
        breaks="a hop carries the worker, by whom the parent finds the polls of one that shuts down",
        target=CARRY_POLL,
        find="        poll_id=hop_id,\n",
        replace='        poll_id=hop_id,\n        worker="nobody",\n',
    ),
    Mutant(
        name="hop-of-a-poll-loses-its-version",
        source="FAULTS Z57",
        breaks="a hop of a poll carries every field of the call below",
        target=CARRY_POLL,
        find="        poll_id=hop_id,\n",
        replace='        poll_id=hop_id,\n        version="unversioned",\n',
    ),
    Mutant(
        name="hop-of-a-task-loses-its-version",
        source="FAULTS Z57",
        breaks="a hop of a task carries every field of the call below",
        target=CARRY_TASK,
        find="        task_id=hop_id,\n",
        replace='        task_id=hop_id,\n        version="unversioned",\n',
    ),
    Mutant(
        name="hop-of-a-task-loses-its-item",
        source="FAULTS Z57",
        breaks="a hop of a task stands for what the task below stands for",
        target=CARRY_TASK,
        find="        task_id=hop_id,\n",
        replace="        task_id=hop_id,\n        item=None,\n",
    ),
    Mutant(
        name="hop-of-a-poll-has-a-deadline-of-its-own",
        source="FAULTS Z57",
        breaks="a hop of a poll waits as long as the call below, and no longer",
        target=CARRY_POLL,
        find="        poll_id=hop_id,\n",
        replace="        poll_id=hop_id,\n        deadline=request.deadline + 60.0,\n",
    ),
    Mutant(
        name="second-hop-of-a-poll-forgets-the-first-call",
        source="own",
        breaks="a hop tells for which client's poll it is made, however many hops are between",
        target=CARRY_POLL,
        find="first=request.poll_id if below is None else below.first",
        replace="first=request.poll_id",
    ),
    Mutant(
        name="second-hop-of-a-task-forgets-its-origin",
        source="own",
        breaks="a hop tells where the client's task was added, however many hops are between",
        target=CARRY_TASK,
        find="origin=task.partition if below is None else below.origin",
        replace="origin=task.partition",
    ),
    Mutant(
        name="hop-of-a-task-names-another-generation",
        source="own",
        breaks="a hop tells which generation of a manager made it",
        target=CARRY_TASK,
        find="generation=generation",
        replace="generation=1",
    ),
    Mutant(
        name="parent-is-a-neighbor",
        source="own",
        breaks="a partition asks its own parent",
        target="matching.engine:parent_of",
        find="(partition.partition + DEGREE - 1) // DEGREE - 1",
        replace="partition.partition // DEGREE",
    ),
    Mutant(
        name="hop-stays-at-its-own-host",
        source="own",
        breaks="a hop goes to the host that owns the parent, as far as its maker knows",
        target=f"{ENGINE}._where",
        find="hosts.route(partition) if hosts.hosts else self.host",
        replace="self.host",
    ),
)

POLLS: Final = (
    Mutant(
        name="zombie-hop-waits-on-above",
        source="FAULTS Z16",
        breaks="whoever waits for a hop no longer cancels it",
        target=f"{FORWARDER}.let_go",
        find="        call.cancel()\n",
        replace="        return\n",
    ),
    Mutant(
        name="zombie-hop-keeps-its-place",
        source="FAULTS Z16",
        breaks="a hop that was cancelled is taken back by the parent",
        target=f"{MANAGER}.abandon",
        find="if registration.state in (State.WAITING, State.FORWARDED):\n",
        replace=(
            "if registration.request.forward_info is not None and registration.state is State.WAITING:\n"
            "        return\n"
            "    if registration.state in (State.WAITING, State.FORWARDED):\n"
        ),
    ),
    Mutant(
        name="leaving-a-forwarded-poll-is-overlooked",
        source="FAULTS Z16",
        breaks="a poll whose caller has left waits for its hop no longer",
        target=f"{MANAGER}.abandon",
        find="if registration.state in (State.WAITING, State.FORWARDED):",
        replace="if registration.state is State.WAITING:",
    ),
    Mutant(
        name="cancelled-hop-polls-once-more",
        source="FAULTS Z17",
        breaks="a hop that was cancelled polls no more (where a worker that shuts down would poll once more)",
        target=f"{ENGINE}.poll",
        find="            await self._or_abandon(registration.wake(), manager, registration)\n",
        replace=(
            "            try:\n"
            "                await self._or_abandon(registration.wake(), manager, registration)\n"
            "            except asyncio.CancelledError:\n"
            "                if request.forward_info is None:\n"
            "                    raise\n"
            "                continue\n"
        ),
    ),
    Mutant(
        name="poll-whose-hop-failed-polls-again",
        source="FAULTS Z20",
        breaks="a hop that fails ends its poll, which waited above, and may still",
        target=f"{ENGINE}.poll",
        find="        if registration.state is State.UNANSWERED and request.forward_info is not None:\n",
        replace=(
            "        if registration.state is State.UNANSWERED:\n"
            "            continue\n"
            "        if registration.state is State.UNANSWERED and request.forward_info is not None:\n"
        ),
    ),
    Mutant(
        name="empty-answer-is-dressed-as-a-task",
        source="FAULTS Z21",
        breaks="an empty answer from above is none to the caller",
        target=f"{FORWARDER}.resume",
        find="registration.passed = call.result()",
        replace="registration.passed = call.result() or Task(hop_id, self._parent)",
    ),
    Mutant(
        name="poll-with-an-empty-answer-polls-again",
        source="FAULTS Z20",
        breaks="an empty answer from above ends the poll, as an unload here does",
        target=f"{ENGINE}.poll",
        find="        if registration.state is not State.MATCHED:\n",
        replace=(
            "        if registration.state is State.ANSWERED and registration.passed is None:\n"
            "            continue\n"
            "        if registration.state is not State.MATCHED:\n"
        ),
    ),
    Mutant(
        name="hop-that-failed-sends-no-poll-on-any-more",
        source="FAULTS Z54",
        breaks="a hop that failed keeps no other poll at the child",
        target=f"{FORWARDER}.resume",
        find='        self._probe("Break", ',
        replace=('        self._limits = attrs.evolve(self._limits, most_polls=0)\n        self._probe("Break", '),
    ),
    Mutant(
        name="failed-hop-counts-as-empty",
        source="own",
        breaks="an answer that did not come is none",
        target=f"{FORWARDER}.resume",
        find=(
            "        self._end(registration, State.UNANSWERED)\n"
            '        self._probe("Break", registration.request.poll_id)\n'
        ),
        replace=(
            "        self._end(registration, State.ANSWERED)\n"
            '        self._probe("Resume", registration.request.poll_id, hop_id)\n'
        ),
    ),
    Mutant(
        name="poll-of-which-nothing-is-known-is-told-as-empty",
        source="own",
        breaks="to a hop a poll of which nobody knows is an error, for it may still wait above",
        target=f"{ENGINE}.poll",
        find="registration.state is State.UNANSWERED and request.forward_info is not None",
        replace="registration.state is State.UNANSWERED and not request",
    ),
    Mutant(
        name="forwarded-poll-waits-below-as-well",
        source="own",
        breaks="a poll has one registration at most over the whole tree",
        target=f"{FORWARDER}.send_on",
        find="    registration.move(State.FORWARDED)\n",
        replace="",
    ),
    Mutant(
        name="unload-leaves-the-forwarded-polls",
        source="own",
        breaks="no poll outlives a manager through which it went",
        target=f"{MANAGER}._stop",
        find="if poll.state is not State.ASKING",
        replace="if poll.state not in (State.ASKING, State.FORWARDED)",
    ),
    Mutant(
        name="answer-that-comes-too-late-is-passed-on",
        source="own",
        breaks="a poll that has ended passes no task on, though its hop has just been answered",
        target=f"{FORWARDER}.send_on",
        find="lambda done: registration.wake_up()",
        replace=(
            "lambda done: (\n"
            '        done.cancelled() or done.exception() or setattr(registration, "passed", done.result()),\n'
            "        registration.wake_up(),\n"
            "    )"
        ),
    ),
    Mutant(
        name="forwarded-poll-has-no-deadline",
        source="own",
        breaks="a forwarded poll ends at its deadline, whatever becomes of its hop",
        target=f"{MANAGER}._expire",
        find="registration.state not in (State.WAITING, State.FORWARDED)",
        replace="registration.state is not State.WAITING",
    ),
    Mutant(
        name="poll-goes-on-though-a-task-of-its-version-is-there",
        source="own",
        breaks="a poll goes to the parent only where nothing of its version is left below",
        target=f"{FORWARDER}.may_send_on",
        find="return all(record.task.version != version for record in self._backlog.memory.known())",
        replace="return True",
    ),
    Mutant(
        name="poll-stays-for-tasks-of-another-version",
        source="own",
        breaks="a backlog of another version keeps no poll at the child",
        target=f"{FORWARDER}.may_send_on",
        find="return all(record.task.version != version for record in self._backlog.memory.known())",
        replace="return not any(True for _ in self._backlog.memory.known())",
    ),
    Mutant(
        name="poll-goes-on-before-all-is-read",
        source="own",
        breaks="a poll goes to the parent only where the child has read all that there can be",
        target=f"{FORWARDER}.may_send_on",
        find=" or read_level != next_id - 1",
        replace="",
    ),
    Mutant(
        name="poll-goes-on-without-a-lease",
        source="own",
        breaks="a poll goes to the parent only where the child leads, and knows what is stored",
        target=f"{FORWARDER}.may_send_on",
        find="range_id == 0 or read_level != next_id - 1",
        replace="read_level < next_id - 1",
    ),
    Mutant(
        name="waiting-polls-stay-when-the-backlog-has-gone",
        source="own",
        breaks="a poll that waited for the last task of a backlog goes on to the parent",
        target=f"{MANAGER}._send_on",
        find="        if may_wait and ",
        replace="        if not self.owner.host and ",
    ),
    Mutant(
        name="delivery-sends-no-poll-on",
        source="own",
        breaks="a poll beside a backlog that was handed over goes on to the parent",
        target=f"{MANAGER}.deliver",
        find="    self._send_on()\n",
        replace="",
    ),
)

FORWARDING: Final = (*FIELDS, *POLLS, *OFFERS)
