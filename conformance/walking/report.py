"""A walk as a page, and as JSON: what the service did, how that differs from what was told, and what it shows."""

from __future__ import annotations

from typing import Any

import attrs

from conformance.judging.divergence import call
from conformance.judging.report import render_divergence
from conformance.refinement.poll_registration import OBSERVED
from conformance.tla.errors import EvaluationError
from conformance.tla.model import Step
from conformance.trace.show import plain, show_text
from conformance.walking.part import part_model
from conformance.walking.sources import Walked
from conformance.walking.told import Told

__all__ = ["Difference", "as_json", "differences", "render_walk"]


@attrs.frozen
class Difference:
    """A variable that the mutant's step leaves otherwise than the specification's, and whether a run shows it."""

    variable: str
    told: Any
    lawful: Any

    @property
    def is_observed(self) -> bool:
        return self.variable in OBSERVED

    def __str__(self) -> str:
        unseen = "" if self.is_observed else " (which no run shows)"
        return f"{self.variable}{unseen} = {plain(self.told)}, and not {plain(self.lawful)}"


def differences(told: Told) -> list[Difference]:
    """What the mutated step leaves otherwise than the same step of the specification; empty where that has none."""
    if told.mutated is None:
        return []
    model = part_model(told.world.constants)
    step, before, after = told.steps[told.mutated], told.states[told.mutated], told.states[told.mutated + 1]
    try:
        outcomes = model.apply(step.action, step.args, before)
    except EvaluationError:
        return []
    if not outcomes:
        return []
    lawful = min(outcomes, key=lambda state: sum(a != b for a, b in zip(state, after, strict=True)))
    rows = zip(model.variables, after, lawful, strict=True)
    return [Difference(name, mine, theirs) for name, mine, theirs in rows if mine != theirs]


def render_walk(walked: Walked) -> str:
    """The run of the service, and what it says about the counterexample."""
    walk = walked.walk
    run = walk.run
    lines = [*_conclusion(walked), *_remarks(walked)]
    if run.divergence is not None:
        page = render_divergence(run.header, run.steps, run.divergence)
    else:
        page = show_text(run.header, run.steps, run.footer)
    return page + "\n" + "\n".join(lines) + "\n"


def as_json(walked: Walked) -> dict[str, Any]:
    """The same as plain data."""
    walk = walked.walk
    told = walk.told
    return {
        "of": walked.what,
        "verdict": {True: "conforms", False: "diverged", None: "undecided"}[walked.conforms],
        "told": [str(step) for step in told.steps],
        "mutated": None if told.mutated is None else told.mutated + 1,
        "loop": told.loop,
        "escape": None if walk.escape is None else str(walk.escape),
        "walked": walk.reached,
        "lawful": told.lawful,
        "as_told": walk.is_as_told,
        "another_counterexample": walked.is_another,
        "steps": [
            {"step": str(place.step), "told": None if place.told is None else place.told + 1} for place in walk.places
        ],
        "further": [str(step) for step in walk.further],
        "differences": [
            {"variable": each.variable, "observed": each.is_observed, "mutant": str(each)} for each in differences(told)
        ],
        "requests": list(walk.requests),
        "tries": walk.tries,
    }


def _conclusion(walked: Walked) -> list[str]:
    walk = walked.walk
    told = walk.told
    if walked.conforms is False:
        if walk.run.mistake is not None:
            return [f"The service made a mistake on the way: {walk.run.mistake}"]
        if walk.run.divergence is None:
            return [f"The service follows {walked.what} round its loop, and takes no other step when it comes to rest."]
        return [f"The service parts from the specification, led by {walked.what}."]
    if walked.conforms is None:
        taken = {place.told for place in walk.places}
        number = next(number for number in range(told.lawful) if number not in taken)
        return [
            f"The service took {walk.reached} of {told.lawful} steps of {walked.what}: no way to step {number + 1},"
            f" {_spelt(told.steps[number])}, was found in {walk.tries} tries, though the specification allows it."
        ]
    if told.mutated is not None:
        return _parting(walked)
    if told.loop is not None:
        return [
            f"The service was led along {walk.reached} steps of {walked.what}, which then goes on like this for ever.",
            f"The service does not: it takes {_spelt(walk.escape)}.",
        ]
    return [f"The service took all {told.lawful} steps of {walked.what}."]


def _parting(walked: Walked) -> list[str]:
    walk = walked.walk
    told = walk.told
    assert told.mutated is not None
    step = told.steps[told.mutated]
    first = f"The service was led along {told.mutated} steps of {walked.what}, up to its mutated step {_spelt(step)}."
    instead = walk.further[0] if walk.further else None
    if instead != step:
        return [first, f"The service parts from it there: it takes {_spelt(instead)}."]
    lines = [first, "The service takes that step as the specification has it. The mutant would have it leave"]
    return lines + [f"  {difference}" for difference in differences(told)]


def _remarks(walked: Walked) -> list[str]:
    walk = walked.walk
    lines: list[str] = []
    if walked.is_another:
        lines.append(
            "The counterexample that was found first is none that the service can be led along; this is another."
        )
    besides = [_spelt(place.step) for place in walk.places if place.told is None]
    if besides:
        lines.append(f"On the way the service also took {', '.join(besides)}.")
    order = [place.told for place in walk.places if place.told is not None]
    late = [number for at, number in enumerate(order) if any(each > number for each in order[:at])]
    if late:
        steps = ", ".join(_spelt(walk.told.steps[number]) for number in late)
        lines.append(f"Steps that do not hang on one another changed places: {steps} came later than told.")
    return lines


def _spelt(step: Step | None) -> str:
    """The step as the table of the run spells it."""
    return "no step" if step is None else call(step.action, step.args)
