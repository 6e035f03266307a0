"""What a run of TLC is said to mean.  Numbers in brackets are those of the collected cases."""

from pathlib import Path

import pytest

from conformance.tla.errors import SpecError
from conformance.tla.values import model_value
from tests.tlc.conftest import Check

MACHINE = "INIT Init\nNEXT Next\n"
SPEC = "SPECIFICATION Spec\n"
PAIR = "CONSTANT Pair = {p, q}\n"


def test_an_invariant_broken_by_the_initial_state_has_a_counterexample_of_one_state(check: Check) -> None:
    """[1]"""
    verdict = check("Counts", MACHINE + "INVARIANT PositiveInv")

    assert (verdict.verdict, verdict.violated) == ("safety", "PositiveInv")
    assert [(state.action, state.values) for state in verdict.counterexample] == [(None, {"x": 0})]


def test_the_word_back_in_a_name_or_a_value_is_no_loop(check: Check) -> None:
    """[2]"""
    verdict = check("Back", MACHINE + "INVARIANT BelowThreeInv")

    assert [state.action for state in verdict.counterexample] == [None, "Back2state", "Back2state", "Back2state"]
    assert verdict.counterexample[1].values["text"] == "2: Back to state: <Back2state"
    assert verdict.lasso is None


def test_a_lasso_names_the_state_that_it_returns_to(check: Check) -> None:
    """[3]"""
    verdict = check("Counts", SPEC + "PROPERTY SevenProp")

    assert (verdict.verdict, verdict.violated) == ("liveness", "SevenProp")
    assert [state.values["x"] for state in verdict.counterexample] == [0, 1, 2, 3, 4]
    assert (verdict.lasso, verdict.stuttering) == (0, False)


def test_a_deadlock_is_found_and_liveness_is_then_not_claimed(check: Check) -> None:
    """[5]"""
    verdict = check("Stops", SPEC + "PROPERTY TwoProp")

    assert verdict.verdict == "deadlock"
    assert not verdict.liveness_evaluated
    assert "liveness was not evaluated" in verdict.warnings[-1]


def test_without_the_deadlock_check_the_liveness_violation_shows(check: Check) -> None:
    """[5]"""
    verdict = check("Stops", SPEC + "PROPERTY TwoProp", check_deadlock=False)

    assert (verdict.verdict, verdict.violated, verdict.stuttering) == ("liveness", "TwoProp", True)
    assert verdict.liveness_evaluated


def test_a_reported_violation_outweighs_a_claim_of_success(check: Check) -> None:
    """[6]"""
    verdict = check("Counts", MACHINE + "INVARIANT BelowThreeInv", arguments=("-continue",))

    assert (verdict.verdict, verdict.violated) == ("safety", "BelowThreeInv")
    assert [state.values["x"] for state in verdict.counterexample] == [0, 1, 2, 3]


def test_a_false_assumption_has_its_own_word(check: Check) -> None:
    """[8]"""
    assert check("Assumes", "").verdict == "assumption"


def test_a_broken_step_property_is_a_matter_of_safety(check: Check) -> None:
    """[8]"""
    verdict = check("Counts", SPEC + "PROPERTY GrowsProp")

    assert (verdict.verdict, verdict.violated) == ("safety", "GrowsProp")
    assert [state.values["x"] for state in verdict.counterexample] == [0, 1, 2, 3, 4, 0]


def test_a_property_broken_at_once_is_named_although_tlc_gives_only_its_place(check: Check) -> None:
    """[8]"""
    verdict = check("Counts", SPEC + "PROPERTY ZeroProp")

    assert (verdict.verdict, verdict.violated) == ("safety", "ZeroProp")
    assert len(verdict.counterexample) == 1


def test_an_evaluation_error_is_no_verdict_and_has_a_place(check: Check) -> None:
    """[8]"""
    verdict = check("Counts", MACHINE + "INVARIANT FieldInv")

    assert (verdict.verdict, verdict.exit_status) == ("error", 2)
    assert str(verdict.errors[0].location) == "Counts.tla:21:13"


def test_a_parse_error_has_file_line_and_column(check: Check) -> None:
    """[9]"""
    verdict = check("Broken", MACHINE)

    assert verdict.verdict == "error"
    assert str(verdict.errors[0]).startswith("Broken.tla:5:1: ")
    assert 'token "+"' in verdict.errors[0].text


def test_an_unknown_name_in_the_module_is_named(check: Check) -> None:
    """[9]"""
    verdict = check("Unknown", MACHINE)

    assert str(verdict.errors[0]).startswith("Unknown.tla:4:14: ")
    assert "Unknown operator: `nothing'" in verdict.errors[0].text


