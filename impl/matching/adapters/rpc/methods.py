"""The methods of the service as gRPC names them, read from the description that the build has made."""

from __future__ import annotations

from typing import Any, Final

import attrs

from matching.adapters.opening import needing_libraries

with needing_libraries("a call of a host"):
    from matching.adapters.rpc import matching_pb2 as pb

__all__ = ["ADD_TASK", "POLL_TASK_QUEUE", "SERVICE", "Method"]

_MATCHING: Final = pb.DESCRIPTOR.services_by_name["Matching"]
SERVICE: Final[str] = _MATCHING.full_name


@attrs.frozen
class Method:
    """A method and the classes of its messages."""

    name: str
    request: Any
    answer: Any

    @property
    def path(self) -> str:
        """What a call names."""
        return f"/{SERVICE}/{self.name}"


def _method(name: str) -> Method:
    found = _MATCHING.methods_by_name[name]
    return Method(name, getattr(pb, found.input_type.name), getattr(pb, found.output_type.name))


POLL_TASK_QUEUE: Final = _method("PollTaskQueue")
ADD_TASK: Final = _method("AddTask")
