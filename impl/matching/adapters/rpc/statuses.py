"""Refusals as gRPC statuses, and back.

Two rules:

1. A refusal has the status that its class names; what is read back is of the same class.
2. Every status that the service does not give, such as that of a deadline or of a connection
   that was lost, says nothing about what became of the call: it reads as `Unavailable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from matching.adapters.opening import needing_libraries
from matching.errors import AlreadyExists, InvalidArgument, MatchingError, NotFound, StickyUnsupported, Unavailable

with needing_libraries("a call of a host"):
    import grpc

__all__ = ["refusal", "status_of"]

_REFUSALS: Final[Mapping[str, type[MatchingError]]] = MappingProxyType(
    {each.status: each for each in (AlreadyExists, InvalidArgument, NotFound, StickyUnsupported, Unavailable)}
)
_WORDS: Final[Mapping[grpc.StatusCode, str]] = MappingProxyType(
    {
        grpc.StatusCode.DEADLINE_EXCEEDED: "it did not answer in time",
        grpc.StatusCode.CANCELLED: "it gave the call up",
        grpc.StatusCode.UNIMPLEMENTED: "what answers is no host of this service",
    }
)


def status_of(error: MatchingError) -> grpc.StatusCode:
    """Give the status of a refusal."""
    return grpc.StatusCode[error.status]


def refusal(error: grpc.RpcError, address: str) -> MatchingError:
    """Give what a failed call at an address means."""
    code: grpc.StatusCode = error.code()
    details = str(error.details() or code.name)
    known = _REFUSALS.get(code.name, Unavailable)
    return known(f"{address}: {_WORDS.get(code, details)}" if known is Unavailable else details)
