"""Every situation is walked to its end, every mutant of the specification up to its mutated step."""

import re
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner, Result

from conformance.cli import conform
from conformance.spec_mutants import Mutant, load_mutants
from conformance.specs import Row, load_registry
from conformance.tla.model import Step
from conformance.tla.tlc_text import read_output
from conformance.tla.tlc_verdict import Complaint, Verdict
from conformance.walking.part import DRIVEN
from conformance.walking.report import differences
from conformance.walking.sources import Walked, needs_hops, tell_mutant, walk_file, walk_model, walk_mutant, walk_named
from conformance.walking.told import UntellableError, read_told
from conformance.walking.walker import walk
from matching.manager import PartitionManager

PRINTED = Path(__file__).parent / "printed"
"""What TLC prints of the mutants of what is owed.  That of an add that is not answered is of hosts that refuse none:
one that does loads nothing any more, which the part does not know."""

SITUATIONS = [row for row in load_registry().rows if row.violated is not None and row.module == f"MC{DRIVEN}"]
MUTANTS = [mutant for mutant in load_mutants().mutants if mutant.module == DRIVEN and not needs_hops(mutant)]
RULED_OUT = [mutant for mutant in MUTANTS if mutant.name.startswith("read-takes-back-")]
"""What these need the finer specification rules out: a generation reads only behind what it has read."""

STEPWISE = [mutant for mutant in MUTANTS if not mutant.liveness and mutant not in RULED_OUT]
OWING = [mutant for mutant in MUTANTS if mutant.liveness]


def replay(*arguments: str) -> Result:
    return CliRunner().invoke(conform, ["replay", *arguments], standalone_mode=False)


def test_there_are_situations_and_mutants_to_walk() -> None:
    assert all(row.violated and row.violated.startswith("Never") for row in SITUATIONS)
    assert len(SITUATIONS) >= 9
    assert len(STEPWISE) >= 25
    assert {path.stem for path in PRINTED.glob("*.txt")} == {mutant.name for mutant in OWING}


@pytest.mark.parametrize("row", SITUATIONS, ids=lambda row: row.violated)
def test_a_situation_that_tlc_finds_is_walked_to_its_end(row: Row) -> None:
    walked = walk_model(row)

    assert walked.conforms is True
    assert walked.walk.is_complete
    assert walked.walk.told.mutated is None
    assert walked.walk.reached == (row.length or 0) - 1


@pytest.mark.parametrize("mutant", STEPWISE, ids=lambda mutant: mutant.name)
def test_a_mutant_is_walked_up_to_its_mutated_step(mutant: Mutant) -> None:
    walked = walk_mutant(mutant, with_tlc=False)
    told = walked.walk.told

    assert walked.conforms is True
    assert told.mutated == len(told.steps) - 1
    assert walked.walk.reached == told.mutated
    assert walked.walk.further[:1] != (told.steps[-1],) or differences(told)


@pytest.mark.parametrize("mutant", RULED_OUT, ids=lambda mutant: mutant.name)
def test_a_mutant_to_which_no_way_leads_needs_a_read_that_serves_what_its_generation_has_read(mutant: Mutant) -> None:
    told = tell_mutant(mutant)
    served = [step.args[2] for step in told.steps if step.action == "ServeRead"]

    assert len(RULED_OUT) == 2
    assert "Unload" not in {step.action for step in told.steps}
    assert frozenset.intersection(*served[-2:])


@pytest.mark.parametrize("mutant", OWING, ids=lambda mutant: mutant.name)
def test_a_loop_in_which_something_owed_is_never_done_is_left_by_the_service(mutant: Mutant) -> None:
    walked = walk_file(PRINTED / f"{mutant.name}.txt")
    walk = walked.walk
    besides = [place.step for place in walk.places if place.told is None]
    # A handler that nobody tells to ask hands its task over at once.
    owed_no_more = set(re.findall(r"\b([A-Z][A-Za-z]+)\(", mutant.find.replace("Ask(", "Deliver(")))

    assert walked.conforms is True
    assert walk.told.loop is not None
    assert owed_no_more & {step.action for step in (*besides, *walk.further)}


