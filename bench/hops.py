"""``python -m bench.hops``: what does a sync match over two hops cost, beside two bare calls?

Three rules:

1. A task that meets a poll over two hops passes four times from process to process: from its producer to a
   child's host, to the root's, to the other child's and to the worker.  Two calls one after the other do too.
2. The bare calls carry as many bytes, to two processes that answer by gRPC and do nothing else.
3. Both are taken in turn, in one run, and their medians compared.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any, Final

import attrs
import click
import grpc.aio

from bench.hosts import HostProcess, free_addresses, peers_of, queue_where
from bench.measure import Measurement, table
from conformance.cli.running import run_and_leave
from matching.adapters.opening import sqlite_file
from matching.adapters.rpc.client import RpcClient
from matching.adapters.rpc.messages import write_add, write_poll_answer
from matching.errors import MatchingError
from matching.identity import Host, PartitionKey
from matching.requests import Task

__all__ = ["command"]

ROOT, LEFT, RIGHT = Host("h1"), Host("h2"), Host("h3")
AT_MOST: Final = 1.5
WARM_UP: Final = 50
PAUSE_SECONDS: Final = 0.02
"""How long a poll may take to its place at the root, before the task is added; bare calls are as far apart."""
POLL_SECONDS: Final = 20.0
STORED_SECONDS: Final = 0.5
"""A task that took so long has not met a poll: it was stored, and offered again."""
PATH: Final = "/bench.Bare/Call"

Bare = Callable[[bytes], Awaitable[bytes]]


@attrs.frozen
class Sample:
    """A task that has met a poll over two hops: what was received, and how long it took."""

    task: Task
    seconds: float


async def _forwarded(worker: RpcClient, producer: RpcClient, partitions: dict[int, PartitionKey]) -> Sample:
    poll = asyncio.ensure_future(worker.poll(partitions[1], seconds=POLL_SECONDS))
    await asyncio.sleep(PAUSE_SECONDS)
    began = perf_counter()
    add = asyncio.ensure_future(producer.add_task(partitions[2]))
    task = await poll
    seconds = perf_counter() - began
    await add
    if task is None or task.forward_info is None or seconds > STORED_SECONDS:
        raise MatchingError("a task did not meet the poll that waited for it at the root")
    return Sample(task, seconds)


async def _bare(calls: Sequence[Bare], request: bytes) -> float:
    await asyncio.sleep(PAUSE_SECONDS)
    began = perf_counter()
    for call in calls:
        await call(request)
    return perf_counter() - began


async def _measure(folder: Path, samples: int) -> tuple[list[float], list[float]]:
    partitions = queue_where({0: ROOT, 1: LEFT, 2: RIGHT})
    hosts = free_addresses([ROOT, LEFT, RIGHT])
    forwarded, bare = [], []
    async with contextlib.AsyncExitStack() as stack:
        for host, address in hosts.items():
            words = ["--database", sqlite_file(folder / "matching.db"), "--host", host, "--metrics-port", "0"]
            called = ["--rpc-port", str(address.port), "--namespace", "shop", "--peers", peers_of(host, hosts)]
            program = str(Path(sys.executable).with_name("matching"))
            await stack.enter_async_context(HostProcess([program, "serve", *words, *called]))
        worker = await stack.enter_async_context(RpcClient(hosts[LEFT]))
        producer = await stack.enter_async_context(RpcClient(hosts[RIGHT]))
        task = (await _until_it_meets(worker, producer, partitions)).task
        request, answer = write_add(task).SerializeToString(), write_poll_answer(task).SerializeToString()
        calls = [await stack.enter_async_context(_bare_calls(answer)) for _ in range(2)]
        with click.progressbar(range(WARM_UP + samples), label="samples", file=sys.stderr) as bar:
            for _ in bar:
                forwarded.append((await _forwarded(worker, producer, partitions)).seconds)
                bare.append(await _bare(calls, request))
    return forwarded[WARM_UP:], bare[WARM_UP:]


async def _until_it_meets(worker: RpcClient, producer: RpcClient, partitions: dict[int, PartitionKey]) -> Sample:
    """Let every partition be loaded, by tasks that need not meet a poll at once."""
    while True:
        with contextlib.suppress(MatchingError):
            return await _forwarded(worker, producer, partitions)


@contextlib.asynccontextmanager
async def _bare_calls(answer: bytes) -> AsyncIterator[Bare]:
    """Calls of a process that answers with these bytes."""
    async with HostProcess([sys.executable, "-m", "bench.hops", "--answer", answer.hex()]) as other:
        assert other.port is not None
        async with grpc.aio.insecure_channel(f"ipv4:127.0.0.1:{other.port}") as channel:
            call: Any = channel.unary_unary(PATH)
            yield lambda request: call(request, timeout=POLL_SECONDS)


async def _answer(answer: bytes) -> None:
    """Be such a process, until it is killed."""

    async def call(request: bytes, context: object) -> bytes:
        return answer

    server = grpc.aio.server()
    service, _, method = PATH[1:].partition("/")
    handlers: dict[str, Any] = {method: grpc.unary_unary_rpc_method_handler(call)}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(service, handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    click.echo(f"bare, call 127.0.0.1:{port}")
    await server.wait_for_termination()


def _note(name: str, samples: list[float]) -> str:
    cuts = quantiles(samples, n=20)
    return (
        f"{name}: median {median(samples) * 1000:.2f} ms, 5% under {cuts[0] * 1000:.2f}, 5% over {cuts[-1] * 1000:.2f}"
    )


@click.command()
@click.option("--samples", type=click.IntRange(min=20), default=500, show_default=True)
@click.option("--answer", default=None, hidden=True)
def command(samples: int, answer: str | None) -> int:
    """Compare a sync match over two hops between three processes with two bare gRPC calls."""
    if answer is not None:
        asyncio.run(_answer(bytes.fromhex(answer)))
        return 0
    with tempfile.TemporaryDirectory(prefix="matching-hops-") as name:
        forwarded, bare = asyncio.run(_measure(Path(name), samples))
    row = Measurement(
        name=f"{samples:,} sync matches over two hops",
        ours="from the add to the worker",
        ours_seconds=median(forwarded),
        theirs="two bare calls",
        theirs_seconds=median(bare),
        at_most=AT_MOST,
        note="; ".join([_note("hops", forwarded), _note("bare", bare)]),
    )
    click.echo(table([row]))
    return 0 if row.kept else 1


if __name__ == "__main__":
    run_and_leave(command, "python -m bench.hops")
