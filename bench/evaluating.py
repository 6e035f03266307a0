"""How much faster than a plain tree walk is judging, and how much of that is the compiled source alone?"""

from __future__ import annotations

from random import Random
from typing import Any

from bench.measure import Measurement, seconds
from bench.treewalk import TreeWalk
from conformance.judge import Judge
from conformance.paths import spec_directory
from conformance.tla.explore import breadth_first
from conformance.tla.model import Model, State

__all__ = ["measure"]

STATES = 3_000
STEPS = 4_000
WALK_STEPS = 3_000
JUDGE_AT_LEAST = 10.0
ACTION_AT_LEAST = 5.0
"""Source for each action, with nothing remembered; what is remembered comes on top."""


def measure() -> list[Measurement]:
    """Two rows, judging a run and asking a named action; on both sides the answers are the same."""
    models = spec_directory() / "models"
    model = Model.load(models / "MCPollRegistration.tla", models / "MCPollRegistrationSmall.cfg")
    walk = TreeWalk(model)
    states = breadth_first(model, edges=True).states[:: max(1, 10_000 // STATES)]
    steps = [(step.action, step.args, state, after) for state in states for step, after in model.successors(state)][
        :STEPS
    ]
    # A step that one action takes is no step of most others.
    pairs = zip(steps, steps[7:], strict=False)
    steps += [(name, args, other, after) for (name, args, _, after), (*_, other, _) in pairs]

    def ours() -> list[bool]:
        return [model.allows(*step) for step in steps]

    def theirs() -> list[bool]:
        return [walk.allows(*step) for step in steps]

    assert any(ours())
    assert not all(ours())
    assert ours() == theirs()
    run = _random_run(model)

    def judged() -> int:
        judge = Judge(model, {model.module: model.variables})
        judge.begin(model.as_mapping(run[0][2]))
        for action, args, before, after in run:
            changed = [name for name, old, new in zip(model.variables, before, after, strict=True) if old is not new]
            judge.step(action, args, {name: model.as_mapping(after)[name] for name in changed})
        assert judge.divergence is None
        return judge.steps

    def walked() -> int:
        for action, args, before, after in run:
            assert walk.allows(action, args, before, after)
            assert all(walk.holds(name, after) for name in model.invariants)
        return len(run)

    assert judged() == walked() == len(run)
    judge_seconds, walk_seconds = seconds(judged), seconds(walked, times=3)
    action_seconds, slow_seconds = seconds(ours), seconds(theirs, times=3)
    return [
        Measurement(
            name="judge a run, beside a tree walk",
            ours="judge",
            ours_seconds=judge_seconds,
            theirs="tree walk",
            theirs_seconds=walk_seconds,
            at_least=JUDGE_AT_LEAST,
            note=f"{len(run) / judge_seconds:,.0f} judged steps a second; the walk asks no step property",
        ),
        Measurement(
            name="ask a named action, beside a walk",
            ours="compiled",
            ours_seconds=action_seconds,
            theirs="tree walk",
            theirs_seconds=slow_seconds,
            at_least=ACTION_AT_LEAST,
            note=f"{len(steps) / action_seconds:,.0f} evaluations a second, nothing remembered",
        ),
    ]


def _random_run(model: Model) -> list[tuple[str, tuple[Any, ...], State, State]]:
    """A walk through the model, each step with the states before and after it."""
    chance = Random(11)
    state = next(model.initial_states())
    run = []
    for _ in range(WALK_STEPS):
        step, after = chance.choice(list(model.successors(state)))
        run.append((step.action, step.args, state, after))
        state = after
    return run
