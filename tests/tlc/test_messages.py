"""TLC's framed messages, whole and torn."""

from conformance.tla.tlc_messages import Message, read_messages
from conformance.tla.tlc_verdict import read_verdict


def start(code: int, severity: int = 0) -> str:
    return f"@!@!@STARTMSG {code}:{severity} @!@!@"


def end(code: int) -> str:
    return f"@!@!@ENDMSG {code} @!@!@"


def test_a_message_has_its_number_and_its_text() -> None:
    assert read_messages([start(2199), "5 states", "", end(2199)]) == [Message(2199, 0, "5 states")]


def test_text_outside_all_frames_is_kept_line_by_line() -> None:
    found = read_messages([start(2190), "one", end(2190), '<<"step", 1>>', start(2199), "two", end(2199)])

    assert [message.code for message in found] == [2190, None, 2199]
    assert [message.text for message in found] == ["one", '<<"step", 1>>', "two"]


def test_what_stands_between_the_start_and_the_end_of_sany_is_sanys() -> None:
    found = read_messages([start(2220), end(2220), "*** Errors: 1", start(2219), end(2219), "printed"])

    assert [message.from_sany for message in found] == [False, True, False, False]


def test_a_message_inside_another_is_part_of_the_outer_ones_text() -> None:
    inner, outer = read_messages([start(1000, 1), "threw", ": " + start(2182), "why", end(2182), end(1000)])

    assert (inner.code, inner.text, inner.nested) == (2182, "why", True)
    assert (outer.code, outer.text) == (1000, "threw\n: \nwhy")


def test_a_message_that_is_never_closed_is_kept() -> None:
    first, second = read_messages([start(2110, 1), "Invariant", start(2199), "counts", end(2199)])

    assert (first.code, first.text, first.closed) == (2110, "Invariant", False)
    assert (second.code, second.text, second.closed) == (2199, "counts", True)


def test_an_end_without_a_start_is_no_message() -> None:
    assert read_messages([end(2199), "printed"]) == [Message(None, 0, "printed")]


def test_a_marker_inside_a_printed_string_is_text() -> None:
    assert read_messages([f'"{start(2110, 1)}"'])[0].code is None


def test_an_output_cut_short_is_an_error_that_says_so() -> None:
    verdict = read_verdict(read_messages([start(2200), "Progress(3) at"]), None)

    assert (verdict.verdict, verdict.timed_out, verdict.exit_status) == ("error", True, 4)


def test_an_unknown_exit_status_is_an_error_with_what_java_said() -> None:
    verdict = read_verdict([], 134, ["", "Out of memory"])

    assert verdict.verdict == "error"
    assert verdict.errors[0].text == "TLC ended with status 134 and named no error. Out of memory"


def test_a_violation_in_a_torn_output_is_a_violation() -> None:
    verdict = read_verdict(read_messages([start(2110, 1), "Invariant SmallInv is violated."]), None)

    assert (verdict.verdict, verdict.violated) == ("safety", "SmallInv")
