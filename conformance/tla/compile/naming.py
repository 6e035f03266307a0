"""Names in generated source: fresh ones, places, variables and states.

One rule: a name is made once and belongs to one function; what another function
needs of it is handed over through its frame.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import attrs

from conformance.tla.compile.branching import Branching
from conformance.tla.compile.runtime import locate
from conformance.tla.compile.scope import (
    KEPT,
    Context,
    Frame,
    Mode,
)
from conformance.tla.errors import UnsupportedError
from conformance.tla.tree import Node

__all__ = ["Made", "Naming"]


@attrs.frozen
class Made:
    """A compiled definition: its Python name, and the names it takes after its parameters."""

    name: str
    free: tuple[str, ...]


class Naming:
    """The compiler's names, and what the parts above it provide."""

    def __init__(self, know: Branching) -> None:
        self.know = know
        self.source: list[str] = []
        self.counter = 0
        self.made: dict[object, Made] = {}
        self.constants_made: dict[tuple[int, int], str] = {}
        self.kept: list[object] = []
        self.places: dict[str, list[int]] = {}

    depth = 0

    # What `Expressions` provides.
    @abstractmethod
    def value(self, node: Node, c: Context) -> str: ...
    @abstractmethod
    def stored(self, node: Node, c: Context) -> str: ...
    @abstractmethod
    def truth(self, node: Node, c: Context) -> str: ...
    @abstractmethod
    def native(self, name: str, operands: list[Any], node: Node, c: Context, want: str) -> str: ...
    @abstractmethod
    def unsupported(self, node: Node, operator: str) -> UnsupportedError: ...

    # --- names --------------------------------------------------------------------------------

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}_{self.counter}"

    def own(self, stem: str, frame: Frame) -> str:
        name = self.fresh(stem)
        frame.own.add(name)
        return name

    def local(self, uid: int, frame: Frame) -> str:
        stem = "".join(ch if ch.isascii() and ch.isalnum() else "_" for ch in self.know.formal(uid)[0])
        return self.own(f"x_{stem}", frame)

    def at(self, node: Node) -> int:
        return locate(self.know.tree.location(node[1]))

    def emit(self, text: str) -> None:
        self.source.append(text)

    def emit_once(self, name: str, text: str) -> None:
        self.emit(f"def {name}(kept=[]):\n    if not kept:\n        kept.append({text})\n    return kept[0]")

    # --- variables and constants --------------------------------------------------------------

    def variable(self, index: int, mode: Mode, c: Context, node: Node) -> str:
        if isinstance(mode, str):
            return f"{c.frame.use(mode)}[{index}]"
        if mode is None:
            raise self.unsupported(node, "a prime within a primed expression")
        if index in mode:
            return self.held(index, mode, c.frame)
        return f"unset({self.names[index]!r}, {self.at(node)})"

    def held(self, index: int, known: Mapping[int, str], frame: Frame) -> str:
        """The value that a variable is known to have."""
        name = frame.use(known[index])
        return f"{name}[{index}]" if name == KEPT else name

    @property
    def names(self) -> list[str]:
        return [d.name for d in self.know.tree.variables]

    def state(self, mode: Mode, c: Context, needed: frozenset[int]) -> str:
        """A state as a tuple, to hand to a function that reads the needed variables of it."""
        if isinstance(mode, str):
            return c.frame.use(mode)
        if mode is None:
            return "None"
        cells = [self.held(i, mode, c.frame) if i in mode and i in needed else "None" for i in range(len(self.names))]
        text = "(" + "".join(cell + ", " for cell in cells) + ")"
        return text if needed <= mode.keys() else f"partial({text}, VARIABLES)"
