"""The judge accepts what the specification allows, and says where a run parts from it."""

import attrs
import pytest

from conformance.judge import Judge, Kind, Word
from conformance.judging.check import judge_steps
from conformance.judging.divergence import Divergence
from conformance.trace.errors import TraceError
from conformance.trace.step import TraceStep
from tests.trace.races import BATON, RACE, after, judge, laps, numbered, start, step


def divergence_of(*steps: TraceStep) -> Divergence:
    verdict = judge_steps(judge(), numbered([start(), *steps]))
    assert verdict.divergence is not None
    return verdict.divergence


def test_a_run_whose_every_step_is_allowed_is_accepted() -> None:
    verdict = judge_steps(judge(), RACE)

    assert verdict.word is Word.ACCEPTED
    assert verdict.actions == {"Start": 1, "Pass": 2, "Stop": 1}


def test_a_verdict_counts_what_was_evaluated() -> None:
    verdict = judge_steps(judge(), RACE)

    assert verdict.steps == 4
    assert verdict.evaluations >= 4 * (len(verdict.invariants) + len(verdict.step_properties))


def test_a_variable_that_is_not_shown_is_found_out() -> None:
    judging = judge()
    judge_steps(judging, RACE[:2])

    assert [judging.model.as_mapping(state)["coach"] for state in judging.candidates] == ["bob"]


def test_every_beginning_that_agrees_is_a_candidate() -> None:
    judging = judge()
    judging.begin(RACE[0].values)

    assert len(judging.candidates) == 2


def test_a_step_whose_guard_is_false_is_not_allowed() -> None:
    found = divergence_of(step("Stop", "ann", shows=after()))

    assert (found.kind, found.step, found.label) == (Kind.NOT_ALLOWED, 1, "Stop(ann)")


def test_a_choice_of_a_hidden_variable_cannot_be_made_twice() -> None:
    found = divergence_of(
        step("Start", "ann", shows=after("ann")),
        step("Stop", "ann", shows=after()),
        step("Start", "bob", shows=after("bob")),
    )

    assert (found.kind, found.step) == (Kind.NOT_ALLOWED, 3)


def test_a_false_guard_is_named_with_its_values() -> None:
    found = divergence_of(step("Stop", "ann", shows=after()))

    assert "Stop(ann) needs r \\in holder" in found.reasons()[0]
    assert "holder is {}" in found.reasons()[0]


def test_what_the_specification_allows_instead_is_listed() -> None:
    found = divergence_of(step("Start", "ann", shows=after("ann")), step("Start", "ann", shows=after("ann")))

    assert [str(each) for each in found.allowed()][:2] == ['Pass("ann", "bob")', 'Stop("ann")']


def test_an_action_that_leaves_something_else_is_a_wrong_observation() -> None:
    found = divergence_of(step("Start", "ann", shows=after("bob")))

    assert (found.kind, found.variable) == (Kind.WRONG_OBSERVATION, "holder")
    assert (found.expected, found.observed) == (frozenset({"ann"}), frozenset({"bob"}))


def test_a_variable_that_is_shown_and_not_mentioned_is_unchanged() -> None:
    found = divergence_of(step("Start", "ann"))

    assert (found.kind, found.observed) == (Kind.WRONG_OBSERVATION, frozenset())


def test_stuttering_is_not_the_named_action() -> None:
    found = divergence_of(
        step("Start", "ann", shows=after("ann")), step("Pass", "ann", "ann"), step("Stop", "ann", shows=after())
    )

    assert (found.kind, found.step) == (Kind.NOT_ALLOWED, 2)


def test_a_change_in_a_step_without_an_action_is_unreported() -> None:
    found = divergence_of(step("Start", "ann", shows=after("ann")), step(None, shows=after()))

    assert (found.kind, found.step, found.variable) == (Kind.UNREPORTED_CHANGE, 2, "holder")


def test_a_change_seen_between_steps_is_unreported() -> None:
    judging = judge()
    judge_steps(judging, RACE[:2])
    found = judging.observe({"holder": frozenset({"bob"}), "laps": laps()})

    assert found is not None
    assert found.kind is Kind.UNREPORTED_CHANGE


