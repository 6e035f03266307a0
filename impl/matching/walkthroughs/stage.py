"""What a walkthrough stands on: one service in real time, and a way to wait for its steps and to tell them.

Three rules:

1. What is told to have happened is what the probe was told, never what the
   walkthrough expects.
2. Nothing sleeps: a walkthrough waits for steps, and says which did not come.
3. Durable records are read from the database, in a way that the probe does not hear.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager

import attrs

from matching.adapters.history import SqlHistoryStore
from matching.adapters.sql import SqlStore
from matching.backlog import BacklogLimits
from matching.caller import Caller
from matching.engine import Engine
from matching.identity import UNVERSIONED, Host, PartitionKey, PollId, TaskId, Version, Worker
from matching.namespace import NamespaceState
from matching.probe import Probe, silent
from matching.requests import PollRequest, Task
from matching.walkthroughs.workflows import Workflows

__all__ = ["MOST_SECONDS", "Stage", "StuckError", "Watch", "staged"]

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
            heard = _line(self._steps[self._passed :]) or "nothing"
            raise StuckError(f"waited {MOST_SECONDS:g} s for {', '.join(missing)}, and heard {heard}") from None


@attrs.frozen(eq=False)
class Stage:
    """One partition's service, its callers and History; ``say`` prints a line."""

    say: Callable[[str], None]
    partition: PartitionKey
    engine: Engine
    caller: Caller
    store: SqlStore
    watch: Watch
    workflows: Workflows

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
    ) -> None:
        """Let a worker poll."""
        where = "" if partition is None else f" at {partition}"
        self.asked(f"{worker} polls as {name}{where}, {version}, for at most {seconds:g} s")
        deadline = asyncio.get_running_loop().time() + seconds
        poll = PollRequest(PollId(name), Worker(worker), partition or self.partition, deadline, version)
        self.workflows.note(poll.poll_id, self.caller.start_poll(self.engine, poll))

    def add(self, name: str, *, version: Version = UNVERSIONED) -> None:
        """Add a task."""
        self.asked(f"add {name}, {version}")
        self.caller.add_task(self.engine, Task(TaskId(name), self.partition, version))

    def failover(self, *, active: bool) -> None:
        """Make this cluster the active one, or a passive one."""
        self.asked(f"failover: this cluster becomes {_state(active)}")
        self.engine.namespace.change(active=active)

    async def told(self, *wanted: str) -> None:
        """Wait for these steps; then tell all that happened, and how things stand."""
        await self.watch.until(*wanted)
        news = self.watch.news()
        self.say(f"   happened  {_line(step for step in news if step[0] not in _CALLERS)}")
        if returned := [_RETURNED[action](args) for action, args in news if action in _RETURNED]:
            self.say(f"   returned  {'; '.join(returned)}")
        self.say(f"   now       {await self._now()}")
        if self.workflows.shard.executions:
            self.say(f"             {await self.workflows.now()}")

    async def _now(self) -> str:
        manager = self.engine.managers.get(self.partition)
        durable = _names(record.task.task_id for record in (await self.store.durable(self.partition)).records)
        state = f"namespace {_state(self.engine.namespace.active)} · backlog {durable}"
        if manager is None:
            return f"no manager is loaded · {state}"
        waiting = _names(manager.polls)
        return f"generation {manager.owner.generation} · waiting {waiting} · {state}"


@asynccontextmanager
async def staged(
    say: Callable[[str], None],
    partition: PartitionKey,
    database: str,
    attach: Callable[[Engine], Probe] | None = None,
) -> AsyncIterator[Stage]:
    """Set up a service over this database; at the end everything is unloaded and at rest.

    A block has three ids, so that blocks run out.
    """
    watch = Watch()
    caller = Caller(asyncio.get_running_loop(), watch)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(await SqlStore.open(database, probe=caller.hear))
        namespace = NamespaceState(active=True, probe=caller.hear)
        limits = BacklogLimits(block_size=3)
        history = await stack.enter_async_context(await SqlHistoryStore.open(database, probe=caller.hear))
        workflows = Workflows(history, caller, caller.hear)
        engine = Engine(
            Host("h1"), store=store, namespace=namespace, starts=workflows, limits=limits, probe=caller.hear
        )
        if attach is not None:
            watch.probe = attach(engine)
        await workflows.open(engine)
        yield Stage(say, partition, engine, caller, store, watch, workflows)
        await workflows.close()
        await engine.shutdown()


def _is(wanted: str, action: str, args: Arguments) -> bool:
    name, *subjects = wanted.split()
    return name == action and list(map(str, args[: len(subjects)])) == subjects


def _line(steps: Iterable[tuple[str, Arguments]]) -> str:
    return " · ".join(_step(action, args) for action, args in steps)


def _step(action: str, args: Arguments) -> str:
    """A step in the specification's words, without what is the same all along: host and partition."""
    shown = [str(each) for each in args if not (isinstance(each, str) and (each == "h1" or each.count("/") > 1))]
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
