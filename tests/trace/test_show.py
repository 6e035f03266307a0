"""A run as a table, a diagram and a document: nothing is lost, and no name of the run becomes part of the form."""

import json
import re
from pathlib import Path
from time import perf_counter
from typing import Any

import attrs
import pytest
from click.testing import CliRunner, Result
from hypothesis import given

from conformance.cli import conform
from conformance.refinement.parties import MESSAGES
from conformance.tla.values import TRUE, make_function, model_value
from conformance.trace.header import Footer
from conformance.trace.itf import itf_value
from conformance.trace.mermaid import escaped, show_mermaid
from conformance.trace.reader import read_trace
from conformance.trace.show import FOLDED_AT, show_text
from conformance.trace.step import TraceStep
from conformance.trace.values import decode
from conformance.trace.writer import trace_text, write_trace
from tests.corpus import ACCEPTED
from tests.trace.races import BATON, HEADER, RACE, after, numbered, race_file, start, step
from tests.trace.stories import HEADER as STORY_HEADER
from tests.trace.stories import HIDDEN, STORY, told
from tests.trace.test_values import PLAIN, made_of

STOPPED = Footer(end="stopped")
WICKED = '</script><img src=x onerror="alert(1)">; end %% #quot; \n loop'
DIAGRAM_LINE = re.compile(
    r"sequenceDiagram|    title \S.*|    participant \w+ as \S.*|    Note over \w+(,\w+)?: \S.*"
    r"|    \w+-?->>\w+: \S.*|    %% ended \w+"
)


def show(path: Path, *options: str) -> Result:
    return CliRunner().invoke(conform, ["show", str(path), *options], standalone_mode=False)


# --- text ---


def test_a_run_shows_its_variables_in_one_order_from_memory_and_from_a_file(tmp_path: Path) -> None:
    header, steps, footer = read_trace(ACCEPTED / "leaves-with-a-stored-task.ndjson")
    reversed_steps = [
        attrs.evolve(
            each,
            after={
                module: dict(sorted(values.items(), reverse=True))
                for module, values in sorted(each.after.items(), reverse=True)
            },
        )
        for each in steps
    ]

    assert show_text(header, steps, footer) == show_text(header, reversed_steps, footer)


def test_a_state_that_is_met_again_is_a_step_like_any_other() -> None:
    """CASES 153."""
    again = numbered([*RACE, step("Start", "ann", shows=after("ann")), step("Stop", "ann", shows=after())])
    text = show_text(HEADER, again, STOPPED)

    assert re.findall(r"^ +(\d+) ", text, re.MULTILINE) == ["0", "1", "2", "3", "4", "5", "6"]
    assert text.count("Start(ann)") == 2
    assert "loop" not in text


def test_a_changed_entry_is_told_by_its_path_and_an_emptied_set_as_empty() -> None:
    """CASES 152."""
    text = show_text(HEADER, RACE, STOPPED)

    assert "laps[bob] 1" in text
    assert "laps[ann] 1" in text
    assert text.splitlines()[-3].endswith("holder {}")


def test_a_long_run_with_a_large_value_is_shown_at_once_folded_and_whole_for_those_who_ask(tmp_path: Path) -> None:
    """CASES 151."""
    crowd = frozenset(f"runner-{number:05}" for number in range(1500))
    steps = [start(), *(step("Start", "ann", shows=after("ann") if turn % 2 else after()) for turn in range(1999))]
    path = race_file(tmp_path, [*steps, step("Start", "ann", shows={"Baton": {"holder": crowd}})])
    began = perf_counter()
    folded = show(path)
    seconds = perf_counter() - began

    assert seconds < 2
    assert max(map(len, folded.stdout.splitlines())) < FOLDED_AT + 100
    assert "characters)" in folded.stdout
    assert "runner-01499" not in folded.stdout
    assert "runner-01499" in show(path, "--full").stdout


def test_no_word_of_a_run_moves_the_cursor_or_begins_a_line(tmp_path: Path) -> None:
    """CASES 158."""
    wicked = "a\naccepted \x1b[31m\u202e"
    steps = [start(), attrs.evolve(RACE[1], request=({"do": wicked, "runner": wicked},), action=wicked)]
    footer = Footer(end="stopped", note=wicked, requests=({"do": wicked},))
    path = race_file(tmp_path, steps, header=attrs.evolve(HEADER, why=wicked, target=wicked), footer=footer)
    text = show(path).stdout

    assert text.replace("\n", "").isprintable()
    assert [line for line in text.splitlines() if line.startswith("accepted")] == []
    assert text.count("a\\u000aaccepted \\u001b[31m\\u202e") == 7


