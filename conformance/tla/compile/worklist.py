"""The conjuncts that an action still has to go through, and the lines written so far.

One rule: a generated function nests no deeper than Python allows; `Writer` counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import attrs

from conformance.tla.compile.scope import Env, Frame
from conformance.tla.tree import Node

__all__ = ["MAX_BLOCKS", "MAX_INDENT", "Goal", "Item", "Known", "Rest", "Ways", "Work", "Writer", "flat"]


@attrs.frozen(eq=False)
class Ways:
    """The ways through a part of an action: what has a value before it, and what they give one, by number."""

    before: frozenset[int]
    given: list[tuple[int, ...]]


@attrs.frozen(eq=False)
class Goal:
    """What a generator is for: ``next``, ``leaf``, ``init`` or ``enabled``; and what it says beside the state."""

    kind: str
    action: str
    arguments: tuple[str, ...] | None = None
    ways: Ways | None = None


@attrs.frozen(eq=False)
class Rest:
    """The worklist behind a branch, as functions: one for each set of variables that have a value, or keep theirs."""

    work: Work
    goal: Goal
    functions: dict[tuple[frozenset[int], frozenset[int]], tuple[str, list[str]]] = attrs.Factory(dict)


Item = tuple[Node, Env] | Rest
# The first item and the rest of the list; written as a string because it speaks of itself.
Work: TypeAlias = "tuple[Item, Work] | None"
Known = Mapping[int, str]

MAX_BLOCKS = 12
MAX_INDENT = 40


class Writer:
    """The lines of one generated function."""

    def __init__(self, frame: Frame, indent: int = 1, blocks: int = 0, lines: list[str] | None = None) -> None:
        self.frame = frame
        self.indent = indent
        self.blocks = blocks
        self.lines: list[str] = [] if lines is None else lines

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def block(self, head: str) -> Writer:
        self.line(head)
        return Writer(self.frame, self.indent + 1, self.blocks + head.startswith("for "), self.lines)


def flat(node: Node) -> list[Node]:
    """The disjuncts of nested disjunctions."""
    parts: list[Node] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if part[0] == "b" and part[2] in ("\\lor", "$DisjList"):
            waiting.extend(reversed(part[3]))
        else:
            parts.append(part)
    return parts
