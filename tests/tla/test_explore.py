"""Exploration: verdicts, shortest counterexamples, and what it refuses to say."""

import pytest

from conformance.tla.explore import StateLimitError, breadth_first
from tests.tla.conftest import Write

COUNTER = """EXTENDS Naturals
VARIABLE x
Init == x = 0
Up == x < 4 /\\ x' = x + 1
Back == x = 4 /\\ x' = 0
Next == Up \\/ Back
Small == x < 3
Tiny == x < 2
Grows == [][x' > x]_x
Never == [][x' # 2]_x
"""
RUN = "INIT Init NEXT Next "


def test_a_model_that_keeps_its_invariants_is_ok(write: Write) -> None:
    found = breadth_first(write(COUNTER, RUN))

    assert (found.verdict, found.distinct, found.generated, found.depth) == ("ok", 5, 6, 5)


def test_a_broken_invariant_brings_a_shortest_counterexample(write: Write) -> None:
    found = breadth_first(write(COUNTER, RUN + "INVARIANT Small"))

    assert (found.verdict, found.violated) == ("safety", "Small")
    assert [(str(step), state) for step, state in found.counterexample] == [
        ("None", (0,)),
        ("Up", (1,)),
        ("Up", (2,)),
        ("Up", (3,)),
    ]


def test_an_initial_state_that_breaks_an_invariant_is_a_counterexample_of_one(write: Write) -> None:
    """CASES 1."""
    found = breadth_first(write(COUNTER + "Positive == x > 0", RUN + "INVARIANT Positive"))

    assert (found.verdict, found.counterexample) == ("safety", ((None, (0,)),))


def test_a_broken_step_property_is_a_matter_of_safety(write: Write) -> None:
    found = breadth_first(write(COUNTER, RUN + "PROPERTY Grows"))

    assert (found.verdict, found.violated, len(found.counterexample)) == ("safety", "Grows", 6)


def test_a_state_without_a_successor_is_a_deadlock_unless_that_is_not_asked(write: Write) -> None:
    """CASES 5."""
    model = write(COUNTER + "Stop == Up", "INIT Init NEXT Stop")

    assert breadth_first(model).verdict == "deadlock"
    assert breadth_first(model, deadlock=False).verdict == "ok"


def test_the_configuration_may_switch_deadlock_off(write: Write) -> None:
    model = write(COUNTER + "Stop == Up", "INIT Init NEXT Stop CHECK_DEADLOCK FALSE")

    assert breadth_first(model).verdict == "ok"


def test_a_false_assumption_ends_it(write: Write) -> None:
    assert breadth_first(write(COUNTER + "ASSUME 1 = 2", RUN)).verdict == "assumption"


def test_a_survey_notes_every_property_that_fails_anywhere(write: Write) -> None:
    model = write(COUNTER, RUN + "INVARIANTS Small Tiny PROPERTIES Grows Never")
    found = breadth_first(model, survey=True)

    assert (found.verdict, found.violations, found.distinct) == ("safety", ("Grows", "Never", "Small", "Tiny"), 5)


def test_too_many_states_are_an_error_and_no_verdict(write: Write) -> None:
    with pytest.raises(StateLimitError, match="more than 3 states"):
        breadth_first(write(COUNTER, RUN), max_states=3)


def test_states_outside_a_constraint_are_checked_and_not_counted(write: Write) -> None:
    model = write(COUNTER + "Bound == x < 2\nInv == x < 3", RUN + "CONSTRAINT Bound INVARIANT Inv")
    found = breadth_first(model)

    assert (found.verdict, found.distinct) == ("ok", 2)


def test_a_state_outside_the_constraint_may_break_an_invariant(write: Write) -> None:
    model = write(COUNTER + "Bound == x < 2", RUN + "CONSTRAINT Bound INVARIANT Tiny")

    assert breadth_first(model).violated == "Tiny"


def test_temporal_properties_are_listed_as_unchecked(write: Write) -> None:
    model = write(COUNTER + "Live == <>(x = 4)\nAgain == []<>(x = 0)", RUN + "PROPERTIES Live Again Never")
    found = breadth_first(model, survey=True)

    assert found.unchecked_properties == ("Live", "Again")
    assert found.violations == ("Never",)


def test_a_refinement_is_checked_at_the_start_and_at_each_step(write: Write) -> None:
    clock = (
        "EXTENDS Naturals\nVARIABLE h\nInit == h = {start}\nNext == h' = (h + 1) % {size}\nSpec == Init /\\ [][Next]_h"
    )
    body = COUNTER + "Of == INSTANCE Clock WITH h <- x\nRefines == Of!Spec"

    assert breadth_first(write(body, RUN + "PROPERTY Refines", Clock=clock.format(start=0, size=5))).verdict == "ok"
    late = breadth_first(write(body, RUN + "PROPERTY Refines", Clock=clock.format(start=1, size=5)))
    short = breadth_first(write(body, RUN + "PROPERTY Refines", Clock=clock.format(start=0, size=4)))
    assert (late.violated, len(late.counterexample)) == ("Refines", 1)
    assert (short.violated, len(short.counterexample)) == ("Refines", 5)


def test_the_same_model_gives_the_same_states_in_the_same_order(write: Write) -> None:
    body = COUNTER + 'VARIABLE y\nStart == Init /\\ y \\in {"b", "a", "c"}\nMove == Next /\\ y\' \\in {"c", "b"}'
    first = breadth_first(write(body, "INIT Start NEXT Move"), edges=True)

    assert [state[1] for state in first.states[:3]] == ["a", "b", "c"]
    assert first.states == breadth_first(write(body, "INIT Start NEXT Move"), edges=True).states


def test_progress_is_told(write: Write) -> None:
    told: list[tuple[int, int, int]] = []
    breadth_first(write(COUNTER, RUN), progress=lambda *counts: told.append(counts))

    assert told[0] == (1, 1, 1)