def test_what_cannot_be_read_is_told_with_its_line_and_not_shown(tmp_path: Path) -> None:
    """CASES 156."""
    lines = trace_text(HEADER, RACE, STOPPED).splitlines()
    path = write_trace(tmp_path / "junk.ndjson", "\n".join([*lines[:2], "junk", *lines[2:], ""]))
    result = show(path)

    assert result.stdout == ""
    assert "junk.ndjson:3: the line is not JSON" in str(result.exception)


# --- the diagram ---


def test_a_diagram_has_a_line_for_each_step_between_those_who_take_part() -> None:
    text = show_mermaid(STORY_HEADER, told(STORY), STOPPED, MESSAGES)
    lines = [line.strip() for line in text.splitlines()]

    assert [line for line in lines if not DIAGRAM_LINE.fullmatch(f"    {line}") and line != "sequenceDiagram"] == []
    assert len([line for line in lines if re.match(r"(Note over|\w+-?->>)", line)]) == len(STORY)
    assert "callers->>host1: 7  StartPoll(p1, w1, q1, v1)" in lines
    assert "host1->>store: 18  Spool(t2, h1)" in lines
    assert "Note over store: 19  CommitWrite(t2)" in lines
    assert "store-->>host1: 23  ReadBacklog(h1, q1)" in lines
    assert "host1-->>callers: 21  AnswerAdd(t2, accepted)" in lines


def test_history_has_a_lifeline_where_it_takes_part_in_the_run() -> None:
    _, steps, _ = read_trace(ACCEPTED / "started-and-completed.ndjson")
    lines = show(ACCEPTED / "started-and-completed.ndjson", "--as", "mermaid").stdout.splitlines()
    asked = next(each.step for each in steps if each.action == "Ask")

    assert "    participant history as history" in lines
    assert f"    host1->>history: {asked}  Ask(t1, p1, 1)" in lines
    assert any(re.fullmatch(r"    history->>host1: \d+  Transfer\(.*\)", line) for line in lines)
    assert any(re.fullmatch(r"    history-->>callers: \d+  ToldComplete\(r1/1, 1\)", line) for line in lines)
    assert "participant history" not in show_mermaid(STORY_HEADER, told(STORY), STOPPED, MESSAGES)


def test_every_kept_run_is_a_diagram_of_lines_that_mermaid_knows() -> None:
    texts = [show(path, "--as", "mermaid").stdout for path in sorted(ACCEPTED.glob("*.ndjson"))]
    strange = [line for text in texts for line in text.splitlines() if not DIAGRAM_LINE.fullmatch(line)]

    assert len(texts) > 10
    assert strange == []


def test_no_name_of_a_run_can_be_a_word_of_the_diagram() -> None:
    """CASES 158."""
    steps = [
        TraceStep(step=0, action=None, new={"Host": (WICKED, "h2")}),
        TraceStep(step=1, action="Load", args=(WICKED, WICKED), host=WICKED, begin_ms=1, end_ms=1),
        TraceStep(step=2, action="AddTask", args=(WICKED,)),
    ]
    text = show_mermaid(attrs.evolve(STORY_HEADER, why=WICKED), steps, STOPPED, MESSAGES)

    assert [line for line in text.splitlines() if not DIAGRAM_LINE.fullmatch(line)] == []
    assert not set('<>"%&\\') & set(text.replace("->>", "").replace("%% ended", ""))
    assert re.sub(r"#\d+;", "", text).count(";") == 0
    assert escaped("</script>") == "#60;/script#62;"


def test_several_hosts_have_lifelines_and_what_no_host_is_named_for_stands_at_the_service() -> None:
    steps = [
        TraceStep(step=0, action=None, new={"Host": ("h1", "h2")}),
        TraceStep(step=1, action="AddTask", args=("t1", "q1", "v1")),
        TraceStep(step=2, action="Load", args=("h2", "q1"), host="h2"),
    ]
    lines = show_mermaid(STORY_HEADER, steps, STOPPED, MESSAGES).splitlines()

    assert "    callers->>service: 1  AddTask(t1, q1, v1)" in lines
    assert "    Note over host2: 2  Load(h2, q1)" in lines


# --- the document ---


def itf(path: Path) -> Any:
    return json.loads(show(path, "--as", "itf").stdout)


