"""How much faster than a plain tree walk are an action and the invariants, evaluated afresh?"""

from __future__ import annotations

from time import perf_counter

from bench.measure import Measurement
from bench.treewalk import TreeWalk
from conformance.paths import spec_directory
from conformance.tla.explore import breadth_first
from conformance.tla.model import Model

__all__ = ["measure"]

STATES = 3_000
STEPS = 4_000
AT_LEAST = 10.0


def measure() -> list[Measurement]:
    """Two rows: named actions as predicates on steps, and all invariants on states; both give the same answers."""
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

    def ours_everywhere() -> list[bool]:
        # Asked by name, so that nothing is remembered.
        return [all(model.truth(name, state) for name in model.invariants) for state in states]

    def theirs_everywhere() -> list[bool]:
        return [all(walk.holds(name, state) for name in model.invariants) for state in states]

    assert any(ours())
    assert not all(ours())
    assert ours() == theirs()
    assert ours_everywhere() == theirs_everywhere()
    rows = []
    for name, compiled, walked, count in (
        ("a named action", ours, theirs, len(steps)),
        ("all invariants", ours_everywhere, theirs_everywhere, len(states)),
    ):
        started = perf_counter()
        compiled()
        between = perf_counter()
        walked()
        ended = perf_counter()
        rows.append(
            Measurement(
                name=f"evaluate {name}",
                ours="compiled",
                ours_seconds=between - started,
                theirs="tree walk",
                theirs_seconds=ended - between,
                at_least=AT_LEAST,
                note=f"{count / (between - started):,.0f} evaluations a second, nothing remembered",
            )
        )
    return rows
