"""What a shard knows of its executions, and how it changes them.

Four rules:

1. An execution has one lock, held across I/O: while its row is read or changed, nobody decides.
2. Memory says what is so only while it is certain.  Where nobody knows whether a change took
   effect, the row is loaded again, under the lock, before anything is decided.  If that fails
   too, the shard goes on trying, though nobody asks: what was changed may have to be brought
   to Matching.
3. Memory is never ahead of the store.
4. A shard that has lost its range id stops.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from types import MappingProxyType

import attrs

from matching.errors import LeaseLost, RowChanged, StoreError, Unavailable
from matching.history.backoff import Backoff
from matching.history.draft import Draft
from matching.history.store import Execution, HistoryStore, Intent, Phase, ScheduledEvent
from matching.history.work import STEADY, Asker, Work
from matching.identity import EventId, Item, RunId

__all__ = ["Executions", "Loaded", "NotApplied"]


class NotApplied(Unavailable):
    """A change surely had no effect; the same request may be tried again."""


@attrs.define(eq=False)
class Loaded:
    """One execution in memory, with its lock; before it has begun it is None."""

    run_id: RunId
    execution: Execution | None = None
    intents: dict[Item, Intent] = attrs.field(factory=dict)
    certain: bool = True
    mending: bool = False
    lock: asyncio.Lock = attrs.field(factory=asyncio.Lock)

    def event(self, event_id: EventId) -> ScheduledEvent | None:
        """Find an event of the execution by its id."""
        return self.execution.event(event_id) if self.execution is not None else None

    def draft(self) -> Draft:
        """Begin a change of an execution that is there."""
        assert self.execution is not None
        return Draft(self.execution)

    def has_due(self, item: Item) -> bool:
        """Tell whether the item has still to be started, as far as is known; what is not due never is again."""
        event = self.event(item.event_id)
        return event is not None and event.phase is Phase.SCHEDULED and event.item == item


class Executions:
    """The executions of one shard, under one range id.

    ``changed`` is called with each execution that became known anew, ``lost`` when the range id is another's.
    """

    def __init__(
        self,
        store: HistoryStore,
        shard: int,
        *,
        work: Work,
        backoff: Backoff,
        changed: Callable[[Loaded], None],
        lost: Callable[[], None],
    ) -> None:
        self._store = store
        self._shard = shard
        self._work = work
        self._backoff = backoff
        self._changed = changed
        self._lost = lost
        self._range_id = 0
        self._runs: dict[RunId, Loaded] = {}

    @property
    def runs(self) -> Mapping[RunId, Loaded]:
        """The executions that are known."""
        return MappingProxyType(self._runs)

    async def take(self) -> None:
        """Take the shard from whoever had it, and load what it holds.

        Raises:
            Unavailable: the store did not confirm; try again.
        """
        try:
            self._range_id = await self._store.take_shard(self._shard)
            contents = await self._store.load(self._shard, self._range_id)
        except LeaseLost as error:
            raise self._fenced() from error
        except StoreError as error:
            raise Unavailable(f"shard {self._shard} was not taken: {error}") from error
        intents: dict[RunId, list[Intent]] = {}
        for intent in contents.intents:
            intents.setdefault(intent.run_id, []).append(intent)
        for execution in contents.executions:
            self._install(self.admit(execution.run_id), execution, intents.get(execution.run_id, ()))

    def admit(self, run_id: RunId) -> Loaded:
        """Give the place of an execution that may have begun or not."""
        return self._runs.setdefault(run_id, Loaded(run_id))

    @contextlib.asynccontextmanager
    async def hold(self, run_id: RunId, asker: Asker = STEADY) -> AsyncIterator[Loaded]:
        """Lock an execution, and make certain what is so; one that is not known stays so.

        Raises:
            Unavailable: the store does not say what is so, or whoever asked has gone.
        """
        loaded = self._runs.get(run_id) or Loaded(run_id)
        async with loaded.lock:
            if not loaded.certain:
                await self._load_again(loaded)
            if asker.gone:
                raise Unavailable("whoever asked has gone")
            yield loaded

    async def commit(self, loaded: Loaded, draft: Draft) -> None:
        """Apply what was drafted to an execution that is held.

        Raises:
            NotApplied: it had no effect.
            Unavailable: nobody knows whether it had.
        """
        change = draft.change()
        loaded.certain = False
        try:
            await self._store.apply(self._shard, self._range_id, change)
        except LeaseLost as error:
            raise self._fenced() from error
        except (RowChanged, StoreError) as error:
            await self._load_again(loaded)
            row_version = loaded.execution.row_version if loaded.execution is not None else 0
            # Nobody else raises the row's version while this shard has the range id and the lock.
            if isinstance(error, RowChanged) or row_version == change.expected:
                raise NotApplied(f"nothing was changed: {error}; try again") from error
        else:
            intents = dict(loaded.intents)
            for part in change.parts:
                for item in part.removed:
                    del intents[item]
                intents.update({intent.item: intent for intent in part.added})
            self._install(loaded, change.execution, intents.values())

    async def _load_again(self, loaded: Loaded) -> None:
        try:
            contents = await self._store.load(self._shard, self._range_id, loaded.run_id)
        except LeaseLost as error:
            raise self._fenced() from error
        except StoreError as error:
            self._mend(loaded)
            raise Unavailable(f"nobody knows what became of run {loaded.run_id}: {error}; try again") from error
        self._install(loaded, next(iter(contents.executions), None), contents.intents)

    def _install(self, loaded: Loaded, execution: Execution | None, intents: Iterable[Intent]) -> None:
        loaded.execution = execution
        loaded.intents = {intent.item: intent for intent in intents}
        loaded.certain = True
        self._changed(loaded)

    def _fenced(self) -> Unavailable:
        self._lost()
        return Unavailable(f"shard {self._shard} is another host's now; ask that host")

    def _mend(self, loaded: Loaded) -> None:
        if not loaded.mending:
            loaded.mending = True
            self._work.spawn(self._make_certain(loaded), f"load {loaded.run_id} again")

    async def _make_certain(self, loaded: Loaded) -> None:
        async def hold() -> None:
            async with self.hold(loaded.run_id):
                pass

        await self._backoff.wait(0)
        await self._backoff.insist(hold)
        loaded.mending = False
