"""How calls ended, as the hosts that served them told it, for hops of runs in which nobody sees what comes back.

Two rules:

1. What a manager hears of a hop is taken to be what the parent's host told.  Whoever carries
   hops knows better: it notes what came back (`Books.came`).
2. A poll of which nothing else was told has ended empty, and an offer has been declined.
"""

from __future__ import annotations

from typing import Any, Final

from conformance.refinement.books import Books

__all__ = ["Ends"]

_INTERRUPTED: Final = frozenset({"Withdraw", "CancelHop", "Break"})


class Ends:
    """Hears every step before it is recorded."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._ends: dict[str, tuple[str, ...]] = {}

    def hear(self, action: str, args: tuple[Any, ...]) -> None:
        """Note how a poll or a task ended, and what a manager hears of it."""
        ends = self._ends
        match action, args:
            case "Deliver", (task, poll):
                ends[task], ends[poll] = ("taken",), ("task", task)
            case "Drop", (task, _):
                ends[task] = ("dropped",)
            case "GiveBack", (_, poll):
                ends[poll] = ("interrupted",)
            case _, (poll,) if action in _INTERRUPTED:
                ends[poll] = ("interrupted",)
            case "RejectPoll", (poll,):
                ends[poll] = ("rejected",)
            case "Resume", (poll, hop):
                came = self._books.came[hop] = ends.pop(hop, ("empty",))
                ends[poll] = came if came[0] in ("task", "empty") else ("interrupted",)
            case "Conclude", (task, hop, _):
                came = self._books.came[hop] = ends.pop(hop, ("canceled",))
                if came != ("canceled",):
                    ends[task] = came
            case (("StartPoll" | "ArrivePoll" | "AddTask" | "Transfer" | "ArriveTask"), (call, *_)):
                ends.pop(call, None)
            case _:
                pass
