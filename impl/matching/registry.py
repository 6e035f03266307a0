"""Which managers a host has loaded: how callers come to one, and what gives it up.

Seven rules:

1. A partition has at most one manager that callers find.  A new one is a new generation; the count never goes back.
2. Whoever needs a manager waits until it serves.  A caller that leaves, or is too late, leaves the load alone.
3. A call to unload names a generation, and arrives at once or in a step of its own.  By then the generation may have
   gone, and a later one takes no notice.
4. A manager is taken out of the registry before it is stopped, in one step with it.
5. Each cause is a member of `UnloadCause`, and is told before the unload that it leads to: an order by whoever gave it.
6. A host that shuts down loads nothing any more.  After a load that failed callers begin no other for a while.
7. Where another host owns the partition, who has waited is refused if the manager has gone, whatever for, and nobody
   waits until another load may begin.  Who comes there, and has not waited yet, is served.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import attrs

from matching.errors import Unavailable
from matching.identity import Host, Owner, PartitionKey
from matching.lifetime import LifetimeOptions, UnloadCause
from matching.manager import PartitionManager
from matching.membership import MembershipView
from matching.namespace import NamespaceState, NamespaceView
from matching.probe import Probe

__all__ = ["ManagerRegistry", "Process"]


class Process(enum.Enum):
    """What a host's process does."""

    UP = "up"
    CLOSING = "closing"
    ENDED = "ended"


_Waiters = dict["asyncio.Future[None]", None]
"""Who waits until there is news."""


@attrs.frozen(kw_only=True)
class _Failure:
    """A load that failed: why, and the time at which callers may begin another."""

    reason: Exception | None
    not_before: float


