"""A line of JSON about which readers would disagree is refused."""

import pytest

from conformance.trace.errors import TraceError
from conformance.trace.strict import MOST_DEPTH, MOST_DIGITS, MOST_LINE_BYTES, dump, load


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"a":1,"a":2}', "'a' stands twice"),
        (b'{"b":{"a":1,"a":2}}', "'a' stands twice"),
        (b"[NaN]", "NaN is not a number"),
        (b"[-Infinity]", "-Infinity is not a number"),
        (b"[1e999]", "too large to be kept"),
        (b'["\\ud800"]', "half of a surrogate pair"),
        (b'{"\\udc00":1}', "half of a surrogate pair"),
        (b'["\xff"]', "not UTF-8"),
        (b"[1] [2]", "not JSON: Extra data at column 5"),
        (b"INFO {}", "not JSON"),
        (b"[" + b"1" * (MOST_DIGITS + 1) + b"]", "more than 100 digits"),
        (b"[" * (MOST_DEPTH + 1) + b"]" * (MOST_DEPTH + 1), "nests deeper than 64"),
        (b"[" * 100_000, "nests deeper than 64"),
        (b'"' + b"a" * MOST_LINE_BYTES + b'"', "longer than 1000000 bytes"),
        (b"[1,]", "not JSON"),
        (b"['a']", "not JSON"),
        (b'["a\nb"]', "not JSON"),
    ],
    ids=lambda value: value[:30].decode("latin-1") if isinstance(value, bytes) else "",
)
def test_it_is_refused_with_its_own_message(line: bytes, said: str) -> None:
    with pytest.raises(TraceError, match=said):
        load(line)


def test_brackets_inside_of_strings_are_not_depth() -> None:
    assert load(b'["' + b"[" * 200 + b'"]') == ["[" * 200]


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert load(b'["\\ud83d\\ude00"]') == ["\N{GRINNING FACE}"]


def test_a_line_is_written_without_spaces_in_utf_8() -> None:
    assert dump({"a": [1, "é"]}) == '{"a":[1,"é"]}'
