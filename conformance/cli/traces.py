"""Traces as the command line names them: files, ``-`` for standard input, and pipes.

One rule: a trace is read more than once, so that what can be read only once is
first copied to a file.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance.trace.errors import TraceError

__all__ = ["readable"]


@contextlib.contextmanager
def readable(path: Path) -> Iterator[Path]:
    """A file with what stands under that name; an error about it names what was named."""
    if str(path) != "-" and (path.is_file() or path.is_dir() or not path.exists()):
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="conform-", suffix=".ndjson") as copy:
        if str(path) == "-":
            if sys.stdin is None:
                raise TraceError("standard input is closed; name a file")
            shutil.copyfileobj(sys.stdin.buffer, copy)
        else:
            with path.open("rb") as pipe:
                shutil.copyfileobj(pipe, copy)
        copy.flush()
        try:
            yield Path(copy.name)
        except TraceError as error:
            raise TraceError(error.message, line=error.line, source=str(path)) from error
