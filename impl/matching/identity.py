"""The names of things: partitions, tasks, polls, and the managers that serve them.

A queue name is a family.  Under it stand typed queues (workflow, activity),
under each its partitions, and a partition keeps one physical queue for each
deployment version.  Tasks and polls meet where partition and version agree.
"""

from __future__ import annotations

import enum
from typing import NewType

import attrs

from matching.errors import InvalidArgument

__all__ = ["UNVERSIONED", "Host", "Owner", "PartitionKey", "PollId", "TaskId", "TaskType", "Version", "Worker"]

Host = NewType("Host", str)
PollId = NewType("PollId", str)
TaskId = NewType("TaskId", str)
Version = NewType("Version", str)
Worker = NewType("Worker", str)

UNVERSIONED = Version("unversioned")


class TaskType(enum.Enum):
    """The two kinds of queue that a family has."""

    WORKFLOW = "workflow"
    ACTIVITY = "activity"


@attrs.frozen(order=True)
class PartitionKey:
    """One partition of one typed queue of one family."""

    namespace: str
    family: str
    task_type: TaskType = attrs.field(order=lambda kind: kind.value)
    partition: int = attrs.field(default=0, validator=attrs.validators.ge(0))

    def __str__(self) -> str:
        return f"{self.namespace}/{self.family}/{self.task_type.value}/{self.partition}"

    @classmethod
    def parse(cls, text: str) -> PartitionKey:
        """Read ``namespace/family/type/partition`` back.

        Raises:
            InvalidArgument: the text has another form.
        """
        match text.split("/"):
            case [namespace, family, ("workflow" | "activity") as kind, number] if number.isdecimal():
                return cls(namespace, family, TaskType(kind), int(number))
            case _:
                raise InvalidArgument(
                    f"{text!r} is not a partition; write namespace/family/workflow/0 or namespace/family/activity/0"
                )


@attrs.frozen(order=True)
class Owner:
    """The manager that asks the store for something: host, partition and generation of its load."""

    host: Host
    partition: PartitionKey
    generation: int
