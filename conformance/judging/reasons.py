"""The sentences of an explanation: what was needed, and what was so.

Two rules:

1. A reason names the false conjunct as the specification writes it, its place,
   and the values that made it false.
2. A reason never fails: where the specification itself cannot be asked, the
   headline stands alone and says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from conformance.judging.divergence import Divergence, Kind, call
from conformance.tla.errors import TlaError
from conformance.trace.show import changes
from conformance.trace.step import ANY, is_open

if TYPE_CHECKING:
    from conformance.tla.explain import Clause
    from conformance.tla.model import Model

__all__ = ["reasons"]

MOST_CLAUSES = 6

_QUOTED = re.compile(r'"([A-Za-z][\w.:/-]*)"')


def reasons(divergence: Divergence) -> list[str]:
    """Why the run parts from the specification, in sentences."""
    said = [divergence.headline[0].upper() + divergence.headline[1:] + "."]
    model, state = divergence.model, divergence.state
    if model is None or state is None:
        return said
    try:
        if divergence.kind is Kind.NOT_ALLOWED:
            return _not_allowed(model, divergence) or said
        if divergence.kind is Kind.UNREPORTED_CHANGE and divergence.next_state is not None:
            return said + _who_could(model, state, divergence.next_state, divergence.hidden)
        if divergence.kind in (Kind.INVARIANT, Kind.STEP_PROPERTY):
            return said + _broken(model, divergence)
        if divergence.kind is Kind.NOT_QUIESCENT:
            return [*said, "The run stopped before the service, the clock or the store had done what they owe."]
    except TlaError as error:
        return [*said, f"No closer reason can be given: {error}"]
    return said


def _not_allowed(model: Model, divergence: Divergence) -> list[str]:
    from conformance.tla import explain

    assert divergence.action is not None and divergence.state is not None
    args = divergence.args
    if args is None or is_open(divergence.action, args):
        named = None if divergence.action == ANY else divergence.action
        near = explain.nearest(model, divergence.state, action=named, args=args or None, most=1)
        said = [divergence.headline[0].upper() + divergence.headline[1:] + "."]
        return said + [line for reason in near for line in _needs(_plain(reason.subject), reason.clauses)]
    reason = explain.explain_action(model, divergence.action, args, divergence.state)
    return _needs(divergence.label, reason.clauses)


def _who_could(model: Model, state: tuple[Any, ...], shown: tuple[Any, ...], hidden: tuple[int, ...]) -> list[str]:
    """The action that would have been this change, as far as it is shown, or the one that came nearest."""
    seen = [position for position in range(len(shown)) if position not in hidden]
    named = [
        call(step.action, step.args)
        for step, after in model.successors(state)
        if all(after[position] == shown[position] for position in seen)
    ]
    named = list(dict.fromkeys(named))
    if named:
        return [f"It is what {' or '.join(named[:3])} does, and no step said so."]
    if hidden:
        return _nearest_shown(model, state, shown, seen)
    from conformance.tla import explain

    near = explain.nearest(model, state, shown, most=1)
    return [_plain(f"Nearest is {near[0].subject}."), *_needs(near[0].subject, near[0].clauses)] if near else []


def _nearest_shown(model: Model, state: tuple[Any, ...], shown: tuple[Any, ...], seen: list[int]) -> list[str]:
    """The step that leaves most of what is shown, and what it leaves otherwise."""
    best: tuple[int, str, list[str]] | None = None
    for step, after in model.successors(state):
        wrong = [position for position in seen if after[position] != shown[position]]
        if best is None or len(wrong) < best[0]:
            names = [model.variables[position] for position in wrong]
            left, wanted = ({name: each[at] for name, at in zip(names, wrong, strict=True)} for each in (after, shown))
            best = (len(wrong), call(step.action, step.args), changes(wanted, left))
    unlike = sum(state[position] != shown[position] for position in seen)
    if best is None or best[0] >= unlike:
        return []
    return [f"Nearest is {best[1]}, which leaves {', '.join(best[2])}."]


def _broken(model: Model, divergence: Divergence) -> list[str]:
    from conformance.tla import explain
    from conformance.tla.readings import reading_of

    assert divergence.state is not None and divergence.next_state is not None
    said: list[str] = []
    for name in divergence.failing:
        reading = reading_of(model.tree, model.tree.location(model.definition(name).where))
        if reading:
            said.append(f"{name}: {reading}.")
        if divergence.kind is Kind.INVARIANT:
            reason = explain.explain_invariant(model, name, divergence.next_state)
        else:
            reason = explain.explain_step_property(model, name, divergence.state, divergence.next_state)
        said += _needs(name, reason.clauses)
    return said


def _needs(subject: str, clauses: tuple[Clause, ...]) -> list[str]:
    said = []
    for clause in clauses[:MOST_CLAUSES]:
        named = [f"{name} = {value}" for name, value in clause.witness if re.search(rf"\b{name}\b", clause.text)]
        witness = f" for {', '.join(named)}" if named else ""
        values = f", and {', '.join(f'{name} is {value}' for name, value in clause.values)}" if clause.values else ""
        said.append(_plain(f"{subject} needs {clause.text}{witness}{values}.") + f"  ({clause.location})")
    if len(clauses) > MOST_CLAUSES:
        said.append(f"{len(clauses) - MOST_CLAUSES} more conjuncts do not hold.")
    return said


def _plain(text: str) -> str:
    """Words without their quotes."""
    return _QUOTED.sub(r"\1", text)
