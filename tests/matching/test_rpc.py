"""A host that is called: whose call it is, when it ends, and what is refused."""

import asyncio
import socket

import grpc.aio
import pytest

from matching.adapters.rpc.addresses import Address
from matching.adapters.rpc.client import RpcClient
from matching.adapters.rpc.methods import ADD_TASK, POLL_TASK_QUEUE, Method
from matching.adapters.rpc.server import RpcServer, until_before
from matching.errors import AlreadyExists, InvalidArgument, PortUnusable, StickyUnsupported, Unavailable
from matching.identity import PartitionKey, PollId, TaskId, TaskType, Worker
from matching.requests import PollRequest, Task
from tests.matching.rpc import ROOT, Stub, called, run, stubbed

CHILD = PartitionKey("shop", "orders", TaskType.WORKFLOW, 1)
STICKY = PartitionKey("shop", "orders", TaskType.WORKFLOW, sticky=True)
ELSEWHERE = PartitionKey("mart", "orders", TaskType.WORKFLOW)


def test_a_poll_and_an_add_meet() -> None:
    async def work() -> tuple[Task | None, TaskId]:
        async with called() as host:
            poll = asyncio.ensure_future(host.client.poll(ROOT, seconds=20))
            await host.told.until("Register")
            added = await host.client.add_task(ROOT, task_id=TaskId("t1"))
            return await poll, added

    assert run(work) == (Task(TaskId("t1"), ROOT), "t1")


def test_a_task_that_finds_no_poll_waits_for_one() -> None:
    async def work() -> Task | None:
        async with called() as host:
            await host.client.add_task(ROOT, task_id=TaskId("t1"))
            return await host.client.poll(ROOT, seconds=20)

    assert run(work) == Task(TaskId("t1"), ROOT)


def test_a_hop_of_a_host_to_its_own_partition_is_told_after_the_step_that_makes_it() -> None:
    async def work() -> list[str]:
        async with called() as host:
            poll = asyncio.ensure_future(host.client.poll(CHILD, seconds=20, poll_id=PollId("p1")))
            await host.told.until("Register h1-")
            await host.client.add_task(ROOT)
            await poll
            return [step.split()[0] for step in host.told.steps]

    actions = run(work)

    assert actions.index("Forward") < actions.index("ArrivePoll") < actions.index("SyncMatch") < actions.index("Resume")


def test_a_poll_whose_rpc_is_cancelled_is_interrupted() -> None:
    async def work() -> list[str]:
        async with called() as host:
            poll = asyncio.ensure_future(host.client.poll(ROOT, seconds=20, poll_id=PollId("p1")))
            await host.told.until("Register p1")
            poll.cancel()
            await host.told.until("Return p1")
            return [step for step in host.told.steps if "p1" in step]

    assert run(work)[-3:] == ["CallerLeaves p1", "Withdraw p1", "Return p1 ('interrupted',)"]


def test_a_poll_whose_client_has_gone_is_interrupted() -> None:
    async def work() -> str:
        async with called() as host:
            async with RpcClient(host.address) as client:
                poll = asyncio.ensure_future(client.poll(ROOT, seconds=20, poll_id=PollId("p1")))
                await host.told.until("Register p1")
            await host.told.until("Return p1")
            with pytest.raises(Unavailable, match="nobody waits any more"):
                await poll
            return host.told.steps[-1]

    assert run(work) == "Return p1 ('interrupted',)"


def test_a_poll_ends_empty_before_its_rpc_is_late() -> None:
    async def work() -> tuple[Task | None, list[str]]:
        async with called() as host:
            return await host.client.poll(ROOT, seconds=0.3, poll_id=PollId("p1")), [*host.told.steps]

    task, steps = run(work)

    assert task is None
    assert steps[-3:] == ["DeadlinePasses p1", "Expire p1", "Return p1 ('empty',)"]


@pytest.mark.parametrize("seconds", [0.4, 1.2345, 12.345, 61.234, 123.456])
def test_the_deadline_of_a_poll_is_a_little_before_that_of_its_rpc(seconds: float) -> None:
    async def work() -> tuple[float, float]:
        loop, stub = asyncio.get_running_loop(), Stub()
        async with stubbed(stub) as address, RpcClient(address) as client:
            began = loop.time()
            poll = asyncio.ensure_future(client.poll(ROOT, seconds=seconds))
            request = await stub.came.get()
            came = loop.time() - began
            poll.cancel()
            assert isinstance(request, PollRequest)
            return request.deadline - began, came

    carried, came = run(work)

    assert until_before(seconds - came) <= carried < seconds