def test_a_mutant_is_walked_from_what_tlc_says_of_it() -> None:
    result = replay("unload-keeps-registrations")

    assert result.return_value == 0
    assert "The service was led along 3 steps of the mutant unload-keeps-registrations" in result.stdout
    assert "The service takes that step as the specification has it." in result.stdout


def test_what_was_walked_is_told_as_one_document_too() -> None:
    result = replay(str(PRINTED / "nothing-fires-the-timer.txt"), "--json")

    assert result.return_value == 0
    assert '"verdict": "conforms"' in result.stdout
    assert '"loop": 6' in result.stdout


def test_a_service_that_does_as_the_mutant_says_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        PartitionManager, "_expire", lambda manager, poll: manager._probe("Expire", poll.request.poll_id)
    )
    mutant = next(each for each in STEPWISE if each.name == "expire-keeps-registration")
    walked = walk_mutant(mutant, with_tlc=False)

    assert walked.conforms is False
    assert walked.walk.run.divergence is not None
    assert walked.walk.run.divergence.action == "Expire"


def test_a_service_that_cannot_be_led_there_leaves_it_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = read_output((PRINTED / "nothing-fires-the-timer.txt").read_text(encoding="utf-8"))
    told = attrs.evolve(read_told(verdict, "a walk"), loop=None)
    impossible = attrs.evolve(told, steps=(*told.steps[:2], Step("Take", ("p1", "h1", "t1")), *told.steps[2:]))
    impossible = attrs.evolve(impossible, states=(*told.states, told.states[-1]))
    walked = Walked(walk=walk(impossible, most_tries=60), what="a walk")

    assert walked.conforms is None
    assert walked.walk.reached < impossible.lawful


def test_a_counterexample_of_something_else_is_refused() -> None:
    verdict = read_output("Error: Invariant Small is violated.\n\nState 1: <Initial predicate>\nx = 3\n")

    with pytest.raises(UntellableError, match="not those of PollRegistration"):
        read_told(verdict, "another")


@pytest.mark.parametrize(
    "name",
    [
        *("NeverTwice", "schedule-keeps-nothing", "NeverGap", "NeverKeptIsStored", "deliver-forgets-the-record"),
        "resume-keeps-the-call",
    ],
)
def test_what_is_not_of_the_part_that_is_walked_is_refused_by_name(name: str) -> None:
    result = replay(name)

    assert getattr(result.exception, "exit_status", None) == 2
    assert f"{name} is not of PollRegistration, which is what the service is led along" in str(result.exception)


def test_where_tlc_could_not_say_it_is_told_why() -> None:
    verdict = Verdict(verdict="error", errors=(Complaint("no such class"),))

    with pytest.raises(UntellableError, match="a walk has no counterexample: the verdict is error: no such class"):
        read_told(verdict, "a walk")


def test_of_two_situations_of_one_name_the_one_that_can_be_walked_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[str] = []
    monkeypatch.setattr("conformance.walking.sources.walk_model", lambda row: met.append(row.module))
    walk_named("NeverOfferedAgain")

    assert met == ["MCPollRegistration"]


def test_a_counterexample_of_the_whole_is_not_taken_for_one_of_the_part() -> None:
    verdict = read_output((PRINTED / "nothing-fires-the-timer.txt").read_text(encoding="utf-8"))
    first = verdict.counterexample[0]
    whole = [attrs.evolve(first, values={**first.values, "lease": 0})]

    with pytest.raises(UntellableError, match="is of more than PollRegistration: it has lease as well"):
        read_told(attrs.evolve(verdict, counterexample=tuple(whole), lasso=None), "another")


def test_a_name_that_stands_for_nothing_is_asked_wrongly() -> None:
    result = replay("NeverHeardOf")

    assert getattr(result.exception, "exit_status", None) == 2
    assert "NeverTwoWait" in str(result.exception)
    assert "NeverLost" not in str(result.exception)


def test_a_file_that_tlc_did_not_print_is_asked_wrongly(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("milk, bread\n", encoding="utf-8")
    result = replay(str(path))

    assert getattr(result.exception, "exit_status", None) == 2
