"""Reads the fields of a driver's request, and says what is there where one asks for something that is not."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from conformance.trace.errors import TraceError

__all__ = ["RequestError", "milliseconds", "numbered", "one_of", "refuse_misspelt"]

_FIELDS: Final = {
    "poll": ("poll", "worker", "partition", "version", "wait_ms", "host"),
    "add": ("task", "partition", "version", "host"),
    "lose": ("task", "interrupt"),
    "leave": ("poll", "at_once"),
    "forget": ("poll", "task", "event"),
    "advance": ("by_ms", "rotate"),
    "store": ("call", "effect", "answer"),
    "serve": ("kind",),
    "load": ("partition", "host"),
    "unload": ("partition", "host"),
    "crash": ("host", "down"),
    "boot": ("host",),
    "shutdown": ("host",),
    "arrive": ("callback", "again"),
    "change": ("cluster", "hosts"),
    "news": ("host", "revision", "ownership"),
    "route": ("host",),
    "failover": ("active",),
    "workflow": ("execution",),
    "terminate": ("execution",),
    "restamp": ("event",),
    "complete": ("token", "decides"),
    "restart": (),
}
_SUBJECTS: Final = {
    "forget": ("poll", "task", "event"),
    "change": ("cluster", "hosts"),
    "news": ("revision", "ownership"),
}
"""Of these fields a request has exactly one."""

_FLAGS: Final = ("run", "turn", "at_once", "interrupt", "down", "again")


class RequestError(TraceError):
    """A request that this run cannot carry out at this point."""


@contextlib.contextmanager
def numbered(number: int) -> Iterator[None]:
    """Name the request, counted from 1, that cannot be carried out."""
    try:
        yield
    except RequestError as error:
        raise RequestError(f"request {number}: {error.message}") from error


def refuse_misspelt(request: Mapping[str, Any]) -> None:
    """Refuse a field that the request does not have, two subjects, and a flag that is neither true nor false."""
    do = request["do"]
    known = ("do",) if do == "run" else ("do", "run", "turn", *_FIELDS.get(do, ()))
    for name, value in request.items():
        if name not in known:
            raise RequestError(f"the request {request['do']!r} has no {name!r}; it has {', '.join(known)}")
        if name in _FLAGS and not isinstance(value, bool):
            raise RequestError(f"{name!r} of the request {request['do']!r} is {value!r}; it is true or false")
    if do in _SUBJECTS and sum(name in request for name in _SUBJECTS[do]) != 1:
        raise RequestError(f"the request {do!r} has exactly one of {', '.join(_SUBJECTS[do])}")


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
