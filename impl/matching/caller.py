"""The side that calls: it tells the probe what it asked and what it saw.

Three rules:

1. It tells what came back from the call itself, never what the service says of it.
2. It hears the service's steps on their way to the probe, only to know which polls
   have ended: a deadline that passes afterwards is nothing to tell.
3. A deadline has passed when the caller's own clock says so.  On the ordinary loop
   that is noticed when it first makes a difference: when the service ends a poll for
   it, and when a task finds no poll that may have it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from types import MappingProxyType

import attrs

from matching.engine import Engine
from matching.errors import StickyUnsupported, Unavailable
from matching.hops import OfferAnswer
from matching.identity import Host, PartitionKey, PollId, TaskId
from matching.probe import Probe, silent
from matching.registry import Process
from matching.requests import PollRequest, Task

__all__ = ["CLOCK_SLACK_SECONDS", "Caller", "OpenAdd", "OpenOffer", "OpenPoll"]

CLOCK_SLACK_SECONDS = 0.001
"""How much too early the ordinary loop may fire a timer without anybody minding."""


@attrs.define(eq=False)
class OpenPoll:
    """A call of poll that has not returned, as its caller knows it; a hop's caller is a manager."""

    request: PollRequest
    host: Host
    call: asyncio.Task[Task | None]
    arrived: bool = False
    asking: bool = False
    ended: bool = False
    late: bool = False
    left: bool = False

    @property
    def may_leave(self) -> bool:
        """Whether the caller still waits, and has been given nothing."""
        if self.left or self.call.cancelled():
            return False
        return not self.call.done() or (self.call.exception() is None and self.call.result() is None)


@attrs.define(eq=False)
class OpenAdd:
    """A call of add that has not returned; ``answer`` is what its caller waits for."""

    host: Host
    call: asyncio.Task[None]
    answer: asyncio.Future[None]
    arrived: bool = False


@attrs.define(eq=False)
class OpenOffer:
    """A hop of a task that has not returned."""

    host: Host
    call: asyncio.Task[OfferAnswer]
    arrived: bool = False


