"""A host that serves until a signal: what it shows, how it ends, and what it refuses."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import attrs
import pytest

from matching.adapters import asking
from matching.adapters.opening import sqlite_file
from matching.errors import NothingServed
from tests.matching.test_exposition import answering

PROGRAM = Path(sys.executable).parent / "matching"
PARTITION = "shop/orders/workflow/0"


@attrs.frozen
class Served:
    """A process that serves, and the port where it is scraped."""

    process: subprocess.Popen[str]
    port: int

    def scrape(self) -> str:
        with urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as response:
            return str(response.read().decode())

    def until(self, wanted: str) -> str:
        """Scrape until this is read."""
        while wanted not in (read := self.scrape()):
            assert self.process.poll() is None
        return read

    def inspected(self, *options: str) -> str:
        return matching("inspect", "--port", str(self.port), *options).stdout

    def left_with(self, number: signal.Signals) -> tuple[int, str]:
        """The exit status and what is said after the signal."""
        self.process.send_signal(number)
        said, _ = self.process.communicate(timeout=30)
        return self.process.returncode, said


def matching(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts hosts over one database, which are ended after the test."""
    started: list[subprocess.Popen[str]] = []

    def serve(*options: str, host: str = "h1") -> Served:
        url = sqlite_file(tmp_path / "matching.db")
        command = [str(PROGRAM), "serve", "--database", url, "--host", host, "--metrics-port", "0", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        started.append(process)
        assert process.stdout is not None
        said = process.stdout.readline()
        assert "scrape http://" in said, said
        return Served(process, int(said.rstrip().removesuffix("/metrics").rpartition(":")[2]))

    yield serve
    for process in started:
        process.kill()
        process.communicate()


def test_a_host_that_serves_shows_the_partitions_that_it_was_told_to_load(serve: Callable[..., Served]) -> None:
    served = serve("--load", PARTITION, "--emit-seconds", "0.01")
    read = served.until("approximate_backlog_count{")

    assert 'generation="1",host="h1",namespace="shop",namespace_state="active",partition="0"' in read
    assert 'loaded_task_queue_partition_count{host="h1"} 1.0' in read


def test_a_host_that_serves_can_be_looked_at(serve: Callable[..., Served]) -> None:
    served = serve("--load", PARTITION, "--load", PARTITION, "--emit-seconds", "0.01")
    served.until("approximate_backlog_count{")
    [found] = json.loads(served.inspected("--json"))["partitions"]

    assert (found["host"], found["generation"], found["state"]) == ("h1", 1, "running")
    assert f"queue                 {PARTITION}" in served.inspected().splitlines()


def test_a_second_host_over_the_database_serves_its_own(serve: Callable[..., Served]) -> None:
    first, second = serve("--load", PARTITION), serve("--load", PARTITION, host="h2")

    assert [json.loads(each.inspected("--json"))["partitions"][0]["host"] for each in (first, second)] == ["h1", "h2"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_shuts_a_host_down_and_that_is_no_failure(
    serve: Callable[..., Served], number: signal.Signals
) -> None:
    assert serve("--load", PARTITION).left_with(number) == (0, "h1 shuts down\n")


def test_a_host_stops_after_the_seconds_that_it_was_given() -> None:
    ran = matching("serve", "--database", "sqlite://", "--host", "h1", "--metrics-port", "0", "--seconds", "0.01")

    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, "h1 shuts down")


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--load", "orders"], 2, "'orders' is not a partition"),
        (["--load", "shop/orders/workflow/0", "--load", "mart/orders/workflow/0"], 2, "a host serves one namespace"),
        (["--host", " "], 2, "a host has a name"),
        (["--metrics-port", "65536"], 2, "65536 is not in the range"),
        (["--seconds", "0"], 2, "0.0 is not in the range"),
        (["--emit-seconds", "nan"], 2, "nan is no number of seconds"),
        (["--seconds", "inf"], 2, "inf is no number of seconds"),
        (["--database", "nonsense"], 2, "names no database"),
        (["--database", "sqlite://?timeout=abc"], 2, "names no database"),
        (["--database", "sqlite://?nothing=1"], 2, "names no database"),
        (["--database", "sqlite:////nowhere/matching.db"], 3, "unable to open database file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_served_is_refused_in_one_line(options: list[str], status: int, said: str) -> None:
    usual = {"--database": "sqlite://", "--host": "h1", "--metrics-port": "0", "--seconds": "0.01"}
    given = [word for name, value in usual.items() if name not in options for word in (name, value)]
    ran = matching("serve", *given, *options)

    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (status, "", 1)
    assert said in ran.stderr


def test_a_port_that_is_taken_is_refused_before_a_file_is_made(serve: Callable[..., Served], tmp_path: Path) -> None:
    port, file = str(serve().port), tmp_path / "other.db"
    ran = matching("serve", "--database", sqlite_file(file), "--host", "h2", "--metrics-port", port)

    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert f"on port {port}: Address already in use" in ran.stderr
    assert not file.exists()


@pytest.mark.parametrize(
    ("statement", "options", "said"),
    [
        ("ALTER TABLE queues DROP COLUMN ack_level", "", "its tables are of another service or version"),
        ("INSERT INTO queues VALUES ('shop', 'orders', 'workflow', 0, 'many', 0)", "", "a row has 'many' where"),
        ("INSERT INTO queues VALUES ('shop', 'orders', 'workflow', 0, 1, 0)", "&mode=ro", "readonly database"),
    ],
)
def test_a_database_that_cannot_be_worked_with_is_refused_in_one_line(
    tmp_path: Path, statement: str, options: str, said: str
) -> None:
    file = tmp_path / "matching.db"
    command = ["serve", "--host", "h1", "--metrics-port", "0", "--load", PARTITION, "--database"]
    assert matching(*command, sqlite_file(file), "--seconds", "0.01").returncode == 0
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DELETE FROM queues")
        connection.execute(statement)
        connection.commit()
    ran = matching(*command, sqlite_file(file) + options, "--seconds", "30")

    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (3, "", 1)
    assert said in ran.stderr


@pytest.mark.slow
def test_a_signal_ends_a_host_whose_database_is_locked(serve: Callable[..., Served], tmp_path: Path) -> None:
    many = [word for each in range(12) for word in ("--load", f"shop/orders/workflow/{each}")]
    served = serve(*many)
    with closing(sqlite3.connect(tmp_path / "matching.db", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")

        assert served.left_with(signal.SIGTERM) == (0, "h1 shuts down\n")


def test_a_host_that_cannot_say_what_it_serves_says_so_in_one_line() -> None:
    command = [
        str(PROGRAM),
        "serve",
        "--database",
        "sqlite://",
        "--host",
        "h1",
        "--metrics-port",
        "0",
        "--seconds",
        "9",
    ]
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)

    assert (ran.returncode, ran.stderr) == (2, "matching: the output cannot be written: No space left on device\n")


def test_a_host_whose_reader_has_left_ends_without_a_word() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [
        str(PROGRAM),
        "serve",
        "--database",
        "sqlite://",
        "--host",
        "h1",
        "--metrics-port",
        "0",
        "--seconds",
        "9",
    ]
    with open(writing, "wb") as pipe:
        ran = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, text=True, timeout=60, check=False)

    assert (ran.returncode, ran.stderr) == (141, "")


def test_a_look_where_nobody_serves_is_refused_in_one_line(serve: Callable[..., Served]) -> None:
    served = serve()
    served.left_with(signal.SIGTERM)
    ran = matching("inspect", "--port", str(served.port))

    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert f"no host answers on port {served.port}" in ran.stderr


@contextmanager
def saying(answer: bytes, again: bytes = b"") -> Iterator[int]:
    """The port of a server that answers whoever asks with these bytes, and says the others until nobody hears it."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answers() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.recv(65536)
                connection.sendall(answer)
                while again:
                    connection.sendall(again)

        thread = threading.Thread(target=answers)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


OK = b"HTTP/1.0 200 OK\r\n"


@pytest.mark.parametrize(
    ("answer", "again", "status", "said"),
    [
        (OK + b"\r\n" + b'{"partitions":' + b"[" * 100_000, b"", 2, "shows no partitions"),
        (OK + b"\r\n" + b'{"partitions":[' + b"9" * 6_000 + b"]}", b"", 2, "shows no partitions"),
        (OK + b"\r\n" + b'{"partitions":{}}', b"", 2, "shows no partitions"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nabc", b"", 2, "what answers is no host"),
        (OK + b"Content-Length: 99999999999999999999999\r\n\r\n{}", b"", 2, "what answers is no host"),
        (OK + b"\r\n", b" " * 65_536, 2, "what answers is no host"),
        (b"HTTP/1.0 503 X\r\n\r\n", b"", 3, "cannot tell, and does not say why"),
        (b"HTTP/1.0 503 X\r\n\r\n" + b"\x1b[31m\n" + b"x" * 20_000, b"", 3, "[31m xxx"),
    ],
    ids=["deep", "long number", "no list", "piece", "length", "endless", "silent", "loud"],
)
def test_an_answer_that_is_none_is_told_in_one_line(answer: bytes, again: bytes, status: int, said: str) -> None:
    with saying(answer, again) as port:
        ran = matching("inspect", "--port", str(port))

    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (status, "", 1)
    assert said in ran.stderr
    assert ran.stderr.strip().isprintable()
    assert len(ran.stderr) < 700


def test_the_whole_of_an_answer_has_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(asking, "MOST_BYTES", 10**12)
    with saying(OK + b"\r\n", b" ") as port, pytest.raises(NothingServed, match="does not answer in time"):
        asking.ask_inspect(port)


@pytest.mark.parametrize("text", ["[]", "{}", "nothing"])
def test_a_look_at_something_else_is_refused_in_one_line(text: str) -> None:
    with answering(text) as port:
        ran = matching("inspect", "--port", str(port))

    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert "shows no partitions" in ran.stderr
