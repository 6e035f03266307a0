"""What TLC printed into a file, by this version or a newer one, numbered or not."""

from pathlib import Path

import pytest

from conformance.tla.tlc_text import UnreadableOutputError, read_output
from conformance.tla.values import model_value

OLD = """TLC2 Version 2.15 of Day Month 20?? (rev: d5b5a7f)
Starting...
Error: Invariant SmallInv is violated.
Error: The behavior up to this point is:
State 1: <Initial predicate>
/\\ x = 0
/\\ who = [ first |-> "State 9: <Back>",
     rest |-> {} ]

State 2: <Step line 7, col 9 to line 7, col 29 of module Counts>
/\\ x = 1
/\\ who = ann

3 states generated, 2 distinct states found, 0 states left on queue.
"""

NEW = """TLC2 Version 2.20 of Day Month 20?? (rev: 0000000)
Error: Invariant SmallInv is violated.
Error: The behavior up to this point is:
1: <Initial predicate>
/\\ x = 0

2: <Step(p1, <<1, "b">>, {}) line 7, col 9 to line 7, col 29 of module Counts>
/\\ x = 1

3: <Inner!Reset line 8, col 10 to line 8, col 25 of module Counts>
/\\ x = 7
"""

LASSO = """Error: Temporal properties were violated.

Error: The following behavior constitutes a counter-example:

State 1: <Initial predicate>
x = 0

State 2: <Step line 7, col 9 to line 7, col 29 of module Counts>
x = 1

Back to state 1: <Reset line 8, col 10 to line 8, col 25 of module Counts>
"""

NUMBERED = """@!@!@STARTMSG 2110:1 @!@!@
Invariant SmallInv is violated.
@!@!@ENDMSG 2110 @!@!@
@!@!@STARTMSG 2217:4 @!@!@
1: <Initial predicate>
x = 0

@!@!@ENDMSG 2217 @!@!@
@!@!@STARTMSG 2217:4 @!@!@
2: <Step(5) line 7, col 9 to line 7, col 29 of module Counts>
x = 1

@!@!@ENDMSG 2217 @!@!@
"""


def test_a_counterexample_without_numbers_is_read_as_one_with_them() -> None:
    verdict = read_output(OLD)

    assert (verdict.verdict, verdict.violated, verdict.version[:17]) == ("safety", "SmallInv", "TLC2 Version 2.15")
    assert [state.action for state in verdict.counterexample] == [None, "Step"]
    assert [state.values["x"] for state in verdict.counterexample] == [0, 1]
    assert verdict.counterexample[1].values["who"] == model_value("ann")


def test_a_newer_tlcs_arguments_are_read_beside_the_action() -> None:
    states = read_output(NEW).counterexample

    assert [(state.action, state.args) for state in states] == [
        (None, None),
        ("Step", (model_value("p1"), (1, "b"), frozenset())),
        ("Inner!Reset", None),
    ]
    assert str(states[1].location) == "Counts.tla:7:9"


def test_numbered_output_in_a_file_is_read_as_well() -> None:
    verdict = read_output(NUMBERED)

    assert (verdict.verdict, verdict.violated) == ("safety", "SmallInv")
    assert (verdict.counterexample[1].action, verdict.counterexample[1].args) == ("Step", (5,))


def test_a_loop_is_read_with_the_step_that_closes_it() -> None:
    """CASES 3."""
    verdict = read_output(LASSO)

    assert (verdict.verdict, verdict.lasso, verdict.lasso_action) == ("liveness", 0, "Reset")
    assert len(verdict.counterexample) == 2


def test_stuttering_is_no_state() -> None:
    """CASES 3."""
    verdict = read_output(
        LASSO.replace(
            "Back to state 1: <Reset line 8, col 10 to line 8, col 25 of module Counts>", "State 3: Stuttering"
        )
    )

    assert (verdict.stuttering, verdict.lasso, len(verdict.counterexample)) == (True, None, 2)


def test_an_initial_state_that_breaks_an_invariant_is_a_counterexample_of_one() -> None:
    """CASES 1."""
    verdict = read_output("Error: Invariant PositiveInv is violated by the initial state:\nx = 0\n\nFinished.\n")

    assert (verdict.verdict, verdict.violated) == ("safety", "PositiveInv")
    assert [dict(state.values) for state in verdict.counterexample] == [{"x": 0}]


def test_a_run_that_ended_well_has_no_counterexample() -> None:
    verdict = read_output("Model checking completed. No error has been found.\n")

    assert (verdict.verdict, verdict.counterexample) == ("ok", ())


@pytest.mark.parametrize("text", ["", "milk, bread", "State of the art: <none>"])
def test_text_in_which_nothing_is_recognised_is_refused(text: str) -> None:
    """CASES 15: never an empty answer."""
    with pytest.raises(UnreadableOutputError):
        read_output(text)


def test_what_this_tlc_prints_today_is_read(tmp_path: Path) -> None:
    printed = Path(__file__).parents[1] / "walking" / "printed" / "nothing-fires-the-timer.txt"
    verdict = read_output(printed.read_text(encoding="utf-8"))

    assert (verdict.verdict, verdict.stuttering, len(verdict.counterexample)) == ("liveness", True, 7)
