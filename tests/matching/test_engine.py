"""What an engine refuses, when it looks at the clock, and that it hides no bug."""

import asyncio
from collections.abc import Callable, Iterator, Sequence

import pytest

from conformance.simulation.loop import SimulationLoop
from matching.engine import Engine
from matching.errors import InvalidArgument
from matching.identity import Host, Owner, PartitionKey, PollId, TaskId, TaskType, Worker
from matching.namespace import NamespaceView
from matching.requests import PollRequest, Task
from matching.store import Batch, Lease, Record
from tests.matching.conftest import Service

PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)
T1 = Task(TaskId("t1"), PARTITION)


class TickingLoop(SimulationLoop):
    """A loop whose clock goes on by a millisecond whenever somebody looks at it."""

    def time(self) -> float:
        self._now += 0.001
        return self._now


class OneRecord:
    """A store that always has one record, and a bug in its delete."""

    async def metadata(self, owner: Owner) -> Lease:
        return Lease(0, 0)

    async def user_data_version(self, owner: Owner) -> int:
        return 0

    async def take_lease(self, owner: Owner, held: int) -> Lease:
        return Lease(held + 2, 0)

    async def append(self, owner: Owner, range_id: int, records: Sequence[Record]) -> None: ...

    async def read(self, owner: Owner, after: int, upto: int, limit: int) -> Batch:
        return Batch((Record(1, T1),), upto)

    async def save_ack_level(self, owner: Owner, range_id: int, level: int) -> None: ...

    async def delete(self, owner: Owner, range_id: int, upto: int) -> None:
        raise ZeroDivisionError("a bug")


@pytest.fixture(params=[SimulationLoop, TickingLoop])
def loop(request: pytest.FixtureRequest) -> Iterator[SimulationLoop]:
    make: Callable[[], SimulationLoop] = request.param
    loop = make()
    yield loop
    loop.cancel_everything()
    loop.close()


def a_poll(name: str, deadline: float) -> PollRequest:
    return PollRequest(PollId(name), Worker("w1"), PARTITION, deadline)


def loaded(loop: SimulationLoop) -> Engine:
    """An engine that has read t1 into its memory."""
    engine = Engine(Host("h1"), store=OneRecord(), namespace=NamespaceView(Host("h1")))
    loop.call_soon(engine.load, PARTITION)
    loop.run()
    return engine


def test_a_second_poll_of_one_id_is_an_invalid_argument_and_the_first_waits_on(service: Service) -> None:
    service.poll("p1")
    engine, loop = service.simulation.engine, service.simulation.loop
    second = loop.create_task(engine.poll(service.manager.polls["p1"].request))
    service.run()
    service.add("t1")

    assert isinstance(second.exception(), InvalidArgument)
    assert service.returned == {"p1": ("task", "t1")}


def test_a_poll_that_arrives_in_time_takes_the_task_in_memory_though_its_deadline_is_near(
    loop: SimulationLoop,
) -> None:
    engine = loaded(loop)
    polling = loop.create_task(engine.poll(a_poll("p1", loop.time() + 0.0015)))
    loop.run()

    assert polling.result() == T1


def test_a_poll_that_arrives_at_its_deadline_ends_empty_and_loads_nothing(loop: SimulationLoop) -> None:
    engine = Engine(Host("h1"), store=OneRecord(), namespace=NamespaceView(Host("h1")))
    polling = loop.create_task(engine.poll(a_poll("p1", 0.0)))
    loop.run()

    assert polling.result() is None
    assert dict(engine.managers) == {}


def test_a_shutdown_shows_the_bug_of_which_something_died(loop: SimulationLoop) -> None:
    engine = loaded(loop)
    loop.create_task(engine.poll(a_poll("p1", 60.0)))
    loop.run()
    stopping: asyncio.Task[None] = loop.create_task(engine.shutdown())
    loop.run()

    assert isinstance(stopping.exception(), ZeroDivisionError)
    assert any("a bug" in mistake for mistake in loop.mistakes)


def test_a_shutdown_without_anything_loaded_is_done_at_once(loop: SimulationLoop) -> None:
    engine = Engine(Host("h1"), store=OneRecord(), namespace=NamespaceView(Host("h1")))
    stopping = loop.create_task(engine.shutdown())
    loop.run()

    assert stopping.result() is None


def test_an_unload_of_what_is_not_loaded_is_no_step(service: Service) -> None:
    service.unload()

    assert service.told("Unload") == []


def test_a_second_stop_of_one_generation_is_no_step(service: Service) -> None:
    service.poll("p1")
    manager = service.manager
    service.unload()
    service.simulation.loop.call_soon(manager.stop)
    service.run()

    assert service.told("Unload") == [("Unload", "h1", str(PARTITION), 1)]
