"""Two hosts, each a process of its own, over one database in a folder that is theirs alone.

Four rules:

1. Hosts are started and ended by the handle of their process; a signal to whoever started them is none to them.
2. They are called on ports of this machine that were free a moment ago; where one is taken meanwhile, they are
   started again on others.
3. A host is asked to stop before it is killed; one that does not stop in time is a mistake.
4. What a host has told is read from its file of steps, whole lines only, while it serves and afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from conformance.targets.grpc.requests import HOSTS
from matching.adapters.opening import sqlite_file
from matching.adapters.rpc.addresses import Address
from matching.adapters.steps import FORMAT
from matching.identity import Host

__all__ = ["SERVE", "HostFailed", "HostProcess", "Told", "free_addresses", "peers_of", "two_hosts"]

SERVE: Final = (sys.executable, "-c", "from matching.cli import main; main()")
"""The program that serves, to which its arguments are added."""

BLOCK_SIZE: Final = 3
"""As small as that of the configuration that judges."""
LONGEST_SECONDS: Final = 300.0
"""After so long a host stops by itself, where whoever started it was killed."""
START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 30.0
ATTEMPTS: Final = 3


class HostFailed(Exception):
    """A host did not do what a host must: come up, stay there, and stop when it is asked to."""

    exit_status = 1


@attrs.frozen
class Told:
    """One step as a host has told it; the time is that of the clock which all processes share."""

    host: Host
    seq: int
    at_ms: float
    action: str
    args: tuple[Any, ...]


@attrs.define(eq=False)
class HostProcess:
    """One host: its process, where it is called, and where it writes its steps."""

    host: Host
    process: Process
    address: Address
    path: Path
    said: str = ""

    def told(self) -> list[Told]:
        """Every step so far, of which the line is whole."""
        whole, _, _ = self.path.read_text(encoding="utf-8").rpartition("\n")
        header, *lines = map(json.loads, whole.splitlines())
        assert (header["format"], header["host"]) == (FORMAT, self.host)
        return [
            Told(self.host, line["seq"], line["at_ms"], line["action"], tuple(map(_plain, line["args"])))
            for line in lines
        ]

    async def serves(self) -> None:
        """Wait until it says that it serves.

        Raises:
            HostFailed: it has ended instead, or takes too long.
        """
        assert self.process.stdout is not None
        with _in_time(START_SECONDS, f"{self.host} does not serve") as late:
            async with late:
                self.said = (await self.process.stdout.readline()).decode()
        if " serves " not in self.said:
            raise HostFailed(f"{self.host} does not serve: {self.said.strip() or 'it ended'}")

    async def stop(self) -> None:
        """Ask it to stop, and wait until it has.

        Raises:
            HostFailed: it does not, or not as it should.
        """
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        with _in_time(STOP_SECONDS, f"{self.host} does not stop") as late:
            async with late:
                rest, _ = await self.process.communicate()
        if self.process.returncode != 0:
            lines = rest.decode(errors="replace").strip().splitlines() or ["nothing said"]
            raise HostFailed(f"{self.host} ended with status {self.process.returncode}: {lines[-1]}")

    async def kill(self) -> None:
        """End it, if it is there."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            await self.process.communicate()


@contextlib.asynccontextmanager
async def two_hosts(folder: Path, program: Sequence[str] = SERVE) -> AsyncIterator[Mapping[Host, HostProcess]]:
    """Two hosts that serve; they are killed at the end, if nobody has stopped them.

    Raises:
        HostFailed: they do not come up.
    """
    hosts: dict[Host, HostProcess] = {}
    try:
        for attempt in range(ATTEMPTS):
            at = folder / str(attempt)
            at.mkdir()
            addresses = free_addresses(HOSTS)
            for host in HOSTS:
                hosts[host] = await _start(at, host, addresses, program)
            try:
                for each in hosts.values():
                    await each.serves()
                break
            except HostFailed:
                for each in hosts.values():
                    await each.kill()
                if attempt + 1 == ATTEMPTS or not any("listens" in each.said for each in hosts.values()):
                    raise
        yield hosts
    finally:
        for each in hosts.values():
            await each.kill()


def free_addresses(hosts: Sequence[Host]) -> dict[Host, Address]:
    """An address for each host on which nobody listens now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in hosts]
        ports = [each.getsockname()[1] for each in sockets]
    return {host: Address("127.0.0.1", port) for host, port in zip(hosts, ports, strict=True)}


def peers_of(host: Host, addresses: Mapping[Host, Address]) -> str:
    """What ``--peers`` says to a host."""
    return ",".join(f"{peer}={address}" for peer, address in addresses.items() if peer != host)


async def _start(folder: Path, host: Host, addresses: Mapping[Host, Address], program: Sequence[str]) -> HostProcess:
    path = folder / f"{host}.ndjson"
    words = [
        *("serve", "--database", sqlite_file(folder / "matching.db"), "--host", host, "--metrics-port", "0"),
        *("--rpc-port", str(addresses[host].port), "--peers", peers_of(host, addresses), "--namespace", "shop"),
        *("--seconds", f"{LONGEST_SECONDS:g}"),
        *("--block-size", str(BLOCK_SIZE), "--trace", str(path)),
    ]
    process = await asyncio.create_subprocess_exec(*program, *words, stdout=PIPE, stderr=STDOUT, start_new_session=True)
    return HostProcess(host, process, addresses[host], path)


@contextlib.contextmanager
def _in_time(seconds: float, what: str) -> Any:
    try:
        yield asyncio.timeout(seconds)
    except TimeoutError as error:
        raise HostFailed(f"{what} within {seconds:g} s") from error


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
