"""What hosts promise by time of what they hold, of which the specification says nothing: when it is shown, and may go.

Five rules:

1. No manager calls for its unload as idle before its time, which counts from its start, and anew from each poll that
   comes, ends or waits, and from each task that comes.  One that nobody uses calls for it in its time.
2. A manager that has the lease is counted and shown as often as is stated.
3. A series that was shown is removed as long after its stop as is stated: a scrape sees the zero, and no later one.
4. A manager that serves will save its level at some time to come: so it learns of a lease that was lost.
5. The steps are heard as the hosts tell them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence

from conformance.refinement.books import Books
from conformance.targets.limits import SLACK_SECONDS
from matching.engine import Engine
from matching.lifetime import LifetimeOptions
from matching.manager import PartitionManager

__all__ = ["Upkeep"]

_Manager = tuple[str, str]
_Generation = tuple[str, str, int]


class Upkeep:
    """Hears the steps of hosts, and knows when each manager was used and each generation stopped."""

    def __init__(self, options: LifetimeOptions, books: Books, now: Callable[[], float]) -> None:
        self.broken: str | None = None
        """The first promise that was not kept."""
        self._options = options
        self._books = books
        self._now = now
        self._serves: dict[_Manager, int] = {}
        self._used_at: dict[_Manager, float] = {}
        self._looked_at: dict[str, float] = {}
        """When a task last went, by partition: it may have looked for a poll until then, which nobody tells."""
        self._idle: dict[_Manager, int] = {}
        """The generation that was called idle last."""
        self._counted_at: dict[_Manager, float] = {}
        self._polls: dict[str, _Generation] = {}
        self._shown: set[_Generation] = set()
        self._stopped_at: dict[_Generation, float] = {}

    def hear(self, action: str, args: tuple[object, ...]) -> None:
        """Note a step, and whether it came in its time."""
        match action, args:
            case "Start", (str(host), str(partition), int(generation)):
                self._serves[host, partition] = generation
                self._used_at[host, partition] = self._now()
            case "Lead", (str(host), str(partition)):
                self._counted_at.setdefault((host, partition), self._now())
            case "Sample", (str(host), str(partition), *_):
                self._counted_at[host, partition] = self._now()
            case "Unload", (str(host), str(partition), int(generation)):
                if self._serves.get((host, partition)) == generation:
                    self._counted_at.pop((host, partition), None)
            case (("Register" | "Take"), (str(poll), str(host), *_)):
                manager = host, str(self._books.wanted[poll][1])
                self._polls[poll] = (*manager, self._serves[manager])
                self._used_at[manager] = self._now()
            case "Spool", (str(task), str(host)):
                self._used_at[host, str(self._books.queue[task][0])] = self._now()
            case "AbandonAdd", (str(task),):
                self._looked_at[str(self._books.queue[task][0])] = self._now()
            case "SyncMatch", (_, str(poll)):
                self._used_at[self._polls[poll][:2]] = self._now()
            case (("Expire" | "Withdraw"), (str(poll),)):
                self._end_poll(poll)
            case (("Deliver" | "GiveBack"), (_, str(poll))):
                self._end_poll(poll)
            case "Idle", (str(host), str(partition)):
                self._check_idle(host, partition)
            case "Emit", (str(host), str(partition), int(generation)):
                self._shown.add((host, partition, generation))
            case "Stop", (str(host), str(partition), int(generation)):
                self._stopped_at[host, partition, generation] = self._now()
            case "RemoveSeries", (str(host), str(partition), int(generation)):
                self._check_removal((host, partition, generation))
            case "Crash", (str(host),):
                self._stopped_at = {name: when for name, when in self._stopped_at.items() if name[0] != host}
                self._counted_at = {name: when for name, when in self._counted_at.items() if name[0] != host}
            case _:
                pass

    def _end_poll(self, poll: str) -> None:
        """A poll has ended; where its manager has gone meanwhile, a later one was not used by it."""
        if poll in self._polls:
            host, partition, generation = self._polls.pop(poll)
            if self._serves[host, partition] == generation:
                self._used_at[host, partition] = self._now()

    def _check_idle(self, host: str, partition: str) -> None:
        self._idle[host, partition] = self._serves[host, partition]
        unused, least = self._now() - self._used_at[host, partition], self._options.idle_seconds
        if least is None or unused < least - SLACK_SECONDS:
            after = "never" if least is None else f"after {least:g} s"
            self._break(f"{partition}@{host} was used {unused:g} s ago and is called idle, which it is {after}")

    def look(self, engines: Sequence[Engine], adding: Collection[str]) -> str | None:
        """Say what is late, where nobody is ``adding`` at the host; nothing may be about to happen now."""
        now = self._now()
        if (late := self._overdue()) is not None:
            return late
        for engine in engines:
            for partition, manager in engine.managers.items():
                name = engine.host, str(partition)
                counted, emit = self._counted_at.get(name), self._options.emit_seconds
                if emit is not None and counted is not None and now - counted > emit + SLACK_SECONDS:
                    return f"{_told((*name, manager.owner.generation))} was counted {now - counted:g} s ago"
                if manager.running and not _is_to_come(manager.backlog.upkeep_timer, now):
                    return f"{_told((*name, manager.owner.generation))} serves, and will not save its level"
                unused, idle = self._is_unused(name, manager), self._options.idle_seconds
                if idle is not None and engine.host not in adding and unused > idle + SLACK_SECONDS:
                    return f"{_told((*name, manager.owner.generation))} was used {unused:g} s ago, and is kept"
        return None

    def _is_unused(self, name: _Manager, manager: PartitionManager) -> float:
        """For how long nobody has used a manager that was not called idle."""
        if not manager.running or manager.polls or self._idle.get(name) == manager.owner.generation:
            return 0.0
        return self._now() - max(self._used_at[name], self._looked_at.get(name[1], 0.0))

    def owed_times(self) -> list[float]:
        """The moments at which what a scrape reads of stopped generations should have gone, if time comes so far."""
        most = self._options.dead_series_seconds + 2 * SLACK_SECONDS
        return [stopped_at + most for stopped_at in self._stopped_at.values()]

    def _overdue(self) -> str | None:
        """Say of which generation something is still told that should have gone."""
        most = self._options.dead_series_seconds + SLACK_SECONDS
        late = (name for name, stopped_at in self._stopped_at.items() if self._now() - stopped_at > most)
        return next((f"{_told(name)} stopped, and its series are still there" for name in late), None)

    def _check_removal(self, name: _Generation) -> None:
        zero, least = self._now() - self._stopped_at.pop(name), self._options.dead_series_seconds
        if name in self._shown:
            if zero < least - SLACK_SECONDS:
                self._break(f"the series of {_told(name)} read zero for {zero:g} of {least:g} s")

    def _break(self, promise: str) -> None:
        self.broken = self.broken or promise


def _is_to_come(timer: asyncio.TimerHandle | None, now: float) -> bool:
    return timer is not None and not timer.cancelled() and timer.when() > now


def _told(name: _Generation) -> str:
    host, partition, generation = name
    return f"{partition}#{generation}@{host}"
