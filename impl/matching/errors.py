"""What can go wrong, by whose fault it is.

1. A refusal is protocol: a ``MatchingError`` whose ``status`` is the gRPC
   status that a server would answer with.
2. A bug is an ``assert``; nobody catches ``AssertionError``.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = ["InvalidArgument", "MatchingError", "StoreError", "Unavailable"]


class MatchingError(Exception):
    """A refusal that the caller of the service sees."""

    status: ClassVar[str] = "UNKNOWN"


class InvalidArgument(MatchingError):
    """The request cannot be served, now or later."""

    status = "INVALID_ARGUMENT"


class Unavailable(MatchingError):
    """The request was not confirmed; the same request may be tried again."""

    status = "UNAVAILABLE"


class StoreError(Exception):
    """A call of the store was not confirmed: it may have taken effect, or not."""
