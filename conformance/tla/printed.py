"""Reads values and states back from the text that TLC prints.

Three rules:

1. Layout means nothing: a value may be wrapped over any number of lines.
2. Text in quotes is a string and a bare name is a model value; they never merge.
3. What is not understood is an error with its line, never an empty result.
"""

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from conformance.tla.errors import TlaError
from conformance.tla.values import Value, boolean, make_function, model_value

__all__ = ["UnreadableValueError", "parse_state", "parse_value", "parse_values"]

T = TypeVar("T")

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<number>-?\d+)
      | (?P<name>[A-Za-z_][A-Za-z0-9_!]*|\d*[A-Za-z_]\w*)
      | (?P<mark><<|>>|\|->|:>|@@|\.\.|/\\|[{}\[\](),=])
    )""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


class UnreadableValueError(TlaError):
    """Text that was to be a value as TLC prints it, and is not."""


def parse_value(text: str, *, first_line: int = 1) -> Value:
    """The one value that ``text`` holds; ``first_line`` is where it stood, for the error."""
    reader = _Reader(text, first_line)
    value = reader.value()
    reader.end()
    return value


def parse_values(text: str) -> tuple[Value, ...]:
    """The values of a list that commas divide, such as the arguments of an action."""
    reader = _Reader(text, 1)
    values: list[Value] = []
    while not reader.done():
        if values:
            reader.take(",")
        values.append(reader.value())
    return tuple(values)


def parse_state(text: str, *, first_line: int = 1) -> dict[str, Value]:
    r"""The variables of a state, ``/\ x = 1 /\ y = ...`` or ``x = 1`` alone.

    TLC prints a variable that its action left unassigned as ``null``; it is left out.
    """
    reader = _Reader(text, first_line)
    state: dict[str, Value] = {}
    while not reader.done():
        reader.skip("/\\")
        name = reader.name()
        if name in state:
            raise reader.error(f"{name} is given twice")
        reader.take("=")
        if reader.skip_name("null"):
            continue
        state[name] = reader.value()
    return state


class _Reader:
    """Recursive descent over the tokens; ``_kind`` is empty at the end of the text."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text = text
        self._first_line = first_line
        self._at = 0
        self._kind = ""
        self._token = ""
        self._next = 0
        self._advance()

    def done(self) -> bool:
        return not self._kind

    def end(self) -> None:
        if self._kind:
            raise self.error(f"text goes on after the value, with {self._token}")

    def error(self, why: str) -> UnreadableValueError:
        line = self._first_line + self._text.count("\n", 0, self._at)
        around = self._text[self._at : self._at + 40].split("\n")[0]
        return UnreadableValueError(f"line {line} of TLC's output is no value that can be read: {why}, at {around!r}")

    def skip(self, mark: str) -> bool:
        if self._kind == "mark" and self._token == mark:
            self._advance()
            return True
        return False

    def skip_name(self, name: str) -> bool:
        if self._kind == "name" and self._token == name:
            self._advance()
            return True
        return False

    def take(self, mark: str) -> None:
        if not self.skip(mark):
            raise self.error(f"{mark} is expected")

    def name(self) -> str:
        if self._kind != "name":
            raise self.error("a name is expected")
        name = self._token
        self._advance()
        return name

    def value(self) -> Value:
        kind, token = self._kind, self._token
        if kind == "string":
            self._advance()
            return _unquote(token)
        if kind == "number":
            self._advance()
            return self._interval(int(token)) if self.skip("..") else int(token)
        if kind == "name":
            self._advance()
            return boolean(token == "TRUE") if token in ("TRUE", "FALSE") else model_value(token)
        if self.skip("<<"):
            return tuple(self._list(">>", self.value))
        if self.skip("{"):
            return frozenset(self._list("}", self.value))
        if self.skip("["):
            return self._function(self._list("]", self._field))
        if self.skip("("):
            return self._pairs()
        raise self.error("a value is expected")

    def _interval(self, low: int) -> Value:
        if self._kind != "number":
            raise self.error("the end of an interval is expected")
        high = int(self._token)
        self._advance()
        return frozenset(range(low, high + 1))

    def _list(self, close: str, item: Callable[[], T]) -> list[T]:
        items: list[T] = []
        if self.skip(close):
            return items
        while True:
            items.append(item())
            if self.skip(close):
                return items
            self.take(",")

    def _field(self) -> tuple[Value, Value]:
        name = self.name()
        self.take("|->")
        return name, self.value()

    def _pairs(self) -> Value:
        pairs: list[tuple[Value, Value]] = []
        while True:
            key = self.value()
            self.take(":>")
            pairs.append((key, self.value()))
            if self.skip(")"):
                return self._function(pairs)
            self.take("@@")

    def _function(self, pairs: list[tuple[Value, Value]]) -> Value:
        mapping: Mapping[Value, Value] = dict(pairs)
        if len(mapping) != len(pairs):
            raise self.error("a function gives one argument two values")
        return make_function(mapping)

    def _advance(self) -> None:
        match = _TOKEN.match(self._text, self._next)
        if match is None:
            self._at = self._next + len(self._text[self._next :]) - len(self._text[self._next :].lstrip())
            self._kind, self._token = "", ""
            if self._at < len(self._text):
                raise self.error("this is no part of a value")
            return
        kind = match.lastgroup
        assert kind is not None
        self._kind, self._token = kind, match[kind]
        self._at, self._next = match.start(kind), match.end()


def _unquote(token: str) -> str:
    return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), token[1:-1])
