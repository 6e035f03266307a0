"""The one-line reading of a definition, from the comments beside it.

SANY's tree has no comments, so they are read from the text: the comment that
ends the line of the definition, or else the comment line directly above it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from conformance.tla.errors import Location, SpecError
from conformance.tla.text import read_source
from conformance.tla.tree import ModuleTree

__all__ = ["reading_of", "source_lines", "text_at"]

_STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|\\\*(?P<text>.*)$|\(\*+(?P<block>.*?)\*+\)\s*$')


@lru_cache(maxsize=64)
def _lines(path: Path, _changed: int) -> tuple[str, ...]:
    return tuple(read_source(path).splitlines())


def source_lines(tree: ModuleTree, module: str) -> tuple[str, ...]:
    """The text of a module, or nothing where it is a standard one."""
    path = tree.files.get(module)
    if path is None:
        return ()
    try:
        return _lines(path, path.stat().st_mtime_ns)
    except (OSError, SpecError):
        return ()


def text_at(tree: ModuleTree, place: Location) -> str:
    """The source text of a place, on one line."""
    lines = source_lines(tree, place.module)
    if not 0 < place.line <= place.end_line <= len(lines):
        return ""
    chosen = list(lines[place.line - 1 : place.end_line])
    chosen[-1] = chosen[-1][: place.end_column]
    chosen[0] = chosen[0][place.column - 1 :]
    return " ".join(_without_comment(line).strip() for line in chosen).strip()


def reading_of(tree: ModuleTree, place: Location) -> str:
    """What the comment beside a definition says."""
    lines = source_lines(tree, place.module)
    if not 0 < place.line <= len(lines):
        return ""
    for match in _STRING_OR_COMMENT.finditer(lines[place.line - 1]):
        said = match.group("text") or match.group("block")
        if said:
            return said.strip()
    above = lines[place.line - 2].strip() if place.line >= 2 else ""
    if above.startswith("\\*"):
        return above[2:].strip()
    if above.startswith("(*") and above.endswith("*)"):
        return above.strip("()* ")
    return ""


def _without_comment(line: str) -> str:
    for match in _STRING_OR_COMMENT.finditer(line):
        if match.group("text") is not None:
            return line[: match.start()]
    return line
