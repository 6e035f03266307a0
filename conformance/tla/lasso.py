"""A counterexample of liveness, looked at again: versions of TLC were known to report loops that are none.

Three rules:

1. Each step of the loop and of the way to it must be one of Next, or repeat a state; the
   last one must lead back to where the loop begins.
2. The loop must meet the fairness that the specification asks for, and the property that
   is said to be violated must be false of it.
3. What cannot be told (the formula is left to TLC, the module is not read here) is said to
   be so: a doubt about the verdict, never silence.
"""

from __future__ import annotations

from pathlib import Path

from conformance.tla.errors import TlaError
from conformance.tla.model import Model, State
from conformance.tla.temporal import is_fair, is_true
from conformance.tla.tlc_verdict import Verdict

__all__ = ["lasso_doubts"]


def lasso_doubts(verdict: Verdict, module: Path, config: Path, search: tuple[Path, ...] = ()) -> list[str]:
    """What speaks against the counterexample of a liveness verdict, a sentence each; none where it is as it must be."""
    if not verdict.counterexample:
        return ["TLC shows no behaviour for its violation of liveness, so nothing can be validated again"]
    try:
        model = Model.load(module, config, search=search)
        states = [model.state_from(each.values) for each in verdict.counterexample]
        loop = verdict.lasso if verdict.lasso is not None else len(states) - 1
        return _doubts(model, states, loop, verdict)
    except (TlaError, RecursionError) as error:
        return [f"the loop was not validated again: {error}"]


def _doubts(model: Model, states: list[State], loop: int, verdict: Verdict) -> list[str]:
    found: list[str] = []
    if not model.is_initial(states[0]):
        found.append("the behaviour does not begin in an initial state")
    following = [*states[1:], states[loop]]
    for number, (before, after) in enumerate(zip(states, following, strict=True), 1):
        if before != after and not model.check_step(before, after):
            where = "does not close" if number == len(states) else f"has a step {number} that Next does not allow"
            found.append(f"the loop is none: it {where}")
    if not found and not is_fair(model, states, loop):
        found.append("the loop does not meet the fairness that the specification asks for")
    if not found and verdict.violated is not None and is_true(model, verdict.violated, states, loop):
        found.append(f"{verdict.violated} is true of the loop that is to violate it")
    return found
