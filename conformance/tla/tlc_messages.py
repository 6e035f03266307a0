"""What TLC prints under ``-tool``: numbered messages between markers, and text outside them.

Three rules:

1. A marker counts only where it ends a line, so text inside a value never looks like one.
2. A message may stand inside another (TLC wraps the message of an exception in a
   message of its own); the outer one's text then holds the inner one's.  A message
   that is never closed, or closed under another number, is kept all the same.
3. Text outside markers is never dropped.  Between the start and the end of SANY it
   is SANY's; elsewhere it is what the specification itself prints.
"""

import enum
import re
from collections.abc import Iterable

import attrs

__all__ = ["Code", "Message", "MessageReader", "Severity", "read_messages"]

_START = re.compile(r"^(?P<before>.*?)@!@!@STARTMSG (?P<code>\d+)(?::(?P<severity>\d+))? @!@!@$")
_END = re.compile(r"^(?P<before>.*?)@!@!@ENDMSG (?P<code>\d+) @!@!@$")


class Code(enum.IntEnum):
    """The numbers that mean something to us, named as TLC's own sources name them."""

    SYSTEM_ERROR = 1000
    USAGE = 1102
    EVALUATION_FAILED = 2102
    NESTED_EXPRESSION = 2103
    ASSUMPTION_FALSE = 2104
    ASSUMPTION_ERROR = 2105
    INVARIANT_VIOLATED_INITIAL = 2107
    PROPERTY_VIOLATED_INITIAL = 2108
    INCOMPLETE_SUCCESSOR = 2109
    INVARIANT_VIOLATED = 2110
    STEP_PROPERTY_VIOLATED = 2112
    DEADLOCK = 2114
    TEMPORAL_VIOLATED = 2116
    BEHAVIOR_SO_FAR = 2121
    BACK_TO_STATE = 2122
    MODE_SEARCH = 2187
    MODE_SIMULATION = 2188
    SUCCESS = 2193
    DEPTH = 2194
    COUNTS = 2199
    PROGRESS = 2200
    COVERAGE_BEGINS = 2201
    SIMULATION_PROGRESS = 2209
    SIMULATION_COUNTS = 2210
    TEMPORAL_CHECKING = 2212
    STATE = 2217
    STUTTERING = 2218
    SANY_ENDS = 2219
    SANY_BEGINS = 2220
    INVARIANT_MISSING = 2229
    VERSION = 2262
    COUNTEREXAMPLE = 2264
    COVERAGE_ACTION = 2772
    COVERAGE_INIT = 2773
    SANY_FAILED = 3002
    CONFIG_ERROR = 5006


class Severity(enum.IntEnum):
    NONE = 0
    ERROR = 1
    BUG = 2
    WARNING = 3
    STATE = 4


@attrs.frozen
class Message:
    """One framed message, or, with ``code`` None, one line that stood outside all frames."""

    code: int | None
    severity: int
    text: str
    from_sany: bool = False
    nested: bool = False
    closed: bool = True


@attrs.define
class _Open:
    code: int
    severity: int
    lines: list[str] = attrs.Factory(list)


class MessageReader:
    """Takes the output line by line and gives each message as soon as it is whole."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._in_sany = False

    def feed(self, line: str) -> list[Message]:
        if start := _START.match(line):
            return self._begin(start)
        if end := _END.match(line):
            return self._end(end)
        if self._open:
            self._open[-1].lines.append(line)
            return []
        return self._outside(line)

    def finish(self) -> list[Message]:
        """The messages that the end of the output cut short."""
        cut: list[Message] = []
        while self._open:
            cut.append(self._close(closed=False))
        return cut

    def _begin(self, start: re.Match[str]) -> list[Message]:
        code, before = int(start["code"]), start["before"]
        found: list[Message] = []
        if self._open and not before:
            # A marker at the start of a line while a message is open: the open one was torn off.
            found += self.finish()
        elif self._open:
            self._open[-1].lines.append(before)
        elif before:
            found += self._outside(before)
        if code == Code.SANY_BEGINS:
            self._in_sany = True
        if code == Code.SANY_ENDS:
            self._in_sany = False
        self._open.append(_Open(code, int(start["severity"] or 0)))
        return found

    def _end(self, end: re.Match[str]) -> list[Message]:
        code, before = int(end["code"]), end["before"]
        if before:
            if not self._open:
                return self._outside(before)
            self._open[-1].lines.append(before)
        if not any(message.code == code for message in self._open):
            return []
        found: list[Message] = []
        while self._open[-1].code != code:
            found.append(self._close(closed=False))
        found.append(self._close(closed=True))
        return found

    def _close(self, *, closed: bool) -> Message:
        message = self._open.pop()
        text = "\n".join(message.lines).strip("\n")
        if self._open:
            self._open[-1].lines.append(text)
        return Message(message.code, message.severity, text, nested=bool(self._open), closed=closed)

    def _outside(self, line: str) -> list[Message]:
        return [Message(None, Severity.NONE, line, from_sany=self._in_sany)] if line.strip() else []


def read_messages(lines: Iterable[str]) -> list[Message]:
    """Every message of a whole output, in order."""
    reader = MessageReader()
    found = [message for line in lines for message in reader.feed(line)]
    return found + reader.finish()
