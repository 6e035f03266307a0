"""Hosts in processes of their own over one database: hops between them, their deaths, and what is refused."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import attrs
import pytest

from matching.adapters.opening import sqlite_file
from matching.adapters.rpc.addresses import Address
from matching.adapters.rpc.client import RpcClient
from matching.errors import Unavailable
from matching.identity import Host, PartitionKey, PollId, TaskId
from matching.membership import Membership
from matching.requests import Task
from tests.matching.rpc import run

PROGRAM = str(Path(sys.executable).parent / "matching")
QUEUE = "shop/orders/workflow"
PARTITIONS = {number: PartitionKey.parse(f"{QUEUE}/{number}") for number in range(7)}
OWNERS = {number: Membership([Host("h1"), Host("h2")]).route(PARTITIONS[number]) for number in PARTITIONS}


@attrs.frozen
class Served:
    """A process that serves, and where it writes its steps."""

    process: subprocess.Popen[str]
    address: Address
    trace: Path

    def client(self) -> RpcClient:
        return RpcClient(self.address)

    def lines(self) -> list[dict[str, Any]]:
        """What is written so far; a line that is not whole is left out."""
        whole, _, _ = self.trace.read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]

    def steps(self, action: str) -> list[Any]:
        return [line["args"] for line in self.lines() if line.get("action") == action]

    async def until(self, action: str) -> list[Any]:
        """Wait until the process has taken such a step."""
        while not (steps := self.steps(action)):
            assert self.process.poll() is None
            await asyncio.sleep(0)
        return steps


@attrs.frozen
class Hosts:
    """Two hosts over one file: h2 has the root, and h1 a child of it."""

    h1: Served
    h2: Served

    def __getitem__(self, partition: int) -> Served:
        return self.h1 if OWNERS[partition] == "h1" else self.h2


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    assert (OWNERS[0], OWNERS[1], OWNERS[2], OWNERS[5]) == ("h2", "h1", "h2", "h1")
    ports = {"h1": free_port(), "h2": free_port()}
    with ExitStack() as stack:
        started = [start(tmp_path, host, ports) for host in ports]
        for process in started:
            stack.callback(process.communicate)
            stack.callback(process.kill)
        for process in started:
            assert process.stdout is not None
            assert "serves 0 partitions, call 127.0.0.1:" in process.stdout.readline()
        addresses = [Address("127.0.0.1", port) for port in ports.values()]
        traces = [tmp_path / f"{host}.ndjson" for host in ports]
        yield Hosts(*map(Served, started, addresses, traces))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def start(folder: Path, host: str, ports: dict[str, int]) -> subprocess.Popen[str]:
    peers = ",".join(f"{peer}=127.0.0.1:{port}" for peer, port in ports.items() if peer != host)
    words = [
        *("--database", sqlite_file(folder / "matching.db"), "--host", host, "--metrics-port", "0"),
        *("--rpc-port", str(ports[host]), "--peers", peers, "--namespace", "shop"),
        *("--trace", str(folder / f"{host}.ndjson")),
    ]
    return subprocess.Popen([PROGRAM, "serve", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def matching(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_a_poll_at_a_child_gets_over_the_root_on_another_host_what_is_added_at_another_child(hosts: Hosts) -> None:
    async def work() -> Task | None:
        async with hosts[1].client() as worker, hosts[5].client() as producer:
            poll = asyncio.ensure_future(worker.poll(PARTITIONS[1], seconds=20))
            await hosts.h2.until("Register")
            await producer.add_task(PARTITIONS[5], task_id=TaskId("t1"))
            return await poll

    task = run(work)

    assert task is not None
    assert task.forward_info is not None
    assert (task.forward_info.first, task.forward_info.origin) == ("t1", PARTITIONS[5])
    assert not hosts.h1.steps("CommitWrite")


def test_a_task_that_is_stored_at_a_child_comes_to_a_poll_at_another(hosts: Hosts) -> None:
    async def work() -> Task | None:
        async with hosts[5].client() as producer, hosts[1].client() as worker:
            await producer.add_task(PARTITIONS[5], task_id=TaskId("t1"))
            return await worker.poll(PARTITIONS[1], seconds=20)

    task = run(work)

    assert task is not None
    assert task.forward_info is not None
    assert task.forward_info.first == "t1"


def test_a_poll_that_is_cancelled_leaves_the_root_on_another_host(hosts: Hosts) -> None:
    async def work() -> None:
        async with hosts[1].client() as worker:
            poll = asyncio.ensure_future(worker.poll(PARTITIONS[1], seconds=20, poll_id=PollId("p1")))
            [[hop, host]] = await hosts.h2.until("Register")
            poll.cancel()

            assert host == "h2"
            assert await hosts.h2.until("CancelHop") == [[hop]]
            assert await hosts.h2.until("Withdraw") == [[hop]]

    run(work)


def test_a_poll_ends_empty_at_every_host_by_its_deadline(hosts: Hosts) -> None:
    async def work() -> tuple[Task | None, float]:
        loop = asyncio.get_running_loop()
        async with hosts[1].client() as worker:
            await worker.add_task(PARTITIONS[1])
            await worker.poll(PARTITIONS[1], seconds=5)
            began = loop.time()
            return await worker.poll(PARTITIONS[1], seconds=0.5, poll_id=PollId("p1")), loop.time() - began

    task, took = run(work)

    assert task is None
    assert took < 0.5
    assert hosts.h2.steps("Expire")
    assert hosts.h1.steps("Return")[-1] == ["p1", ["empty"]]


def test_a_poll_whose_hop_waits_at_a_host_that_is_killed_ends_within_its_deadline(hosts: Hosts) -> None:
    async def work() -> tuple[Task | None, float]:
        loop = asyncio.get_running_loop()
        async with hosts[1].client() as worker:
            began = loop.time()
            poll = asyncio.ensure_future(worker.poll(PARTITIONS[1], seconds=20, poll_id=PollId("p1")))
            await hosts.h2.until("Register")
            hosts.h2.process.kill()
            return await poll, loop.time() - began

    task, took = run(work)

    assert task is None
    assert took < 20
    assert hosts.h1.steps("Break") == [["p1"]]


def test_a_poll_whose_hop_waits_at_a_host_that_hangs_ends_within_its_deadline(hosts: Hosts) -> None:
    async def work() -> tuple[Task | None, float]:
        loop = asyncio.get_running_loop()
        async with hosts[1].client() as worker:
            began = loop.time()
            poll = asyncio.ensure_future(worker.poll(PARTITIONS[1], seconds=2, poll_id=PollId("p1")))
            await hosts.h2.until("Register")
            hosts.h2.process.send_signal(signal.SIGSTOP)
            return await poll, loop.time() - began

    task, took = run(work)

    assert task is None
    assert took < 2


def test_a_task_is_stored_at_a_child_whose_parent_is_gone(hosts: Hosts) -> None:
    hosts.h2.process.kill()

    async def work() -> TaskId:
        async with hosts[1].client() as producer:
            return await producer.add_task(PARTITIONS[1], task_id=TaskId("t1"))

    assert run(work) == "t1"
    assert hosts.h1.steps("CommitWrite") == [["t1"]]


def test_a_signal_ends_the_polls_at_every_host_with_an_answer(hosts: Hosts) -> None:
    async def work() -> Task | None:
        async with hosts[1].client() as worker:
            poll = asyncio.ensure_future(worker.poll(PARTITIONS[1], seconds=20))
            await hosts.h2.until("Register")
            hosts.h2.process.send_signal(signal.SIGTERM)
            return await poll

    assert run(work) is None
    assert hosts.h2.process.wait(timeout=20) == 0
    assert hosts.h1.steps("Resume")


def test_what_a_host_did_can_be_read_after_it_was_killed(hosts: Hosts) -> None:
    async def work() -> None:
        async with hosts[0].client() as client:
            await client.add_task(PARTITIONS[0], task_id=TaskId("t1"))

    run(work)
    hosts.h2.process.kill()
    header, *steps = hosts.h2.lines()

    assert (header["format"], header["host"], header["hosts"]) == ("matching-steps/1", "h2", ["h1", "h2"])
    assert [step["seq"] for step in steps] == list(range(1, len(steps) + 1))
    assert ["t1", "accepted"] in hosts.h2.steps("AnswerAdd")


def test_a_worker_and_a_producer_call_from_a_terminal(hosts: Hosts) -> None:
    added = matching("add", "--at", str(hosts[5].address), f"{QUEUE}/5", "--id", "t1")
    polled = matching("poll", "--at", str(hosts[1].address), f"{QUEUE}/1", "--seconds", "20")
    empty = matching("poll", "--at", str(hosts[1].address), f"{QUEUE}/1", "--seconds", "0.2")
    none = matching("poll", "--at", str(hosts[1].address), f"{QUEUE}/1", "--seconds", "0.2", "--json")

    assert (added.returncode, added.stdout) == (0, "t1\n")
    assert (polled.returncode, polled.stdout) == (0, "t1\n")
    assert (empty.returncode, empty.stdout) == (0, "no task came within 0.2 s\n")
    assert json.loads(none.stdout) == {"task": None}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["poll", "orders", "--at", "127.0.0.1:7000"], "'orders' is not a partition"),
        (["poll", f"{QUEUE}/0", "--at", "7000"], "is no address"),
        (["add", f"{QUEUE}/0", "--at", "10.0.0.1:7000"], "is not on this machine"),
        (["add", f"{QUEUE}/0", "--at", "127.0.0.1:1"], "127.0.0.1:1: failed to connect"),
        (["add", f"{QUEUE}/0", "--at", "127.0.0.1:1", "--id", ""], "the task has no name"),
        (["poll", f"{QUEUE}/0", "--at", "127.0.0.1:1", "--seconds", "0"], "0.0 is not in the range"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_called_is_refused_in_one_line(arguments: list[str], said: str) -> None:
    ran = matching(*arguments)

    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert said in ran.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rpc-port", "0", "--peers", "h2"], "is no peer"),
        (["--rpc-port", "0", "--peers", "h1=127.0.0.1:7001"], "h1 is this host itself"),
        (["--rpc-port", "0", "--peers", "h2=127.0.0.1:7001,h2=127.0.0.1:7002"], "h2 is named twice"),
        (["--rpc-port", "0", "--peers", "h2=10.0.0.1:7001"], "is not on this machine"),
        (["--peers", "h2=127.0.0.1:7001"], "give it --rpc-port"),
        (["--namespace", "shop"], "give it --rpc-port"),
        (["--rpc-port", "0", "--namespace", "a/b"], "'a/b' is no namespace"),
        (["--rpc-port", "0", "--namespace", "mart", "--load", f"{QUEUE}/0"], "mart is not that of what is loaded"),
        (["--rpc-port", "65536"], "65536 is not in the range"),
        (["--trace", "/nowhere/h1.ndjson"], "there is no folder /nowhere"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_served_is_refused_in_one_line(options: list[str], said: str) -> None:
    usual = ["--database", "sqlite://", "--host", "h1", "--metrics-port", "0", "--seconds", "0.01"]
    ran = matching("serve", *usual, *options)

    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert said in ran.stderr


def test_a_port_that_is_taken_is_refused_before_a_file_is_made(tmp_path: Path) -> None:
    file = tmp_path / "matching.db"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        usual = ["--database", sqlite_file(file), "--host", "h1", "--metrics-port", "0"]
        ran = matching("serve", *usual, "--rpc-port", port)

    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert f"calls cannot be served on port {port}: Address already in use" in ran.stderr
    assert not file.exists()


def test_a_call_of_a_host_that_has_ended_says_so(hosts: Hosts) -> None:
    hosts.h1.process.kill()
    hosts.h1.process.wait()

    async def work() -> None:
        async with hosts.h1.client() as client:
            with pytest.raises(Unavailable, match="refused"):
                await client.poll(PARTITIONS[1], seconds=20)

    run(work)


def test_a_host_whose_steps_cannot_be_written_any_more_serves_and_says_so_at_the_end(tmp_path: Path) -> None:
    usual = ["--database", "sqlite://", "--host", "h1", "--metrics-port", "0", "--seconds", "0.01"]
    words = [PROGRAM, "serve", *usual, "--load", f"{QUEUE}/0", "--trace", str(tmp_path / "h1.ndjson")]
    limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *words]
    ran = subprocess.run(limited, capture_output=True, text=True, timeout=60, check=False)

    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (2, "h1 shuts down")
    assert ran.stderr == f"matching: {tmp_path / 'h1.ndjson'} cannot be written: File too large\n"


WITHOUT = """
import sys
from matching.cli import main

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == sys.argv[1]:
            raise ModuleNotFoundError(name=name)

sys.meta_path.insert(0, Without())
main(sys.argv[2:])
"""


@pytest.mark.parametrize(("module", "library"), [("grpc", "grpcio"), ("google", "protobuf")])
@pytest.mark.parametrize(
    "arguments",
    [
        ["serve", "--database", "sqlite://", "--host", "h1", "--metrics-port", "0", "--rpc-port", "0"],
        ["poll", f"{QUEUE}/0", "--at", "127.0.0.1:1"],
        ["add", f"{QUEUE}/0", "--at", "127.0.0.1:1"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_without_its_library_a_call_is_told_the_command_that_brings_it(
    arguments: list[str], module: str, library: str
) -> None:
    command = [sys.executable, "-c", WITHOUT, module, *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (3, "", 1)
    assert f"needs {library}, which is not installed" in ran.stderr
    assert "pip install 'matching-conformance[service]'" in ran.stderr
