"""The lines of a trace: written in one way, read strictly, each mistake with its line."""

import io
from pathlib import Path

import attrs
import pytest

from conformance.trace.errors import TraceError
from conformance.trace.header import Footer, Header
from conformance.trace.reader import TraceReader, read_trace
from conformance.trace.step import TraceStep
from conformance.trace.writer import content_name, keep_trace, trace_text
from tests.trace.races import HEADER, RACE, race_file

FOOTER = Footer(end="stopped", requests=({"do": "wait", "by_ms": 1},))
TEXT = trace_text(HEADER, RACE, FOOTER)


def read(text: str | bytes) -> TraceReader:
    """The reader after it has read everything."""
    reader = TraceReader(io.BytesIO(text.encode() if isinstance(text, str) else text))
    list(reader.steps())
    return reader


def replaced(old: str, new: str) -> str:
    """The race's text with one change, which is there to be made."""
    assert old in TEXT
    return TEXT.replace(old, new, 1)


def test_a_trace_comes_back_as_it_was(tmp_path: Path) -> None:
    assert read_trace(race_file(tmp_path, RACE, footer=FOOTER)) == (HEADER, RACE, FOOTER)


def test_a_trace_that_was_read_is_written_as_the_same_bytes(tmp_path: Path) -> None:
    path = race_file(tmp_path, RACE, footer=FOOTER)

    assert trace_text(*read_trace(path)) == path.read_text(encoding="utf-8") == TEXT


def test_the_columns_of_a_step_stand_in_one_order() -> None:
    step = TraceStep(
        step=1, action="Go", args=("a",), host="h", seq=1, begin_ms=0.5, end_ms=2.0, request=({"x": 1, "do": "go"},)
    )

    assert trace_text(HEADER, [step], None).splitlines()[1] == (
        '{"step":1,"action":"Go","args":["a"],"host":"h","seq":1,"begin_ms":0.5,"end_ms":2,'
        '"request":[{"do":"go","x":1}]}'
    )


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + TEXT,
        TEXT.replace("\n", "\r\n"),
        TEXT + "\n",
        TEXT + "\r\n \n\n",
        TEXT.removesuffix("\n"),
    ],
    ids=["byte-order mark", "CRLF", "blank line", "several blank lines", "no last line end"],
)
def test_marks_and_line_ends_change_nothing(text: str) -> None:
    """CASES 67."""
    reader = read(text)

    assert reader.footer == FOOTER
    assert reader.line == len(RACE) + 2


def test_a_trace_without_its_footer_is_cut_short_at_its_last_line() -> None:
    reader = read(trace_text(HEADER, RACE, None))

    assert reader.footer is None
    assert reader.cut_short == "cut short at line 6: the trace ends there without a footer"


def test_a_torn_last_line_is_cut_short_there() -> None:
    """CASES 68."""
    reader = read(trace_text(HEADER, RACE, None)[:-20])

    assert reader.cut_short == "cut short at line 6: the trace ends there in the middle of a line"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the trace is empty"),
        ("\n\n", "the trace is empty"),
        ("INFO starting\n" + TEXT, "line 1: the line is not JSON"),
        (TEXT.split("\n", 1)[1], "line 1: the first line is not a header"),
        (replaced("matching-trace/1", "matching-trace/2"), "line 1: the format is 'matching-trace/2'"),
        (replaced('"why"', '"degree"'), "line 1: the header has 'degree', which is not known"),
        (replaced('"Baton":[', '"spec/Baton.tla":['), "line 1: .* paths are not names"),
        (replaced('["holder","laps"]', '["laps","laps"]'), "line 1: .* names a variable twice"),
        (
            replaced('"Baton":["holder","laps"]', '"Baton":["holder","laps"],"Team":["laps"]'),
            "line 1: the header lists laps for Baton and for Team; it has one owner",
        ),
        (replaced('"step":2', '"step":3'), "line 4: step 3 stands where step 2 is expected"),
        (replaced('"step":2', '"step":true'), "line 4: the number of the step is True"),
        (replaced('"args":["ann"]', '"args":"ann"'), "line 3: args is not a list"),
        (replaced('"action":"Start"', '"action":1'), "line 3: the action is 1"),
        (replaced('"action":"Start"', '"action":null'), "line 3: a step without an action has arguments"),
        (replaced('"action":null', '"action":"Start"'), "line 2: step 0 is the beginning"),
        (replaced('"action":"Start"', '"acton":"Start"'), "line 3: the step has 'acton', which is not known"),
        (
            replaced('"after":{"Baton":{"holder"', '"after":{"Baton":{"x":null,"holder"'),
            r"line 2: Baton\.x: null is no",
        ),
        (replaced('"new":{"Runner":["ann","bob"]}', '"new":{"Runner":["ann","ann"]}'), "line 2: .* an id twice"),
        (replaced('"end":"stopped"', '"end":"won"'), "line 7: the footer's end is 'won'"),
        (replaced('"do":"wait"', '"to":"wait"'), 'line 7: .* each with a "do"'),
        (TEXT + TEXT, "line 8: there is more after the footer"),
        (TEXT.replace("\n", "\n\n", 1), "line 3: there is more after a blank line"),
        (TEXT + "[]\n", "line 8: there is more after the footer"),
        (replaced('{"step":4', '{"stop":4'), "line 6: the line is neither a step"),
        (replaced("\n", "\n5\n"), "line 2: the line is not an object"),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(TraceError, match=said):
        read(text)


def test_a_hosts_own_count_only_grows() -> None:
    steps = [attrs.evolve(each, host="h1", seq=seq) for each, seq in zip(RACE, (None, 1, 3, 2, 4), strict=True)]

    with pytest.raises(TraceError, match="line 5: host h1 counts 2 after 3"):
        read(trace_text(HEADER, steps, FOOTER))


def test_a_step_does_not_end_before_it_begins() -> None:
    steps = [RACE[0], attrs.evolve(RACE[1], begin_ms=10, end_ms=9)]

    with pytest.raises(TraceError, match="line 3: the step ends at 9 ms, before it begins at 10 ms"):
        read(trace_text(HEADER, steps, FOOTER))


def test_a_trace_is_named_by_its_content(tmp_path: Path) -> None:
    first = keep_trace(tmp_path, HEADER, RACE, FOOTER)
    again = keep_trace(tmp_path, HEADER, RACE, FOOTER)
    other = keep_trace(tmp_path, HEADER, RACE[:2], FOOTER)

    assert first == again != other
    assert first.name == content_name(HEADER, TEXT)
    assert first.name.startswith("Baton-")


def test_a_trace_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    steps = [*RACE, TraceStep(step=5, action="Start", args=(object(),))]

    with pytest.raises(TraceError):
        keep_trace(tmp_path / "found", HEADER, steps, FOOTER)
    assert not (tmp_path / "found").exists()


def test_a_trace_that_is_not_there_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"nowhere\.ndjson: cannot be read"):
        read_trace(tmp_path / "nowhere.ndjson")


def test_a_header_gives_its_module_and_keeps_its_setup() -> None:
    header = Header(observes={"Baton": ["laps"]}, setup={"b": [1], "a": {"d": 1, "c": 2}})

    assert header.module == "Baton"
    assert list(header.as_json()["setup"]) == ["a", "b"]
