"""The tree of a task queue's partitions, and the calls by which a child asks its parent.

Three rules:

1. A hop is a call like a client's, but that it has a ``forward_info``: it carries every
   field of the call below and says where it comes from.  Its id is its own.
2. Whoever makes a hop waits for its answer.  Cancelling the wait cancels the hop, as far as
   the cancel is carried; a hop for which nobody waits any more may arrive all the same.
3. An offer that is answered is over: taken and dropped are two answers, and both mean that
   the child need not keep the task.  One that is not answered says nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable
from typing import Final, Protocol

import attrs

from matching.identity import Host, PartitionKey, PollId, TaskId
from matching.requests import ForwardInfo, PollRequest, Task

__all__ = ["DEGREE", "HopLimits", "OfferAnswer", "Peers", "carry_poll", "carry_task", "parent_of"]

DEGREE: Final = 2
"""How many children a partition has."""


class OfferAnswer(enum.Enum):
    """What a parent says to a task that it is offered."""

    TAKEN = "taken"
    """A poll has it."""
    DROPPED = "dropped"
    """It need not be done any more: History said so to a poll's handler."""
    CANCELED = "canceled"
    """No poll waits for it here or above: the child keeps it."""


@attrs.frozen(kw_only=True)
class HopLimits:
    """How many polls a manager has forwarded at most, and how long is waited; times are in seconds.

    An offer is given up after ``offer_seconds``; a stored task that was not taken is offered
    again after ``retry_seconds``.
    """

    most_polls: int = 1_000
    offer_seconds: float = 2.0
    retry_seconds: float = 1.0


class Peers(Protocol):
    """How a host reaches the managers of parents, on other hosts and its own.

    A hop is under way as soon as it is called, whether or not its answer is awaited.
    """

    def new_poll_id(self) -> PollId:
        """Give an id that no other poll has."""
        ...

    def new_task_id(self) -> TaskId:
        """Give an id that no other task has."""
        ...

    def poll(self, host: Host, request: PollRequest) -> Awaitable[Task | None]:
        """Poll the parent on behalf of another poll, until the request's deadline.

        Raises:
            Unavailable: nobody can tell whether the poll still waits there, or got a task.
        """
        ...

    def offer(self, host: Host, task: Task, deadline: float) -> Awaitable[OfferAnswer]:
        """Offer a task to the parent; ``deadline`` is a time of the running event loop, in seconds.

        Raises:
            Unavailable: nobody can tell whether the task was taken.
        """
        ...


def parent_of(partition: PartitionKey) -> PartitionKey | None:
    """Find the parent of a partition; a root has none, nor has a sticky one."""
    if partition.sticky or partition.partition == 0:
        return None
    return attrs.evolve(partition, partition=(partition.partition + DEGREE - 1) // DEGREE - 1)


def carry_poll(request: PollRequest, hop_id: PollId, parent: PartitionKey, host: Host, generation: int) -> PollRequest:
    """Make the hop of a poll: every field as it is, but for where it goes and where it comes from."""
    below = request.forward_info
    return attrs.evolve(
        request,
        poll_id=hop_id,
        partition=parent,
        forward_info=ForwardInfo(
            behalf=request.poll_id,
            first=request.poll_id if below is None else below.first,
            host=host,
            generation=generation,
            source=request.partition,
            origin=request.partition if below is None else below.origin,
        ),
    )


def carry_task(task: Task, hop_id: TaskId, parent: PartitionKey, host: Host, generation: int) -> Task:
    """Make the hop of a task: every field as it is, but for where it goes and where it comes from."""
    below = task.forward_info
    return attrs.evolve(
        task,
        task_id=hop_id,
        partition=parent,
        forward_info=ForwardInfo(
            behalf=task.task_id,
            first=task.task_id if below is None else below.first,
            host=host,
            generation=generation,
            source=task.partition,
            origin=task.partition if below is None else below.origin,
        ),
    )
