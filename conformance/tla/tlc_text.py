"""Reads what TLC printed earlier, or elsewhere, from a file: with ``-tool`` or without, by this version or a newer one.

Two rules:

1. Text without numbers is read by the shapes of its lines, each anchored at both ends,
   and turned into the numbered messages that TLC would have written under ``-tool``;
   what they mean is decided in one place.
2. Text in which nothing is recognised is an error; it is never an empty answer.
"""

import re
from collections.abc import Iterable, Iterator

from conformance.tla.errors import TlaError
from conformance.tla.tlc_messages import Code, Message, Severity, read_messages
from conformance.tla.tlc_verdict import Verdict, read_verdict

__all__ = ["UnreadableOutputError", "read_output"]

_FRAME = "@!@!@STARTMSG"
_STATE = re.compile(r"^(?:State )?(?P<number>\d+): (?P<label><.*>)$")
_STUTTERING = re.compile(r"^(?:State )?(?P<number>\d+): Stuttering$")
_BACK = re.compile(r"^Back to state (?P<number>\d+)(?:: (?P<label><.*>))?\.?$")
_BACK_NUMBERED = re.compile(r"^(?P<number>\d+): Back to state(?:: (?P<label><.*>))?$")
_INITIAL = re.compile(r"^Error: (?P<text>(?:Invariant|Property) \S+ is violated by the initial state:?)$")
_VIOLATIONS = (
    (re.compile(r"^Error: (?P<text>Invariant \S+ is violated\.?)$"), Code.INVARIANT_VIOLATED),
    (re.compile(r"^Error: (?P<text>Action property .+ is violated\.?)$"), Code.STEP_PROPERTY_VIOLATED),
    (re.compile(r"^Error: (?P<text>Temporal propert(?:y|ies) .*violated\.?)$"), Code.TEMPORAL_VIOLATED),
    (re.compile(r"^Error: (?P<text>Deadlock reached\.?)$"), Code.DEADLOCK),
)
_VERSION = re.compile(r"^(?P<text>TLC2 Version .+)$")
_VARIABLE = re.compile(r"^(?:/\\ )?[A-Za-z_]\w* = ")


class UnreadableOutputError(TlaError):
    """A text that is no output of TLC."""


def read_output(text: str) -> Verdict:
    """The verdict in the text of a whole run; one that ended well, without a counterexample, is no error.

    Raises:
        UnreadableOutputError: nothing in it is TLC's.
    """
    lines = text.split("\n")
    messages = read_messages(lines) if _FRAME in text else list(_numbered([line.rstrip("\r") for line in lines]))
    if not any(message.code is not None for message in messages):
        raise UnreadableOutputError("no line of this text is one that TLC prints about a run")
    went_well = any(message.code == Code.SUCCESS for message in messages)
    return read_verdict(messages, 0 if went_well else 1)


def _numbered(lines: list[str]) -> Iterator[Message]:
    """The messages that the lines would have been, in their order."""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if found := _STATE.match(line):
            body, at = _body(lines, at)
            yield Message(Code.STATE, Severity.STATE, "\n".join([f"{found['number']}: {found['label']}", *body]))
        elif _STUTTERING.match(line):
            yield Message(Code.STUTTERING, Severity.STATE, line)
        elif found := _BACK.match(line) or _BACK_NUMBERED.match(line):
            yield Message(
                Code.BACK_TO_STATE, Severity.STATE, f"{found['number']}: Back to state: {found['label'] or ''}"
            )
        elif found := _INITIAL.match(line):
            body, at = _body(lines, at)
            code = Code.INVARIANT_VIOLATED_INITIAL
            yield Message(code, Severity.ERROR, "\n".join([found["text"], *body]))
        elif found := _VERSION.match(line):
            yield Message(Code.VERSION, Severity.NONE, found["text"])
        elif line.startswith("Model checking completed. No error has been found."):
            yield Message(Code.SUCCESS, Severity.NONE, line)
        else:
            yield from _violation(line)


def _body(lines: list[str], at: int) -> tuple[list[str], int]:
    """The lines of one state: from the first variable up to an empty line; continuations begin with a space."""
    first = at
    while at < len(lines) and lines[at].strip() and (_VARIABLE.match(lines[at]) or lines[at][0].isspace()):
        at += 1
    return lines[first:at], at


def _violation(line: str) -> Iterable[Message]:
    for pattern, code in _VIOLATIONS:
        if found := pattern.match(line):
            return [Message(code, Severity.ERROR, found["text"])]
    return []
