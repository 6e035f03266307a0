"""Where metrics are scraped over HTTP: who is answered with what, and what a close leaves behind."""

import asyncio
import http.client
import http.server
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import TypeVar
from urllib.request import urlopen

import pytest

from matching.adapters.exposition import INSPECT_PATH, Exposition, Inspected, _listening
from matching.adapters.metrics import HostMetrics
from matching.errors import PortUnusable, StoreError
from matching.identity import UNVERSIONED, Host, Owner, PartitionKey, TaskType
from matching.namespace import NamespaceState

H1 = Host("h1")
OWNER = Owner(H1, PartitionKey("shop", "orders", TaskType.WORKFLOW), 1)
Answer = tuple[int, str]
T = TypeVar("T")


@pytest.fixture
def metrics() -> HostMetrics:
    metrics = HostMetrics(H1)
    metrics.load(OWNER, NamespaceState.ACTIVE).show(UNVERSIONED, 3)
    return metrics


def exposed(metrics: HostMetrics, use: Callable[[Exposition], Awaitable[T]]) -> T:
    """Serve the metrics while they are used, on a port that is free."""

    async def serve() -> T:
        async with Exposition.open(metrics, 0) as exposition:
            return await use(exposition)

    return asyncio.run(serve())


async def asked(exposition: Exposition, method: str, path: str) -> Answer:
    return await asyncio.to_thread(_ask, exposition.port, method, path)


def _ask(port: int, method: str, path: str) -> Answer:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.read().decode()


@contextmanager
def answering(text: str) -> Iterator[int]:
    """The port of a server that is no host, and answers every GET with this text."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None: ...

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def threads_beside(before: set[threading.Thread]) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread not in before]


def test_a_scrape_over_http_reads_what_the_host_shows(metrics: HostMetrics) -> None:
    async def scrape(exposition: Exposition) -> str:
        with await asyncio.to_thread(urlopen, exposition.url, timeout=10) as response:
            return str(response.read().decode())

    read = exposed(metrics, scrape)

    assert read == metrics.scrape()
    assert 'approximate_backlog_count{family="orders"' in read


def test_a_scrape_over_http_reads_what_has_changed_since_the_last(metrics: HostMetrics) -> None:
    async def twice(exposition: Exposition) -> tuple[Answer, Answer]:
        before = await asked(exposition, "GET", "/metrics")
        metrics.load(OWNER, NamespaceState.PASSIVE)
        return before, await asked(exposition, "GET", "/metrics")

    (_, before), (_, after) = exposed(metrics, twice)

    assert before != after == metrics.scrape()


def test_a_scrape_is_answered_while_the_event_loop_is_busy(metrics: HostMetrics) -> None:
    async def blocking(exposition: Exposition) -> Answer:
        return _ask(exposition.port, "GET", "/metrics")

    assert exposed(metrics, blocking) == (200, metrics.scrape())


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/metrics?name[]=nothing", 200), ("GET", "/", 404), ("GET", "/metrics/", 404), ("POST", "/metrics", 405)],
)
def test_nothing_is_to_be_had_but_a_get_of_metrics(metrics: HostMetrics, method: str, path: str, status: int) -> None:
    assert exposed(metrics, lambda exposition: asked(exposition, method, path))[0] == status


@pytest.mark.parametrize("path", ["/metrics", "/"])
def test_the_head_of_an_answer_is_that_of_a_get(metrics: HostMetrics, path: str) -> None:
    async def both(exposition: Exposition) -> tuple[list[bytes], list[bytes]]:
        return await asyncio.to_thread(_raw, exposition.port, "GET", path), await asyncio.to_thread(
            _raw, exposition.port, "HEAD", path
        )

    (got, body), (head, nothing) = exposed(metrics, both)

    assert _without_date(head) == _without_date(got)
    assert f"Content-Length: {len(body)}".encode() in head
    assert nothing == b""


def _raw(port: int, method: str, path: str) -> list[bytes]:
    """The head and the body of an answer, byte for byte."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(f"{method} {path} HTTP/1.0\r\n\r\n".encode())
        return connection.makefile("rb").read().split(b"\r\n\r\n", 1)


def _without_date(head: bytes) -> list[bytes]:
    return sorted(line for line in head.splitlines() if not line.startswith(b"Date"))


def test_many_may_ask_before_the_first_is_taken_in() -> None:
    with _listening(0, lambda environ, start_response: []) as server, ExitStack() as asking:
        address = ("127.0.0.1", server.server_port)
        waiting = [asking.enter_context(socket.create_connection(address, timeout=5)) for _ in range(100)]

    assert len(waiting) == 100


