"""Where a host that serves writes each step that it takes, so that it can be read whatever ends the process.

Four rules:

1. A step is one line of JSON, written by one call before the next step: a process that is killed
   has written every step but perhaps the last.
2. A line is never changed. Each life of a host adds a header and its steps to what is there.
3. A step has the time of the event loop, which all processes of a machine read from one clock.
4. A file that cannot be written any more stops nothing; it is told at the end.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from matching.identity import Host

__all__ = ["FORMAT", "StepsFile"]

FORMAT: Final = "matching-steps/1"


class StepsFile:
    """A probe that writes what it is told; ``now`` is the loop's time, in seconds."""

    def __init__(self, path: Path, host: Host, hosts: Iterable[Host], now: Callable[[], float]) -> None:
        """Open the file, and write who is who in this life.

        Raises:
            OSError: it cannot be written.
        """
        self._path = path
        self._now = now
        self._count = 0
        self._failure: OSError | None = None
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self._write({"format": FORMAT, "host": host, "hosts": sorted(hosts), "process": os.getpid()})

    def __call__(self, action: str, *args: str | int | tuple[str, ...]) -> None:
        self._count += 1
        at_ms = round(self._now() * 1000, 3)
        self._write({"seq": self._count, "at_ms": at_ms, "action": action, "args": args})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._file)
        if self._failure is not None and error is None:
            raise OSError(self._failure.errno, self._failure.strerror, str(self._path))

    def _write(self, line: dict[str, Any]) -> None:
        if self._failure is not None:
            return
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        try:
            written = os.write(self._file, text)
            if written != len(text):
                os.write(self._file, text[written:])
        except OSError as failure:
            self._failure = failure
