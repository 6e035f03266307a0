"""The names of things: partitions, tasks, polls, and the managers that serve them.

A queue name is a family.  Under it stand typed queues (workflow, activity),
under each its partitions, each with one physical queue; a sticky queue is one worker's own.  Tasks and polls meet where
partition and version agree.  A task is one delivery; what it delivers is an item.
The revision of a namespace and the generation of who owns what count apart, and are of two
types, so that neither can stand for the other.
"""

from __future__ import annotations

import enum
import re
from functools import cached_property
from typing import NewType

import attrs

from matching.errors import InvalidArgument

__all__ = [
    "UNVERSIONED",
    "Cluster",
    "EventId",
    "Host",
    "Item",
    "Owner",
    "OwnershipGeneration",
    "PartitionKey",
    "PollId",
    "Revision",
    "RunId",
    "TaskId",
    "TaskType",
    "Version",
    "Worker",
]

Cluster = NewType("Cluster", str)
EventId = NewType("EventId", str)
Host = NewType("Host", str)
OwnershipGeneration = NewType("OwnershipGeneration", int)
PollId = NewType("PollId", str)
Revision = NewType("Revision", int)
RunId = NewType("RunId", str)
TaskId = NewType("TaskId", str)
Version = NewType("Version", str)
Worker = NewType("Worker", str)

UNVERSIONED = Version("unversioned")


class TaskType(enum.Enum):
    """The two kinds of queue that a family has."""

    WORKFLOW = "workflow"
    ACTIVITY = "activity"


_NAMESPACE = re.compile(r"[^/]+")
_PARTITION = re.compile(r"([^/]+)/(.+)/(workflow|activity)/(0|[1-9][0-9]{0,8}|sticky)", re.DOTALL)


@attrs.frozen(order=True, cache_hash=True)
class PartitionKey:
    """One partition of one typed queue of one family; a queue that is sticky has no numbered ones.

    The text of a partition can be read back: a namespace has no slash, a family may.
    """

    namespace: str = attrs.field(validator=attrs.validators.matches_re(_NAMESPACE))
    family: str = attrs.field(validator=attrs.validators.min_len(1))
    task_type: TaskType = attrs.field(order=lambda kind: kind.value)
    partition: int = attrs.field(default=0, validator=[attrs.validators.ge(0), attrs.validators.lt(10**9)])
    sticky: bool = False

    @cached_property
    def _text(self) -> str:
        number = "sticky" if self.sticky else self.partition
        return f"{self.namespace}/{self.family}/{self.task_type.value}/{number}"

    def __str__(self) -> str:
        return self._text

    @classmethod
    def parse(cls, text: str) -> PartitionKey:
        """Read ``namespace/family/type/partition`` back, where a number or ``sticky`` is the partition.

        Raises:
            InvalidArgument: the text has another form.
        """
        if (found := _PARTITION.fullmatch(text)) is None:
            raise InvalidArgument(
                f"{text!r} is not a partition; write namespace/family/workflow/0 or namespace/family/activity/0"
            )
        namespace, family, kind, number = found.groups()
        sticky = number == "sticky"
        return cls(namespace, family, TaskType(kind), 0 if sticky else int(number), sticky)


@attrs.frozen(order=True)
class Owner:
    """The manager that asks the store for something: host, partition and generation of its load."""

    host: Host
    partition: PartitionKey
    generation: int


@attrs.frozen(order=True)
class Item:
    """What a task stands for in History: an event's attempt, under the options of one stamp."""

    event_id: EventId
    attempt: int
    stamp: int