def test_an_unreported_change_names_the_action_that_it_would_have_been() -> None:
    judging = Judge(BATON.model({"Runner": ("ann", "bob")}), {"Baton": ("holder", "laps", "coach")})
    judging.begin({**RACE[0].values, "coach": "bob"})
    found = judging.observe({"holder": frozenset({"ann"}), "laps": laps(), "coach": "bob"})

    assert found is not None
    assert "It is what Start(ann) does, and no step said so." in found.reasons()


def test_an_observation_that_agrees_is_no_divergence() -> None:
    judging = judge()
    judge_steps(judging, RACE[:2])

    assert judging.observe({"holder": frozenset({"ann"}), "laps": laps()}) is None


def test_an_invariant_that_fails_is_named_with_its_reading() -> None:
    found = divergence_of(step("Start", "ann", shows=after("ann")), step("Copy", "bob", shows=after("ann", "bob")))

    assert (found.kind, found.step, found.failing) == (Kind.INVARIANT, 2, ("OneBatonInv",))
    assert any("at most one runner has the baton" in line for line in found.reasons())


def test_a_step_property_that_fails_is_named() -> None:
    found = divergence_of(step("Skip", "ann", shows={"Baton": {"laps": laps(ann=2)}}))

    assert (found.kind, found.step, found.failing) == (Kind.STEP_PROPERTY, 1, ("CountProp",))


def test_a_run_that_does_not_begin_as_the_specification_does_is_rejected() -> None:
    found = judge().begin({"holder": frozenset({"ann"}), "laps": laps()})

    assert found is not None
    assert (found.kind, found.variable) == (Kind.NOT_INITIAL, "holder")


def test_after_the_first_divergence_nothing_more_is_judged() -> None:
    judging = judge()
    first = judge_steps(judging, numbered([start(), step("Stop", "ann")])).divergence

    assert judging.step("Start", ("ann",), {"holder": frozenset({"ann"})}) is first
    assert judging.steps == 1


def test_a_step_that_was_judged_before_is_judged_anew_when_it_shows_something_else() -> None:
    first, second = judge(), judge()
    assert first.model is second.model
    assert judge_steps(first, RACE).word is Word.ACCEPTED

    lying = [*RACE[:2], attrs.evolve(RACE[2], after=after("bob", laps=laps(ann=2)))]
    verdict = judge_steps(second, lying)

    assert verdict.divergence is not None
    assert (verdict.divergence.kind, verdict.divergence.step) == (Kind.WRONG_OBSERVATION, 2)


def test_what_runs_that_hide_a_variable_have_been_through_does_not_speak_for_runs_that_show_it() -> None:
    hiding = [
        start(),
        step("Start", "ann", shows=after("ann")),
        step("Pass", "ann", "bob", shows=after("bob")),
    ]
    hidden = [attrs.evolve(each, after={"Baton": {"holder": each.after["Baton"]["holder"]}}) for each in hiding]

    assert judge_steps(judge("holder"), numbered(hidden)).divergence is None
    verdict = judge_steps(judge("holder", "laps"), numbered(hiding))

    assert verdict.divergence is not None
    assert (verdict.divergence.kind, verdict.divergence.variable) == (Kind.WRONG_OBSERVATION, "laps")


def test_a_step_that_was_refused_is_refused_again() -> None:
    twice = [step("Start", "ann", shows=after("ann")), step("Start", "bob", shows=after("bob"))]

    assert divergence_of(*twice).headline == divergence_of(*twice).headline


def test_what_is_owed_is_owed_each_time_that_it_is_asked() -> None:
    resting = [*RACE[:2]]
    said = []
    for _ in range(2):
        judging = judge()
        judge_steps(judging, resting)
        owed = judging.rest()
        said.append(None if owed is None else owed.headline)

    assert said[0] is not None
    assert said[0] == said[1]


