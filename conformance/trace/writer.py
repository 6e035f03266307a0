"""Writes a trace so that the same run is the same bytes, and a file is whole or not there.

Two rules:

1. A file appears under its name only when it is complete: it is written beside
   that name and then renamed.
2. A run that is kept is named by what it is: the one module that it shows, or ``Trace``
   where it shows several, and six digits of the hash of its bytes: ``Trace-3f9a1c.ndjson``.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from conformance.trace.errors import TraceError
from conformance.trace.header import Footer, Header
from conformance.trace.step import TraceStep
from conformance.trace.strict import dump

__all__ = ["content_name", "keep_trace", "refuse_unwritable", "trace_text", "write_trace"]


def trace_text(header: Header, steps: Iterable[TraceStep], footer: Footer | None) -> str:
    """The canonical text of a run; without a footer it is a run that was cut short."""
    lines = [dump(header.as_json())]
    lines.extend(dump(step.as_json()) for step in steps)
    if footer is not None:
        lines.append(dump(footer.as_json()))
    return "".join(f"{line}\n" for line in lines)


def write_trace(path: Path, text: str) -> Path:
    """Write the text under ``path``, whole or not at all; a link is followed.

    Raises:
        TraceError: the place cannot be written, or is no file.
    """
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not path.name or (target.exists() and not target.is_file()):
            raise TraceError("is no file; name one to write the run to", source=str(path))
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise TraceError(f"cannot be written ({error.strerror})", source=str(path)) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
        # A temporary file is private; a trace is as readable as any other file.
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise TraceError(f"cannot be written ({error.strerror})", source=str(path)) from error
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return path


def refuse_unwritable(path: Path) -> None:
    """Refuse a place where no trace could be written, before a run is made for it.

    Raises:
        TraceError: the folder is not there, may not be written, or there is something that is no file.
    """
    target = path.resolve()
    if not path.name or (target.exists() and not target.is_file()):
        raise TraceError("is no file; name one to write the run to", source=str(path))
    if not target.parent.is_dir():
        raise TraceError(f"there is no folder {path.parent}; make it, or name another", source=str(path))
    try:
        tempfile.TemporaryFile(dir=target.parent).close()
    except OSError as error:
        raise TraceError(f"the folder cannot be written ({error.strerror}); name another", source=str(path)) from error


def content_name(header: Header, text: str) -> str:
    """The file name that the run's content gives it."""
    return f"{header.module}-{hashlib.sha256(text.encode('utf-8')).hexdigest()[:6]}.ndjson"


def keep_trace(folder: Path, header: Header, steps: Iterable[TraceStep], footer: Footer) -> Path:
    """Write the run under the name that its content gives it."""
    text = trace_text(header, steps, footer)
    return write_trace(folder / content_name(header, text), text)
