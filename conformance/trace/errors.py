"""What can be wrong with a trace as a text, before any specification is asked.

One rule: the message names the line and the next move, and each kind of mistake
has a message of its own.  None of them is a verdict about the run.
"""

from __future__ import annotations

__all__ = ["TraceError"]


class TraceError(Exception):
    """A trace that cannot be read, or that does not fit the specification's types.

    ``line`` counts from 1; ``source`` is the name under which the trace was opened.
    """

    exit_status = 2

    def __init__(self, message: str, *, line: int | None = None, source: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.source = source

    def at(self, *, line: int | None = None, source: str | None = None) -> TraceError:
        """The same error with the place filled in, where it was not known before."""
        return TraceError(
            self.message,
            line=self.line if self.line is not None else line,
            source=self.source if self.source is not None else source,
        )

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.source, self.line) if part is not None)
        if self.line is not None and self.source is None:
            place = f"line {self.line}"
        return f"{place}: {self.message}" if place else self.message
