"""``python -m bench.hops``: what does a sync match over two hops cost, beside bare calls?

Four rules:

1. A task that meets a poll over two hops passes four times from process to process: from its producer to a
   child's host, to the root's, to the other child's and to the worker.  Two calls one after the other do too.
2. It takes four calls to do so, two of which are answered to nobody's profit: an add and an offer are answered while
   the task is on its way.  So it is measured beside the same four calls as well, made by processes that only relay.
3. The bare calls carry as many bytes.
4. All are taken in turn, in one run, and their medians compared.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Final, TypeVar

import attrs
import click

from bench.bare import BareChannel, bare_process
from bench.hosts import HostProcess, queue_where
from bench.measure import Measurement, table
from conformance.cli.running import run_and_leave
from conformance.targets.grpc.hosts import free_addresses, peers_of
from matching.adapters.opening import sqlite_file
from matching.adapters.rpc.client import RpcClient
from matching.adapters.rpc.messages import write_add, write_poll_answer
from matching.identity import Host, PartitionKey
from matching.requests import Task

__all__ = ["command"]

ROOT, LEFT, RIGHT = Host("h1"), Host("h2"), Host("h3")
TWO_CALLS_AT_MOST: Final = 1.5
FOUR_CALLS_AT_MOST: Final = 1.5
WARM_UP: Final = 50
PAUSE_SECONDS: Final = 0.01
"""How long a poll may take to its place at the root, before the task is added; bare calls are as far apart."""
POLL_SECONDS: Final = 20.0
STORED_SECONDS: Final = 0.5
"""A task that took so long has not met a poll: it was stored, and offered again."""

T = TypeVar("T")


@attrs.define
class Samples:
    """How many seconds each took."""

    forwarded: list[float] = attrs.field(factory=list)
    two_calls: list[float] = attrs.field(factory=list)
    four_calls: list[float] = attrs.field(factory=list)
    missed: int = 0
    """Tasks that came before their poll was at the root; they are not among the samples."""


@attrs.frozen
class Ends:
    """The worker's end and the producer's, of the service."""

    worker: RpcClient
    producer: RpcClient
    partitions: dict[int, PartitionKey]

    async def meet(self) -> tuple[Task, float] | None:
        """Let a task meet a poll over two hops; None where it came too early for that."""
        task, seconds = await _meet(
            self.worker.poll(self.partitions[1], seconds=POLL_SECONDS),
            lambda: self.producer.add_task(self.partitions[2]),
        )
        is_hop = task is not None and task.forward_info is not None
        return (task, seconds) if task is not None and is_hop and seconds < STORED_SECONDS else None


async def _meet(poll: Awaitable[T], add: Callable[[], Awaitable[object]]) -> tuple[T, float]:
    polling = asyncio.ensure_future(poll)
    await asyncio.sleep(PAUSE_SECONDS)
    began = perf_counter()
    adding = asyncio.ensure_future(add())
    found = await polling
    seconds = perf_counter() - began
    await adding
    return found, seconds


async def _two_calls(servers: list[BareChannel], request: bytes) -> float:
    await asyncio.sleep(PAUSE_SECONDS)
    began = perf_counter()
    for server in servers:
        await server.add(request)
    return perf_counter() - began


async def _measure(folder: Path, samples: int) -> Samples:
    found = Samples()
    async with contextlib.AsyncExitStack() as stack:

        async def bare(role: str, answer: bytes = b"", root: int = 0) -> BareChannel:
            process = await stack.enter_async_context(bare_process(role, answer, root))
            assert process.port is not None
            channel = BareChannel(process.port)
            stack.push_async_callback(channel.close)
            return channel

        ends = await _service(folder, stack)
        task = await _until_they_meet(ends)
        request, answer = write_add(task).SerializeToString(), write_poll_answer(task).SerializeToString()
        servers = [await bare("answer", answer) for _ in range(2)]
        root = await stack.enter_async_context(bare_process("root", answer))
        left, right = [await bare("relay", root=root.port or 0) for _ in range(2)]
        with click.progressbar(range(WARM_UP + samples), label="samples", file=sys.stderr) as bar:
            for number in bar:
                met = await ends.meet()
                two = await _two_calls(servers, request)
                _, four = await _meet(left.poll(request), lambda: right.add(request))
                if number >= WARM_UP and met is None:
                    found.missed += 1
                elif number >= WARM_UP and met is not None:
                    found.forwarded.append(met[1])
                    found.two_calls.append(two)
                    found.four_calls.append(four)
    return found


async def _service(folder: Path, stack: contextlib.AsyncExitStack) -> Ends:
    """Three hosts, of which one has the root and each other a child."""
    program = str(Path(sys.executable).with_name("matching"))
    hosts = free_addresses([ROOT, LEFT, RIGHT])
    for host, address in hosts.items():
        words = ["--database", sqlite_file(folder / "matching.db"), "--host", host, "--metrics-port", "0"]
        called = ["--rpc-port", str(address.port), "--namespace", "shop", "--peers", peers_of(host, hosts)]
        await stack.enter_async_context(HostProcess([program, "serve", *words, *called]))
    worker = await stack.enter_async_context(RpcClient(hosts[LEFT]))
    producer = await stack.enter_async_context(RpcClient(hosts[RIGHT]))
    return Ends(worker, producer, queue_where({0: ROOT, 1: LEFT, 2: RIGHT}))


async def _until_they_meet(ends: Ends) -> Task:
    """Let every partition be loaded, by tasks that need not meet a poll at once."""
    while (met := await ends.meet()) is None:
        pass
    return met[0]


def _note(samples: list[float]) -> str:
    cuts = quantiles(samples, n=20)
    return f"5% under {cuts[0] * 1000:.2f} ms, 5% over {cuts[-1] * 1000:.2f} ms"


def _rows(found: Samples) -> list[Measurement]:
    count = f"{len(found.forwarded):,} sync matches over two hops"
    hops = f"from the add to the worker: {_note(found.forwarded)}; {found.missed} more came too early"
    beside = (
        ("two bare calls", found.two_calls, TWO_CALLS_AT_MOST),
        ("four bare calls, relayed", found.four_calls, FOUR_CALLS_AT_MOST),
    )
    return [
        Measurement(
            name=count,
            ours="the service",
            ours_seconds=median(found.forwarded),
            theirs=theirs,
            theirs_seconds=median(samples),
            at_most=at_most,
            note=f"{hops}; {theirs}: {_note(samples)}",
        )
        for theirs, samples, at_most in beside
    ]


@click.command()
@click.option("--samples", type=click.IntRange(min=20), default=500, show_default=True)
def command(samples: int) -> int:
    """Compare a sync match over two hops between three processes with two bare gRPC calls, and four relayed ones."""
    with tempfile.TemporaryDirectory(prefix="matching-hops-") as name:
        rows = _rows(asyncio.run(_measure(Path(name), samples)))
    click.echo(table(rows))
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    run_and_leave(command, "python -m bench.hops")
