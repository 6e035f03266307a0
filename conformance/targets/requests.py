"""Reads the fields of a driver's request, and says what is there where one asks for something that is not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conformance.trace.errors import TraceError

__all__ = ["RequestError", "milliseconds", "one_of"]


class RequestError(TraceError):
    """A request that this run cannot carry out at this point."""


def one_of(value: Any, known: Iterable[str], what: str) -> str:
    """The value, which must be one of those that are known."""
    choices = list(known)
    if value not in choices:
        raise RequestError(f"{value!r} is not {what} here; there is {', '.join(choices) or 'none'}")
    return str(value)


def milliseconds(value: Any) -> float:
    """A time in seconds, which the request gives in whole milliseconds."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 10**9:
        raise RequestError(f"{value!r} is not a time in whole milliseconds")
    return value / 1000
