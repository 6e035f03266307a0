"""The names of things: partitions, tasks, polls, and the managers that serve them.

A queue name is a family.  Under it stand typed queues (workflow, activity),
under each its partitions, and a partition keeps one physical queue for each
deployment version.  Tasks and polls meet where partition and version agree.
"""

from __future__ import annotations

import enum
import re
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


_NAMESPACE = re.compile(r"[^/]+")
_PARTITION = re.compile(r"([^/]+)/(.+)/(workflow|activity)/(0|[1-9][0-9]{0,8})", re.DOTALL)


@attrs.frozen(order=True)
class PartitionKey:
    """One partition of one typed queue of one family.

    The text of a partition can be read back: a namespace has no slash, a family may.
    """

    namespace: str = attrs.field(validator=attrs.validators.matches_re(_NAMESPACE))
    family: str = attrs.field(validator=attrs.validators.min_len(1))
    task_type: TaskType = attrs.field(order=lambda kind: kind.value)
    partition: int = attrs.field(default=0, validator=[attrs.validators.ge(0), attrs.validators.lt(10**9)])

    def __str__(self) -> str:
        return f"{self.namespace}/{self.family}/{self.task_type.value}/{self.partition}"

    @classmethod
    def parse(cls, text: str) -> PartitionKey:
        """Read ``namespace/family/type/partition`` back.

        Raises:
            InvalidArgument: the text has another form.
        """
        if (found := _PARTITION.fullmatch(text)) is None:
            raise InvalidArgument(
                f"{text!r} is not a partition; write namespace/family/workflow/0 or namespace/family/activity/0"
            )
        namespace, family, kind, number = found.groups()
        return cls(namespace, family, TaskType(kind), int(number))


@attrs.frozen(order=True)
class Owner:
    """The manager that asks the store for something: host, partition and generation of its load."""

    host: Host
    partition: PartitionKey
    generation: int
