"""Where a host's metrics are scraped and its partitions are looked at: ``GET`` over HTTP, on this machine only.

Five rules:

1. A scrape reads and changes nothing; it is answered by a thread, also while the event loop is busy.
2. What is known of partitions is the event loop's to tell; a thread waits for it, and not for long.
3. What a client does wrong ends its own connection and nothing else.
4. A close ends the connections that are open as well, and waits until no thread is left.
5. ``HEAD`` is answered as ``GET`` is, without the body.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import socket
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from socketserver import TCPServer, ThreadingMixIn
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from matching.errors import PortUnusable, StoreError

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from matching.adapters.metrics import HostMetrics

__all__ = ["INSPECT_PATH", "INSPECT_SECONDS", "LOOPBACK", "PATH", "Exposition", "Inspected"]

PATH = "/metrics"
INSPECT_PATH = "/inspect"

Inspected = Callable[[], Coroutine[Any, Any, object]]
"""What tells of the partitions; its answer can be written as JSON."""

LOOPBACK = "127.0.0.1"
_SILENT_CLIENT_SECONDS = 10.0
INSPECT_SECONDS = 5.0
_POLL_SECONDS = 0.05


class Exposition:
    """A server of one host's metrics; open it with ``open``, and close it."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, args=(_POLL_SECONDS,), name="metrics", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, metrics: HostMetrics, port: int, inspected: Inspected | None = None) -> Self:
        """Listen on a port of this machine; port 0 is any that is free.

        ``inspected`` is asked on the event loop that is running now.

        Raises:
            PortUnusable: somebody else listens there, or nobody may.
        """
        answers = {PATH: metrics.application()}
        if inspected is not None:
            answers[INSPECT_PATH] = _inspecting(inspected, asyncio.get_running_loop())
        return cls(_listening(port, _answering_head(_at_its_path(answers))))

    @property
    def port(self) -> int:
        """The port that answers."""
        return self._server.server_port

    @property
    def url(self) -> str:
        """What is to be scraped."""
        return f"http://{LOOPBACK}:{self.port}{PATH}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Listen no more, and wait until every thread has ended; a second time there is nothing to do."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingMixIn, WSGIServer):
    """A thread for each connection; those that are open end when the server is closed."""

    request_queue_size = 128

    def __init__(self, address: tuple[str, int]) -> None:
        self._open: dict[socket.socket, None] = {}
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open[request] = None
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.pop(request, None)
        super().shutdown_request(request)

    def server_bind(self) -> None:
        # Not that of HTTP's server, which asks for the name of this machine, and may wait for it.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]
        self.setup_environ()

    def server_close(self) -> None:
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that has left or says nothing is no mistake of ours.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(WSGIRequestHandler):
    """Answers one request without a word on stderr, unless its client keeps silent for too long."""

    timeout = _SILENT_CLIENT_SECONDS

    def log_message(self, format: str, *args: Any) -> None: ...

    def get_stderr(self) -> io.StringIO:
        return io.StringIO()  # what a client leaves unread is no mistake of ours


def _listening(port: int, application: WSGIApplication) -> _Server:
    try:
        server = _Server((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "there is no such port"
        raise PortUnusable(
            f"metrics cannot be served on port {port}: {reason}; name another, or 0 for any that is free"
        ) from error
    server.set_app(application)
    return server


def _at_its_path(answers: Mapping[str, WSGIApplication]) -> WSGIApplication:
    """Let each answer at its own path, and nobody at any other."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        found = answers.get(environ["PATH_INFO"])
        if found is not None:
            try:
                return found(environ, start_response)
            except (TypeError, ValueError) as error:
                return _say(start_response, "406 Not Acceptable", f"What the headers ask for is not to be had: {error}")
        return _say(start_response, "404 Not Found", f"There is nothing here but {' and '.join(answers)}.")

    return answer


def _answering_head(application: WSGIApplication) -> WSGIApplication:
    """Answer ``HEAD`` by what the application answers to ``GET``."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] != "HEAD":
            return application(environ, start_response)
        started: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], _error: object = None) -> Callable[[bytes], object]:
            started.append((status, headers))
            return len

        length = sum(map(len, application({**environ, "REQUEST_METHOD": "GET"}, start)))
        status, headers = started[-1]
        start_response(status, [*headers, ("Content-Length", str(length))])
        return []

    return answer


def _inspecting(inspected: Inspected, loop: asyncio.AbstractEventLoop) -> WSGIApplication:
    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] != "GET":
            return _say(start_response, "405 Method Not Allowed", "Partitions are looked at with GET.")
        asked = asyncio.run_coroutine_threadsafe(inspected(), loop)
        try:
            text = json.dumps(asked.result(INSPECT_SECONDS), indent=2)
        except (StoreError, TimeoutError) as error:
            asked.cancel()
            reason = str(error) or f"the host is too busy to tell within {INSPECT_SECONDS:g} s"
            return _say(start_response, "503 Service Unavailable", reason)
        return _say(start_response, "200 OK", text, "application/json")

    return answer


def _say(
    start_response: StartResponse, status: str, text: str, kind: str = "text/plain; charset=utf-8"
) -> Iterable[bytes]:
    start_response(status, [("Content-Type", kind)])
    return [f"{text}\n".encode()]