def test_an_add_that_is_too_late_is_interrupted_and_nobody_can_tell_what_became_of_it() -> None:
    async def work() -> TaskId:
        stub = Stub()
        async with stubbed(stub) as address, RpcClient(address) as client:
            with pytest.raises(Unavailable, match="did not answer in time"):
                await client.add_task(ROOT, task_id=TaskId("t1"), seconds=0.2)
            task = await stub.cancelled.get()
            assert isinstance(task, Task)
            return task.task_id

    assert run(work) == "t1"


@pytest.mark.parametrize("method", [POLL_TASK_QUEUE, ADD_TASK], ids=lambda method: method.name)
def test_a_call_without_a_deadline_is_refused(method: Method) -> None:
    async def work() -> tuple[object, object]:
        async with called() as host, grpc.aio.insecure_channel(host.address.target) as channel:
            call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(method.path)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call(b"")
            return refused.value.code(), refused.value.details()

    assert run(work) == (grpc.StatusCode.INVALID_ARGUMENT, "the call has no deadline; give it one")


def test_a_sticky_partition_is_refused_as_it_is_by_the_service() -> None:
    async def work() -> None:
        async with called() as host:
            with pytest.raises(StickyUnsupported, match="is sticky"):
                await host.client.poll(STICKY, seconds=20)
            with pytest.raises(StickyUnsupported, match="is sticky"):
                await host.client.add_task(STICKY)

    run(work)


def test_calls_of_another_namespace_are_refused() -> None:
    async def work() -> None:
        async with called() as host:
            with pytest.raises(InvalidArgument, match="serves the namespace shop"):
                await host.client.poll(ELSEWHERE, seconds=20)
            with pytest.raises(InvalidArgument, match="serves the namespace shop"):
                await host.client.add_task(ELSEWHERE)

    run(work)


def test_a_poll_that_is_under_way_already_is_refused() -> None:
    async def work() -> None:
        async with called() as host:
            poll = asyncio.ensure_future(host.client.poll(ROOT, seconds=20, poll_id=PollId("p1")))
            await host.told.until("Register p1")
            with pytest.raises(AlreadyExists, match="p1 is under way"):
                await host.client.poll(ROOT, seconds=20, poll_id=PollId("p1"))
            poll.cancel()

    run(work)


def test_a_message_that_says_no_call_is_refused() -> None:
    async def work() -> None:
        async with called() as host:
            with pytest.raises(InvalidArgument, match="the field worker is empty"):
                await host.client.poll(ROOT, seconds=20, worker=Worker(""))

    run(work)


def test_a_host_that_shuts_down_answers_the_polls_that_wait() -> None:
    async def work() -> Task | None:
        async with called() as host:
            poll = asyncio.ensure_future(host.client.poll(ROOT, seconds=20))
            await host.told.until("Register")
            await host.engine.shutdown()
            return await poll

    assert run(work) is None


def test_a_host_that_has_shut_down_refuses_adds() -> None:
    async def work() -> None:
        async with called() as host:
            await host.engine.shutdown()
            with pytest.raises(Unavailable, match="shuts down"):
                await host.client.add_task(ROOT)

    run(work)


def test_a_call_where_nobody_answers_says_so() -> None:
    async def work() -> None:
        async with called() as host:
            address = host.address
        async with RpcClient(address) as client:
            with pytest.raises(Unavailable, match=f"{address}: .*refused"):
                await client.poll(ROOT, seconds=20)

    run(work)


def test_what_answers_and_is_no_host_says_so() -> None:
    async def work() -> None:
        server = grpc.aio.server()
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with RpcClient(Address("127.0.0.1", port)) as client:
            with pytest.raises(Unavailable, match="is no host of this service"):
                await client.add_task(ROOT)
        await server.stop(None)

    run(work)


def test_a_port_that_is_taken_is_refused() -> None:
    async def work() -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(PortUnusable, match=f"on port {port}: Address already in use"):
                RpcServer(port)

    run(work)


def test_a_port_that_another_host_answers_on_is_refused() -> None:
    async def work() -> None:
        async with called() as host:
            with pytest.raises(PortUnusable, match="Address already in use"):
                RpcServer(host.address.port)

    run(work)
