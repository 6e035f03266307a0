"""Sets that are asked before they are listed.

One rule: a set that is larger than TLC makes one is gone through, and never made.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from conformance.tla.errors import EndlessError, EvaluationError

__all__ = ["MOST_LISTED", "TOO_LARGE", "LazySet"]

MOST_LISTED: Final = 1_000_000
"""How many elements TLC puts into a set."""
TOO_LARGE: Final = f"TLC makes no set of more than {MOST_LISTED} elements"


class LazySet:
    """A set that is asked rather than listed; the evaluator's own, never inside a state.

    Nat, Int and STRING are the exception: they may be bound to a constant.
    """

    __slots__ = ("order",)

    # Whose order it is, and the elements in that order, once they have been listed.
    order: tuple[Any, tuple[Any, ...]]

    @property
    def text(self) -> str:
        """The set in TLA+, for messages; made only when it is needed."""
        raise NotImplementedError

    def contains(self, value: Any) -> bool:
        raise NotImplementedError

    def elements(self) -> Iterable[Any]:
        """Every element, or an error for a set that cannot be listed."""
        raise EndlessError(f"{self.text} cannot be enumerated; write it as a finite set")

    def finite(self) -> bool:
        return False

    def count(self) -> int | None:
        """How many elements it has, where its form tells that without listing them."""
        return None

    def large(self) -> bool:
        """Whether TLC would not make the set, though it may go through its elements."""
        count = self.count()
        return count is not None and count > MOST_LISTED

    def listed(self) -> frozenset[Any]:
        """The set with all its elements."""
        if self.large():
            raise EvaluationError(TOO_LARGE)
        return frozenset(self.elements())

    def same(self, other: Any) -> bool | None:
        """Whether it equals a set of its own form; None where only the elements can tell."""
        return None

    def __repr__(self) -> str:
        return self.text
