"""One generation of one partition's manager: its waiting polls and its part of the backlog.

Four rules keep this module simple:

1. Every public method, and every callback, is one atomic step or a few: each
   changes state and then tells the probe, before it awaits anything.  The
   docstring names the action of ``spec/PollRegistration.tla``.
2. Whether a task and a poll may meet is judged when they meet, never before:
   the namespace's state, the deadline and the caller's presence are read anew.
3. Stop is final.  A callback that comes later finds ``running`` false and
   changes nothing that anybody can see.
4. It decides nothing about time or chance.  Time is the running event loop's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

from matching.errors import InvalidArgument, StoreError
from matching.holding import Handover, Holding
from matching.identity import Owner
from matching.memory import BacklogMemory
from matching.namespace import NamespaceState
from matching.probe import Probe
from matching.registration import Registration, State
from matching.requests import PollRequest, Task
from matching.store import BacklogStore

__all__ = ["READ_RETRY_SECONDS", "PartitionManager"]

READ_RETRY_SECONDS = 1.0


class PartitionManager:
    """The loaded state of one partition on one host."""

    def __init__(self, owner: Owner, *, store: BacklogStore, namespace: NamespaceState, probe: Probe) -> None:
        self.owner = owner
        self.running = False
        self.memory = BacklogMemory()
        self.polls: dict[str, Registration] = {}
        self._store = store
        self._namespace = namespace
        self._probe = probe
        self._read_wanted = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None
        self._deletes: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin to serve, and ask for the backlog that is there. (Load)"""
        self.running = True
        self._probe("Load", self.owner.host, str(self.owner.partition))
        self._read_wanted.set()
        self._reader = self._spawn(self._read_backlog(), "read")

    def stop(self) -> None:
        """End every poll, take back what was in their hands, forget the backlog's memory. (Unload)

        A second stop is no step.
        """
        if not self.running:
            return
        self.running = False
        polls, self.polls = self.polls, {}
        for registration in polls.values():
            held = registration.move(State.UNLOADED)
            if held is not None and held.handover is not None:
                held.handover.settle(taken=False)
        self.memory.clear()
        if self._reader is not None:
            self._reader.cancel()
        self._probe("Unload", self.owner.host, str(self.owner.partition))

    @property
    def quiet(self) -> bool:
        """Tell whether nothing of this generation runs any more."""
        return not self._deletes and (self._reader is None or self._reader.done())

    async def stopped(self) -> None:
        """Wait until this generation, which was told to stop, is quiet."""
        tasks = [*self._deletes, *([self._reader] if self._reader is not None else [])]
        if tasks:
            await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled():
                task.result()

    # Polls

    def register(self, request: PollRequest) -> Registration:
        """Let a poll wait, or give it a task from memory at once. (Register, Take)

        Raises:
            InvalidArgument: a poll of this id waits here already.
        """
        assert self.running
        if request.poll_id in self.polls:
            raise InvalidArgument(f"poll {request.poll_id} waits at {request.partition}; give each call its own id")
        registration = Registration(request, self.owner.generation)
        self.polls[request.poll_id] = registration
        # The poll is here and in time: its caller has just been looked at, and so has the clock.
        task = self.memory.first(lambda task: self._suits(task, request))
        if task is None:
            registration.start_timer(self._expire)
            self._probe("Register", request.poll_id, self.owner.host)
        else:
            self.memory.hold(task)
            registration.move(State.MATCHED, Holding(task))
            self._probe("Take", request.poll_id, self.owner.host, task.task_id)
        return registration

    def deliver(self, registration: Registration) -> Task:
        """Hand the task over to the caller that is still there. (Deliver)"""
        holding = self._end(registration, State.DELIVERED)
        assert holding is not None
        if holding.handover is not None:
            holding.handover.settle(taken=True)
        else:
            self.memory.hand_over(holding.task)
            self._deletes.add(task := self._spawn(self._delete(holding.task), f"delete {holding.task.task_id}"))
            task.add_done_callback(self._deletes.discard)
        self._probe("Deliver", holding.task.task_id, registration.request.poll_id)
        return holding.task

    def abandon(self, registration: Registration) -> None:
        """Note that the caller has left: take the poll back, or the task that it held. (Withdraw, GiveBack)"""
        if registration.state is State.WAITING:
            self._end(registration, State.INTERRUPTED)
            self._probe("Withdraw", registration.request.poll_id)
        elif registration.state is State.MATCHED:
            holding = self._end(registration, State.INTERRUPTED)
            assert holding is not None
            if holding.handover is not None:
                holding.handover.settle(taken=False)
            else:
                self.memory.release(holding.task)
            self._probe("GiveBack", holding.task.task_id, registration.request.poll_id)
            self._match()

    def _expire(self, registration: Registration) -> None:
        """End a poll at its deadline. (Expire)"""
        self._end(registration, State.EXPIRED)
        self._probe("Expire", registration.request.poll_id)

    def _end(self, registration: Registration, state: State) -> Holding | None:
        del self.polls[registration.request.poll_id]
        return registration.move(state)

    # Tasks

    def sync_match(self, task: Task) -> Handover | None:
        """Give an arriving task to a poll that waits for it, if there is one. (SyncMatch)"""
        assert self.running
        registration = self._find_poll(task)
        if registration is None:
            return None
        handover = Handover()
        registration.move(State.MATCHED, Holding(task, handover))
        self._probe("SyncMatch", task.task_id, registration.request.poll_id)
        return handover

    async def spool(self, task: Task) -> None:
        """Make a record of a task that met no poll. (Spool)

        Raises:
            StoreError: the write was not confirmed.
        """
        self._probe("Spool", task.task_id, self.owner.host)
        await self._store.append(task)

    def refresh(self) -> None:
        """Ask for what the backlog holds by now."""
        self._read_wanted.set()

    def rematch(self) -> None:
        """Let tasks and polls meet that could not before; the namespace has changed. (Match)"""
        if self.running:
            self._match()

    def _match(self) -> None:
        """Give each available task to a poll that waits for it. (Match)"""
        for task in list(self.memory.available()):
            registration = self._find_poll(task)
            if registration is not None:
                self.memory.hold(task)
                registration.move(State.MATCHED, Holding(task))
                self._probe("Match", task.task_id, registration.request.poll_id)

    def _find_poll(self, task: Task) -> Registration | None:
        return next((poll for poll in self.polls.values() if self._may_meet(task, poll)), None)

    def _may_meet(self, task: Task, poll: Registration) -> bool:
        return self._suits(task, poll.request) and poll.can_receive(asyncio.get_running_loop().time())

    def _suits(self, task: Task, request: PollRequest) -> bool:
        return self._namespace.active and task.version == request.version

    # The store

    async def _read_backlog(self) -> None:
        """Read the backlog whenever that is asked for. (ReadBacklog)"""
        while True:
            await self._read_wanted.wait()
            self._read_wanted.clear()
            self.memory.begin_read()
            try:
                records = await self._store.read(self.owner)
            except StoreError:
                self.memory.end_read()
                await asyncio.sleep(READ_RETRY_SECONDS)
                self._read_wanted.set()
                continue
            self.memory.bring_in(records)
            self._probe("ReadBacklog", self.owner.host, str(self.owner.partition))
            self._match()

    async def _delete(self, task: Task) -> None:
        """Delete the record of a task that was handed over. (Acknowledge, AcknowledgeFails)"""
        try:
            await self._store.delete(self.owner, task.task_id)
            confirmed = self.running
        except StoreError:
            confirmed = False
        if confirmed:
            self.memory.confirm_delete(task)
            action = "Acknowledge"
        else:
            if self.running:
                self.memory.doubt_delete(task)
                self._read_wanted.set()
            action = "AcknowledgeFails"
        self._probe(action, task.task_id, self.owner.host, self.owner.generation)

    def _spawn(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        task.set_name(f"{self.owner.partition}#{self.owner.generation} {name}")
        return task
