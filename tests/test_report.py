"""A divergence is told as an argument: what was done, what was seen, what was needed, what is allowed."""

import attrs

from conformance.judging.check import judge_steps
from conformance.judging.divergence import Divergence, Kind
from conformance.judging.report import ROWS_SHOWN, allowed_line, render_divergence
from conformance.trace.step import TraceStep
from tests.trace.races import BATON, HEADER, RACE, after, judge, laps, numbered, start, step

LATE = [
    attrs.evolve(start(), begin_ms=0, end_ms=0),
    attrs.evolve(step("Start", "ann", shows=after("ann")), request=({"do": "start", "runner": "ann"},)),
    attrs.evolve(step("Stop", "bob", shows=after()), request=({"do": "stop", "runner": "bob", "now": True},)),
]


def page(steps: list[TraceStep], kept: str | None = None) -> str:
    steps = numbered(steps)
    return render_divergence(HEADER, steps, divergence(steps), kept=kept)


def divergence(steps: list[TraceStep]) -> Divergence:
    found = judge_steps(judge(), steps).divergence
    assert found is not None
    return found


def test_the_page_is_this_one() -> None:
    assert page(LATE, kept="found/Baton-1.ndjson") == (
        "diverged at step 2 of 2          spec Baton   target track\n"
        "\n"
        "  1  start ann      Start(ann)   holder {ann}\n"
        "  2  stop bob now   Stop(bob)    holder {}   <- not allowed\n"
        "\n"
        "Stop(bob) needs r \\in holder, and r is bob, holder is {ann}.  (Baton.tla:45:6)\n"
        "What the run shows is what Stop(ann) does.\n"
        "The spec allows here: Pass(ann, bob), Copy(bob), Skip(bob), Skip(ann), Stop(ann).\n"
        "\n"
        "kept as found/Baton-1.ndjson      again: conform replay found/Baton-1.ndjson\n"
    )


def test_steps_after_the_divergence_are_counted_and_not_shown() -> None:
    told = page([*LATE, step(None), step(None)])

    assert told.startswith("diverged at step 2 of 4 ")
    assert "\n  3" not in told


def test_of_a_long_run_the_end_is_shown() -> None:
    told = page([start(), *[step("Rest")] * 50, step("Stop", "ann")])

    assert f"  … {51 - ROWS_SHOWN} steps before" in told
    assert "  51  Stop(ann)   " in told


def test_a_change_that_nobody_reported_has_a_row_of_its_own() -> None:
    judging = judge()
    judge_steps(judging, RACE[:2])
    found = judging.observe({"holder": frozenset({"bob"})})
    assert found is not None
    told = render_divergence(HEADER, RACE[:2], found)

    assert "(nobody reported)   holder {bob}   <- not reported" in told
    assert "the specification has holder {ann}, and the run shows holder {bob}." in told


def test_a_broken_invariant_stands_in_its_row_and_is_read_out() -> None:
    told = page([start(), RACE[1], step("Copy", "bob", shows=after("ann", "bob"))])

    assert "<- breaks OneBatonInv" in told
    assert "OneBatonInv: at most one runner has the baton." in told


def test_a_wrong_beginning_is_told_at_step_zero() -> None:
    told = page([start(holder=frozenset({"ann"}))])

    assert told.startswith("diverged at step 0 of 0 ")
    assert "<- not initial" in told


def test_of_many_steps_of_one_action_one_is_told() -> None:
    crowd = ("ann", "bob", "cat", "dan")
    model = BATON.model({"Runner": crowd})
    state = next(state for state in model.initial_states() if model.as_mapping(state)["coach"] == "ann")
    found = Divergence(kind=Kind.NOT_ALLOWED, step=1, action="Stop", args=("ann",), state=state, model=model)

    assert allowed_line(found) == (
        "The spec allows here: Skip(ann) and 3 more of Skip, Start(bob) and 2 more of Start."
    )


def test_a_step_under_another_name_is_told_what_it_is() -> None:
    told = page([start(), RACE[1], step("Stop", "bob", shows=after())])

    assert "Stop(bob) needs r \\in holder, and r is bob, holder is {ann}." in told
    assert "What the run shows is what Stop(ann) does." in told


def test_a_step_without_a_name_is_told_beside_the_step_that_comes_nearest() -> None:
    unnamed = attrs.evolve(step("?"), args=None, after=after("bob", laps=laps(ann=2)))
    told = page([start(), RACE[1], unnamed])

    assert "After a step that is not named the specification has laps[ann] 1, and the run shows laps[ann] 2." in told
    assert "Nearest is Pass(ann, bob)." in told


def test_the_reasons_are_told_as_plain_values_too() -> None:
    found = divergence(numbered(LATE)).as_json()

    assert found["reasons"] == [
        "Stop(bob) needs r \\in holder, and r is bob, holder is {ann}.  (Baton.tla:45:6)",
        "What the run shows is what Stop(ann) does.",
    ]
    assert found["false"] == [
        {
            "of": 'Stop("bob")',
            "conjunct": "r \\in holder",
            "location": "Baton.tla:45:6",
            "witness": {},
            "values": {"r": '"bob"', "holder": '{"ann"}'},
        }
    ]
    assert "Stop(ann)" in found["allowed"]


def test_a_broken_invariant_is_told_with_its_witness_and_its_place() -> None:
    steps = numbered([start(), RACE[1], step("Copy", "bob", shows=after("ann", "bob"))])
    (false,) = divergence(steps).as_json()["false"]

    assert (false["of"], false["conjunct"], false["location"]) == ("OneBatonInv", "r = s", "Baton.tla:76:24")
    assert false["witness"] == {"r": '"bob"', "s": '"ann"'}


def test_the_first_variable_that_differs_is_told_with_both_values() -> None:
    found = divergence(numbered([start(), step("Start", "ann", shows=after("bob"))])).as_json()

    assert found["differs"] == {"variable": "holder", "specification": '{"ann"}', "run": '{"bob"}'}
