"""What a run of TLC is said to mean."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from conformance.tla.errors import SpecError, UnsupportedError
from conformance.tla.lasso import lasso_doubts
from conformance.tla.tlc import supported_options
from conformance.tla.tlc_verdict import read_verdict
from conformance.tla.values import model_value
from tests.tlc.conftest import Check

MACHINE = "INIT Init\nNEXT Next\n"
SPEC = "SPECIFICATION Spec\n"
PAIR = "CONSTANT Pair = {p, q}\n"


def test_an_invariant_broken_by_the_initial_state_has_a_counterexample_of_one_state(check: Check) -> None:
    """CASES 1."""
    verdict = check("Counts", MACHINE + "INVARIANT PositiveInv")

    assert (verdict.verdict, verdict.violated) == ("safety", "PositiveInv")
    assert [(state.action, state.values) for state in verdict.counterexample] == [(None, {"x": 0})]


def test_the_word_back_in_a_name_or_a_value_is_no_loop(check: Check) -> None:
    """CASES 2."""
    verdict = check("Back", MACHINE + "INVARIANT BelowThreeInv")

    assert [state.action for state in verdict.counterexample] == [None, "Back2state", "Back2state", "Back2state"]
    assert verdict.counterexample[1].values["text"] == "2: Back to state: <Back2state"
    assert verdict.lasso is None


def test_a_lasso_names_the_state_that_it_returns_to(check: Check) -> None:
    """CASES 3."""
    verdict = check("Counts", SPEC + "PROPERTY SevenProp")

    assert (verdict.verdict, verdict.violated) == ("liveness", "SevenProp")
    assert [state.values["x"] for state in verdict.counterexample] == [0, 1, 2, 3, 4]
    assert (verdict.lasso, verdict.stuttering, verdict.lasso_action) == (0, False, "Reset")


def test_a_deadlock_is_found_and_liveness_is_then_not_claimed(check: Check) -> None:
    """CASES 5."""
    verdict = check("Stops", SPEC + "PROPERTY TwoProp")

    assert verdict.verdict == "deadlock"
    assert not verdict.liveness_evaluated
    assert "liveness was not evaluated" in verdict.warnings[-1]


def test_without_the_deadlock_check_the_liveness_violation_shows(check: Check) -> None:
    """CASES 5."""
    verdict = check("Stops", SPEC + "PROPERTY TwoProp", check_deadlock=False)

    assert (verdict.verdict, verdict.violated, verdict.stuttering) == ("liveness", "TwoProp", True)
    assert verdict.liveness_evaluated


def test_a_reported_violation_outweighs_a_claim_of_success(check: Check) -> None:
    """CASES 6."""
    verdict = check("Counts", MACHINE + "INVARIANT BelowThreeInv", arguments=("-continue",))

    assert (verdict.verdict, verdict.violated) == ("safety", "BelowThreeInv")
    assert [state.values["x"] for state in verdict.counterexample] == [0, 1, 2, 3]


def test_a_false_assumption_has_its_own_word(check: Check) -> None:
    """CASES 8."""
    assert check("Assumes", "").verdict == "assumption"


def test_a_broken_step_property_is_a_matter_of_safety(check: Check) -> None:
    """CASES 8."""
    verdict = check("Counts", SPEC + "PROPERTY GrowsProp")

    assert (verdict.verdict, verdict.violated) == ("safety", "GrowsProp")
    assert [state.values["x"] for state in verdict.counterexample] == [0, 1, 2, 3, 4, 0]


def test_a_property_broken_at_once_is_named_although_tlc_gives_only_its_place(check: Check) -> None:
    """CASES 8."""
    verdict = check("Counts", SPEC + "PROPERTY ZeroProp")

    assert (verdict.verdict, verdict.violated) == ("safety", "ZeroProp")
    assert len(verdict.counterexample) == 1


def test_a_property_that_another_module_spells_out_has_the_name_that_the_cfg_has(check: Check) -> None:
    verdict = check("Follows", MACHINE + "PROPERTIES BothProp UpProp")

    assert (verdict.verdict, verdict.violated) == ("safety", "UpProp")


def test_an_evaluation_error_is_no_verdict_and_has_a_place(check: Check) -> None:
    """CASES 8."""
    verdict = check("Counts", MACHINE + "INVARIANT FieldInv")

    assert (verdict.verdict, verdict.exit_status) == ("error", 2)
    assert str(verdict.errors[0].location) == "Counts.tla:21:13"


def test_a_parse_error_has_file_line_and_column(check: Check) -> None:
    """CASES 9."""
    verdict = check("Broken", MACHINE)

    assert verdict.verdict == "error"
    assert str(verdict.errors[0]).startswith("Broken.tla:5:1: ")
    assert 'token "+"' in verdict.errors[0].text


def test_an_unknown_name_in_the_module_is_named(check: Check) -> None:
    """CASES 9."""
    verdict = check("Unknown", MACHINE)

    assert str(verdict.errors[0]).startswith("Unknown.tla:4:14: ")
    assert "Unknown operator: `nothing'" in verdict.errors[0].text


def test_a_misspelt_invariant_is_an_error_that_names_it(check: Check) -> None:
    """CASES 11."""
    verdict = check("Counts", MACHINE + "INVARIANT NotThere")

    assert verdict.verdict == "error"
    assert "NotThere" in verdict.errors[0].text


def test_a_run_that_checks_nothing_says_so(check: Check) -> None:
    """CASES 11."""
    verdict = check("Counts", MACHINE, check_deadlock=False)

    assert (verdict.verdict, verdict.vacuous, verdict.exit_status) == ("ok", True, 4)
    assert verdict.warnings == ("no invariant and no property is checked",)


def test_what_the_module_prints_is_collected_apart_from_the_messages(check: Check) -> None:
    """CASES 19."""
    verdict = check("Prints", "INIT Init\nNEXT Step", workers=4)

    assert (verdict.verdict, verdict.distinct) == ("ok", 24)
    assert sorted(verdict.printed)[:2] == ['<<"step", 0, 1>>', '<<"step", 1, 2>>']
    assert len(verdict.printed) == 24


def test_an_option_that_this_tlc_lacks_is_said_to_be_unsupported(check: Check) -> None:
    """CASES 20."""
    with pytest.raises(UnsupportedError, match="this TLC does not support the option -dumpTrace") as caught:
        check("Counts", MACHINE, arguments=("-dumpTrace", "json", "trace.json"))
    assert caught.value.exit_status == 2


def test_what_tlc_supports_is_what_its_own_help_lists(tools: None) -> None:
    """CASES 20."""
    assert supported_options() >= {"-config", "-deadlock", "-simulate", "-depth", "-seed", "-workers", "-metadir"}
    assert not supported_options() & {"-dumpTrace", "-loadTrace", "-noGenerateSpecTE", "-postCondition"}


def test_a_random_walk_counts_no_distinct_states_and_keeps_its_seed(check: Check) -> None:
    """CASES 23."""
    verdict = check("Stops", "INIT Init\nNEXT Step", arguments=("-simulate", "-depth", "5", "-seed", "7"))

    assert (verdict.verdict, verdict.distinct, verdict.seed) == ("deadlock", None, 7)


def test_symmetry_with_liveness_is_refused_before_anything_runs(check: Check) -> None:
    """CASES 24."""
    with pytest.raises(SpecError, match="TenProp is checked under SYMMETRY"):
        check("Grows", SPEC + PAIR + "SYMMETRY Swaps\nCONSTRAINT Bound\nPROPERTY TenProp")


def test_symmetry_with_a_step_property_is_sound(check: Check) -> None:
    """CASES 24."""
    verdict = check("Grows", SPEC + PAIR + "SYMMETRY Swaps\nCONSTRAINT Bound\nPROPERTY GrowsProp")

    assert (verdict.verdict, verdict.temporal) == ("ok", False)


def test_symmetry_with_a_refinement_is_sound_where_nothing_is_owed(check: Check) -> None:
    """CASES 24."""
    verdict = check("GrowsMore", MACHINE + PAIR + "SYMMETRY Swaps\nCONSTRAINT Bound\nPROPERTY SafeProp")

    assert (verdict.verdict, verdict.temporal) == ("ok", False)
    with pytest.raises(SpecError, match="OwedProp is checked under SYMMETRY"):
        check("GrowsMore", MACHINE + PAIR + "SYMMETRY Swaps\nCONSTRAINT Bound\nPROPERTY OwedProp")


def test_a_model_without_an_initial_state_is_vacuous(check: Check) -> None:
    verdict = check("Counts", "INIT Nowhere\nNEXT Next\nINVARIANT SmallInv")

    assert (verdict.verdict, verdict.vacuous, verdict.exit_status) == ("ok", True, 4)
    assert "no state satisfies the initial predicate" in verdict.warnings[-1]


def test_liveness_under_a_constraint_is_vacuous(check: Check) -> None:
    """CASES 25."""
    verdict = check("Grows", SPEC + PAIR + "CONSTRAINT Bound\nPROPERTY TenProp")

    assert (verdict.verdict, verdict.vacuous, verdict.exit_status) == ("ok", True, 4)
    assert "liveness under CONSTRAINT is vacuous" in verdict.warnings[-1]


def test_eventually_for_ever_holds_of_a_count_that_settles(check: Check) -> None:
    """CASES 28."""
    verdict = check("Settles", SPEC + "PROPERTY SettlesProp")

    assert (verdict.verdict, verdict.liveness_evaluated) == ("ok", True)


def test_an_action_that_forgets_a_variable_is_an_error_with_its_trace(check: Check) -> None:
    """CASES 30."""
    verdict = check("Stops", "INIT Init\nNEXT Forgets")

    assert verdict.verdict == "error"
    assert "not assigned: y" in verdict.errors[0].text
    assert [dict(state.values) for state in verdict.counterexample] == [{"x": 0, "y": 0}, {"x": 1}]


def test_labels_of_instances_and_guarded_disjunctions_are_kept_as_they_are(check: Check) -> None:
    """CASES 50."""
    verdict = check("Acquires", MACHINE, coverage=True)

    assert set(verdict.coverage) == {"Inner!Step", "Guarded", "Plain"}


def test_coverage_counts_each_action_and_shows_the_one_that_is_never_taken(check: Check) -> None:
    verdict = check("Counts", MACHINE + "INVARIANT SmallInv", coverage=True)

    assert {name: count.total for name, count in verdict.coverage.items()} == {"Step": 4, "Reset": 1, "Never": 0}
    assert (verdict.distinct, verdict.depth) == (5, 5)


def test_a_model_value_and_a_string_of_the_same_letters_stay_apart(check: Check, tmp_path: Path) -> None:
    """CASES 14."""
    verdict = check("Values", "CONSTANT a = a\nINIT Init\nNEXT Stay\nINVARIANT NeverMixed")

    assert verdict.counterexample[0].values["value"] == frozenset({model_value("a"), "a"})


def test_a_step_that_tlc_calls_next_bears_the_name_that_stands_at_its_place(check: Check) -> None:
    """CASES 50."""
    verdict = check("Common", MACHINE + "INVARIANT SmallInv")

    assert [state.action for state in verdict.counterexample] == [None, "Jump"]


def test_a_place_with_several_actions_names_none_of_them(check: Check) -> None:
    """CASES 50."""
    verdict = check("Common", "INIT Init\nNEXT Other\nINVARIANT SmallInv")

    assert {state.action for state in verdict.counterexample[1:]} == {"Other"}


def test_a_cfg_that_switches_the_deadlock_check_off_is_obeyed_though_this_tlc_does_not_know_the_word(
    check: Check,
) -> None:
    config = "INIT Init\nNEXT Step\n\\* CHECK_DEADLOCK TRUE is the default\nCHECK_DEADLOCK FALSE\nINVARIANT TwoInv"

    assert check("Stops", "INIT Init\nNEXT Step\nCHECK_DEADLOCK TRUE").verdict == "deadlock"
    assert check("Stops", config.replace("INVARIANT TwoInv", "")).verdict == "ok"


def test_a_lasso_that_tlc_reports_is_validated_again(check: Check) -> None:
    """CASES 28."""
    verdict = check("Counts", SPEC + "PROPERTY SevenProp")

    assert verdict.verdict == "liveness"
    assert verdict.warnings == ()


@pytest.mark.parametrize(
    ("change", "doubt"),
    [
        ({"lasso": 2}, "the loop is none: it does not close"),
        ({"violated": "ThreeProp"}, "ThreeProp is true of the loop that is to violate it"),
        ({"lasso": None, "stuttering": True}, "the loop does not meet the fairness"),
        ({"counterexample": ()}, "TLC shows no behaviour"),
    ],
)
def test_a_loop_that_is_none_is_doubted(
    check: Check, modules: Path, tmp_path: Path, change: dict[str, Any], doubt: str
) -> None:
    """CASES 28."""
    config = tmp_path / "Counts.cfg"
    config.write_text(SPEC + "PROPERTIES SevenProp ThreeProp\n", encoding="utf-8")
    verdict = attrs.evolve(check("Counts", SPEC + "PROPERTY SevenProp"), **change)
    doubts = lasso_doubts(verdict, modules / "Counts.tla", config)

    assert len(doubts) == 1
    assert doubts[0].startswith(doubt)


def test_a_step_that_next_does_not_have_makes_a_loop_doubtful(check: Check, modules: Path, tmp_path: Path) -> None:
    """CASES 28."""
    config = tmp_path / "Counts.cfg"
    config.write_text(SPEC + "PROPERTY SevenProp\n", encoding="utf-8")
    verdict = check("Counts", SPEC + "PROPERTY SevenProp")
    states = verdict.counterexample
    torn = attrs.evolve(verdict, counterexample=(*states[:2], *states[3:]))

    assert lasso_doubts(torn, modules / "Counts.tla", config) == [
        "the loop is none: it has a step 2 that Next does not allow"
    ]


@pytest.mark.parametrize(
    ("status", "word"),
    [(0, "ok"), (1, "error"), (10, "error"), (75, "error"), (150, "error"), (151, "error"), (255, "error")],
)
def test_an_exit_status_alone_is_never_a_violation(status: int, word: str) -> None:
    """CASES 8: only a message that tells of a violation makes one."""
    assert read_verdict([], status).verdict == word
