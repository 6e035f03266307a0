"""One generation of one partition's manager: its waiting polls and its part of the backlog.

Five rules keep this module simple:

1. Every public method, and every callback, is one atomic step or a few: each
   changes state and then tells the probe, before it awaits anything.  The
   docstring names the action of ``spec/Matching.tla``.
2. Whether a task and a poll may meet is judged when they meet, never before:
   the namespace's state, the deadline and the caller's presence are read anew.
3. Stop is final.  A callback that comes later finds ``running`` false and
   changes nothing that anybody can see.  The phases are those of ``lifetime.py``.
4. A handler that asks History is nobody's but its own: a stop leaves it alone,
   and what it then learns it tells the memory of its generation only while that runs.
5. It decides nothing about time or chance.  Time is the running event loop's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from matching.backlog import Backlog, BacklogLimits
from matching.errors import InvalidArgument
from matching.forwarder import Forwarder, Upward
from matching.gauges import GenerationGauges
from matching.holding import Fate, Handover, Holding
from matching.identity import Owner
from matching.lifetime import Lifetime, LifetimeOptions, Part, Phase, UnloadCause
from matching.namespace import NamespaceState, NamespaceView
from matching.probe import Probe
from matching.registration import Registration, State
from matching.request_ids import RequestIds
from matching.requests import PollRequest, Task
from matching.store import BacklogStore

__all__ = ["PartitionManager"]


class Loader(Protocol):
    """Whoever loaded a manager, and hears of it."""

    def started(self, manager: PartitionManager) -> None:
        """The manager serves."""
        ...

    def unload_now(self, manager: PartitionManager, cause: UnloadCause) -> None:
        """It must go at once."""
        ...

    def unload_soon(self, manager: PartitionManager, cause: UnloadCause) -> None:
        """It may go."""
        ...

    def forget(self, manager: PartitionManager) -> None:
        """Nothing tells of it any more."""
        ...


class PartitionManager:
    """The loaded state of one partition on one host."""

    def __init__(
        self,
        owner: Owner,
        tag: NamespaceState,
        *,
        loader: Loader,
        store: BacklogStore,
        fetches: Mapping[Part, Callable[[Owner], Awaitable[object]]],
        namespace: NamespaceView,
        gauges: GenerationGauges,
        probe: Probe,
        limits: BacklogLimits,
        options: LifetimeOptions,
        request_ids: RequestIds,
        upward: Upward | None,
    ) -> None:
        self.owner = owner
        self.polls: dict[str, Registration] = {}
        self._waiting: dict[str, Registration] = {}
        self._loader = loader
        self._namespace = namespace
        self._probe = probe
        self._request_ids = request_ids
        self._idle_seconds = options.idle_seconds
        self._idle_timer: asyncio.TimerHandle | None = None
        self._used_at = 0.0
        self.backlog = Backlog(
            owner,
            store=store,
            probe=probe,
            limits=limits,
            found=self._look,
            lost=self._lose_lease,
            hungry=lambda: bool(self._waiting),
        )
        self.forwarder: Forwarder | None = None
        """Makes hops to the parent; what has no parent has none."""
        if upward is not None:
            self.forwarder = Forwarder(
                owner,
                upward,
                backlog=self.backlog,
                probe=probe,
                active=lambda: namespace.active,
                end=self._end,
                again=self.rematch,
            )
        self.life = Lifetime(
            owner,
            tag,
            fetches=fetches,
            gauges=gauges,
            options=options,
            probe=probe,
            count=lambda: self.backlog.count.count if self.backlog.range_id else None,
            started=self._serve,
            failed=lambda: loader.unload_now(self, UnloadCause.FAILURE),
            gone=lambda: loader.forget(self),
        )

    def __repr__(self) -> str:
        owner = self.owner
        return f"<manager {owner.partition}#{owner.generation}@{owner.host}>"

    # Its life

    @property
    def running(self) -> bool:
        """Tell whether polls may wait here, and tasks be stored."""
        return self.life.phase is Phase.RUNNING

    def _serve(self) -> None:
        """Begin to serve, and ask for the lease."""
        self.backlog.start()
        self.use()
        self._wind_idle_timer()
        self._loader.started(self)

    def save(self) -> None:
        """Save how far it came, before a stop. (SaveLevel)"""
        if self.running:
            self.backlog.save_before_stop()

    def stop(self) -> None:
        """End every poll, take back what was in their hands, forget the backlog's memory. (Unload)

        A second stop is no step.
        """
        if not self.life.alive:
            return
        self.life.stop()
        self._stop(("Unload", *self._name, self.owner.generation))

    def vanish(self) -> None:
        """Go with the process: what others held of it ends. (Vanish)"""
        self._stop(("Vanish", *self._name))

    def _stop(self, step: tuple[str, *tuple[str | int, ...]]) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        ended = [poll for poll in self.polls.values() if poll.state is not State.ASKING]
        back = [holding for holding in map(self._unload_poll, ended) if holding is not None]
        if self.forwarder is not None:
            self.forwarder.stop()
        self.backlog.stop()
        self._request_ids.forget(self.owner.partition)
        self._probe(*step)
        for holding in back:
            self._settle(holding, Fate.BACK)

    @property
    def _name(self) -> tuple[str, str]:
        return self.owner.host, str(self.owner.partition)

    def _lose_lease(self) -> None:
        """Stop, for somebody else has taken the lease. (LoseLease)"""
        self._probe("LoseLease", *self._name)
        self._loader.unload_now(self, UnloadCause.CONFLICT)

    @property
    def quiet(self) -> bool:
        """Tell whether nothing of this generation runs any more."""
        return self.backlog.quiet and self.life.quiet and (self.forwarder is None or self.forwarder.quiet)

    async def stopped(self) -> None:
        """Wait until this generation, which was told to stop, is quiet."""
        await self.backlog.stopped()
        await self.life.stopped()
        if self.forwarder is not None:
            await self.forwarder.stopped()

    # What nobody uses

    def use(self) -> None:
        """Note that somebody uses the partition: a poll that comes, waits or ends, or an add."""
        self._used_at = asyncio.get_running_loop().time()

    @property
    def idle_timer(self) -> asyncio.TimerHandle | None:
        """The timer that looks next whether anybody uses the partition."""
        return self._idle_timer

    def _wind_idle_timer(self) -> None:
        if self._idle_seconds is not None:
            when = self._used_at + self._idle_seconds
            self._idle_timer = asyncio.get_running_loop().call_at(when, self._look_idle)

    def _look_idle(self) -> None:
        """Call for the unload of what nobody has used for long. (Idle)"""
        if not self.running:
            return
        if self.polls:
            self.use()
        loop = asyncio.get_running_loop()
        if self._idle_seconds is not None and loop.time() < self._used_at + self._idle_seconds:
            self._wind_idle_timer()
            return
        self._probe("Idle", *self._name)
        self._loader.unload_soon(self, UnloadCause.IDLE)

    # Polls

    def register(self, request: PollRequest) -> Registration:
        """Let a poll wait here or at the parent, or give it a task from memory at once. (Register, Forward, Take)

        Raises:
            InvalidArgument: a poll of this id waits here already.
        """
        assert self.running
        self.use()
        if request.poll_id in self.polls:
            raise InvalidArgument(f"poll {request.poll_id} waits at {request.partition}; give each call its own id")
        registration = Registration(request, self.owner.generation)
        self.polls[request.poll_id] = registration
        # The poll is here and in time: its caller has just been looked at, and so has the clock.
        record = self.backlog.memory.first(lambda task: self._suits(task, request))
        if record is None:
            registration.start_timer(self._expire)
            if self.forwarder is not None and self.forwarder.may_send_on(request.version):
                self.forwarder.send_on(registration)
                return registration
            self._waiting[request.poll_id] = registration
            self._probe("Register", request.poll_id, self.owner.host)
            self.backlog.wake_reader()
            self.backlog.let_adds_look_again()
        else:
            self.backlog.memory.hold(record)
            registration.move(State.MATCHED, Holding.of_record(record))
            self._probe("Take", request.poll_id, self.owner.host, record.task.task_id)
        return registration

    def ask(self, registration: Registration) -> int:
        """Note that the handler asks History about the task in hand; give the id of its request. (Ask)"""
        assert registration.holding is not None
        task = registration.holding.task
        request_id = self._request_ids.of(task)
        registration.move(State.ASKING, registration.holding)
        self._probe("Ask", task.task_id, registration.request.poll_id, request_id)
        return request_id

    def deliver(self, registration: Registration) -> Task:
        """Hand the task over to the caller that is still there. (Deliver)"""
        holding = self._finish(registration, State.DELIVERED, Fate.DONE)
        self._probe("Deliver", holding.task.task_id, registration.request.poll_id)
        self._send_on()
        return holding.task

    def drop(self, registration: Registration) -> None:
        """Note that the task need not be handed over any more. (Drop)"""
        holding = self._finish(registration, State.DROPPED, Fate.DROPPED)
        self._probe("Drop", holding.task.task_id, registration.request.poll_id)
        self._send_on()

    def keep(self, registration: Registration) -> None:
        """Note that nobody can tell: a record is offered again after the others, another task is stored. (Keep)"""
        holding = self._end(registration, State.KEPT)
        assert holding is not None
        if holding.record is not None and self.running:
            self.backlog.memory.postpone(holding.record)
        self._probe("Keep", holding.task.task_id, registration.request.poll_id)
        self._settle(holding, Fate.OWED)
        self.rematch()

    def abandon(self, registration: Registration) -> None:
        """Note that the caller has left: take the poll back, or the task that it held. (Withdraw, GiveBack)"""
        if registration.state in (State.WAITING, State.FORWARDED):
            self._end(registration, State.INTERRUPTED)
            self._probe("Withdraw", registration.request.poll_id)
        elif registration.state in (State.MATCHED, State.ASKING):
            holding = self._end(registration, State.INTERRUPTED)
            assert holding is not None
            if holding.record is not None and self.running:
                self.backlog.memory.release(holding.record)
            self._probe("GiveBack", holding.task.task_id, registration.request.poll_id)
            self._settle(holding, Fate.BACK)
            self.rematch()

    def _unload_poll(self, registration: Registration) -> Holding | None:
        return self._end(registration, State.UNLOADED)

    def _expire(self, registration: Registration) -> None:
        """End a poll at its deadline. (Expire)"""
        if registration.state not in (State.WAITING, State.FORWARDED):
            return
        self._end(registration, State.EXPIRED)
        self._probe("Expire", registration.request.poll_id)

    def _finish(self, registration: Registration, state: State, fate: Fate) -> Holding:
        """End a poll's round with a task that is done with; its record can go."""
        holding = self._end(registration, state)
        assert holding is not None
        self._request_ids.settle(holding.task)
        if holding.record is not None and self.running:
            self.backlog.finish(holding.record)
        if holding.handover is not None:
            holding.handover.settle(fate)
        return holding

    def _end(self, registration: Registration, state: State) -> Holding | None:
        if self.running:
            self.use()
        del self.polls[registration.request.poll_id]
        self._waiting.pop(registration.request.poll_id, None)
        if self.forwarder is not None:
            self.forwarder.let_go(registration)
        return registration.move(state)

    def _settle(self, holding: Holding, fate: Fate) -> None:
        """Tell the call of add whose task came out of a hand; if it has gone, its task goes with it. (AbandonAdd)"""
        if holding.handover is not None and not holding.handover.settle(fate):
            self._request_ids.settle(holding.task)
            self._probe("AbandonAdd", holding.task.task_id)

    # Tasks

    def sync_match(self, task: Task) -> Handover | None:
        """Give an arriving task to a poll that waits for it, if there is one. (SyncMatch)"""
        assert self.running
        self.use()
        registration = self._find_poll(task)
        if registration is None:
            return None
        handover = Handover()
        self._hand(registration, Holding(task, handover=handover))
        self._probe("SyncMatch", task.task_id, registration.request.poll_id)
        return handover

    def rematch(self) -> None:
        """Let tasks and polls meet that could not before, and ask the parent for the others. (Match, Forward, Offer)"""
        if self.running:
            self.backlog.let_adds_look_again()
            self._look()

    def _look(self) -> None:
        """Match what can be matched, and ask the parent for the rest. (Match, Forward, Offer)"""
        self._match()
        self._send_on()
        if self.forwarder is not None:
            self.forwarder.offer_stored()

    def _match(self) -> None:
        """Give each available task to a poll that waits for it. (Match)"""
        if not self._waiting:
            return
        for record in list(self.backlog.memory.available()):
            registration = self._find_poll(record.task)
            if registration is not None:
                self.backlog.memory.hold(record)
                self._hand(registration, Holding.of_record(record))
                self._probe("Match", record.task.task_id, registration.request.poll_id)
                if not self._waiting:
                    return

    def _send_on(self) -> None:
        """Let those polls wait at the parent for which the manager knows to have nothing. (Forward)"""
        if self.forwarder is None or not self.running:
            return
        for registration in list(self._waiting.values()):
            may_wait = registration.can_receive(asyncio.get_running_loop().time())
            if may_wait and self.forwarder.may_send_on(registration.request.version):
                del self._waiting[registration.request.poll_id]
                self.forwarder.send_on(registration)

    def _hand(self, registration: Registration, holding: Holding) -> None:
        del self._waiting[registration.request.poll_id]
        registration.move(State.MATCHED, holding)

    def _find_poll(self, task: Task) -> Registration | None:
        if not self._waiting:
            return None
        return next((poll for poll in self._waiting.values() if self._may_meet(task, poll)), None)

    def _may_meet(self, task: Task, poll: Registration) -> bool:
        return self._suits(task, poll.request) and poll.can_receive(asyncio.get_running_loop().time())

    def _suits(self, task: Task, request: PollRequest) -> bool:
        return self._namespace.active and task.version == request.version
