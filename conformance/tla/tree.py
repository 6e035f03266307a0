"""A resolved module tree: what SANY understood, as plain lists.

Nodes are lists, so that a tree is read from its cache at the speed of JSON:

    ["n", where, 12]                     a number
    ["s", where, "text"]                 a string
    ["o", where]                         OTHER
    ["at", where]                        @
    ["b", where, name, operands, bounds] a built-in operator; bounds or null
    ["d", where, uid, operands]          a definition applied
    ["v", where, uid, operands]          a constant or variable
    ["f", where, uid, operands]          a formal or bound name
    ["op", where, kind, uid]             an operator handed over as an argument
    ["let", where, [uid, ...], body]
    ["sub", where, [[uid, node], ...], body]   INSTANCE ... WITH

``where`` is [module index, line, column, end line, end column].  A bound is
[[uid, ...], is_tuple, domain or null].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from conformance.tla.errors import Location

__all__ = ["FORMAT", "Declaration", "Definition", "ModuleTree", "Node", "named"]

FORMAT = 6
Node = list[Any]


def named(node: Any, *kinds: str) -> Iterator[int]:
    """The uids of what a node or a list of nodes names, of the kinds ``d``, ``v`` and ``f``; handed over or applied."""
    if isinstance(node, list):
        if node and node[0] in kinds:
            yield node[2]
        elif node and node[0] == "op" and node[2] in kinds:
            yield node[3]
        for part in node:
            yield from named(part, *kinds)


@attrs.frozen(eq=False)
class Declaration:
    """A CONSTANT or VARIABLE."""

    uid: int
    name: str
    arity: int
    is_variable: bool
    where: list[int]


@attrs.frozen(eq=False)
class Definition:
    """An operator: defined in a module, or native where ``native`` names its standard module."""

    uid: int
    name: str
    where: list[int]
    params: tuple[int, ...]
    body: Node | None
    recursive: bool
    native: str | None = None


@attrs.frozen(eq=False)
class Assumption:
    name: str | None
    where: list[int]
    body: Node


@attrs.frozen(eq=False)
class ModuleTree:
    """Everything that the evaluator needs to know of a root module."""

    root: str
    modules: tuple[str, ...]
    declarations: Mapping[int, Declaration]
    definitions: Mapping[int, Definition]
    formals: Mapping[int, tuple[str, int]]
    assumptions: tuple[Assumption, ...]
    visible: Mapping[str, int]
    by_module: Mapping[str, Mapping[str, int]]
    files: Mapping[str, Path]

    def location(self, where: list[int]) -> Location:
        module, line, column, end_line, end_column = where
        return Location(self.modules[module], line, column, end_line, end_column)

    @property
    def constants(self) -> list[Declaration]:
        return [d for d in self.declarations.values() if not d.is_variable]

    @property
    def variables(self) -> list[Declaration]:
        return [d for d in self.declarations.values() if d.is_variable]

    @classmethod
    def from_json(cls, document: Mapping[str, Any], files: Mapping[str, Path]) -> ModuleTree:
        definitions = {}
        for uid, name, where, params, body, recursive in document["definitions"]:
            definitions[uid] = Definition(uid, name, where, tuple(params), body, recursive)
        for uid, name, where, arity, module in document["natives"]:
            definitions[uid] = Definition(uid, name, where, tuple(range(arity)), None, False, module)
        by_module: dict[str, dict[str, int]] = {}
        for module, name, uid in document["by_module"]:
            by_module.setdefault(module, {})[name] = uid
        return cls(
            root=document["root"],
            modules=tuple(document["modules"]),
            declarations={row[0]: Declaration(*row) for row in sorted(document["declarations"])},
            definitions=definitions,
            formals={uid: (name, arity) for uid, name, arity in document["formals"]},
            assumptions=tuple(Assumption(*row) for row in document["assumptions"]),
            visible=by_module.get(document["root"], {}),
            by_module=by_module,
            files=dict(files),
        )
