"""One line of JSON, read strictly and written canonically.

Three rules:

1. What readers of JSON disagree about is refused: a name that stands twice, NaN
   and Infinity, half of a surrogate pair, bytes that are not UTF-8.
2. A line has limits, so that a hostile or broken file costs little: its length,
   its depth, the digits of a number.
3. `dump` writes UTF-8 without spaces; objects keep the order in which they are
   given, and their makers give them sorted or in the order that the format fixes.
"""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

from conformance.trace.errors import TraceError

__all__ = ["MOST_DEPTH", "MOST_DIGITS", "MOST_LINE_BYTES", "canonical", "dump", "load"]

MOST_LINE_BYTES: Final = 1_000_000
MOST_DEPTH: Final = 64
MOST_DIGITS: Final = 100


def load(line: bytes) -> Any:
    """The JSON document that the line is, without its line end."""
    if len(line) > MOST_LINE_BYTES:
        raise TraceError(f"the line is longer than {MOST_LINE_BYTES} bytes; a trace has one step a line")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TraceError(f"the line is not UTF-8 (byte {error.start + 1})") from error
    if text.count("[") + text.count("{") > MOST_DEPTH and _depth(text) > MOST_DEPTH:
        raise TraceError(f"the line nests deeper than {MOST_DEPTH} brackets")
    try:
        document = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise TraceError(
            f"the line is not JSON: {error.msg} at column {error.colno}; each line is one object and nothing else"
        ) from error
    if "\\u" in text:
        _refuse_lone_surrogates(document)
    return document


def dump(document: Any) -> str:
    """The document as one canonical line, without its line end."""
    return _ENCODER.encode(document)


def canonical(document: Any) -> Any:
    """The same plain JSON with the names of every object sorted."""
    if isinstance(document, dict):
        return {name: canonical(document[name]) for name in sorted(document)}
    if isinstance(document, list | tuple):
        return [canonical(item) for item in document]
    return document


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise TraceError(f"the name {twice!r} stands twice in one object")
    return found


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise TraceError(f"a number has more than {MOST_DIGITS} digits")
    return int(text)


def _fraction(text: str) -> float:
    if len(text) > MOST_DIGITS:
        raise TraceError(f"a number has more than {MOST_DIGITS} digits")
    number = float(text)
    if number - number != 0:
        raise TraceError(f"the number {text} is too large to be kept")
    return number


def _constant(text: str) -> NoReturn:
    raise TraceError(f"{text} is not a number of JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_fraction, parse_constant=_constant
)


def _depth(text: str) -> int:
    """How deep the brackets outside of strings go."""
    deepest = depth = 0
    in_string = escaped = False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _refuse_lone_surrogates(document: Any) -> None:
    try:
        dump(document).encode("utf-8")
    except UnicodeEncodeError as error:
        raise TraceError("half of a surrogate pair is not text; write the whole character") from error
