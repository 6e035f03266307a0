"""One child process, read line by line, that never outlives its run.

Three rules:

1. The child leads a process group of its own, and the whole group is killed
   when the run ends, in whichever way it ends: a grandchild that still holds
   the pipe delays nothing.
2. What was read before a timeout is kept.
3. Everything happens in the calling thread, so that ``on_line`` may touch
   whatever the caller owns; what another thread wants is asked for, by ``stop``.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import attrs

__all__ = ["Finished", "run_process"]

_AFTER_EXIT_SECONDS = 1.0
"""How long output may still arrive once the child itself has gone."""

_PATIENCE_SECONDS = 0.5
"""How long a killed group may take to disappear."""

_TICK_SECONDS = 0.1


@attrs.frozen
class Finished:
    """What a child said, and how it ended; ``exit_status`` is None when it was stopped, at the timeout or by wish."""

    exit_status: int | None
    output: tuple[str, ...]
    complaints: tuple[str, ...]
    seconds: float

    @property
    def timed_out(self) -> bool:
        return self.exit_status is None


def run_process(
    command: Sequence[str],
    *,
    folder: Path,
    timeout_s: float | None = None,
    on_line: Callable[[str], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Finished:
    """Run ``command`` in ``folder``; ``on_line`` sees each line of its standard output as it comes.

    ``stop`` is asked again and again, and ends the run as the timeout does.
    """
    began = time.monotonic()
    child = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    output = _Lines(child.stdout, on_line)
    complaints = _Lines(child.stderr, None)
    try:
        timed_out = _read(child, (output, complaints), None if timeout_s is None else began + timeout_s, stop)
    finally:
        _kill_group(child)
        child.stdout.close()
        child.stderr.close()
    output.finish()
    complaints.finish()
    return Finished(
        exit_status=None if timed_out else child.returncode,
        output=tuple(output.lines),
        complaints=tuple(complaints.lines),
        seconds=time.monotonic() - began,
    )


class _Lines:
    """The lines of one pipe; a line without its end waits for the rest."""

    def __init__(self, pipe: IO[bytes], on_line: Callable[[str], None] | None) -> None:
        self.pipe = pipe
        self.lines: list[str] = []
        self._on_line = on_line
        self._rest = b""

    def read(self) -> bool:
        """Take what is there; False at the end of the pipe."""
        chunk = os.read(self.pipe.fileno(), 65536)
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        for line in whole:
            self._add(line)
        return bool(chunk)

    def finish(self) -> None:
        if self._rest:
            self._add(self._rest)
            self._rest = b""

    def _add(self, raw: bytes) -> None:
        line = raw.decode("utf-8", errors="replace").removesuffix("\r")
        self.lines.append(line)
        if self._on_line is not None:
            self._on_line(line)


def _read(
    child: subprocess.Popen[bytes], pipes: Sequence[_Lines], deadline: float | None, stop: Callable[[], bool]
) -> bool:
    """Read until the child has gone and its pipes are done with; True if the deadline or a stop came first."""
    with selectors.DefaultSelector() as selector:
        for lines in pipes:
            selector.register(lines.pipe, selectors.EVENT_READ, lines)
        gone_at: float | None = None
        while True:
            now = time.monotonic()
            if gone_at is None and child.poll() is not None:
                gone_at = now
            if gone_at is not None and (not selector.get_map() or now >= gone_at + _AFTER_EXIT_SECONDS):
                return False
            if gone_at is None and (stop() or (deadline is not None and now >= deadline)):
                return True
            if not selector.get_map():
                time.sleep(_TICK_SECONDS / 10)  # The pipes are closed but the child is not yet reaped.
                continue
            wait = _TICK_SECONDS if deadline is None else max(0.0, min(_TICK_SECONDS, deadline - now))
            for key, _ in selector.select(wait):
                if not key.data.read():
                    selector.unregister(key.fileobj)


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill whatever is left of the group, and wait a moment until it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        patience = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < patience:
            os.killpg(child.pid, 0)
            time.sleep(_TICK_SECONDS / 10)
    child.wait()
