"""One generation's way from its load to its stop, and what operators are shown of it meanwhile.

Five rules:

1. A phase is followed by the next one, or by a stop; nothing comes back.
2. A manager is published when every part of its initialisation is there, and starts in a step of its own, which an
   unload may overtake: each step looks at the phase first.
3. What was asked for is answered, also after a stop, and then changes nothing.
4. A stop has two steps.  At once the manager counts as loaded no more; when its emitter has ended, what that
   showed is set to zero.
5. Series of a generation that has stopped stay for a while, so that a scrape sees the zeros, and then go.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Awaitable, Callable, Mapping

import attrs

from matching.errors import StoreError
from matching.gauges import DEAD_SERIES_SECONDS, GenerationGauges
from matching.identity import UNVERSIONED, Owner
from matching.namespace import NamespaceState
from matching.own_tasks import OwnTasks
from matching.probe import Probe

__all__ = ["ALIVE", "Lifetime", "LifetimeOptions", "Part", "Phase", "UnloadCause"]


class Phase(enum.Enum):
    """Where a generation stands."""

    LOADING = "loading"
    PUBLISHING = "publishing"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"


ALIVE = frozenset({Phase.LOADING, Phase.PUBLISHING, Phase.RUNNING})
"""The phases in which callers find the manager."""


class Part(enum.Enum):
    """What a manager needs before it can serve."""

    METADATA = "metadata"
    USER_DATA = "user data"


class UnloadCause(enum.Enum):
    """Why a manager is unloaded."""

    # temporal: service/matching/matching_engine.go, unloadCause; as of before #12291, none for the namespace's state
    ORDER = "order"
    FAILURE = "failure"
    NAMESPACE_STATE = "namespace state"
    MEMBERSHIP = "membership"
    CONFLICT = "conflict"
    IDLE = "idle"
    SHUTDOWN = "shutdown"


@attrs.frozen(kw_only=True)
class LifetimeOptions:
    """When a manager is given up, and how often it is shown; times are in seconds, and None is never."""

    # temporal: common/dynamicconfig/constants.go, MatchingMaxTaskQueueIdleTime
    unload_on_namespace_state_change: bool = True
    idle_seconds: float | None = 300.0
    emit_seconds: float | None = 5.0
    dead_series_seconds: float = DEAD_SERIES_SECONDS
    load_retry_seconds: float = 1.0


class Lifetime:
    """One generation.

    ``fetches`` has what brings each part; ``count`` tells how many records the backlog has, where that is known.
    ``started`` is called in the step that starts, ``failed`` when a part does not come, ``gone`` when nothing tells
    of the generation any more.
    """

    def __init__(
        self,
        owner: Owner,
        tag: NamespaceState,
        *,
        fetches: Mapping[Part, Callable[[Owner], Awaitable[object]]],
        gauges: GenerationGauges,
        options: LifetimeOptions,
        probe: Probe,
        count: Callable[[], int | None],
        started: Callable[[], None],
        failed: Callable[[], None],
        gone: Callable[[], None],
    ) -> None:
        self.owner = owner
        self.tag = tag
        self.phase = Phase.LOADING
        self.fetched: dict[Part, object] = {}
        """What the parts that are ready brought, until the stop."""
        self.failure: Exception | None = None
        """Why a part did not come, where one has not."""
        self.gauges = gauges
        self._fetches = fetches
        self._options = options
        self._probe = probe
        self._count = count
        self._started = started
        self._failed = failed
        self._gone = gone
        self._name = (owner.host, str(owner.partition), owner.generation)
        self._removed = False
        self._emitter: asyncio.TimerHandle | None = None
        self._tasks = OwnTasks(f"{owner.partition}#{owner.generation}")

    @property
    def ready(self) -> frozenset[Part]:
        """The parts that are there; none after a stop."""
        return frozenset(self.fetched)

    @property
    def alive(self) -> bool:
        """Tell whether callers may find the manager."""
        return self.phase in ALIVE

    @property
    def quiet(self) -> bool:
        """Tell whether nothing that was asked for is still to be answered."""
        return self._tasks.quiet

    @property
    def emitter(self) -> asyncio.TimerHandle | None:
        """The timer of the next tick."""
        return self._emitter

    # A load

    def load(self) -> None:
        """Ask for every part."""
        for part in Part:
            self._tasks.spawn(self._fetch(part), part.value)

    async def _fetch(self, part: Part) -> None:
        """Wait for one part. (FinishPart, Fail)"""
        try:
            found = await self._fetches[part](self.owner)
        except Exception as error:
            self._probe("Fail", *self._name)
            self.failure = error
            self._failed()
            if not isinstance(error, StoreError):
                raise  # a bug, of which no caller must wait for the end
            return
        if self.phase is Phase.LOADING:
            self.fetched[part] = found
        self._probe("FinishPart", *self._name, part.value)
        if self.phase is Phase.LOADING and len(self.ready) == len(Part):
            self._publish()

    def _publish(self) -> None:
        """Let the manager be there, and start it next. (Publish)"""
        self.phase = Phase.PUBLISHING
        self._probe("Publish", *self._name)
        asyncio.get_running_loop().call_soon(self._start)

    def _start(self) -> None:
        """Begin to serve, unless it was stopped since it was published. (Start)"""
        if self.phase is not Phase.PUBLISHING:
            return
        self.phase = Phase.RUNNING
        self._started()
        self._wind_emitter()
        self._probe("Start", *self._name)

    # Its gauges

    def _wind_emitter(self) -> None:
        if self._options.emit_seconds is not None:
            loop = asyncio.get_running_loop()
            self._emitter = loop.call_later(self._options.emit_seconds, self._tick)

    def _tick(self) -> None:
        """Show how many records there are; a tick that comes late shows nothing. (Sample, Emit)"""
        if self.phase is not Phase.RUNNING:
            return
        self._wind_emitter()
        if (count := self._count()) is None:
            return
        self._probe("Sample", *self._name, count)
        self.gauges.show(UNVERSIONED, count)
        self._probe("Emit", *self._name)

    # A stop

    def stop(self) -> None:
        """Go the first step of a stop; the manager tells of it, and of a second stop nobody does."""
        assert self.alive
        self.phase = Phase.STOPPING
        self.fetched.clear()
        self.gauges.unload()
        if self._emitter is not None:
            self._emitter.cancel()
            self._emitter = None
        asyncio.get_running_loop().call_soon(self._finish_stop)

    def _finish_stop(self) -> None:
        """Set to zero what was shown: the emitter has ended. (Stop)"""
        if self.phase is not Phase.STOPPING:
            return
        self.phase = Phase.STOPPED
        self.gauges.stop()
        self._probe("Stop", *self._name)
        if self.gauges.series:
            loop = asyncio.get_running_loop()
            loop.call_later(self._options.dead_series_seconds, self._remove)
        else:
            self._remove()

    def _remove(self) -> None:
        """Let go what was shown: a scrape has seen the zeros. (RemoveSeries)"""
        if self._removed:
            return
        self._removed = True
        self.gauges.remove()
        self._gone()
        self._probe("RemoveSeries", *self._name)

    def vanish(self) -> None:
        """Go with the process, of which nothing is left to be shown."""
        self.phase = Phase.STOPPED
        self._removed = True
        self.fetched.clear()
        self._tasks.cancel()
        if self._emitter is not None:
            self._emitter.cancel()
            self._emitter = None

    async def stopped(self) -> None:
        """Wait until it is quiet."""
        await self._tasks.ended()
