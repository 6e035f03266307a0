"""Reads a trace line by line, and says at which line it is wrong.

Four rules:

1. The file is streamed: a step is read when it is asked for.
2. A byte-order mark, CRLF line ends and blank lines at the end change nothing.
   Anything else that is not a line of the format is an error with its line.
3. Steps are counted without a gap, and a host's own count only grows.
4. A trace without its footer is *cut short*, which is not an error: the reader
   then has no `footer`, and says at which line the text ends.  A last line that
   is torn in the middle is cut short as well.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from conformance.trace.errors import TraceError
from conformance.trace.header import FORMAT, Footer, Header
from conformance.trace.step import TraceStep
from conformance.trace.strict import MOST_LINE_BYTES, load

__all__ = ["TraceReader", "open_trace", "read_trace"]

_MARK = b"\xef\xbb\xbf"


class TraceReader:
    """One trace; the header is read at once, the steps as they are asked for."""

    def __init__(self, file: BinaryIO, source: str | None = None) -> None:
        self.source = source
        self.line = 0
        """The line that was read last."""
        self.footer: Footer | None = None
        self.torn = False
        """Whether the text ends in the middle of its last line."""
        self._file = file
        self._next_step = 0
        self._counts: dict[str, int] = {}
        first = self._content(self._read())
        if first is None:
            raise TraceError(f'the trace is empty; its first line is {{"format":"{FORMAT}",…}}', source=source)
        try:
            self.header = Header.from_json(load(first))
        except TraceError as error:
            raise error.at(line=self.line, source=source) from error

    @property
    def cut_short(self) -> str:
        """Where the text ends, for a trace that has no footer."""
        how = "in the middle of a line" if self.torn else "without a footer"
        return f"cut short at line {self.line}: the trace ends there {how}"

    def steps(self) -> Iterator[TraceStep]:
        """Every step, from step 0; afterwards `footer` is known."""
        while (raw := self._read()) is not None:
            content = self._content(raw)
            if content is None:
                self._refuse_more()
                return
            whole = raw.endswith(b"\n")
            try:
                document = load(content)
                if not isinstance(document, dict):
                    raise TraceError("the line is not an object; each line is a step or the footer")
            except TraceError as error:
                if not whole:
                    self.torn = True
                    return
                raise error.at(line=self.line, source=self.source) from error
            try:
                if "end" in document and "step" not in document:
                    self.footer = Footer.from_json(document)
                    self._refuse_more()
                    return
                yield self._step(document)
            except TraceError as error:
                raise error.at(line=self.line, source=self.source) from error

    def _step(self, document: dict[str, object]) -> TraceStep:
        if "step" not in document:
            raise TraceError('the line is neither a step (it has no "step") nor the footer (it has no "end")')
        step = TraceStep.from_json(document)
        if step.step != self._next_step:
            raise TraceError(f"step {step.step} stands where step {self._next_step} is expected; steps have no gaps")
        if step.step == 0 and step.action is not None:
            raise TraceError("step 0 is the beginning and has no action; it shows every observed variable")
        self._next_step += 1
        if step.host is not None and step.seq is not None:
            before = self._counts.get(step.host, -1)
            if step.seq <= before:
                raise TraceError(f"host {step.host} counts {step.seq} after {before}; its order must not be broken")
            self._counts[step.host] = step.seq
        return step

    def _read(self) -> bytes | None:
        raw = self._file.readline(MOST_LINE_BYTES + 3)
        if not raw:
            return None
        self.line += 1
        if len(raw) == MOST_LINE_BYTES + 3 and not raw.endswith(b"\n"):
            raise TraceError(
                f"the line is longer than {MOST_LINE_BYTES} bytes; a trace has one step a line",
                line=self.line,
                source=self.source,
            )
        if self.line == 1:
            raw = raw.removeprefix(_MARK)
        return raw

    def _content(self, raw: bytes | None) -> bytes | None:
        """The line without its end; None for the end of the text or a blank line."""
        content = (raw or b"").rstrip(b"\r\n")
        return content if content.strip() else None

    def _refuse_more(self) -> None:
        """Nothing but blank lines may follow."""
        blank = self.line
        while (raw := self._read()) is not None:
            if self._content(raw) is not None:
                what = "after the footer" if self.footer is not None else "after a blank line"
                raise TraceError(f"there is more {what}", line=self.line, source=self.source)
        self.line = blank if self.footer is not None else blank - 1


@contextlib.contextmanager
def open_trace(path: Path | str) -> Iterator[TraceReader]:
    """A reader of the file, which is closed afterwards."""
    source = str(path)
    with _opened(path) as file:
        reader = TraceReader(file, source=source)
        try:
            yield reader
        except TraceError as error:
            # Whoever looks at a step may refuse it; the place is the line that was read last.
            raise error.at(line=reader.line, source=source) from error


def _opened(path: Path | str) -> BinaryIO:
    try:
        return open(path, "rb")
    except OSError as error:
        raise TraceError(f"cannot be read ({error.strerror}); name a trace that is there", source=str(path)) from error


def read_trace(path: Path | str) -> tuple[Header, list[TraceStep], Footer | None]:
    """A whole trace at once, for those who need all of it."""
    with open_trace(path) as reader:
        steps = list(reader.steps())
        return reader.header, steps, reader.footer
