"""What a walkthrough stands on: a service in real time, and a way to wait for its steps and to tell them.

Three rules:

1. What is told to have happened is what the probe was told, never what the
   walkthrough expects.
2. Nothing sleeps: a walkthrough waits for steps, and says which did not come.
3. Durable records are read from the database, in a way that the probe does not hear.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING

import attrs

from matching.adapters.history import SqlHistoryStore
from matching.adapters.opening import open_metrics
from matching.adapters.sql import SqlStore
from matching.backlog import BacklogLimits
from matching.caller import Caller
from matching.engine import Engine
from matching.identity import UNVERSIONED, Host, PartitionKey, PollId, TaskId, Version, Worker
from matching.inspect import inspect, table
from matching.lifetime import LifetimeOptions
from matching.membership import Membership, MembershipView
from matching.namespace import HERE, THERE, NamespaceView
from matching.probe import Attach, Probe, silent
from matching.requests import PollRequest, Task
from matching.walkthroughs.workflows import Workflows

if TYPE_CHECKING:
    from matching.adapters.metrics import HostMetrics

__all__ = ["H1", "MOST_SECONDS", "USUAL", "Stage", "StuckError", "Watch", "staged"]

H1 = Host("h1")
USUAL: Mapping[Host, LifetimeOptions] = MappingProxyType({H1: LifetimeOptions()})
"""One host, whose managers live as long as they do in operation."""

MOST_SECONDS = 10.0
"""How long a walkthrough waits for a step before it gives up."""

Arguments = tuple[str | int | tuple[str, ...], ...]


class StuckError(Exception):
    """A step that a walkthrough waits for does not come: the service does not do what it should."""

    exit_status = 1


class Watch:
    """Hears every step on its way to the probe, and wakes those who wait for it."""

    def __init__(self) -> None:
        self.probe: Probe = silent
        self.alone = True
        """Whether there is one host only, which need not be named then."""
        self._steps: list[tuple[str, Arguments]] = []
        self._told = 0
        self._passed = 0
        self._more = asyncio.Event()

    def __call__(self, action: str, *args: str | int | tuple[str, ...]) -> None:
        self.probe(action, *args)
        self._steps.append((action, args))
        self._more.set()

    def news(self) -> list[tuple[str, Arguments]]:
        """Give the steps that were heard since the last time."""
        first, self._told = self._told, len(self._steps)
        return self._steps[first:]

    async def until(self, *wanted: str) -> None:
        """Wait until all these steps came after the last ones waited for; write ``Return p1`` or ``ReadBacklog``.

        Raises:
            StuckError: they did not come.
        """
        missing, position = dict.fromkeys(wanted), self._passed
        try:
            async with asyncio.timeout(MOST_SECONDS):
                while missing:
                    for action, args in self._steps[position:]:
                        position += 1
                        if (found := next((each for each in missing if _is(each, action, args)), None)) is not None:
                            del missing[found]
                            self._passed = position
                    if missing:
                        self._more.clear()
                        await self._more.wait()
        except TimeoutError:
            heard = _line(self._steps[self._passed :], alone=self.alone) or "nothing"
            raise StuckError(f"waited {MOST_SECONDS:g} s for {', '.join(missing)}, and heard {heard}") from None


@attrs.frozen(eq=False)
class Stage:
    """One partition's service, its callers and History, which knows the first host; ``say`` prints a line."""

    say: Callable[[str], None]
    partition: PartitionKey
    engines: Mapping[Host, Engine]
    metrics: Mapping[Host, HostMetrics]
    caller: Caller
    store: SqlStore
    watch: Watch
    workflows: Workflows

    @property
    def engine(self) -> Engine:
        """The first host's."""
        return next(iter(self.engines.values()))

    def title(self, text: str) -> None:
        self.say(f"\n{text}")

    def asked(self, text: str) -> None:
        self.say(f"   asked     {text}")

    def poll(
        self,
        name: str,
        worker: str,
        *,
        seconds: float,
        version: Version = UNVERSIONED,
        partition: PartitionKey | None = None,
        host: Host = H1,
    ) -> None:
        """Let a worker poll."""
        where = "" if partition is None else f" at {partition}"
        self.asked(f"{worker} polls as {name}{where}, {version}, for at most {seconds:g} s")
        deadline = asyncio.get_running_loop().time() + seconds
        poll = PollRequest(PollId(name), Worker(worker), partition or self.partition, deadline, version)
        self.workflows.note(poll.poll_id, self.caller.start_poll(self.engines[host], poll))

    def add(
        self,
        name: str,
        *,
        version: Version = UNVERSIONED,
        partition: PartitionKey | None = None,
        host: Host = H1,
    ) -> None:
        """Add a task."""
        where = "" if partition is None else f" at {partition}"
        self.asked(f"add {name}{where}, {version}")
        self.caller.add_task(self.engines[host], Task(TaskId(name), partition or self.partition, version))

    def failover(self, *, active: bool) -> None:
        """Make this cluster the active one, or a passive one, and let every host hear of it."""
        self.asked(f"failover: this cluster becomes {_state(active)}")
        news = self.engine.namespace.known.failover(HERE if active else THERE)
        self.caller.hear("ChangeNamespace", news.active_cluster)
        for engine in self.engines.values():
            engine.namespace.hear(news)

    async def inspected(self) -> None:
        """Tell what each host holds, as ``matching inspect`` does."""
        found = [each for engine in self.engines.values() for each in await inspect(engine, self.count)]
        self.say("")
        for line in table(found).splitlines():
            self.say(f"   {line}".rstrip())

    async def count(self, partition: PartitionKey) -> int:
        """Give how many records a partition has that are durable."""
        return await self.store.count(partition)

    async def told(self, *wanted: str) -> None:
        """Wait for these steps; then tell all that happened, and how things stand."""
        await self.watch.until(*wanted)
        news = self.watch.news()
        self.say(f"   happened  {_line(_worth_telling(news), alone=self.watch.alone)}")
        if returned := [_RETURNED[action](args) for action, args in news if action in _RETURNED]:
            self.say(f"   returned  {'; '.join(returned)}")
        self.say(f"   now       {await self._now()}")
        if self.workflows.shard.executions:
            self.say(f"             {await self.workflows.now()}")

    async def _now(self) -> str:
        manager = self.engine.managers.get(self.partition)
        durable = _names(record.task.task_id for record in (await self.store.durable(self.partition)).records)
        state = f"namespace {_state(self.engine.namespace.active)} · backlog {durable}"
        loaded = {partition for engine in self.engines.values() for partition in engine.generations}
        where = f"{self.partition} · " if loaded - {self.partition} else ""
        if manager is None:
            return f"{where}no manager is loaded · {state}"
        waiting = _names(manager.polls)
        return f"{where}generation {manager.owner.generation} · waiting {waiting} · {state}"


