"""The verbs ``matching poll`` and ``matching add``: a worker's call and a producer's, from a terminal.

Two rules:

1. A task is printed as it was added: the id that its producer gave it, not that of a hop.
2. A poll that ends empty is no failure.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from matching.adapters.rpc.client import RpcClient
    from matching.requests import Task

__all__ = ["add", "poll"]

_AT = click.option("--at", "address", required=True, help="Where `matching serve --rpc-port` answers: 127.0.0.1:PORT.")
_SECONDS = click.FloatRange(0, 86_400, min_open=True)


@click.command()
@click.argument("partition")
@_AT
@click.option("--seconds", type=_SECONDS, default=10.0, show_default=True, help="How long to wait for a task.")
@click.option("--worker", default="client", show_default=True, help="Who polls.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def poll(partition: str, address: str, seconds: float, worker: str, as_json: bool) -> None:
    """Wait for one task of a partition, namespace/family/workflow/0, and print its id."""
    import asyncio

    from matching.identity import PartitionKey, Worker

    key = PartitionKey.parse(partition)

    async def call() -> Task | None:
        async with _client(address) as client:
            return await client.poll(key, seconds=seconds, worker=Worker(worker))

    found = _as_added(asyncio.run(call()))
    if as_json:
        click.echo(json.dumps({"task": found}, indent=2))
    else:
        click.echo(f"no task came within {seconds:g} s" if found is None else found["task_id"])


@click.command()
@click.argument("partition")
@_AT
@click.option("--id", "task_id", help="What the task is called; by default it gets an id of its own.")
@click.option("--seconds", type=_SECONDS, default=10.0, show_default=True, help="How long to wait for the answer.")
def add(partition: str, address: str, task_id: str | None, seconds: float) -> None:
    """Add one task to a partition, namespace/family/workflow/0, and print its id once it is handed over or stored."""
    import asyncio

    from matching.identity import PartitionKey, TaskId

    key = PartitionKey.parse(partition)
    if task_id == "":
        raise click.UsageError("the task has no name; give it one with --id, or leave that out")

    async def call() -> str:
        async with _client(address) as client:
            return await client.add_task(key, task_id=None if task_id is None else TaskId(task_id), seconds=seconds)

    click.echo(asyncio.run(call()))


def _as_added(task: Task | None) -> dict[str, str] | None:
    """What a producer called the task, and where it was added, whatever hops it has made since."""
    if task is None:
        return None
    hop = task.forward_info
    task_id, partition = (task.task_id, task.partition) if hop is None else (hop.first, hop.origin)
    return {"task_id": task_id, "partition": str(partition)}


@contextlib.asynccontextmanager
async def _client(address: str) -> AsyncIterator[RpcClient]:
    """The client of a host.

    Raises:
        InvalidArgument: the address is none of this machine.
        MissingLibrary: grpcio or protobuf is not installed.
    """
    from matching.adapters.rpc.addresses import Address
    from matching.adapters.rpc.client import RpcClient

    async with RpcClient(Address.parse(address)) as client:
        yield client
