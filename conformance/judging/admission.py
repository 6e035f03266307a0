"""What a judge refuses to judge, because it is asked wrongly.

Two rules:

1. Each mistake has a message of its own, which names what would be right.
2. A pair of action and arguments is looked at once: runs repeat themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from conformance.judging.divergence import call
from conformance.judging.instances import domains_of
from conformance.tla.errors import EndlessError, EvaluationError
from conformance.tla.values import format_value
from conformance.trace.errors import TraceError
from conformance.trace.step import ANY

if TYPE_CHECKING:
    from conformance.tla.model import Model, State

__all__ = ["Admission"]

TYPE_INVARIANT: Final = "TypeOK"


class Admission:
    """What a run may say: the variables that it shows, the actions that there are, and their arguments."""

    def __init__(self, model: Model, observes: Mapping[str, Sequence[str]]) -> None:
        if not model.invariants:
            raise TraceError(
                f"The configuration of {model.module} names no invariant, so that a verdict would mean little;"
                " list them under INVARIANTS"
            )
        _refuse_constants(model)
        self.model = model
        self._admitted: set[tuple[str, tuple[Any, ...] | None]] = set()
        self.observed = _positions(model, observes)
        """The variables that the run shows, and where they stand in a state."""

    @property
    def sees_all(self) -> bool:
        """Whether the run shows every variable."""
        return len(self.observed) == len(self.model.variables)

    def admit_beginning(self, values: Mapping[str, Any]) -> None:
        """Refuse a beginning that lacks a variable, has one too many, or has one of the wrong type."""
        self.refuse_unknown(values, 0)
        missing = sorted(set(self.observed) - set(values))
        if missing:
            raise TraceError(
                f"step 0 lacks {', '.join(missing)}: it must show every variable that the run observes;"
                " show it, or take it out of the header's list"
            )
        if TYPE_INVARIANT in self.model.invariants:
            # What the run hides is as the specification begins.
            hidden = {} if self.sees_all else self.model.as_mapping(next(self.model.initial_states()))
            self._refuse_shapes(self.model.state_from({**hidden, **values}))

    def admit(self, action: str, args: tuple[Any, ...] | None) -> None:
        """Accept a pair of action and arguments, or say what is wrong with it; what is left open may be anything."""
        if action == ANY or (action, args) in self._admitted:
            return
        known = self.model.actions.get(action)
        if known is None:
            import difflib

            near = difflib.get_close_matches(action, self.model.actions, n=3) or list(self.model.actions)
            raise TraceError(f"{self.model.module} has no action {action}; near it are {', '.join(near)}")
        if args is None:
            self._admitted.add((action, args))
            return
        if len(args) != len(known.parameters):
            raise TraceError(
                f"{action}({', '.join(known.parameters)}) takes {len(known.parameters)} arguments,"
                f" and the run gives {len(args)}"
            )
        for name, domain, value in zip(known.parameters, domains_of(self.model, action), args, strict=True):
            if value is not None and domain is not None and not _within(value, domain):
                raise TraceError(
                    f"{call(action, args)} has {name} = {format_value(value)}, which is not in"
                    f" {format_value(domain)}; an id must come into being in `new` at or before its first use"
                )
        self._admitted.add((action, args))

    def refuse_unknown(self, values: Mapping[str, Any], step: int) -> None:
        """Refuse a variable that the header does not list."""
        for name in values:
            if name in self.observed:
                continue
            if name in self.model.variables:
                raise TraceError(f"step {step} shows {name}, which the header does not list among what the run shows")
            raise TraceError(f"step {step} shows {name}, and {self.model.module} has no variable of that name")

    def _refuse_shapes(self, state: State) -> None:
        """Step 0 has the shapes that the specification's own type invariant asks for."""
        try:
            if self.model.evaluate(TYPE_INVARIANT, state):
                return
            from conformance.tla import explain

            said = " ".join(explain.explain_invariant(self.model, TYPE_INVARIANT, state).lines)
        except EvaluationError as error:
            said = str(error)
        raise TraceError(f"step 0 has a value of the wrong type: {said}")


def _refuse_constants(model: Model) -> None:
    """Refuse constants of which an assumption is false; one that would have to list a set without end says nothing."""
    for assumption in model.tree.assumptions:
        try:
            if model.assumes(assumption):
                continue
        except EndlessError:
            continue
        from conformance.tla.explain import explain_assumption
        from conformance.tla.readings import reading_of

        reason = explain_assumption(model, assumption)
        reading = reading_of(model.tree, reason.location) if reason.location is not None else ""
        said = " ".join([*([f"{reading}:"] if reading else []), *reason.lines])
        raise TraceError(f"{model.module} assumes what is false of these constants: {said}")


def _positions(model: Model, observes: Mapping[str, Sequence[str]]) -> dict[str, int]:
    positions: dict[str, int] = {}
    for module, names in observes.items():
        if module not in model.tree.modules:
            known = ", ".join(sorted(each for each in model.tree.modules if each in model.tree.files))
            raise TraceError(f"the header observes {module}, and {model.module} is made of {known}")
        for name in names:
            if name not in model.variables:
                raise TraceError(
                    f"the header observes {module}.{name}, and {model.module} has no variable of that name;"
                    f" it has {', '.join(model.variables)}"
                )
            positions[name] = model.variables.index(name)
    return dict(sorted(positions.items(), key=lambda each: each[1]))


def _within(value: Any, domain: Any) -> bool:
    if isinstance(domain, frozenset):
        return value in domain
    try:
        return bool(domain.contains(value))
    except EvaluationError:
        return False