class ManagerRegistry:
    """The managers of one host; ``make`` makes one that holds nothing yet and has asked for nothing."""

    def __init__(
        self,
        host: Host,
        *,
        make: Callable[[Owner, NamespaceState], PartitionManager],
        namespace: NamespaceView,
        membership: MembershipView,
        options: LifetimeOptions,
        generations: Mapping[PartitionKey, int],
        probe: Probe,
    ) -> None:
        self.process = Process.UP
        self._host = host
        self._make = make
        self._namespace = namespace
        self._membership = membership
        self._options = options
        self._generations = dict(generations)
        self._probe = probe
        self._managers: dict[PartitionKey, PartitionManager] = {}
        self._known: dict[Owner, PartitionManager] = {}
        self._sought: dict[PartitionKey, _Waiters] = {}
        self._pauses: dict[PartitionKey, _Waiters] = {}
        self._failures: dict[PartitionKey, _Failure] = {}
        """Where the last load has failed, until another one serves."""
        self._stopped: list[PartitionManager] = []
        namespace.subscribe(self._namespace_changed)
        membership.subscribe(self._owners_changed)

    @property
    def managers(self) -> Mapping[PartitionKey, PartitionManager]:
        """The managers that callers find."""
        return MappingProxyType(self._managers)

    @property
    def generations(self) -> Mapping[PartitionKey, int]:
        """How often each partition was loaded so far."""
        return MappingProxyType(self._generations)

    @property
    def known(self) -> Iterable[PartitionManager]:
        """Every manager of which something still tells, stopped ones too."""
        return self._known.values()

    # Loads

    def ready(self, partition: PartitionKey) -> PartitionManager | None:
        """Give the manager that serves a partition now."""
        manager = self._managers.get(partition)
        return manager if manager is not None and manager.running else None

    def failure(self, partition: PartitionKey) -> Exception | None:
        """Why the last load of a partition failed; None where it serves, or none has ended yet."""
        failure = self._failures.get(partition)
        return None if failure is None else failure.reason

    async def until_ready(
        self, partition: PartitionKey, until: float | None = None, *, has_waited: bool = False
    ) -> None:
        """Wait until a manager may serve, and load one if there is none; look again then.

        Waits no longer than ``until``, a time of the running loop.  Who comes again, for what it waited for did not
        come or has gone, says that it ``has_waited``.

        Raises:
            Unavailable: the host loads nothing any more, or nothing for who waited, since another host is the owner.
        """
        if self.process is not Process.UP:
            raise Unavailable(f"{self._host} shuts down; ask the host that owns {partition} now")
        failure = self._failures.get(partition)
        brake = 0.0 if failure is None or partition in self._managers else failure.not_before
        is_braked = asyncio.get_running_loop().time() < brake
        if (has_waited or is_braked) and not self._holds_or_owns(partition):
            raise Unavailable(f"another host than {self._host} owns {partition}; ask that one")
        if is_braked:
            await self._pause(partition, brake if until is None else min(brake, until))
        else:
            await self._until_known(partition, until)

    def _holds_or_owns(self, partition: PartitionKey) -> bool:
        """Tell whether a caller is right here: an order can load again what has moved, before its caller goes on."""
        return partition in self._managers or self._membership.owns(partition)

    def load(self, partition: PartitionKey) -> None:
        """Load a partition for nobody in particular, if it is not loaded.

        Raises:
            Unavailable: the host loads nothing any more.
        """
        if self.process is not Process.UP:
            raise Unavailable(f"{self._host} shuts down; load {partition} elsewhere")
        if partition not in self._managers:
            self._sought.setdefault(partition, {})
            self._begin(partition)

    def _seek(self, partition: PartitionKey) -> _Waiters:
        """Note that somebody needs the partition's manager, and begin one if there is none. (Seek)"""
        waiters = self._sought.setdefault(partition, {})
        self._probe("Seek", self._host, str(partition))
        if partition not in self._managers:
            self._begin(partition)
        return waiters

    async def _until_known(self, partition: PartitionKey, until: float | None) -> None:
        """Wait until the manager serves, or has gone, or it is too late. (Seek, Abandon)"""
        waiters = self._seek(partition)
        try:
            await _wait_among(waiters, until)
        finally:
            if not waiters and self._sought.get(partition) is waiters:
                del self._sought[partition]
                self._probe("Abandon", self._host, str(partition))

    async def _pause(self, partition: PartitionKey, until: float) -> None:
        """Wait before another load is tried, or until there is news of the partition."""
        pauses = self._pauses.setdefault(partition, {})
        try:
            await _wait_among(pauses, until)
        finally:
            if not pauses and self._pauses.get(partition) is pauses:
                del self._pauses[partition]

    def _begin(self, partition: PartitionKey) -> None:
        """Begin a new generation. (Load)"""
        generation = self._generations.get(partition, 0) + 1
        self._generations[partition] = generation
        owner = Owner(self._host, partition, generation)
        manager = self._make(owner, self._namespace.state)
        self._managers[partition] = self._known[owner] = manager
        self._probe("Load", self._host, str(partition))
        manager.life.load()

    def started(self, manager: PartitionManager) -> None:
        """Let those go on who waited for the manager."""
        self._failures.pop(manager.owner.partition, None)
        self._settle(manager.owner.partition)
        self._end_pause(manager.owner.partition)

    def _settle(self, partition: PartitionKey) -> None:
        """Wake those who wait for a manager; nobody seeks it then."""
        for waiter in self._sought.pop(partition, {}):
            _tell(waiter)

    def _end_pause(self, partition: PartitionKey) -> None:
        for pause in self._pauses.get(partition, {}):
            _tell(pause)

    # Unloads

    def unload(self, partition: PartitionKey) -> None:
        """Unload a partition for an operator; where it is not loaded there is nothing to do."""
        manager = self._managers.get(partition)
        if manager is not None:
            self._arrive(manager, UnloadCause.ORDER)

    def unload_now(self, manager: PartitionManager, cause: UnloadCause) -> None:
        """Unload this very generation, if callers still find it."""
        self._arrive(manager, cause)

    def unload_soon(self, manager: PartitionManager, cause: UnloadCause) -> None:
        """Call for the unload of this very generation; the call arrives in a step of its own."""
        asyncio.get_running_loop().call_soon(self._arrive, manager, cause)

    def _arrive(self, manager: PartitionManager, cause: UnloadCause) -> None:
        """Unload a generation, if callers still find it; of one that comes too late nothing follows. (Unload)"""
        partition = manager.owner.partition
        if self._managers.get(partition) is not manager:
            if self.process is not Process.ENDED:
                self._probe("Unload", self._host, str(partition), manager.owner.generation)
            return
        self._stopped = [stopped for stopped in self._stopped if not stopped.quiet]
        self._stopped.append(manager)
        if cause is not UnloadCause.CONFLICT:
            manager.save()
        del self._managers[partition]
        if cause is UnloadCause.FAILURE:
            not_before = asyncio.get_running_loop().time() + self._options.load_retry_seconds
            self._failures[partition] = _Failure(reason=manager.life.failure, not_before=not_before)
        self._settle(partition)
        manager.stop()

    def forget(self, manager: PartitionManager) -> None:
        """Forget a generation of which nothing tells any more."""
        self._known.pop(manager.owner, None)

    def _namespace_changed(self, before: NamespaceState, after: NamespaceState) -> None:
        """Unload what was loaded under another state, or let tasks and polls meet that could not before."""
        for manager in list(self._managers.values()):
            if self._options.unload_on_namespace_state_change and manager.life.tag is not after:
                self.unload_soon(manager, UnloadCause.NAMESPACE_STATE)
            else:
                manager.rematch()

    def _owners_changed(self) -> None:
        """Unload what another host owns; who pauses there waits in vain."""
        for manager in list(self._managers.values()):
            if not self._membership.owns(manager.owner.partition):
                self.unload_soon(manager, UnloadCause.MEMBERSHIP)
        for partition in list(self._pauses):
            if not self._membership.owns(partition):
                self._end_pause(partition)

    # The process

    async def shutdown(self) -> None:
        """Load nothing any more, unload everything, and wait until nothing runs. (ShutDown)"""
        if self.process is Process.UP:
            self.process = Process.CLOSING
            self._probe("ShutDown", self._host)
        for manager in list(self._managers.values()):
            self._arrive(manager, UnloadCause.SHUTDOWN)
        for partition in list(self._pauses):
            self._end_pause(partition)
        while self._stopped:
            await self._stopped[0].stopped()
            self._stopped = [stopped for stopped in self._stopped if not stopped.quiet]

    def crash(self) -> None:
        """Lose everything that is in memory, as a process does that ends. (Crash, Vanish)

        Of calls of the store that have begun the answers are still heard, by nobody who could use them.
        """
        self.process = Process.ENDED
        lost = list(self._managers.values())
        for manager in (*self._known.values(), *self._stopped):
            manager.life.vanish()
        self._known.clear()
        self._probe("Crash", self._host)
        for manager in lost:
            del self._managers[manager.owner.partition]
            self._settle(manager.owner.partition)
            manager.vanish()
        self._stopped.clear()
        self._failures.clear()
        for partition in list(self._pauses):
            self._end_pause(partition)

    def restart(self) -> None:
        """Begin anew where a process has ended. (Restart)"""
        assert self.process is Process.ENDED
        self.process = Process.UP
        self._probe("Restart", self._host)


async def _wait_among(waiters: _Waiters, until: float | None) -> None:
    """Wait as one of them until somebody tells, or for so long."""
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[None] = loop.create_future()
    waiters[waiter] = None
    timer = None if until is None else loop.call_at(until, _tell, waiter)
    try:
        await waiter
    finally:
        del waiters[waiter]
        if timer is not None:
            timer.cancel()


def _tell(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
