"""What each variable of ``spec/Delivery.tla`` means in the running system.

| variable | where it is read |
|---|---|
| phase, attempt, stamp, starter | History's store: the scheduled events of its executions |
| intents | History's store |
| carries | the side that calls add: what it asked Matching to bring |

Not observed: ``asks``, ``strays`` and ``kept`` (calls under way, told step by step), ``tokens`` and
``completed`` (what workers were given and told, which the specification derives from those steps).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import attrs

from conformance.refinement.books import Books, Ids, total

__all__ = ["BOOKS_PART", "HISTORY_PART", "MODULE", "OBSERVED", "DeliveryView", "Held", "Scheduled", "to_value"]

MODULE: Final = "Delivery"
HISTORY_PART: Final = ("phase", "attempt", "stamp", "starter", "intents")
BOOKS_PART: Final = ("carries",)
OBSERVED: Final = HISTORY_PART + BOOKS_PART


@attrs.frozen
class Scheduled:
    """An event as History's store has it; ``starter`` is the request that started the attempt, if it is known."""

    event: str
    phase: str
    attempt: int
    stamp: int
    starter: int | None


@attrs.frozen
class Held:
    """What History's store holds: events, and intents as event, attempt, stamp."""

    events: tuple[Scheduled, ...] = ()
    intents: frozenset[tuple[str, int, int]] = frozenset()


class DeliveryView:
    """Reads the observed variables, as plain hashable data."""

    def __init__(self, held: Callable[[], Held], books: Books) -> None:
        self._held = held
        self._books = books

    def history_part(self) -> tuple[Any, ...]:
        """phase, attempt, stamp, starter, intents."""
        held = self._held()
        return (
            tuple([(each.event, each.phase) for each in held.events]),
            tuple([(each.event, each.attempt) for each in held.events]),
            tuple([(each.event, each.stamp) for each in held.events]),
            tuple([(each.event, each.starter) for each in held.events if each.starter is not None]),
            held.intents,
        )

    def books_part(self) -> tuple[Any, ...]:
        """carries."""
        return (frozenset(self._books.carries.items()),)


def to_value(variable: str, raw: Any, ids: Ids) -> Any:
    """The TLA+ value of one observed variable."""
    match variable:
        case "phase":
            return total(ids.events, dict(raw), "none")
        case "attempt" | "stamp":
            return total(ids.events, dict(raw), 0)
        case "starter":
            return total(ids.events, {event: frozenset({starter}) for event, starter in raw}, frozenset())
        case "intents":
            return frozenset(raw)
        case _:
            return total(ids.tasks, dict(raw), ())
