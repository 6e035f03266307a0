"""The configuration of a model: TLC's ``.cfg`` files, read as TLC reads them.

Three rules:

1. What TLC refuses is refused, with the line: negative numbers, tuples, ranges.
2. A bare name as a value is a model value, even that of a section; a quoted one is a string,
   whose backslashes are part of it.
3. CHECK_DEADLOCK is the exception.  Newer TLC know it; 2.15 takes it for the name of
   one more property, or expects a keyword in its place.  It is read here so that cfgs that
   are written for newer tools keep their meaning; `conformance.tla.tlc` hands it on as an option.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from conformance.tla.errors import EvaluationError, SpecError
from conformance.tla.text import read_source
from conformance.tla.values import FALSE, TRUE, ModelValue, equal, model_value

__all__ = ["Config", "parse_config"]


@attrs.frozen
class Config:
    """What a model binds and what it asks."""

    name: str = "configuration"
    constants: Mapping[str, Any] = attrs.Factory(dict)
    overrides: Mapping[str, str] = attrs.Factory(dict)
    module_constants: Mapping[tuple[str, str], Any] = attrs.Factory(dict)
    module_overrides: Mapping[tuple[str, str], str] = attrs.Factory(dict)
    init: str | None = None
    next: str | None = None
    specification: str | None = None
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    action_constraints: tuple[str, ...] = ()
    symmetry: str | None = None
    view: str | None = None
    check_deadlock: bool | None = None
    words: tuple[str, ...] = ()
    """The strings and model values as they stand in the text: by them TLC orders."""

    @property
    def asked(self) -> tuple[str, ...]:
        """The names whose truth or value is asked; a constant operator is not among them."""
        single = (self.init, self.next, self.specification, self.symmetry, self.view)
        several = (*self.invariants, *self.properties, *self.constraints, *self.action_constraints)
        return (*(name for name in single if name is not None), *several)


_SECTIONS = {
    "CONSTANT": "constants",
    "CONSTANTS": "constants",
    "INIT": "init",
    "NEXT": "next",
    "SPECIFICATION": "specification",
    "INVARIANT": "invariants",
    "INVARIANTS": "invariants",
    "PROPERTY": "properties",
    "PROPERTIES": "properties",
    "CONSTRAINT": "constraints",
    "CONSTRAINTS": "constraints",
    "ACTION_CONSTRAINT": "action_constraints",
    "ACTION_CONSTRAINTS": "action_constraints",
    "SYMMETRY": "symmetry",
    "VIEW": "view",
    "CHECK_DEADLOCK": "check_deadlock",
}
_SINGLE = frozenset({"init", "next", "specification", "symmetry", "view"})
_TOKEN = re.compile(
    r"""(?P<space>\s+|\\\*[^\n]*)
      | (?P<comment>\(\*)
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<number>\d+(?![\w]))
      | (?P<name>[\w!]+)
      | (?P<sign><-|=|\{|\}|,|\[|\])""",
    re.VERBOSE,
)


def parse_config(source: str | Path) -> Config:
    """The configuration in a file, or in a text."""
    if isinstance(source, Path):
        return _Parser(read_source(source), source.name).parse()
    return _Parser(source, "configuration").parse()


class _Parser:
    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.tokens: list[tuple[str, str, int]] = []
        self.position = 0
        self.words: list[str] = []
        self._tokenize(text)

    def error(self, message: str, line: int) -> SpecError:
        return SpecError(f"{self.name}:{line}: {message}")

    def _tokenize(self, text: str) -> None:
        position, line = 0, 1
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise self.error(f"cannot read {text[position : position + 10].split()[0]!r} here", line)
            kind, end = match.lastgroup or "", match.end()
            if kind == "comment":
                end = self._comment(text, position, line)
            elif kind != "space":
                self.tokens.append((kind, match.group(), line))
            line += text.count("\n", position, end)
            position = end
        self.tokens.append(("end", "", line))

    def _comment(self, text: str, start: int, line: int) -> int:
        depth, position = 0, start
        while position < len(text):
            if text.startswith("(*", position):
                depth, position = depth + 1, position + 2
            elif text.startswith("*)", position):
                depth, position = depth - 1, position + 2
                if depth == 0:
                    return position
            else:
                position += 1
        raise self.error("a comment does not end", line)

    @property
    def token(self) -> tuple[str, str, int]:
        return self.tokens[self.position]

    def take(self, kind: str, what: str) -> str:
        found, text, line = self.token
        if found != kind or (kind == "name" and text in _SECTIONS):
            raise self.error(f"{what} is expected, and {text or 'the end'!r} stands here", line)
        self.position += 1
        return text

    def accept(self, text: str) -> bool:
        if self.token[1] == text and self.token[0] in ("sign", "name"):
            self.position += 1
            return True
        return False

    def parse(self) -> Config:
        fields: dict[str, Any] = {"constants": {}, "overrides": {}, "module_constants": {}, "module_overrides": {}}
        while self.token[0] != "end":
            _, word, line = self.token
            section = _SECTIONS.get(word)
            if section is None:
                raise self.error(f"{word!r} is not a section; it needs one of {', '.join(sorted(_SECTIONS))}", line)
            self.position += 1
            if section == "constants":
                while self.token[0] == "name" and self.token[1] not in _SECTIONS:
                    self._constant(fields)
            elif section == "check_deadlock":
                value = self.take("name", "TRUE or FALSE")
                if value not in ("TRUE", "FALSE"):
                    raise self.error(f"CHECK_DEADLOCK is TRUE or FALSE, not {value}", line)
                fields[section] = value == "TRUE"
            elif section in _SINGLE:
                if section in fields:
                    raise self.error(f"{word} is given twice", line)
                fields[section] = self.take("name", f"a name after {word}")
            else:
                names = list(fields.get(section, ()))
                while self.token[0] == "name" and self.token[1] not in _SECTIONS:
                    names.append(self.take("name", "a name"))
                fields[section] = tuple(names)
        if fields.get("specification") and (fields.get("init") or fields.get("next")):
            raise self.error("SPECIFICATION stands beside INIT or NEXT; give one of the two", 1)
        return Config(name=self.name, words=tuple(self.words), **fields)

    def _constant(self, fields: dict[str, Any]) -> None:
        line = self.token[2]
        name = self.take("name", "the name of a constant")
        if self.accept("="):
            if self.accept("["):
                module = self.take("name", "a module's name")
                self._sign("]")
                fields["module_constants"][module, name] = self._value()
            else:
                fields["constants"][name] = self._value()
        elif self.accept("<-"):
            if self.accept("["):
                module = self.take("name", "a module's name")
                self._sign("]")
                fields["module_overrides"][module, name] = self.take("name", "an operator's name")
            else:
                fields["overrides"][name] = self.take("name", "an operator's name")
        else:
            raise self.error(f"= or <- is expected after the constant {name}", line)

    def _sign(self, sign: str) -> None:
        if not self.accept(sign):
            raise self.error(f"{sign} is expected, and {self.token[1]!r} stands here", self.token[2])

    def _value(self) -> Any:
        kind, text, line = self.token
        if kind == "number":
            self.position += 1
            if int(text) > 2**31 - 1:
                raise self.error(f"the number {text} is beyond 32 bits", line)
            return int(text)
        if kind == "string":
            self.position += 1
            self.words.append(text[1:-1])
            return self.words[-1]
        if kind == "name":
            self.position += 1
            self.words.append(text)
            return TRUE if text == "TRUE" else FALSE if text == "FALSE" else model_value(text)
        if self.accept("{"):
            elements: list[Any] = []
            while not self.accept("}"):
                if elements:
                    self._sign(",")
                elements.append(self._value())
            return self._set(elements, line)
        raise self.error(
            f"a value is expected, and {text or 'the end'!r} stands here; a number, a string, a name or a set of these "
            "can stand in a configuration, everything else needs an operator and <-",
            line,
        )

    def _set(self, elements: list[Any], line: int) -> frozenset[Any]:
        """The set of these elements; all must be comparable, as a model value is with everything."""
        plain = [element for element in elements if element.__class__ is not ModelValue]
        try:
            for element in plain[1:]:
                equal(element, plain[0])
        except EvaluationError as error:
            raise self.error(f"a set holds what cannot be told apart: {error.message}", line) from error
        return frozenset(elements)