def looked_at(metrics: HostMetrics, inspected: Inspected, method: str = "GET") -> Answer:
    """What a look at the partitions is answered with."""

    async def serve() -> Answer:
        async with Exposition.open(metrics, 0, inspected) as exposition:
            return await asked(exposition, method, INSPECT_PATH)

    return asyncio.run(serve())


async def _two_partitions() -> object:
    return {"partitions": [1, 2]}


async def _away() -> object:
    raise StoreError("the database is away")


async def _never() -> object:
    return await asyncio.get_running_loop().create_future()


def test_a_look_is_answered_with_what_the_event_loop_tells(metrics: HostMetrics) -> None:
    status, text = looked_at(metrics, _two_partitions)

    assert (status, json.loads(text)) == (200, {"partitions": [1, 2]})


def test_a_look_changes_nothing_and_so_needs_a_get(metrics: HostMetrics) -> None:
    assert looked_at(metrics, _two_partitions, "POST")[0] == 405


def test_a_look_that_the_database_cannot_answer_says_why(metrics: HostMetrics) -> None:
    assert looked_at(metrics, _away) == (503, "the database is away\n")


def test_a_look_that_is_not_answered_for_long_is_given_up(
    metrics: HostMetrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("matching.adapters.exposition.INSPECT_SECONDS", 0.05)

    assert looked_at(metrics, _never) == (503, "the host is too busy to tell within 0.05 s\n")


def test_nobody_is_answered_at_another_address_of_this_machine(metrics: HostMetrics) -> None:
    async def elsewhere(exposition: Exposition) -> None:
        socket.create_connection(("127.0.0.2", exposition.port), timeout=10)

    with pytest.raises(ConnectionRefusedError):
        exposed(metrics, elsewhere)


def test_a_port_that_is_taken_is_said_in_one_sentence(metrics: HostMetrics) -> None:
    async def again(exposition: Exposition) -> None:
        Exposition.open(metrics, exposition.port)

    with pytest.raises(PortUnusable, match=r"on port \d+: Address already in use; name another, or 0 for any") as error:
        exposed(metrics, again)

    assert error.value.exit_status == 2


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_number_that_is_no_port_is_said_in_one_sentence(metrics: HostMetrics, port: int) -> None:
    with pytest.raises(PortUnusable, match=rf"on port {port}: there is no such port"):
        Exposition.open(metrics, port)


def test_after_a_close_nobody_answers_and_the_port_is_free(metrics: HostMetrics) -> None:
    async def port_of(exposition: Exposition) -> int:
        await asked(exposition, "GET", "/metrics")
        return exposition.port

    port = exposed(metrics, port_of)

    with pytest.raises(ConnectionRefusedError):
        _ask(port, "GET", "/metrics")
    with closing(socket.create_server(("127.0.0.1", port))) as server:
        assert server.getsockname()[1] == port


def test_a_close_waits_for_no_client_and_leaves_no_thread(
    metrics: HostMetrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(threading.enumerate())
    ended_otherwise: list[object] = []
    monkeypatch.setattr(
        "matching.adapters.exposition._Server.handle_error", lambda _, *args: ended_otherwise.append(args)
    )

    async def say_nothing(exposition: Exposition) -> socket.socket:
        silent = socket.create_connection(("127.0.0.1", exposition.port), timeout=10)
        await asked(exposition, "GET", "/metrics")  # by now the silent connection has its thread
        return silent

    with closing(exposed(metrics, say_nothing)) as silent:
        assert silent.recv(1) == b""
    assert ended_otherwise == []
    assert threads_beside(before) == []


def test_a_client_that_breaks_off_ends_its_own_connection_only(
    metrics: HostMetrics, capfd: pytest.CaptureFixture[str]
) -> None:
    async def break_off(exposition: Exposition) -> Answer:
        with closing(socket.create_connection(("127.0.0.1", exposition.port), timeout=10)) as rude:
            rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            rude.send(b"GET /met")
        return await asked(exposition, "GET", "/metrics")

    status, _ = exposed(metrics, break_off)

    assert status == 200
    assert capfd.readouterr().err == ""


def test_a_client_that_says_nothing_for_long_is_sent_away(
    metrics: HostMetrics, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("matching.adapters.exposition._Handler.timeout", 0.01)

    async def say_nothing(exposition: Exposition) -> bytes:
        with closing(socket.create_connection(("127.0.0.1", exposition.port), timeout=10)) as silent:
            return await asyncio.to_thread(silent.recv, 1)

    assert exposed(metrics, say_nothing) == b""
    assert capfd.readouterr().err == ""


def test_a_second_close_has_nothing_to_do(metrics: HostMetrics) -> None:
    async def close(exposition: Exposition) -> int:
        await exposition.close()
        return exposition.port

    with pytest.raises(ConnectionRefusedError):
        _ask(exposed(metrics, close), "GET", "/metrics")
