"""One host's matching engine: which managers are loaded, and what a call does.

Three rules:

1. The caller owns the task in which a call runs.  The engine starts no task
   for it, so interrupting the caller is interrupting the call.
2. A call finds the manager that is running now, and loads one if there is
   none.  A new manager is a new generation; the count never goes back.
3. A call of add is answered only when its task was handed over or stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import MappingProxyType

from matching.errors import StoreError, Unavailable
from matching.identity import Host, Owner, PartitionKey
from matching.manager import PartitionManager
from matching.namespace import NamespaceState
from matching.probe import Probe, silent
from matching.registration import State
from matching.requests import PollRequest, Task
from matching.store import BacklogStore

__all__ = ["Engine"]


class Engine:
    """Serves the partitions of one namespace on one host."""

    def __init__(self, host: Host, *, store: BacklogStore, namespace: NamespaceState, probe: Probe = silent) -> None:
        self.host = host
        self.namespace = namespace
        self._store = store
        self._probe = probe
        self._managers: dict[PartitionKey, PartitionManager] = {}
        self._generations: dict[PartitionKey, int] = {}
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
        if request.deadline <= asyncio.get_running_loop().time():
            self._probe("Expire", request.poll_id)
            return None
        manager = self.load(request.partition)
        registration = manager.register(request)
        if registration.state is State.WAITING:
            try:
                await registration.wake()
            except asyncio.CancelledError:
                # The caller has left. What became of the poll until now is in its state, not in this exception.
                manager.abandon(registration)
                raise
        return manager.deliver(registration) if registration.state is State.MATCHED else None

    async def add_task(self, task: Task) -> None:
        """Hand a task to a waiting poll, or store it.

        Raises:
            Unavailable: the write of its record was not confirmed; the task may be stored all the same.
        """
        manager = self.load(task.partition)
        while (handover := manager.sync_match(task)) is not None:
            if await handover.taken():
                return
            manager = self.load(task.partition)
        try:
            await manager.spool(task)
        except StoreError as error:
            raise Unavailable(f"the write of task {task.task_id} was not confirmed; add it again") from error
        finally:
            self._refresh(task.partition)

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
            )
            self._managers[partition] = manager
            manager.start()
        return manager

    def unload(self, partition: PartitionKey) -> None:
        """Stop the running manager of a partition; without one there is nothing to do."""
        manager = self._managers.pop(partition, None)
        if manager is not None:
            self._stopped = [stopped for stopped in self._stopped if not stopped.quiet]
            self._stopped.append(manager)
            manager.stop()

    async def shutdown(self) -> None:
        """Unload everything and wait until nothing runs any more."""
        for partition in list(self._managers):
            self.unload(partition)
        stopped, self._stopped = self._stopped, []
        for manager in stopped:
            await manager.stopped()

    def _refresh(self, partition: PartitionKey) -> None:
        """Tell the manager that runs now, whoever asked for the write, that the backlog may have changed."""
        manager = self._managers.get(partition)
        if manager is not None:
            manager.refresh()

    def _namespace_changed(self) -> None:
        for manager in list(self._managers.values()):
            manager.rematch()
