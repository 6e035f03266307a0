"""What can go wrong, by whose fault it is.

1. A refusal is protocol: a ``MatchingError`` whose ``status`` is the gRPC
   status that a server would answer with.
2. A bug is an ``assert``; nobody catches ``AssertionError``.
3. What ends a command owns its ``exit_status``: 2 asked wrongly, 3 a tool is missing.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "AlreadyExists",
    "InvalidArgument",
    "LeaseLost",
    "MatchingError",
    "MissingLibrary",
    "NotFound",
    "NothingServed",
    "PortUnusable",
    "RowChanged",
    "StickyUnsupported",
    "StoreError",
    "Unavailable",
    "UrlUnusable",
]


class MatchingError(Exception):
    """A refusal that the caller of the service sees."""

    status: ClassVar[str] = "UNKNOWN"


class InvalidArgument(MatchingError):
    """The request cannot be served, now or later."""

    status = "INVALID_ARGUMENT"


class StickyUnsupported(MatchingError):
    """The partition is sticky, and no sticky partition is served: add to the queue's own name, and poll that."""

    status = "FAILED_PRECONDITION"


class NotFound(MatchingError):
    """What the request names is not there, or does not count any more."""

    status = "NOT_FOUND"


class AlreadyExists(MatchingError):
    """What the request would make is there already."""

    status = "ALREADY_EXISTS"


class Unavailable(MatchingError):
    """The request was not confirmed; the same request may be tried again."""

    status = "UNAVAILABLE"


class StoreError(Exception):
    """A call of the store was not confirmed: it may have taken effect, or not."""

    exit_status = 3


class LeaseLost(Exception):
    """A call of the store had no effect, for somebody else has taken the lease since."""


class RowChanged(Exception):
    """A call of the store had no effect, for the row has another version than the call expects."""


class PortUnusable(Exception):
    """Nothing can be served on the port that was named."""

    exit_status = 2


class UrlUnusable(Exception):
    """The URL that was given names no database that there could be."""

    exit_status = 2


class NothingServed(Exception):
    """No service answers on the port that was named."""

    exit_status = 2


class MissingLibrary(Exception):
    """Something that is installed apart is not there; the message has the one command that brings it."""

    exit_status = 3