def test_a_run_that_only_stutters_is_vacuous() -> None:
    verdict = judge_steps(judge(), numbered([start(), step(None), step(None)]))

    assert (verdict.word, verdict.exit_status) == (Word.VACUOUS, 4)


def test_a_named_action_that_changes_nothing_is_a_step() -> None:
    verdict = judge_steps(judge(), numbered([start(), step("Rest")]))

    assert verdict.word is Word.ACCEPTED


def test_a_run_without_its_end_is_undecided() -> None:
    verdict = judge_steps(judge(), RACE, end=None)

    assert (verdict.word, verdict.exit_status) == (Word.UNDECIDED, 4)


def test_a_run_that_says_that_it_failed_is_not_accepted() -> None:
    assert judge_steps(judge(), RACE, end="failed").word is Word.UNDECIDED


def test_a_quiescent_end_owes_nothing() -> None:
    assert judge_steps(judge(), RACE, end="quiescent").word is Word.ACCEPTED


def test_a_quiescent_end_that_owes_a_fair_step_is_rejected() -> None:
    found = judge_steps(judge(), RACE[:2], end="quiescent").divergence

    assert found is not None
    assert found.kind is Kind.NOT_QUIESCENT
    assert [str(each) for each in found.owed] == ['Stop("ann")']


def test_an_action_that_the_specification_lacks_is_refused() -> None:
    judging = judge()
    judging.begin(RACE[0].values)

    with pytest.raises(TraceError, match="Baton has no action Stopp; near it are Stop"):
        judging.step("Stopp", ("ann",), {})


def test_a_wrong_number_of_arguments_is_refused() -> None:
    judging = judge()
    judging.begin(RACE[0].values)

    with pytest.raises(TraceError, match=r"Pass\(r, s\) takes 2 arguments, and the run gives 1"):
        judging.step("Pass", ("ann",), {})


def test_an_argument_outside_its_domain_is_refused() -> None:
    judging = judge()
    judging.begin(RACE[0].values)

    with pytest.raises(TraceError, match=r"Start\(eve\) has r = \"eve\", which is not in"):
        judging.step("Start", ("eve",), {})


def test_a_beginning_that_lacks_a_variable_is_refused() -> None:
    with pytest.raises(TraceError, match="step 0 lacks laps"):
        judge().begin({"holder": frozenset()})


def test_a_variable_that_the_header_does_not_list_is_refused() -> None:
    with pytest.raises(TraceError, match="shows coach, which the header does not list"):
        judge().begin({**RACE[0].values, "coach": "ann"})


def test_a_variable_that_the_specification_lacks_is_refused() -> None:
    with pytest.raises(TraceError, match=r"observes Baton\.weather, and Baton has no variable of that name"):
        judge("holder", "weather")


def test_a_beginning_of_the_wrong_type_is_refused() -> None:
    judging = judge("holder", "laps", "coach")

    with pytest.raises(TraceError, match="step 0 has a value of the wrong type"):
        judging.begin({"holder": frozenset({"eve"}), "laps": laps(), "coach": "ann"})


def test_a_beginning_of_the_wrong_type_is_refused_though_something_is_hidden() -> None:
    with pytest.raises(TraceError, match="step 0 has a value of the wrong type"):
        judge("holder").begin({"holder": 7})


def test_a_value_of_another_type_later_in_the_run_is_a_wrong_observation() -> None:
    judging = Judge(BATON.model({"Runner": ("ann", "bob")}), {"Baton": ("holder", "laps", "coach")})
    judging.begin({**RACE[0].values, "coach": "bob"})
    found = judging.step("Start", ("ann",), {"holder": "ann"})

    assert found is not None
    assert found.kind is Kind.WRONG_OBSERVATION


def test_a_configuration_without_invariants_judges_nothing() -> None:
    model = BATON.model({"Runner": ("ann",)})
    bare = type(model)(model.tree, attrs.evolve(model.config, invariants=()), {"Runner": frozenset({"ann"})})

    with pytest.raises(TraceError, match="names no invariant"):
        Judge(bare, {"Baton": ("holder",)})
