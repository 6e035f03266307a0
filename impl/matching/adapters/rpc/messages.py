"""Requests and answers as messages, and back.

Three rules:

1. Every field of a request is on the wire but its deadline, which is the RPC's own: what is
   read back is equal to what was written.
2. What somebody else wrote is looked at before it is used: a message that says no request is
   refused with the name of the field that is wrong.
3. A version that is absent is that of polls and tasks that have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from matching.adapters.opening import needing_libraries
from matching.errors import InvalidArgument
from matching.hops import OfferAnswer
from matching.identity import UNVERSIONED, EventId, Host, Item, PartitionKey, PollId, TaskId, Version, Worker
from matching.requests import ForwardInfo, PollRequest, Task

with needing_libraries("a call of a host"):
    from matching.adapters.rpc import matching_pb2 as pb

__all__ = [
    "read_add_answer",
    "read_poll",
    "read_poll_answer",
    "read_task",
    "write_add",
    "write_add_answer",
    "write_poll",
    "write_poll_answer",
]


_ANSWERS: Final[Mapping[OfferAnswer | None, pb.AddTaskResponse.Answer]] = MappingProxyType(
    {
        None: pb.AddTaskResponse.ANSWER_ACCEPTED,
        OfferAnswer.TAKEN: pb.AddTaskResponse.ANSWER_TAKEN,
        OfferAnswer.DROPPED: pb.AddTaskResponse.ANSWER_DROPPED,
        OfferAnswer.CANCELED: pb.AddTaskResponse.ANSWER_CANCELED,
    }
)
"""A client's task is accepted, which is no answer to an offer."""
_MEANINGS: Final = MappingProxyType({number: answer for answer, number in _ANSWERS.items()})


def write_poll(request: PollRequest) -> pb.PollTaskQueueRequest:
    """Give the message of a poll.

    Raises:
        InvalidArgument: a field cannot be written, such as text that is not UTF-8.
    """
    with _writable():
        return pb.PollTaskQueueRequest(
            poll_id=request.poll_id,
            worker=request.worker,
            partition=str(request.partition),
            version=request.version,
            forward_info=_write_forward_info(request.forward_info),
        )


def read_poll(message: pb.PollTaskQueueRequest, deadline: float) -> PollRequest:
    """Give the poll that a message is; ``deadline`` is a time of the running event loop, in seconds.

    Raises:
        InvalidArgument: it says no poll.
    """
    return PollRequest(
        poll_id=PollId(_given("poll_id", message.poll_id)),
        worker=Worker(_given("worker", message.worker)),
        partition=_partition("partition", message.partition),
        deadline=deadline,
        version=_version(message.version),
        forward_info=_read_forward_info(message.forward_info, PollId) if message.HasField("forward_info") else None,
    )


def write_poll_answer(task: Task | None) -> pb.PollTaskQueueResponse:
    """Give the message that answers a poll."""
    return pb.PollTaskQueueResponse(task=None if task is None else _write_task(task))


def read_poll_answer(message: pb.PollTaskQueueResponse) -> Task | None:
    """Give what a poll was answered.

    Raises:
        InvalidArgument: it says no task.
    """
    return read_task(message.task) if message.HasField("task") else None


def write_add(task: Task) -> pb.AddTaskRequest:
    """Give the message of an add, or of an offer.

    Raises:
        InvalidArgument: a field cannot be written.
    """
    with _writable():
        return pb.AddTaskRequest(task=_write_task(task))


def write_add_answer(answer: OfferAnswer | None) -> pb.AddTaskResponse:
    """Give the message that answers an offer, or an add where it is None."""
    return pb.AddTaskResponse(answer=_ANSWERS[answer])


def read_add_answer(message: pb.AddTaskResponse) -> OfferAnswer | None:
    """Give what an offer was answered; an add is answered None.

    Raises:
        InvalidArgument: it is no answer.
    """
    if message.answer not in _MEANINGS:
        raise InvalidArgument(f"the answer to an add is {message.answer}, which nobody knows")
    return _MEANINGS[message.answer]


def read_task(message: pb.Task) -> Task:
    """Give the task that a message is.

    Raises:
        InvalidArgument: it says no task.
    """
    item = message.item
    return Task(
        task_id=TaskId(_given("task_id", message.task_id)),
        partition=_partition("partition", message.partition),
        version=_version(message.version),
        item=Item(EventId(_given("event_id", item.event_id)), item.attempt, item.stamp)
        if message.HasField("item")
        else None,
        forward_info=_read_forward_info(message.forward_info, TaskId) if message.HasField("forward_info") else None,
    )


def _write_task(task: Task) -> pb.Task:
    item = task.item
    return pb.Task(
        task_id=task.task_id,
        partition=str(task.partition),
        version=task.version,
        item=None if item is None else pb.Item(event_id=item.event_id, attempt=item.attempt, stamp=item.stamp),
        forward_info=_write_forward_info(task.forward_info),
    )


def _write_forward_info(info: ForwardInfo | None) -> pb.ForwardInfo | None:
    if info is None:
        return None
    return pb.ForwardInfo(
        behalf=info.behalf,
        first=info.first,
        host=info.host,
        generation=info.generation,
        source=str(info.source),
        origin=str(info.origin),
    )


def _read_forward_info(message: pb.ForwardInfo, call_id: Callable[[str], PollId | TaskId]) -> ForwardInfo:
    return ForwardInfo(
        behalf=call_id(_given("behalf", message.behalf)),
        first=call_id(_given("first", message.first)),
        host=Host(_given("host", message.host)),
        generation=message.generation,
        source=_partition("source", message.source),
        origin=_partition("origin", message.origin),
    )


def _given(field: str, text: str) -> str:
    if not text:
        raise InvalidArgument(f"the field {field} is empty")
    return text


def _version(text: str) -> Version:
    return Version(text) if text else UNVERSIONED


def _partition(field: str, text: str) -> PartitionKey:
    try:
        return _parsed(text)
    except InvalidArgument as error:
        raise InvalidArgument(f"the field {field}: {error}") from error


_parsed: Final = lru_cache(maxsize=4096)(PartitionKey.parse)
"""The same few partitions are named again and again."""


@contextmanager
def _writable() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise InvalidArgument(f"the request cannot be sent: {error}") from error
