"""One host's matching engine: which managers are loaded, and what a call does.

Four rules:

1. The caller owns the task in which a call runs.  The engine starts no task
   for it, so interrupting the caller is interrupting the call.
2. A call finds the manager that is running now, and loads one if there is
   none.  A new manager is a new generation; the count never goes back.
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
from matching.errors import LeaseLost, StoreError, Unavailable
from matching.holding import Fate, Handover
from matching.identity import Host, Owner, PartitionKey
from matching.manager import PartitionManager
from matching.namespace import NamespaceState
from matching.probe import Probe, silent
from matching.registration import Registration, State
from matching.request_ids import RequestIds
from matching.requests import PollRequest, Task
from matching.starts import DISPOSITIONS, NO_HISTORY, Disposition, StartOutcome, Starts
from matching.store import BacklogStore

__all__ = ["START_RETRY_SECONDS", "Engine"]

START_RETRY_SECONDS = 0.1
"""How long a poll waits, within its deadline, before it asks for another task after History could not tell."""

T = TypeVar("T")
_USUAL_LIMITS = BacklogLimits()


class Engine:
    """Serves the partitions of one namespace on one host."""

    def __init__(
        self,
        host: Host,
        *,
        store: BacklogStore,
        namespace: NamespaceState,
        starts: Starts = NO_HISTORY,
        request_ids: Callable[[], int] | None = None,
        limits: BacklogLimits = _USUAL_LIMITS,
        generations: Mapping[PartitionKey, int] = MappingProxyType({}),
        probe: Probe = silent,
    ) -> None:
        """Make an engine that has loaded nothing.

        ``request_ids`` draws ids that no other host draws; ``generations`` counts the loads
        of the host's earlier lives.
        """
        self.host = host
        self.namespace = namespace
        self._store = store
        self._starts = starts
        self.request_ids = RequestIds(request_ids or itertools.count(1).__next__)
        self._limits = limits
        self._probe = probe
        self._managers: dict[PartitionKey, PartitionManager] = {}
        self._generations = dict(generations)
        self._stopped: list[PartitionManager] = []
        namespace.subscribe(self._namespace_changed)

    @property
    def managers(self) -> Mapping[PartitionKey, PartitionManager]:
        """The managers that are loaded now."""
        return MappingProxyType(self._managers)

    @property
    def generations(self) -> Mapping[PartitionKey, int]:
        """How often each partition was loaded so far."""
        return MappingProxyType(self._generations)

    async def poll(self, request: PollRequest) -> Task | None:
        """Wait for one task, until the request's deadline.

        Gives None where the deadline passed or the manager was unloaded.
        Interrupt the call by cancelling the task in which it runs.
        """
        loop = asyncio.get_running_loop()
        while request.deadline > loop.time():
            manager = self.load(request.partition)
            registration = manager.register(request)
            if registration.state is State.WAITING:
                await self._or_abandon(registration.wake(), manager, registration)
            if registration.state is not State.MATCHED:
                return None
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
        """Hand a task to a waiting poll, or store it.

        Raises:
            Unavailable: the write of its record was not confirmed; the task may be stored all the same.
        """
        try:
            await self._hand_over_or_store(task)
        except LeaseLost as error:
            raise Unavailable(
                f"task {task.task_id} was not stored, for its partition has moved; add it again"
            ) from error
        except StoreError as error:
            raise Unavailable(f"the write of task {task.task_id} was not confirmed; add it again") from error

    async def _hand_over_or_store(self, task: Task) -> None:
        must_be_stored = False
        while True:
            manager = self.load(task.partition)
            handover = None if must_be_stored else manager.sync_match(task)
            if handover is not None:
                fate = await self._or_forget(handover.settled(), task, handover)
                if fate is Fate.DONE:
                    return
                must_be_stored = fate is Fate.OWED
            elif manager.backlog.ready:
                await manager.backlog.append(task)
                return
            else:
                await self._or_forget(manager.backlog.until_ready(), task)

    async def _or_forget(self, wait: Awaitable[T], task: Task, handover: Handover | None = None) -> T:
        """Wait for something; if the caller leaves meanwhile and the task is in no hand, it goes too. (AbandonAdd)"""
        try:
            return await wait
        except asyncio.CancelledError:
            if handover is None or handover.fate in (Fate.BACK, Fate.OWED):
                self.request_ids.settle(task)
                self._probe("AbandonAdd", task.task_id)
            raise

    def load(self, partition: PartitionKey) -> PartitionManager:
        """Give the running manager of a partition, a new generation where there is none."""
        manager = self._managers.get(partition)
        if manager is None:
            generation = self._generations.get(partition, 0) + 1
            self._generations[partition] = generation
            manager = PartitionManager(
                Owner(self.host, partition, generation),
                store=self._store,
                namespace=self.namespace,
                probe=self._probe,
                limits=self._limits,
                request_ids=self.request_ids,
                lost=self._lease_lost,
            )
            self._managers[partition] = manager
            manager.start()
        return manager

    def unload(self, partition: PartitionKey) -> None:
        """Stop the running manager of a partition; without one there is nothing to do."""
        self._unload(partition, lease_lost=False)

    def _lease_lost(self, manager: PartitionManager) -> None:
        """Stop a manager whose lease somebody else has taken; a successor is left alone."""
        if self._managers.get(manager.owner.partition) is manager:
            self._unload(manager.owner.partition, lease_lost=True)

    def _unload(self, partition: PartitionKey, *, lease_lost: bool) -> None:
        manager = self._managers.get(partition)
        if manager is not None:
            self._stopped = [stopped for stopped in self._stopped if not stopped.quiet]
            self._stopped.append(manager)
            manager.stop(lease_lost=lease_lost)
            del self._managers[partition]

    async def shutdown(self) -> None:
        """Unload everything and wait until nothing runs any more."""
        for partition in list(self._managers):
            self.unload(partition)
        stopped, self._stopped = self._stopped, []
        for manager in stopped:
            await manager.stopped()

    def _namespace_changed(self) -> None:
        for manager in list(self._managers.values()):
            manager.rematch()
