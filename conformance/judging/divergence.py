"""One place where a run parts from the specification, and why.

Two rules:

1. Finding a divergence is cheap, explaining it is not: the reason and the list
   of what was allowed are computed when somebody reads them.
2. A step counts from 1, as in the trace; step 0 is the beginning.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import attrs

from conformance.tla.values import format_value
from conformance.trace import step as trace_step
from conformance.trace.show import changes, plain

if TYPE_CHECKING:
    from conformance.tla.model import Model, Step

__all__ = ["Divergence", "Kind", "call"]


class Kind(enum.Enum):
    """The ways in which a run can part from the specification."""

    NOT_INITIAL = "not initial"
    NOT_ALLOWED = "not allowed"
    WRONG_OBSERVATION = "wrong observation"
    UNREPORTED_CHANGE = "unreported change"
    INVARIANT = "invariant"
    STEP_PROPERTY = "step property"
    BROKEN_BEFORE = "broken before"
    LIVENESS = "liveness"
    NOT_QUIESCENT = "not quiescent"


def call(action: str, args: tuple[Any, ...] | None) -> str:
    """An action with its arguments, words without quotes."""
    return trace_step.call(action, args, plain)


def _json(value: Any) -> str | None:
    return None if value is None else format_value(value)


@attrs.frozen(kw_only=True, eq=False)
class Divergence:
    """Where and how a run parts from the specification.

    ``state`` is the state before the step (at step 0 and at the end: the state itself),
    ``next_state`` the state that the step led to, where it is known.
    """

    kind: Kind
    step: int
    action: str | None = None
    args: tuple[Any, ...] | None = ()
    variable: str | None = None
    expected: Any = None
    observed: Any = None
    failing: tuple[str, ...] = ()
    owed: tuple[Step, ...] = ()
    state: tuple[Any, ...] | None = attrs.field(default=None, repr=False)
    next_state: tuple[Any, ...] | None = attrs.field(default=None, repr=False)
    hidden: tuple[int, ...] = attrs.field(default=(), repr=False)
    """Where ``next_state`` says nothing, because the run does not show it."""
    model: Model | None = attrs.field(default=None, repr=False)

    @property
    def label(self) -> str:
        """The step as the run names it."""
        if self.action == trace_step.ANY:
            return "a step that is not named"
        return call(self.action, self.args) if self.action is not None else "(no action)"

    @property
    def module(self) -> str | None:
        """The specification that judged."""
        return self.model.module if self.model is not None else None

    @property
    def headline(self) -> str:
        """One line, without any search for a reason."""
        kind = self.kind
        if kind is Kind.NOT_ALLOWED:
            return f"{self.label} is not allowed here"
        if kind is Kind.WRONG_OBSERVATION:
            return f"after {self.label} the specification has {self._difference}"
        if kind is Kind.UNREPORTED_CHANGE:
            return f"a change that no step reported: the specification has {self._difference}"
        if kind is Kind.NOT_INITIAL:
            return f"the run does not begin as the specification does: it has {self._difference}"
        if kind is Kind.INVARIANT:
            return f"after {self.label} the invariant {', '.join(self.failing)} fails"
        if kind is Kind.BROKEN_BEFORE:
            return f"every way that still fits has broken {', '.join(self.failing)} before"
        if kind is Kind.LIVENESS:
            return f"the run rests for ever in its last state, and so breaks {', '.join(self.failing)}"
        if kind is Kind.STEP_PROPERTY:
            return f"{self.label} breaks the step property {', '.join(self.failing)}"
        owed = ", ".join(call(step.action, step.args) for step in self.owed[:4])
        return f"the run says that it ended quiescent, and this is still owed: {owed}"

    @property
    def _difference(self) -> str:
        if self.variable is None:
            return "no such state"
        needed, seen = {self.variable: self.expected}, {self.variable: self.observed}
        expected, observed = ", ".join(changes(seen, needed)), ", ".join(changes(needed, seen))
        return f"{expected}, and the run shows {observed}"

    def as_json(self) -> dict[str, Any]:
        """The divergence and all its reasons as plain values."""
        from conformance.judging.reasons import false_conjuncts

        differs = {"variable": self.variable, "specification": _json(self.expected), "run": _json(self.observed)}
        return {
            "kind": self.kind.value,
            "step": self.step,
            "action": self.label,
            "says": self.headline,
            "failing": list(self.failing),
            "differs": None if self.variable is None else differs,
            "reasons": self.reasons(),
            "false": false_conjuncts(self),
            "owed": [call(step.action, step.args) for step in self.owed],
            "allowed": [call(step.action, step.args) for step in self.allowed()],
        }

    def reasons(self) -> list[str]:
        """Why, in sentences: the false conjunct with its values, the failed property, the owed step."""
        from conformance.judging.reasons import reasons

        return reasons(self)

    def allowed(self) -> list[Step]:
        """Every step that the specification allows in the state before and that changes it, in a fixed order."""
        at_either_end = self.kind in (Kind.NOT_INITIAL, Kind.NOT_QUIESCENT, Kind.LIVENESS)
        if self.model is None or self.state is None or at_either_end:
            return []
        return list(dict.fromkeys(step for step, after in self.model.successors(self.state) if after != self.state))
