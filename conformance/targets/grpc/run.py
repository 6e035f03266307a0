"""One run: clients ask two hosts for what a list says, and everybody's steps are kept.

Five rules:

1. What a client received is what it received; a host is believed only of what no client saw.
2. Nobody is waited for by the clock alone: the driver waits for answers and for told steps, each for a while at most.
3. Whoever waits still when the list is done is cancelled; then the hosts have the time of their promise to
   bring every hop to an end, and are stopped.
4. A call that has neither an answer nor an error long after its deadline is a mistake.
5. Clients read the clock that the hosts read.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from conformance.targets.grpc.hosts import SERVE, HostFailed, HostProcess, Told, two_hosts
from conformance.targets.grpc.promises import SLACK_MS, alone, unheard
from conformance.targets.grpc.requests import HOSTS, PATIENT_SECONDS, Add, Leave, Pause, Poll, Request, Until, key
from matching.adapters.rpc.client import RpcClient
from matching.errors import MatchingError
from matching.identity import Host, PollId, TaskId, Worker

__all__ = ["WORKER", "Record", "Seen", "drive"]

WORKER: Final = Worker("w1")
ANSWER_SECONDS: Final = 10.0
"""How long a call may take after it was cancelled, or a short one after its deadline."""
UNTIL_SECONDS: Final = 2.0
"""How long the driver waits for a step that may never be taken."""
GLANCE_SECONDS: Final = 0.02
"""How long the driver waits before it looks at the steps again."""


@attrs.define
class Seen:
    """What the clients saw."""

    answers: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    """How calls of poll returned, those that did."""
    accepted: set[str] = attrs.field(factory=set)
    """The tasks of which the call of add returned."""
    left_ms: dict[str, float] = attrs.field(factory=dict)
    """When calls were cancelled that had no answer."""


@attrs.frozen(kw_only=True)
class Record:
    """What is kept of a run, until it is made a trace."""

    requests: Sequence[Request]
    seen: Seen
    told: Sequence[Told]
    """Every host's steps, in the order of their times."""
    mistake: str | None
    """What a host did that no host may, where the specification does not say so."""


async def drive(requests: Sequence[Request], program: Sequence[str] = SERVE) -> Record:
    """Start two hosts, ask them for all that, and stop them.

    Raises:
        HostFailed: a host does not come up.
    """
    with tempfile.TemporaryDirectory(prefix="matching-") as folder:
        async with two_hosts(Path(folder), program) as hosts:
            clients = _Clients(hosts)
            mistake: str | None = None
            try:
                async with clients:
                    await clients.ask(requests)
                    await clients.leave_all()
                    mistake = await _hops_end(hosts, clients.seen)
                for each in hosts.values():
                    await each.stop()
            except HostFailed as failure:
                mistake = mistake or str(failure)
            return Record(requests=requests, seen=clients.seen, told=_told(hosts), mistake=mistake)


class _Clients:
    """Workers and producers, with one connection to each host."""

    def __init__(self, hosts: Mapping[Host, HostProcess]) -> None:
        self.seen = Seen()
        self._hosts = hosts
        self._clients = {host: RpcClient(each.address) for host, each in hosts.items()}
        self._calls: dict[str, asyncio.Task[Any]] = {}
        self._patient: list[str] = []

    async def __aenter__(self) -> None:
        return

    async def __aexit__(self, *_: object) -> None:
        for call in self._calls.values():
            call.cancel()
        for client in self._clients.values():
            await client.close()
        await asyncio.gather(*self._calls.values(), return_exceptions=True)

    async def ask(self, requests: Sequence[Request]) -> None:
        """Make the calls of the list, one after another, and wait for none."""
        for request in requests:
            match request:
                case Poll():
                    self._calls[request.poll] = asyncio.create_task(self._poll(request))
                    if request.seconds == PATIENT_SECONDS:
                        self._patient.append(request.poll)
                case Add():
                    self._calls[request.task] = asyncio.create_task(self._add(request))
                case Leave():
                    self._leave(request.call)
                case Pause():
                    await asyncio.sleep(request.seconds)
                case Until():
                    await self._until(request)

    async def leave_all(self) -> None:
        """Let the calls end that end soon, cancel the patient polls, and wait until every call has ended.

        Raises:
            HostFailed: one does not.
        """
        soon = [call for name, call in self._calls.items() if name not in self._patient]
        if soon:
            await asyncio.wait(soon, timeout=ANSWER_SECONDS)
        for name in self._patient:
            self._leave(name)
        _, waiting = await asyncio.wait(self._calls.values(), timeout=ANSWER_SECONDS)
        late = [name for name, call in self._calls.items() if call in waiting]
        if late:
            raise HostFailed(f"nobody answers {', '.join(late)} within {ANSWER_SECONDS:g} s")
        for call in self._calls.values():
            if not call.cancelled() and (bug := call.exception()) is not None:
                raise bug

    def _leave(self, name: str) -> None:
        if not self._calls[name].done():
            self.seen.left_ms[name] = asyncio.get_running_loop().time() * 1000
            self._calls[name].cancel()

    async def _until(self, request: Until) -> None:
        host, before = self._hosts[Host(request.host)], self._taken(request)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(UNTIL_SECONDS):
                while self._taken(request) == before and host.process.returncode is None:
                    await asyncio.sleep(GLANCE_SECONDS)

    def _taken(self, request: Until) -> int:
        return sum(step.action == request.action for step in self._hosts[Host(request.host)].told())

    async def _poll(self, request: Poll) -> None:
        client, seconds = self._clients[Host(request.host)], request.seconds
        with contextlib.suppress(MatchingError):
            task = await client.poll(
                key(request.partition), seconds=seconds, worker=WORKER, poll_id=PollId(request.poll)
            )
            self.seen.answers[request.poll] = ("empty",) if task is None else ("task", task.task_id)

    async def _add(self, request: Add) -> None:
        with contextlib.suppress(MatchingError):
            await self._clients[Host(request.host)].add_task(key(request.partition), task_id=TaskId(request.task))
            self.seen.accepted.add(request.task)


async def _hops_end(hosts: Mapping[Host, HostProcess], seen: Seen) -> str | None:
    """Wait until nothing is served for which nobody waits; say what is, or was, served for too long."""
    loop = asyncio.get_running_loop()
    while True:
        told = _told(hosts)
        waiting = [each for each in alone(told, seen.left_ms, loop.time() * 1000) if not each.has_ended]
        if not waiting or waiting[0].for_ms > SLACK_MS:
            return str(waiting[0]) if waiting else unheard(told, seen.left_ms)
        await asyncio.sleep(GLANCE_SECONDS)


def _told(hosts: Mapping[Host, HostProcess]) -> list[Told]:
    told = [step for host in HOSTS for step in hosts[host].told()]
    return sorted(told, key=lambda step: step.at_ms)
