"""Runs of a task queue with two partitions, made by the specification itself: polls go up, and tasks are offered."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["FORWARDED", "IDS", "OFFERED", "STORIES", "Story"]

Story = tuple[tuple[Any, ...], ...]

IDS: Final = {
    "Host": ("h1",),
    "Partition": ("q/0", "q/1", "w/sticky"),
    "Child": ("q/1",),
    "Sticky": ("w/sticky",),
    "Version": ("v1",),
    "Worker": ("w1",),
    "Poll": ("p1", "p2", "c1"),
    "Task": ("t1", "t2", "u1"),
    "Event": ("e1",),
    "UnloadOnNamespaceStateChange": ("h1",),
}


def _loaded(partition: str) -> Story:
    return (
        ("OrderLoad", "h1", partition),
        ("Load", "h1", partition),
        ("FinishPart", "h1", partition, 1, "metadata"),
        ("FinishPart", "h1", partition, 1, "user data"),
        ("Publish", "h1", partition, 1),
        ("Start", "h1", partition, 1),
    )


TREE: Final[Story] = (
    *_loaded("q/0"),
    *_loaded("q/1"),
    ("Claim", "h1", "q/1"),
    ("TakeLease", "h1", "q/1"),
    ("Lead", "h1", "q/1"),
)

FORWARDED: Final[Story] = (
    *TREE,
    ("StartPoll", "p1", "w1", "q/1", "v1"),
    ("Forward", "p1", "c1", "h1"),
    ("ArrivePoll", "c1"),
    ("Register", "c1", "h1"),
    ("AddTask", "t1", "h1", "q/0", "v1"),
    ("SyncMatch", "t1", "c1"),
    ("Deliver", "t1", "c1"),
    ("Resume", "p1", "c1"),
    ("Return", "p1", ("task", "t1")),
    ("AnswerAdd", "t1", "accepted"),
    ("ForgetPoll", "c1"),
    ("ForgetPoll", "p1"),
)
"""A poll at the child waits at the root, and brings a task down that came there."""

OFFERED: Final[Story] = (
    *TREE,
    ("StartPoll", "p1", "w1", "q/0", "v1"),
    ("Register", "p1", "h1"),
    ("AddTask", "t1", "h1", "q/1", "v1"),
    ("Offer", "t1", "u1", "h1"),
    ("ArriveTask", "u1", "h1"),
    ("SyncMatch", "u1", "p1"),
    ("Deliver", "u1", "p1"),
    ("Conclude", "t1", "u1", "h1"),
    ("AnswerAdd", "t1", "accepted"),
    ("Return", "p1", ("task", "u1")),
)
"""A task at the child goes to a poll that waits at the root: no record is written."""

LOST: Final[Story] = (
    *TREE,
    ("StartPoll", "p1", "w1", "q/1", "v1"),
    ("Forward", "p1", "c1", "h1"),
    ("Break", "p1"),
    ("Return", "p1", ("empty",)),
    ("LoseHop", "c1"),
    ("StartPoll", "p2", "w1", "q/1", "v1"),
    ("Forward", "p2", "c1", "h1"),
    ("ArrivePoll", "c1"),
    ("CallerLeaves", "p2"),
    ("Withdraw", "p2"),
    ("Return", "p2", ("interrupted",)),
    ("CancelHop", "c1"),
    ("ForgetPoll", "c1"),
    ("ForgetPoll", "p1"),
    ("StartPoll", "p1", "w1", "q/1", "v1"),
    ("Forward", "p1", "c1", "h1"),
    ("DeadlinePasses", "p1"),
    ("Expire", "p1"),
    ("Return", "p1", ("empty",)),
    ("LoseHop", "c1"),
    ("AddTask", "t1", "h1", "q/1", "v1"),
    ("Offer", "t1", "u1", "h1"),
    ("ArriveTask", "u1", "h1"),
    ("Decline", "u1", "h1"),
    ("Conclude", "t1", "u1", "h1"),
    ("Spool", "t1", "h1"),
    ("CommitWrite", "t1"),
    ("EndWrite", "t1"),
    ("AnswerAdd", "t1", "accepted"),
    ("ForgetTask", "u1"),
    ("ServeRead", "h1", "q/1", 1),
    ("ReadBacklog", "h1", "q/1"),
    ("Offer", "t1", "u1", "h1"),
    ("ArriveTask", "u1", "h1"),
    ("Retract", "t1", "u1", "h1"),
)
"""Hops that fail, arrive never or for nobody, are declined, or are not answered in time: whoever made them goes on."""

KEPT: Final[Story] = (
    *_loaded("q/0"),
    *_loaded("q/1"),
    ("StartPoll", "p1", "w1", "q/1", "v1"),
    ("Register", "p1", "h1"),
    ("Claim", "h1", "q/1"),
    ("TakeLease", "h1", "q/1"),
    ("Lead", "h1", "q/1"),
    ("Forward", "p1", "c1", "h1"),
    ("Break", "p1"),
    ("LoseHop", "c1"),
    ("StartPoll", "p2", "w1", "q/0", "v1"),
    ("Register", "p2", "h1"),
    ("Schedule", "e1"),
    ("Transfer", "t1", "h1", "q/1", "v1", "e1", 1, 0),
    ("Offer", "t1", "u1", "h1"),
    ("ArriveTask", "u1", "h1"),
    ("SyncMatch", "u1", "p2"),
    ("Ask", "u1", "p2", 1),
    ("FailStart", "e1", 1, 0, 1),
    ("Keep", "u1", "p2"),
    ("Decline", "u1", "h1"),
    ("Conclude", "t1", "u1", "h1"),
    ("Spool", "t1", "h1"),
    ("ForgetTask", "u1"),
    ("CommitWrite", "t1"),
    ("EndWrite", "t1"),
    ("AnswerAdd", "t1", "accepted"),
    ("RemoveIntent", "t1"),
    ("ServeRead", "h1", "q/1", 1),
    ("ReadBacklog", "h1", "q/1"),
    ("Register", "p2", "h1"),
    ("Offer", "t1", "u1", "h1"),
    ("ArriveTask", "u1", "h1"),
    ("SyncMatch", "u1", "p2"),
    ("Ask", "u1", "p2", 2),
    ("Close", "e1"),
    ("RefuseStart", "e1", 1, 0, 2, "gone"),
    ("Drop", "u1", "p2"),
    ("Conclude", "t1", "u1", "h1"),
)
"""A poll goes on once its manager leads.  History cannot be asked of an offer, so that the task is stored; of the next
offer it says that the task need not be done, and then the record is finished."""

STICKY: Final[Story] = (
    ("StartPoll", "p1", "w1", "w/sticky", "v1"),
    ("RejectPoll", "p1"),
    ("Return", "p1", ("rejected",)),
    ("AddTask", "t1", "h1", "w/sticky", "v1"),
    ("RejectAdd", "t1"),
    ("AnswerAdd", "t1", "rejected"),
)
"""What is sticky is rejected."""

PASSIVE: Final[Story] = (
    *TREE,
    ("ChangeNamespace", "there"),
    ("HearNamespace", "h1", 2),
    ("AddTask", "t1", "h1", "q/1", "v1"),
    ("Spool", "t1", "h1"),
    ("CommitWrite", "t1"),
    ("EndWrite", "t1"),
    ("AnswerAdd", "t1", "accepted"),
    ("AddTask", "t2", "h1", "q/1", "v1"),
    ("ShutDown", "h1"),
    ("Unload", "h1", "q/1", 1),
    ("RefuseAdd", "t2", "h1"),
    ("AnswerAdd", "t2", "refused"),
)
"""Nobody is asked above where the namespace is not active: a task is stored at once, the next refused at the end."""

STORIES: Final = {
    "forwarded": FORWARDED,
    "offered": OFFERED,
    "lost": LOST,
    "kept": KEPT,
    "sticky": STICKY,
    "passive": PASSIVE,
}
