"""``matching tour``: a poll and a task meet in every way that a partition knows.

It runs in real time over SQLite, and tells at each stop what was asked, what came
of it, and what is loaded, waiting, in memory and durable afterwards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import attrs

from matching.adapters.sql import SqlStore
from matching.caller import Caller
from matching.engine import Engine
from matching.identity import UNVERSIONED, Host, PartitionKey, PollId, TaskId, TaskType, Version, Worker
from matching.namespace import NamespaceState
from matching.probe import Probe
from matching.requests import PollRequest, Task

__all__ = ["tour"]

PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)
NEXT_VERSION = Version("v2")
PATIENT_SECONDS = 30.0
SHORT_SECONDS = 0.2
MOST_SECONDS = 5.0

Say = Callable[[str], None]


async def tour(say: Say, attach: Callable[[Engine], Probe] | None = None) -> None:
    """Walk through the stops; ``attach`` makes the probe that listens to the run."""
    loop = asyncio.get_running_loop()
    caller = Caller(loop)
    async with await SqlStore.open(probe=caller.hear) as store:
        namespace = NamespaceState(active=True, probe=caller.hear)
        engine = Engine(Host("h1"), store=store, namespace=namespace, probe=caller.hear)
        if attach is not None:
            caller.probe = attach(engine)
        guide = _Guide(say, engine, caller, store)
        say(f"One host, one namespace, partition {PARTITION}, SQLite in memory.")
        for stop in (_sync_match, _backlog, _deadline, _leave, _unload, _passive):
            await stop(guide)
        await engine.shutdown()
        await guide.until(lambda: not caller.polls and not caller.adds)


@attrs.define
class _Guide:
    """What the stops have in common: asking, waiting, and telling how things stand."""

    say: Say
    engine: Engine
    caller: Caller
    store: SqlStore
    _stop: int = 0

    def title(self, text: str) -> None:
        self._stop += 1
        self.say(f"\n{self._stop}. {text}")

    def asked(self, text: str) -> None:
        self.say(f"   asked     {text}")

    def happened(self, text: str) -> None:
        self.say(f"   happened  {text}")

    def poll(self, name: str, *, version: Version = UNVERSIONED, seconds: float = PATIENT_SECONDS) -> None:
        deadline = asyncio.get_running_loop().time() + seconds
        request = PollRequest(PollId(name), Worker(f"worker-{name}"), PARTITION, deadline, version)
        self.caller.start_poll(self.engine, request)

    def add(self, name: str, *, version: Version = UNVERSIONED) -> None:
        self.caller.add_task(self.engine, Task(TaskId(name), PARTITION, version))

    def waiting(self, name: str) -> bool:
        manager = self.engine.managers.get(PARTITION)
        return manager is not None and PollId(name) in manager.polls

    def in_memory(self, name: str) -> bool:
        manager = self.engine.managers.get(PARTITION)
        return manager is not None and any(task.task_id == name for task in manager.memory.available())

    def returned(self, name: str) -> bool:
        return PollId(name) not in self.caller.polls

    def answered(self, name: str) -> bool:
        return TaskId(name) not in self.caller.adds

    async def until(self, so: Callable[[], bool]) -> None:
        async with asyncio.timeout(MOST_SECONDS):
            while not so():
                await asyncio.sleep(0.001)

    async def until_durable(self, *names: str) -> None:
        async with asyncio.timeout(MOST_SECONDS):
            while [task.task_id for task in await self.store.durable(PARTITION)] != list(names):
                await asyncio.sleep(0.001)

    async def stands(self) -> None:
        """Tell how things stand."""
        manager = self.engine.managers.get(PARTITION)
        durable = ", ".join(task.task_id for task in await self.store.durable(PARTITION)) or "nothing"
        if manager is None:
            self.say(f"   now       no manager is loaded; durable: {durable}")
            return
        waiting = ", ".join(manager.polls) or "nobody"
        memory = ", ".join(task.task_id for task in manager.memory.available()) or "nothing"
        state = "active" if self.engine.namespace.active else "passive"
        self.say(
            f"   now       generation {manager.owner.generation}, namespace {state};"
            f" waiting: {waiting}; in memory: {memory}; durable: {durable}"
        )


async def _sync_match(guide: _Guide) -> None:
    guide.title("A task meets a waiting poll: nothing is written")
    guide.poll("p1")
    await guide.until(lambda: guide.waiting("p1"))
    guide.asked("worker-p1 polls; a manager was loaded for it, and p1 waits")
    guide.add("t1")
    guide.asked("t1 is added")
    await guide.until(lambda: guide.returned("p1") and guide.answered("t1"))
    guide.happened("p1 returned t1, and only then the add was answered")
    await guide.stands()


async def _backlog(guide: _Guide) -> None:
    guide.title("A task that meets no poll is stored; a later poll takes it; then its record goes")
    guide.add("t2")
    guide.asked("t2 is added while nobody waits")
    await guide.until(lambda: guide.answered("t2") and guide.in_memory("t2"))
    guide.happened("the write was confirmed, and the manager read the record")
    await guide.stands()
    guide.poll("p2")
    guide.asked("worker-p2 polls")
    await guide.until(lambda: guide.returned("p2"))
    await guide.until_durable()
    guide.happened("p2 took t2 from memory without waiting; the delete followed as a write of its own")
    await guide.stands()


async def _deadline(guide: _Guide) -> None:
    guide.title("A deadline ends a poll empty")
    guide.poll("p3", seconds=SHORT_SECONDS)
    guide.asked(f"worker-p3 polls for {SHORT_SECONDS} s")
    await guide.until(lambda: guide.returned("p3"))
    guide.happened("the registration's timer ended it")
    await guide.stands()


async def _leave(guide: _Guide) -> None:
    guide.title("A caller leaves in the very tick of the match: the task comes back")
    guide.poll("p4")
    await guide.until(lambda: guide.waiting("p4"))
    guide.add("t4")
    asyncio.get_running_loop().call_soon(guide.caller.leave, PollId("p4"))
    guide.asked("t4 is added, and p4's caller leaves before its handler runs again")
    await guide.until(lambda: guide.returned("p4") and guide.answered("t4") and guide.in_memory("t4"))
    guide.happened("the handler gave t4 back, the add found nobody else and stored it")
    await guide.stands()
    guide.poll("p5")
    await guide.until(lambda: guide.returned("p5"))
    await guide.until_durable()
    guide.happened("p5 received t4")


async def _unload(guide: _Guide) -> None:
    guide.title("An unload ends waiting polls; the backlog stays, and the next generation reads it")
    guide.add("t6", version=NEXT_VERSION)
    await guide.until(lambda: guide.answered("t6"))
    guide.poll("p6")
    await guide.until(lambda: guide.waiting("p6"))
    guide.asked("t6 is stored for version v2; p6 waits for unversioned tasks; the manager is unloaded")
    guide.engine.unload(PARTITION)
    await guide.until(lambda: guide.returned("p6"))
    guide.happened("p6 ended empty")
    await guide.stands()
    guide.poll("p7", version=NEXT_VERSION)
    await guide.until(lambda: guide.returned("p7"))
    await guide.until_durable()
    guide.happened("p7, of version v2, loaded a new generation, which read t6 and handed it over")
    await guide.stands()


async def _passive(guide: _Guide) -> None:
    guide.title("A passive namespace stores and waits, but hands out nothing")
    guide.engine.namespace.change(active=False)
    guide.poll("p8")
    await guide.until(lambda: guide.waiting("p8"))
    guide.add("t8")
    await guide.until(lambda: guide.answered("t8") and guide.in_memory("t8"))
    guide.asked("a failover makes this cluster passive; p8 polls, t8 is added")
    await guide.stands()
    guide.engine.namespace.change(active=True)
    await guide.until(lambda: guide.returned("p8"))
    await guide.until_durable()
    guide.happened("a failover back, and p8 received t8 at once")
    await guide.stands()