def test_a_misspelt_invariant_is_an_error_that_names_it(check: Check) -> None:
    """[11]"""
    verdict = check("Counts", MACHINE + "INVARIANT NotThere")

    assert verdict.verdict == "error"
    assert "NotThere" in verdict.errors[0].text


def test_a_run_that_checks_nothing_says_so(check: Check) -> None:
    """[11]"""
    verdict = check("Counts", MACHINE, check_deadlock=False)

    assert (verdict.verdict, verdict.vacuous, verdict.exit_status) == ("ok", True, 4)
    assert verdict.warnings == ("no invariant and no property is checked",)


def test_what_the_module_prints_is_collected_apart_from_the_messages(check: Check) -> None:
    """[19]"""
    verdict = check("Prints", "INIT Init\nNEXT Step", workers=4)

    assert (verdict.verdict, verdict.distinct) == ("ok", 24)
    assert sorted(verdict.printed)[:2] == ['<<"step", 0, 1>>', '<<"step", 1, 2>>']
    assert len(verdict.printed) == 24


def test_an_option_that_this_tlc_lacks_is_said_to_be_unsupported(check: Check) -> None:
    """[20]"""
    verdict = check("Counts", MACHINE, arguments=("-dumpTrace", "json", "trace.json"))

    assert verdict.verdict == "error"
    assert str(verdict.errors[0]) == "this TLC does not support the option -dumpTrace"


def test_a_random_walk_counts_no_distinct_states_and_keeps_its_seed(check: Check) -> None:
    """[23]"""
    verdict = check("Stops", "INIT Init\nNEXT Step", arguments=("-simulate", "-depth", "5", "-seed", "7"))

    assert (verdict.verdict, verdict.distinct, verdict.seed) == ("deadlock", None, 7)


def test_symmetry_with_liveness_is_refused_before_anything_runs(check: Check) -> None:
    """[24]"""
    with pytest.raises(SpecError, match="TenProp is checked under SYMMETRY"):
        check("Grows", SPEC + PAIR + "SYMMETRY Swaps\nCONSTRAINT Bound\nPROPERTY TenProp")


def test_symmetry_with_a_step_property_is_sound(check: Check) -> None:
    """[24]"""
    verdict = check("Grows", SPEC + PAIR + "SYMMETRY Swaps\nCONSTRAINT Bound\nPROPERTY GrowsProp")

    assert (verdict.verdict, verdict.temporal) == ("ok", False)


def test_liveness_under_a_constraint_is_vacuous(check: Check) -> None:
    """[25]"""
    verdict = check("Grows", SPEC + PAIR + "CONSTRAINT Bound\nPROPERTY TenProp")

    assert (verdict.verdict, verdict.vacuous, verdict.exit_status) == ("ok", True, 4)
    assert "liveness under CONSTRAINT is vacuous" in verdict.warnings[-1]


def test_eventually_for_ever_holds_of_a_count_that_settles(check: Check) -> None:
    """[28]"""
    verdict = check("Settles", SPEC + "PROPERTY SettlesProp")

    assert (verdict.verdict, verdict.liveness_evaluated) == ("ok", True)


def test_an_action_that_forgets_a_variable_is_an_error_with_its_trace(check: Check) -> None:
    """[30]"""
    verdict = check("Stops", "INIT Init\nNEXT Forgets")

    assert verdict.verdict == "error"
    assert "not assigned: y" in verdict.errors[0].text
    assert [dict(state.values) for state in verdict.counterexample] == [{"x": 0, "y": 0}, {"x": 1}]


def test_labels_of_instances_and_guarded_disjunctions_are_kept_as_they_are(check: Check) -> None:
    """[50]"""
    verdict = check("Acquires", MACHINE, coverage=True)

    assert set(verdict.coverage) == {"Inner!Step", "Guarded", "Plain"}


def test_coverage_counts_each_action_and_shows_the_one_that_is_never_taken(check: Check) -> None:
    verdict = check("Counts", MACHINE + "INVARIANT SmallInv", coverage=True)

    assert {name: count.total for name, count in verdict.coverage.items()} == {"Step": 4, "Reset": 1, "Never": 0}
    assert (verdict.distinct, verdict.depth) == (5, 5)


def test_a_model_value_and_a_string_of_the_same_letters_stay_apart(check: Check, tmp_path: Path) -> None:
    """[14]"""
    verdict = check("Values", "CONSTANT a = a\nINIT Init\nNEXT Stay\nINVARIANT NeverMixed")

    assert verdict.counterexample[0].values["value"] == frozenset({model_value("a"), "a"})
