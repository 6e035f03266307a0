"""What is said of a whole run.

Three rules:

1. A verdict says what it rests on: how many steps were judged, how often an
   invariant was evaluated, which actions were taken, by which constants.
2. A run that takes no action is *vacuous*; a run without its end is *undecided*.
   Neither is accepted.
3. A verdict owns its exit status: 0, 1 or 4.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

import attrs

from conformance.judging.divergence import Divergence
from conformance.tla.values import format_value

__all__ = ["Holes", "TraceVerdict", "Word"]


class Word(enum.Enum):
    """The four verdicts about a run."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"
    VACUOUS = "vacuous"


_STATUS = {Word.ACCEPTED: 0, Word.REJECTED: 1, Word.UNDECIDED: 4, Word.VACUOUS: 4}


@attrs.frozen(kw_only=True)
class Holes:
    """How a run was judged that shows only part of itself."""

    candidates: int
    """How many states fit in the end."""
    widest: int
    """How many fitted at most."""
    silent: int
    """How many steps were allowed to lie unseen between two."""
    merged: dict[str, int]
    """The ids that nothing tells apart, so that states were merged: how many, by the constant that holds them."""
    not_merged: str
    """Why no ids were taken for interchangeable, where none were."""
    possible: dict[str, int]
    """Properties that some way breaks and another does not, and the step where that was seen first."""


@attrs.frozen(kw_only=True, eq=False)
class TraceVerdict:
    """The verdict about one run, and what it rests on."""

    word: Word
    reason: str
    specification: str
    steps: int
    end: str | None
    actions: Mapping[str, int]
    invariants: tuple[str, ...]
    step_properties: tuple[str, ...]
    evaluations: int
    """How often an invariant was asked in a state, or a step property of a step."""
    constants: Mapping[str, Any]
    compositions: tuple[str, ...] = ()
    divergence: Divergence | None = None
    holes: Holes | None = None
    unchecked_properties: tuple[str, ...] = ()
    """The temporal properties that were not asked: the run did not come to rest, or not all of its states are known."""
    judged_by: str = "python"

    @property
    def exit_status(self) -> int:
        return _STATUS[self.word]

    @property
    def accepted(self) -> bool:
        return self.word is Word.ACCEPTED

    def as_json(self) -> dict[str, Any]:
        """The verdict for ``--json``: plain values only."""
        document: dict[str, Any] = {
            "verdict": self.word.value,
            "reason": self.reason,
            "specification": self.specification,
            "judged_by": self.judged_by,
            "steps": self.steps,
            "end": self.end,
            "actions": dict(sorted(self.actions.items())),
            "invariants": list(self.invariants),
            "step_properties": list(self.step_properties),
            "evaluations": self.evaluations,
            "constants": {name: format_value(value) for name, value in self.constants.items()},
            "compositions": list(self.compositions),
        }
        if self.unchecked_properties:
            document["unchecked_properties"] = list(self.unchecked_properties)
        if self.holes is not None:
            document["holes"] = attrs.asdict(self.holes)
        if self.divergence is not None:
            document["divergence"] = self.divergence.as_json()
        return document