@asynccontextmanager
async def staged(
    say: Callable[[str], None],
    partition: PartitionKey,
    database: str,
    attach: Attach | None = None,
    hosts: Mapping[Host, LifetimeOptions] = USUAL,
) -> AsyncIterator[Stage]:
    """Set up a service over this database; at the end everything is unloaded and at rest.

    A block has three ids, so that blocks run out.
    """
    membership = Membership(hosts)
    watch = Watch()
    watch.alone = len(hosts) == 1
    caller = Caller(asyncio.get_running_loop(), watch)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(await SqlStore.open(database, probe=caller.hear))
        history = await stack.enter_async_context(await SqlHistoryStore.open(database, probe=caller.hear))
        workflows = Workflows(history, caller, caller.hear)
        metrics = {host: open_metrics(host) for host in hosts}
        engines = {
            host: Engine(
                host,
                store=store,
                namespace=NamespaceView(host, probe=caller.hear),
                membership=MembershipView(host, membership, probe=caller.hear),
                gauges=metrics[host],
                starts=workflows,
                request_ids=count(number, len(hosts)).__next__,
                limits=BacklogLimits(block_size=3),
                options=options,
                probe=caller.hear,
            )
            for number, (host, options) in enumerate(hosts.items(), 1)
        }
        if attach is not None:
            watch.probe = attach(*engines.values())
        await workflows.open(engines[H1])
        yield Stage(say, partition, engines, metrics, caller, store, watch, workflows)
        await workflows.close()
        for engine in engines.values():
            await engine.shutdown()


def _is(wanted: str, action: str, args: Arguments) -> bool:
    name, *subjects = wanted.split()
    return name == action and list(map(str, args[: len(subjects)])) == subjects


def _worth_telling(news: Iterable[tuple[str, Arguments]]) -> Iterator[tuple[str, Arguments]]:
    """The service's steps; ticks that show the same again are told once."""
    shown: set[tuple[str, Arguments]] = set()
    for action, args in news:
        if action in _CALLERS or (action, args) in shown:
            continue
        if action in _TICKS:
            shown.add((action, args))
        yield action, args


def _line(steps: Iterable[tuple[str, Arguments]], *, alone: bool) -> str:
    return " · ".join(_step(action, args, alone=alone) for action, args in steps)


def _step(action: str, args: Arguments, *, alone: bool) -> str:
    """A step in the specification's words, without its partition, and without the host where there is only one."""
    same = [each for each in args if isinstance(each, str) and (each.count("/") > 1 or (alone and each == H1))]
    shown = [str(each) for each in args if each not in same]
    return f"{action}({', '.join(shown)})" if shown else action


def _names(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _state(active: bool) -> str:
    return "active" if active else "passive"


_RETURNED: dict[str, Callable[[Arguments], str]] = {
    "Return": lambda args: f"{args[0]} {' '.join(args[1]) if isinstance(args[1], tuple) else args[1]}",
    "AnswerAdd": lambda args: f"add of {args[0]} {args[1]}",
    "ToldComplete": lambda args: f"completion of {args[0]} accepted",
    "RefuseComplete": lambda args: f"completion of {args[0]}, attempt {args[1]}, refused",
}
_CALLERS = {"StartPoll", "AddTask", *_RETURNED}
_TICKS = {"Sample", "Emit"}