class Caller:
    """Workers and producers of all engines.

    Its ``hear`` is the probe that engines, namespace, store and History are given.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, probe: Probe = silent) -> None:
        self.probe = probe
        self._loop = loop
        self._polls: dict[PollId, OpenPoll] = {}
        self._adds: dict[TaskId, OpenAdd] = {}
        self._offers: dict[TaskId, OpenOffer] = {}
        self._serving: dict[tuple[object, ...], object] = {}
        """The generation that serves, by host and partition, or served last."""

    @property
    def polls(self) -> Mapping[PollId, OpenPoll]:
        """The calls of poll that have not returned."""
        return MappingProxyType(self._polls)

    @property
    def adds(self) -> Mapping[TaskId, OpenAdd]:
        """The calls of add that have not returned."""
        return MappingProxyType(self._adds)

    @property
    def offers(self) -> Mapping[TaskId, OpenOffer]:
        """The hops of tasks that have not returned."""
        return MappingProxyType(self._offers)

    def start_poll(self, engine: Engine, request: PollRequest) -> asyncio.Task[Task | None]:
        """Call poll in a task of its own. (StartPoll)"""
        self.probe("StartPoll", request.poll_id, request.worker, str(request.partition), request.version)
        call = self._loop.create_task(engine.poll(request))
        call.set_name(f"poll {request.poll_id}")
        self._polls[request.poll_id] = OpenPoll(request, engine.host, call)
        call.add_done_callback(lambda done: self._poll_returned(request.poll_id, done))
        return call

    def serve_poll(self, engine: Engine, request: PollRequest) -> asyncio.Task[Task | None]:
        """Serve a hop that arrives, in a task of its own. (ArrivePoll)"""
        assert request.forward_info is not None
        self.probe("ArrivePoll", request.poll_id)
        call = self._loop.create_task(engine.poll(request))
        call.set_name(f"hop {request.poll_id}")
        self._polls[request.poll_id] = OpenPoll(request, engine.host, call)
        call.add_done_callback(lambda done: self._polls.pop(request.poll_id))
        return call

    def serve_offer(self, engine: Engine, task: Task) -> asyncio.Task[OfferAnswer]:
        """Serve an offer that arrives, in a task of its own. (ArriveTask)"""
        assert task.forward_info is not None
        self.probe("ArriveTask", task.task_id, engine.host)
        call = self._loop.create_task(self._offer(engine, task))
        call.set_name(f"offer {task.task_id}")
        self._offers[task.task_id] = OpenOffer(engine.host, call)
        call.add_done_callback(lambda done: self._offers.pop(task.task_id))
        return call

    async def _offer(self, engine: Engine, task: Task) -> OfferAnswer:
        self._offers[task.task_id].arrived = True
        return await engine.offer(task)

    def cancel_offer(self, task_id: TaskId) -> None:
        """Interrupt a hop of a task for which nobody waits."""
        offer = self._offers.get(task_id)
        if offer is not None and offer.call.cancel() and not offer.arrived:
            self.probe("AbandonAdd", task_id)  # no handler will ever see the task

    def order_load(self, engine: Engine, partition: PartitionKey) -> None:
        """Order that a partition be loaded, where it is not. (OrderLoad)

        Raises:
            Unavailable: the host loads nothing any more.
        """
        if engine.registry.process is Process.UP and partition not in engine.managers and not partition.sticky:
            self.probe("OrderLoad", engine.host, str(partition))
        engine.load(partition)

    def order_unload(self, engine: Engine, partition: PartitionKey) -> None:
        """Order that a partition be unloaded, where it is loaded. (OrderUnload)"""
        if partition in engine.managers:
            self.probe("OrderUnload", engine.host, str(partition))
        engine.unload(partition)

    def leave(self, poll_id: PollId) -> bool:
        """Interrupt a call of poll, also one that has ended empty and not returned; tell if it was.

        That of a hop is interrupted by a cancel from whoever made it. (CallerLeaves, CancelHop)
        """
        poll = self._polls.get(poll_id)
        if poll is None or not poll.may_leave or not (poll.call.done() or poll.call.cancel()):
            return False
        self.probe("CallerLeaves" if poll.request.forward_info is None else "CancelHop", poll_id)
        poll.left = True
        poll.ended = poll.ended or not poll.arrived
        return True

    def add_task(self, engine: Engine, task: Task) -> asyncio.Future[None]:
        """Call add in a task of its own; give the caller's side of it. (AddTask, Transfer)"""
        where = (task.task_id, engine.host, str(task.partition), task.version)
        if task.item is None:
            self.probe("AddTask", *where)
        else:
            self.probe("Transfer", *where, task.item.event_id, task.item.attempt, task.item.stamp)
        call = self._loop.create_task(self._add(engine, task))
        call.set_name(f"add {task.task_id}")
        add = self._adds[task.task_id] = OpenAdd(engine.host, call, self._loop.create_future())
        call.add_done_callback(lambda done: self._add_returned(task.task_id, done))
        return add.answer

    async def _add(self, engine: Engine, task: Task) -> None:
        self._adds[task.task_id].arrived = True
        await engine.add_task(task)

    def lose_add(self, task_id: TaskId, *, interrupt: bool) -> None:
        """Give up a call of add, if it still runs: its answer is lost, or its handler is interrupted. (LeaveAdd)"""
        add = self._adds.get(task_id)
        if add is None or add.call.done() or add.answer.done():
            return
        self.probe("LeaveAdd", task_id)
        add.answer.set_exception(Unavailable(f"the answer to the add of {task_id} was lost"))
        add.answer.exception()  # a caller need not look
        if interrupt:
            if not add.arrived:
                self.probe("AbandonAdd", task_id)  # no handler will ever see the task
            add.call.cancel()

    def time_passes(self, now: float) -> None:
        """Note the deadlines that have passed. (DeadlinePasses)"""
        for poll_id, poll in self._polls.items():
            if not poll.ended and not poll.late and poll.request.deadline <= now:
                poll.late = True
                self.probe("DeadlinePasses", poll_id)

    def hear(self, action: str, *args: str | int | tuple[str, ...]) -> None:
        """Pass a step of the service on to the probe."""
        if action == "Spool":
            self.time_passes(self._loop.time())
        elif action == "Start":
            self._serving[args[:2]] = args[2]
        elif action == "Vanish" or (action == "Unload" and self._serving.get(args[:2]) == args[2]):
            for poll in self._polls.values():
                here = (poll.host, str(poll.request.partition)) == args[:2]
                poll.ended = poll.ended or (here and poll.arrived and not poll.asking)
        elif (subject := _SUBJECT.get(action)) is not None:
            poll_id, ends = subject(args)
            known = self._polls.get(PollId(poll_id))
            if known is not None:
                if action == "Expire":
                    self._notice_deadline(known)
                known.arrived, known.ended = action not in ("Drop", "Keep"), ends
                known.asking = action == "Ask"
        self.probe(action, *args)

    def _notice_deadline(self, poll: OpenPoll) -> None:
        clock = self._loop.time()
        if not poll.late and poll.request.deadline <= clock + CLOCK_SLACK_SECONDS:
            poll.late = True
            self.probe("DeadlinePasses", poll.request.poll_id)

    def _poll_returned(self, poll_id: PollId, call: asyncio.Task[Task | None]) -> None:
        del self._polls[poll_id]
        if call.cancelled():
            self.probe("Return", poll_id, ("interrupted",))
        elif isinstance(call.exception(), StickyUnsupported):
            self.probe("Return", poll_id, ("rejected",))
        else:
            task = call.result()
            self.probe("Return", poll_id, ("empty",) if task is None else ("task", task.task_id))

    def _add_returned(self, task_id: TaskId, call: asyncio.Task[None]) -> None:
        add = self._adds.pop(task_id)
        if call.cancelled():
            return
        error = call.exception()
        if error is not None and not isinstance(error, Unavailable | StickyUnsupported):
            raise error
        if add.answer.done():
            return  # its caller has gone
        refusal = "rejected" if isinstance(error, StickyUnsupported) else "refused"
        self.probe("AnswerAdd", task_id, "accepted" if error is None else refusal)
        if error is None:
            add.answer.set_result(None)
        else:
            add.answer.set_exception(error)
            add.answer.exception()  # a caller need not look


def _first(*, ends: bool) -> Callable[[tuple[object, ...]], tuple[str, bool]]:
    return lambda args: (str(args[0]), ends)


def _second(*, ends: bool) -> Callable[[tuple[object, ...]], tuple[str, bool]]:
    return lambda args: (str(args[1]), ends)


_SUBJECT: Mapping[str, Callable[[tuple[object, ...]], tuple[str, bool]]] = {
    "Register": _first(ends=False),
    "Forward": _first(ends=False),
    "Resume": _first(ends=True),
    "Break": _first(ends=True),
    "RejectPoll": _first(ends=True),
    "Take": _first(ends=False),
    "SyncMatch": _second(ends=False),
    "Match": _second(ends=False),
    "Ask": _second(ends=False),
    "Drop": _second(ends=False),
    "Keep": _second(ends=False),
    "Deliver": _second(ends=True),
    "GiveBack": _second(ends=True),
    "Expire": _first(ends=True),
    "Refuse": _first(ends=True),
    "Withdraw": _first(ends=True),
}
"""Which poll a step is about, and whether it ends it."""
