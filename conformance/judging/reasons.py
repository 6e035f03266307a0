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
    from conformance.tla.model import Model, State
    from conformance.tla.reason import Clause, Reason

__all__ = ["false_conjuncts", "reasons"]

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
            return _not_allowed(model, divergence)
        if divergence.kind is Kind.WRONG_OBSERVATION and is_open(divergence.action, divergence.args):
            return said + _which(model, divergence)
        if divergence.kind is Kind.UNREPORTED_CHANGE and divergence.next_state is not None:
            return said + _who_could(model, state, divergence.next_state, divergence.hidden)
        if divergence.kind in (Kind.INVARIANT, Kind.STEP_PROPERTY):
            return said + _broken(model, divergence)
        if divergence.kind is Kind.NOT_QUIESCENT:
            return [*said, "The run stopped before the service, the clock or the store had done what they owe."]
    except TlaError as error:
        return [*said, f"No closer reason can be given: {error}"]
    return said


def false_conjuncts(divergence: Divergence) -> list[dict[str, Any]]:
    """Every conjunct that is false of the step, as plain values: of what, its text, place, witness and values."""
    model = divergence.model
    if model is None or divergence.state is None:
        return []
    try:
        found = _explained(model, divergence)
    except TlaError:
        return []
    return [
        {
            "of": reason.subject,
            "conjunct": clause.text,
            "location": str(clause.location),
            "witness": dict(clause.witness),
            "values": dict(clause.values),
        }
        for reason in found
        for clause in reason.clauses
    ]


def _explained(model: Model, divergence: Divergence) -> list[Reason]:
    """What the false conjuncts are of: the step's action, the one that came nearest to it, or what it breaks."""
    from conformance.tla import explain

    state, after = divergence.state, divergence.next_state
    assert state is not None
    if divergence.kind is Kind.NOT_ALLOWED:
        assert divergence.action is not None
        args = divergence.args
        if args is None or is_open(divergence.action, args):
            named = None if divergence.action == ANY else divergence.action
            return explain.nearest(model, state, action=named, args=args or None, most=1)
        return [explain.explain_action(model, divergence.action, args, state)]
    if divergence.kind is Kind.INVARIANT and after is not None:
        return [explain.explain_invariant(model, name, after) for name in divergence.failing]
    if divergence.kind is Kind.STEP_PROPERTY and after is not None:
        return [explain.explain_step_property(model, name, state, after) for name in divergence.failing]
    return []


def _not_allowed(model: Model, divergence: Divergence) -> list[str]:
    assert divergence.state is not None
    found = _explained(model, divergence)
    needs = [line for reason in found for line in _needs(_plain(reason.subject), reason.clauses)]
    if not needs or is_open(divergence.action, divergence.args):
        needs.insert(0, divergence.headline[0].upper() + divergence.headline[1:] + ".")
    if divergence.next_state is None or divergence.next_state == divergence.state:
        return needs
    others = _as_shown(model, divergence.state, divergence.next_state, divergence.hidden)
    return needs + ([f"What the run shows is what {' or '.join(others[:3])} does."] if others else [])


def _which(model: Model, divergence: Divergence) -> list[str]:
    """The step that was compared with what the run shows, where the run does not name it."""
    assert divergence.state is not None
    steps = (step for step, after in model.successors(divergence.state) if after == divergence.next_state)
    step = next(steps, None)
    return [] if step is None else [f"Nearest is {call(step.action, step.args)}."]


def _as_shown(model: Model, state: State, shown: State, hidden: tuple[int, ...]) -> list[str]:
    """The steps that leave what is shown, as far as it is shown."""
    seen = [position for position in range(len(shown)) if position not in hidden]
    if all(state[position] == shown[position] for position in seen):
        return []
    named = [
        call(step.action, step.args)
        for step, after in model.successors(state)
        if all(after[position] == shown[position] for position in seen)
    ]
    return list(dict.fromkeys(named))


def _who_could(model: Model, state: tuple[Any, ...], shown: tuple[Any, ...], hidden: tuple[int, ...]) -> list[str]:
    """The action that would have been this change, as far as it is shown, or the one that came nearest."""
    named = _as_shown(model, state, shown, hidden)
    if named:
        return [f"It is what {' or '.join(named[:3])} does, and no step said so."]
    if hidden:
        seen = [position for position in range(len(shown)) if position not in hidden]
        near = _nearest_shown(model, state, shown, seen)
        return near or ["No step that the specification allows here comes near to it."]
    from conformance.tla import explain

    closest = explain.nearest(model, state, shown, most=1)
    return [
        line
        for each in closest
        for line in (_plain(f"Nearest is {each.subject}."), *_needs(each.subject, each.clauses))
    ]


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
    from conformance.tla.readings import reading_of

    said: list[str] = []
    for name, reason in zip(divergence.failing, _explained(model, divergence), strict=True):
        reading = reading_of(model.tree, model.tree.location(model.definition(name).where))
        if reading:
            said.append(f"{name}: {reading}.")
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
