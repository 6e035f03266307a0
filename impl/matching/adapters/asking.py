"""The other side of ``exposition.py``: asking the host that serves on a port of this machine.

Two rules:

1. Whoever answers may be no host: the whole answer has one deadline and one limit, and is read before it is looked at.
2. What is no answer of a host is one kind of error, and that the host cannot tell is another.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import io
import json
from typing import Any, Final

from matching.adapters.exposition import INSPECT_PATH, INSPECT_SECONDS, LOOPBACK
from matching.errors import NothingServed, StoreError

__all__ = ["MOST_BYTES", "PATIENCE_SECONDS", "ask_inspect"]

PATIENCE_SECONDS: Final = 2 * INSPECT_SECONDS
MOST_BYTES: Final = 16 * 1024 * 1024
"""How long an answer may be: that of some ten thousand partitions."""

_REQUEST: Final = f"GET {INSPECT_PATH} HTTP/1.0\r\nHost: {LOOPBACK}\r\n\r\n".encode()
_NEXT: Final = "name the --metrics-port of a `matching serve` that runs"


class _Received:
    """An answer that was read, in the form in which ``http.client`` takes one apart."""

    def __init__(self, answer: bytes) -> None:
        self.body = io.BytesIO(answer)

    def makefile(self, _mode: str) -> io.BytesIO:
        return self.body


def ask_inspect(port: int) -> dict[str, Any]:
    """Ask the host that serves on a port what it knows of its partitions; give its JSON object.

    Raises:
        NothingServed: no host answers there.
        StoreError: it answers that it cannot tell.
    """
    try:
        status, text = _taken_apart(asyncio.run(_received(port)))
    except (OSError, http.client.HTTPException, ValueError) as error:
        late = "it does not answer in time" if isinstance(error, TimeoutError) else None
        reason = late or getattr(error, "strerror", None) or "what answers is no host"
        raise NothingServed(f"no host answers on port {port}: {reason}; {_NEXT}") from error
    if status == http.HTTPStatus.SERVICE_UNAVAILABLE:
        raise StoreError(text.strip() or f"the host on port {port} cannot tell, and does not say why")
    try:
        found = json.loads(text)
    except (RecursionError, ValueError) as error:
        raise NothingServed(f"what answers on port {port} shows no partitions; {_NEXT}") from error
    if status != http.HTTPStatus.OK or not isinstance(found, dict) or not isinstance(found.get("partitions"), list):
        raise NothingServed(f"what answers on port {port} shows no partitions; {_NEXT}")
    return found


async def _received(port: int) -> bytes:
    """Everything that is answered, up to its end."""
    answer = bytearray()
    async with asyncio.timeout(PATIENCE_SECONDS):
        reader, writer = await asyncio.open_connection(LOOPBACK, port)
        with contextlib.closing(writer):
            writer.write(_REQUEST)
            while read := await reader.read(65536):
                answer += read
                if len(answer) > MOST_BYTES:
                    raise ValueError(f"the answer is longer than {MOST_BYTES} bytes")
    return bytes(answer)


def _taken_apart(answer: bytes) -> tuple[int, str]:
    """The status of an answer and its text; it comes whole and in one piece, as a host sends it."""
    received = _Received(answer)
    response = http.client.HTTPResponse(received)  # type: ignore[arg-type]
    response.begin()
    body = received.body.read()
    if response.chunked or response.length not in (None, len(body)):
        raise ValueError("the answer is in pieces, or not whole")
    return response.status, body.decode()
