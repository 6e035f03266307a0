"""One host's matching engine: which managers are loaded, and what a call does.

Four rules:

1. The caller owns the task in which a call runs.  The engine starts no task
   for it, so interrupting the caller is interrupting the call.
2. A call finds the manager that is running now, and waits for one that is loaded if
   there is none (``registry.py``).
3. A call of add is answered only when its task was handed over, dropped or stored.
4. A worker gets a task only after History has recorded the start; History's answer
   decides what becomes of the task, by the table in ``starts.py``.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

from matching.backlog import BacklogLimits
from matching.errors import LeaseLost, StickyUnsupported, StoreError, Unavailable
from matching.forwarder import Forwarder, Upward
from matching.gauges import NO_GAUGES, Gauges
from matching.holding import Fate, Handover
from matching.hops import HopLimits, OfferAnswer, Peers, parent_of
from matching.identity import Host, Owner, PartitionKey
from matching.lifetime import LifetimeOptions, Part
from matching.manager import PartitionManager
from matching.membership import Membership, MembershipView
from matching.namespace import NamespaceState, NamespaceView
from matching.probe import Probe, silent
from matching.registration import Registration, State
from matching.registry import ManagerRegistry
from matching.request_ids import RequestIds
from matching.requests import PollRequest, Task
from matching.starts import DISPOSITIONS, NO_HISTORY, Disposition, StartOutcome, Starts
from matching.store import BacklogStore

__all__ = ["START_RETRY_SECONDS", "Engine"]

_STICKY = "{} is sticky, and sticky partitions are not served here; use the queue's own name"
_ENDS = {Fate.DONE: OfferAnswer.TAKEN, Fate.DROPPED: OfferAnswer.DROPPED}
"""What is over for the call of add, and what a child is told of it."""

START_RETRY_SECONDS = 0.1
"""How long a poll waits, within its deadline, before it asks for another task after History could not tell."""

T = TypeVar("T")
_USUAL_LIMITS = BacklogLimits()
_USUAL_OPTIONS = LifetimeOptions()
_USUAL_HOPS = HopLimits()


class Engine:
    """Serves the partitions of one namespace on one host."""

    def __init__(
        self,
        host: Host,
        *,
        store: BacklogStore,
        namespace: NamespaceView,
        membership: MembershipView | None = None,
        gauges: Gauges = NO_GAUGES,
        starts: Starts = NO_HISTORY,
        request_ids: Callable[[], int] | None = None,
        limits: BacklogLimits = _USUAL_LIMITS,
        options: LifetimeOptions = _USUAL_OPTIONS,
        generations: Mapping[PartitionKey, int] = MappingProxyType({}),
        peers: Peers | None = None,
        hop_limits: HopLimits = _USUAL_HOPS,
        probe: Probe = silent,
    ) -> None:
        """Make an engine that has loaded nothing.

        ``membership`` is by default one in which this host is alone.  ``request_ids`` draws ids
        that no other host draws; ``generations`` counts the loads of the host's earlier lives.
        Without ``peers`` every partition is a root: nothing is forwarded.
        """
        self.host = host
        self.namespace = namespace
        self.membership = membership or MembershipView(host, Membership([host]), probe=probe)
        self.gauges = gauges
        self._store = store
        self._starts = starts
        self.request_ids = RequestIds(request_ids or itertools.count(1).__next__)
        self._limits = limits
        self.options = options
        self._peers = peers
        self._hop_limits = hop_limits
        self._probe = probe
        self.registry = ManagerRegistry(
            host,
            make=self._make_manager,
            namespace=namespace,
            membership=self.membership,
            options=options,
            generations=generations,
            probe=probe,
        )

    def _make_manager(self, owner: Owner, state: NamespaceState) -> PartitionManager:
        return PartitionManager(
            owner,
            state,
            loader=self.registry,
            store=self._store,
            fetches={Part.METADATA: self._store.metadata, Part.USER_DATA: self._store.user_data_version},
            namespace=self.namespace,
            gauges=self.gauges.load(owner, state),
            probe=self._probe,
            limits=self._limits,
            options=self.options,
            request_ids=self.request_ids,
            upward=self._upward(owner.partition),
        )

    def _upward(self, partition: PartitionKey) -> Upward | None:
        parent = parent_of(partition)
        if self._peers is None or parent is None:
            return None
        return Upward(parent, self._peers, self._where, self._hop_limits)

    def _where(self, partition: PartitionKey) -> Host:
        """Find the host that owns a partition, as far as this one knows; where there is none it asks itself."""
        hosts = self.membership.known
        return hosts.route(partition) if hosts.hosts else self.host

    @property
    def managers(self) -> Mapping[PartitionKey, PartitionManager]:
        """The managers that are loaded now."""
        return self.registry.managers

    @property
    def generations(self) -> Mapping[PartitionKey, int]:
        """How often each partition was loaded so far."""
        return self.registry.generations

    async def poll(self, request: PollRequest) -> Task | None:
        """Wait for one task, until the request's deadline.

        Gives None where the deadline passed or the manager was unloaded, and at a host that shuts down, or at which the
        poll has waited though another host owns the partition.  A client's poll ends so too where a hop on its behalf
        has failed.
        Interrupt the call by cancelling the task in which it runs.

        Raises:
            StickyUnsupported: the partition is sticky.
            Unavailable: the poll is a hop, and nobody can tell what became of the hop on its own behalf.
        """
        if request.partition.sticky:
            self._probe("RejectPoll", request.poll_id)
            raise StickyUnsupported(_STICKY.format(request.partition))
        loop = asyncio.get_running_loop()
        has_waited = False
        while request.deadline > loop.time():
            manager = self.registry.ready(request.partition)
            if manager is None:
                try:
                    await self.registry.until_ready(request.partition, request.deadline, has_waited=has_waited)
                except Unavailable:
                    self._probe("Refuse", request.poll_id, self.host)
                    return None
                has_waited = True
                continue
            has_waited = True
            registration = manager.register(request)
            if registration.state in (State.WAITING, State.FORWARDED):
                await self._or_abandon(registration.wake(), manager, registration)
            if registration.state is State.FORWARDED:
                assert manager.forwarder is not None
                manager.forwarder.resume(registration)
            if registration.state is State.UNANSWERED and request.forward_info is not None:
                raise Unavailable(f"nobody can tell what became of poll {request.poll_id} above {request.partition}")
            if registration.state is not State.MATCHED:
                return registration.passed
            match await self._ask(manager, registration):
                case Disposition.DELIVER:
                    return manager.deliver(registration)
                case Disposition.DROP:
                    manager.drop(registration)
                case Disposition.KEEP:
                    manager.keep(registration)
                    await asyncio.sleep(min(START_RETRY_SECONDS, max(0.0, request.deadline - loop.time())))
        self._probe("Expire", request.poll_id)
        return None

    async def _ask(self, manager: PartitionManager, registration: Registration) -> Disposition:
        """Ask History what becomes of the task in hand; one that carries nothing is handed over."""
        assert registration.holding is not None
        task = registration.holding.task
        if task.item is None:
            return Disposition.DELIVER
        start = self._starts.record_started(task.partition.task_type, task.item, manager.ask(registration))
        try:
            outcome = await self._or_abandon(start, manager, registration)
        except Unavailable:
            outcome = StartOutcome.RETRYABLE
        return DISPOSITIONS[outcome]

    async def _or_abandon(self, wait: Awaitable[T], manager: PartitionManager, registration: Registration) -> T:
        try:
            return await wait
        except asyncio.CancelledError:
            # The caller has left. What became of the poll until now is in its state, not in this exception.
            manager.abandon(registration)
            raise

    async def add_task(self, task: Task) -> None:
        """Hand a task to a waiting poll, here or at a parent, or store it.

        Raises:
            StickyUnsupported: the partition is sticky.
            Unavailable: the write of its record was not confirmed, and the task may be stored all the same; or
                the host shuts down; or the task has waited there, and another host owns the partition.
        """
        assert task.forward_info is None
        try:
            await self._hand_over_or_store(task)
        except LeaseLost as error:
            raise Unavailable(
                f"task {task.task_id} was not stored, for its partition has moved; add it again"
            ) from error
        except StoreError as error:
            raise Unavailable(f"the write of task {task.task_id} was not confirmed; add it again") from error

    async def offer(self, task: Task) -> OfferAnswer:
        """Hand a child's task to a waiting poll, here or at a parent; store it never."""
        assert task.forward_info is not None
        try:
            answer = await self._hand_over_or_store(task)
        except Unavailable:
            return OfferAnswer.CANCELED
        assert answer is not None
        return answer

    async def _hand_over_or_store(self, task: Task) -> OfferAnswer | None:
        """Give what a child is told, or None where the task was stored."""
        if task.partition.sticky:
            self._probe("RejectAdd", task.task_id)
            raise StickyUnsupported(_STICKY.format(task.partition))
        must_be_stored = has_waited = was_offered = False
        while True:
            manager = await self._serving(task, has_waited=has_waited)
            has_waited = True
            handover = None if must_be_stored else manager.sync_match(task)
            if handover is not None:
                fate = await self._or_forget(handover.settled(), task, handover)
                if fate in _ENDS:
                    return _ENDS[fate]
                must_be_stored = fate is Fate.OWED
            elif not (must_be_stored or was_offered) and manager.forwarder is not None and self.namespace.active:
                was_offered = True
                answer = await self._ask_parent(manager.forwarder, task)
                if answer in _ENDS.values():
                    return answer
            elif task.forward_info is not None:
                self._probe("Decline", task.task_id, self.host)
                self.request_ids.settle(task)
                return OfferAnswer.CANCELED
            elif manager.backlog.ready:
                await manager.backlog.append(task)
                return None
            else:
                await self._or_forget(manager.backlog.until_ready(), task)

    async def _ask_parent(self, forwarder: Forwarder, task: Task) -> OfferAnswer | None:
        """Offer an arriving task to the parent; give None where nobody can tell what became of it."""
        offer = forwarder.offer(task)
        try:
            return await offer.settled()
        except asyncio.CancelledError:
            forwarder.retract(offer)
            if offer.known not in _ENDS.values():
                self._forget(task)
            raise

    async def _serving(self, task: Task, *, has_waited: bool) -> PartitionManager:
        """Wait for the manager to which an arriving task goes."""
        while (manager := self.registry.ready(task.partition)) is None:
            try:
                await self._or_forget(self.registry.until_ready(task.partition, has_waited=has_waited), task)
            except Unavailable:
                self._probe("RefuseAdd", task.task_id, self.host)
                raise
            has_waited = True
        return manager

    async def _or_forget(self, wait: Awaitable[T], task: Task, handover: Handover | None = None) -> T:
        """Wait for something; if the caller leaves meanwhile and the task is in no hand, it goes too. (AbandonAdd)"""
        try:
            return await wait
        except asyncio.CancelledError:
            if handover is None or handover.fate in (Fate.BACK, Fate.OWED):
                self._forget(task)
            raise

    def _forget(self, task: Task) -> None:
        self.request_ids.settle(task)
        self._probe("AbandonAdd", task.task_id)

    def load(self, partition: PartitionKey) -> None:
        """Begin to load a partition, where it is not loaded.

        Raises:
            StickyUnsupported: the partition is sticky.
            Unavailable: the host shuts down.
        """
        if partition.sticky:
            raise StickyUnsupported(_STICKY.format(partition))
        self.registry.load(partition)

    def unload(self, partition: PartitionKey) -> None:
        """Stop the manager of a partition; without one there is nothing to do."""
        self.registry.unload(partition)

    async def shutdown(self) -> None:
        """Load nothing any more, unload everything, and wait until nothing runs."""
        await self.registry.shutdown()
