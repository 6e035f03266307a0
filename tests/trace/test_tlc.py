"""TLC says the same of a trace as the evaluator, at the same step."""

from pathlib import Path

import pytest

from conformance.judging.check import check_trace
from conformance.judging.profile import Profile
from conformance.trace.errors import TraceError
from conformance.trace.header import Footer
from conformance.trace.step import TraceStep
from conformance.trace.writer import trace_text, write_trace
from conformance.trace_spec import check_trace_with_tlc
from tests.trace import stories
from tests.trace.races import BATON, RACE, after, laps, numbered, race_file, start, step

pytestmark = pytest.mark.usefixtures("tools")

STEPS = stories.told(stories.STORY)


def both(path: Path, profile: Profile | None = None) -> list[tuple[str, int | None]]:
    """What each judge says, and at which step."""
    verdicts = [check_trace(path, profile), check_trace_with_tlc(path, profile)]
    return [(each.word.value, each.divergence.step if each.divergence else None) for each in verdicts]


def story_file(folder: Path, steps: list[TraceStep], end: str = "stopped") -> Path:
    return write_trace(folder / "story.ndjson", trace_text(stories.HEADER, numbered(steps), Footer(end=end)))


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (RACE, ("accepted", None)),
        ([*RACE[:2], *RACE[3:]], ("rejected", 2)),
        ([start(), step("Start", "ann", shows=after("bob"))], ("rejected", 1)),
        ([start(), step("Start", "ann", shows=after("ann")), step(None, shows=after())], ("rejected", 2)),
        ([start(), RACE[1], step("Copy", "bob", shows=after("ann", "bob"))], ("rejected", 2)),
        ([start(), step("Skip", "ann", shows={"Baton": {"laps": laps(ann=2)}})], ("rejected", 1)),
        ([start(holder=frozenset({"ann"}))], ("rejected", 0)),
        ([start(), RACE[1], RACE[4], step("Start", "bob", shows=after("bob"))], ("rejected", 3)),
        ([start(), step(None)], ("vacuous", None)),
        ([start(), step("Rest")], ("accepted", None)),
    ],
    ids=[
        "allowed",
        "not allowed",
        "wrong observation",
        "unreported",
        "invariant",
        "step property",
        "not initial",
        "hidden choice",
        "only stutters",
        "named stutter",
    ],
)
def test_the_judges_agree_about_a_race(tmp_path: Path, steps: list[TraceStep], said: tuple[str, int | None]) -> None:
    assert both(race_file(tmp_path, steps), BATON) == [said, said]


def test_the_judges_agree_about_a_run_that_was_cut_short(tmp_path: Path) -> None:
    assert both(race_file(tmp_path, RACE, footer=None), BATON) == [("undecided", None)] * 2


def test_the_judges_agree_about_an_end_that_is_not_quiet(tmp_path: Path) -> None:
    assert both(race_file(tmp_path, RACE[:3], footer=Footer(end="quiescent")), BATON) == [("rejected", 2)] * 2


def test_the_judges_refuse_the_same_traces(tmp_path: Path) -> None:
    path = race_file(tmp_path, [RACE[0], step("Start", "eve")])

    with pytest.raises(TraceError, match=r"race\.ndjson:3: Start\(eve\)"):
        check_trace_with_tlc(path, BATON)


def test_the_judges_accept_a_story_of_the_service(tmp_path: Path) -> None:
    assert both(story_file(tmp_path, STEPS)) == [("accepted", None)] * 2


def test_the_judges_reject_a_story_that_lacks_a_line_at_the_same_step(tmp_path: Path) -> None:
    assert both(story_file(tmp_path, [*STEPS[:5], *STEPS[6:]])) == [("rejected", 5)] * 2