def test_every_state_of_the_document_has_every_variable_of_the_run() -> None:
    header, steps, _ = read_trace(ACCEPTED / "stored-then-polled.ndjson")
    document = itf(ACCEPTED / "stored-then-polled.ndjson")
    names = {name for shown in header.observes.values() for name in shown}

    assert document["#meta"]["format"] == "ITF"
    assert set(document["vars"]) == names
    assert len(document["states"]) == len(steps)
    assert {frozenset(state) for state in document["states"]} == {frozenset(names | {"#meta"})}
    assert [state["#meta"]["index"] for state in document["states"]] == [each.step for each in steps]


def test_the_judged_document_has_what_the_run_hides_as_well() -> None:
    path = ACCEPTED / "sync-match.ndjson"
    shown, judged = itf(path), json.loads(show(path, "--as", "itf", "--judged").stdout)
    hidden = set(judged["vars"]) - set(shown["vars"])

    assert hidden == {name for names in HIDDEN.values() for name in names}
    assert [{name: state[name] for name in shown["states"][0]} for state in judged["states"]] == shown["states"]
    assert judged["states"][-1]["settled"]["#map"][0] == ["p1", {"#set": [["delivery", "t1"]]}]


def test_the_judged_document_ends_where_the_run_parts_from_the_specification() -> None:
    result = show(ACCEPTED.parent / "rejected" / "left-caller-gets-the-task.ndjson", "--as", "itf", "--judged")

    assert result.return_value == 1
    assert [state["#meta"]["index"] for state in json.loads(result.stdout)["states"]] == list(range(14))


def test_where_several_states_fit_none_is_told_as_the_one(tmp_path: Path) -> None:
    judge = ["--spec", str(BATON.module), "--config", str(BATON.config)]
    result = show(race_file(tmp_path, RACE), "--as", "itf", "--judged", *judge)

    assert result.stdout == ""
    assert "2 states fit after step 0" in str(result.exception)


def test_what_is_for_the_judged_document_is_asked_of_it_alone(tmp_path: Path) -> None:
    path = race_file(tmp_path, RACE)

    assert "--judged is for --as itf" in str(show(path, "--judged").exception)
    assert "are for --judged" in str(show(path, "--as", "itf", "--spec", "Baton.tla").exception)


def test_what_a_step_leaves_alone_is_as_it_was_in_the_state_before(tmp_path: Path) -> None:
    states = itf(race_file(tmp_path, RACE))["states"]

    assert [state["holder"] for state in states] == [{"#set": names} for names in ([], ["ann"], ["bob"], ["ann"], [])]
    assert states[1]["laps"] == {"#map": [["ann", 0], ["bob", 0]]}
    assert states[4]["laps"] == states[3]["laps"] == {"#map": [["ann", 1], ["bob", 1]]}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (10**30, {"#bigint": "1000000000000000000000000000000"}),
        (-(2**53), {"#bigint": "-9007199254740992"}),
        (2**53 - 1, 9007199254740991),
        (TRUE, True),
        ((1, "a"), [1, "a"]),
        (model_value("a"), "a_OF_MODEL"),
        (frozenset({3, 1}), {"#set": [1, 3]}),
        (make_function({"b": 1, "a": 2}), {"a": 2, "b": 1}),
        (make_function({("h1", 2): 5, ("h1", 1): 6}), {"#map": [[["h1", 1], 6], [["h1", 2], 5]]}),
        (make_function({"p1": (), "p2": 1}), {"#map": [["p1", []], ["p2", 1]]}),
        (make_function({"#set": (), "a": 1}), {"#map": [["#set", []], ["a", 1]]}),
    ],
)
def test_a_value_is_written_in_one_way(value: Any, written: Any) -> None:
    """CASES 157."""
    assert json.dumps(itf_value(value, {"p1", "p2"})) == json.dumps(written)


@given(made_of(PLAIN))
def test_a_value_comes_back_from_the_document_as_it_was(value: Any) -> None:
    """CASES 157: but for model values, which the document has as strings."""
    assert decode(json.loads(json.dumps(itf_value(value, {"p1", "p2"})))) == value


def test_the_number_of_a_run_is_the_same_whether_it_was_written_plain_or_tagged(tmp_path: Path) -> None:
    """CASES 157."""
    text = trace_text(HEADER, RACE, STOPPED)
    plain = write_trace(tmp_path / "plain.ndjson", text)
    tagged = write_trace(tmp_path / "tagged.ndjson", text.replace('"ann":1', '"ann":{"#bigint":"1"}'))

    assert plain.read_text(encoding="utf-8") != tagged.read_text(encoding="utf-8")
    assert itf(plain) == itf(tagged)
