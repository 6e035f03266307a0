"""The whole system as ``spec/Matching.tla`` sees it: the views of its parts, side by side.

Two rules:

1. ``service_part`` is what the service, its stores and History change, ``books_part`` what
   callers do; each is cheap enough to be read after every callback.
2. Each variable is written under the module that owns it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import attrs

from conformance.refinement import backlog, delivery, forwarding, partition_lifetime, poll_registration
from conformance.refinement.backlog import BacklogView
from conformance.refinement.books import Ids
from conformance.refinement.delivery import DeliveryView
from conformance.refinement.forwarding import ForwardingView
from conformance.refinement.partition_lifetime import PartitionLifetimeView
from conformance.refinement.poll_registration import PollRegistrationView

__all__ = [
    "AWAITS_ANSWERS",
    "AWAITS_ARRIVAL",
    "AWAITS_HOPS",
    "AWAITS_IDS",
    "AWAITS_LOST",
    "AWAITS_NEWS",
    "AWAITS_RETRY",
    "AWAITS_ROUND",
    "AWAITS_SLOTS",
    "AWAITS_TIME",
    "BOOKS_FROM",
    "OBSERVED",
    "OWNERS",
    "RAW_ORDER",
    "MatchingView",
    "to_value",
]

_MODULES: Final = (partition_lifetime, poll_registration, forwarding, delivery, backlog)
OBSERVED: Final[Mapping[str, tuple[str, ...]]] = {module.MODULE: module.OBSERVED for module in _MODULES}
"""The variables that a run shows, by the module that owns them."""

OWNERS: Final[Mapping[str, str]] = {name: module for module, names in OBSERVED.items() for name in names}

_STORE: Final = backlog.STORE_PART + backlog.LEVELS_PART
_SERVICE: Final = partition_lifetime.HOSTS_PART + poll_registration.MANAGERS_PART + _STORE + delivery.HISTORY_PART
_BOOKS: Final = poll_registration.BOOKS_PART + forwarding.BOOKS_PART + delivery.BOOKS_PART
RAW_ORDER: Final = _SERVICE + partition_lifetime.BOOKS_PART + _BOOKS
"""The order of the parts of a look."""

BOOKS_FROM: Final = len(_SERVICE)
"""From where on they are the callers'."""

AWAITS_TIME: Final = frozenset(
    {
        *("DeadlinePasses", "Claim", "AnswerAdd", "RefuseAdd", "ServeRead", "ReadBacklog"),
        *("Transfer", "RemoveIntent", "DiscardIntent"),
    }
)
"""What a service at rest may still owe until a timer fires: what failed is tried again later, and an add that must
be stored waits until then."""

AWAITS_ROUND: Final = frozenset({"Register", "Forward", "Take"})
"""What it may owe besides while a poll whose task was kept waits before it asks for another."""

AWAITS_ANSWERS: Final = frozenset(
    {
        *("FinishPart", "Claim", "TakeLease", "FenceClaim", "LoseClaim", "Lead", "LoseLease", "ClaimAgain"),
        *("Spool", "CommitWrite", "FenceWrite", "FailWrite", "EndWrite", "AnswerAdd", "RefuseAdd"),
        *("ServeRead", "ReadBacklog", "EndSave", "EndDelete"),
        *("RecordStart", "RefuseStart", "FailStart", "Deliver", "Drop", "Keep"),
        *("Transfer", "RemoveIntent", "DiscardIntent"),
    }
)
"""What it may owe besides while calls of a store or of History are not answered."""

AWAITS_NEWS: Final = frozenset({"HearNamespace", "HearOwners"})
"""What it may owe besides while nobody has told it of the last changes."""

AWAITS_ARRIVAL: Final = frozenset({"Unload", "Start", "Stop", "Match", "SyncMatch"})
"""What it may owe besides while a call of its own is held back; what is to be unloaded need not match any more,
a record or a task that has still to be stored."""

AWAITS_HOPS: Final = frozenset({"ArrivePoll", "Resume", "CancelHop", "ArriveTask", "Conclude"})
"""What it may owe besides while messages of hops are under way: calls, cancels and answers."""

AWAITS_RETRY: Final = frozenset({"Offer"})
"""What it may owe while it waits before it offers a stored task again, or for the answer to another offer."""

AWAITS_LOST: Final = frozenset({"ArrivePoll", "ArriveTask"})
"""What a network owes that loses hops, where one has not arrived and is not forgotten."""

AWAITS_SLOTS: Final = frozenset({"Transfer"})
"""What it may owe while History finds no id for a task, though there are slots: those are for hops."""

AWAITS_IDS: Final = frozenset({"RemoveIntent"})
"""What it may owe while History finds no id for a task: one that began anew knows of no acceptance, and adds again."""


@attrs.frozen(eq=False)
class MatchingView:
    """One look at everything that is observed, as plain hashable data."""

    lives: PartitionLifetimeView
    polls: PollRegistrationView
    hops: ForwardingView
    store: BacklogView
    events: DeliveryView

    def raw(self) -> tuple[Any, ...]:
        """Every observed variable in the order of ``RAW_ORDER``."""
        return self.service_part() + self.books_part()

    def service_part(self) -> tuple[Any, ...]:
        return self.lives.part() + self.polls.managers_part() + self.store.part() + self.events.history_part()

    def books_part(self) -> tuple[Any, ...]:
        calls = self.polls.books_part() + self.hops.books_part()
        return self.lives.books_part() + calls + self.events.books_part()


@lru_cache(maxsize=1 << 16)
def to_value(variable: str, raw: Any, ids: Ids) -> Any:
    """The TLA+ value of one observed variable; runs come back to the same few, so they are remembered."""
    return _TO_VALUE[OWNERS[variable]](variable, raw, ids)


_TO_VALUE: Final = {
    module.MODULE: module.to_value for module in (partition_lifetime, poll_registration, forwarding, delivery, backlog)
}
