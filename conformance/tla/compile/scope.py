"""What names mean while a module is compiled.

Three rules:

1. A definition is compiled once for each meaning of its module's constants and
   variables (`Instance`), not once for each use.
2. A name bound by name (`ByName`) carries the environment it was written in.
3. Python names are unique in a program, so that closures never capture wrongly;
   a `Frame` notes which names a piece of source takes from outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from conformance.tla.tree import Definition, Node

__all__ = [
    "AT",
    "KEPT",
    "Binding",
    "ByName",
    "Context",
    "Env",
    "Frame",
    "Instance",
    "LetDefinition",
    "Local",
    "Mode",
    "Operator",
]

# Under this number the scope holds what @ means.
AT: Final = -(1 << 60)
# How a state is reached from source: a tuple's name, a map of known variables to names, or not at all.
Mode = str | Mapping[int, str] | None

KEPT: Final = "S"
"""Stands for the name of a variable's next value, where the step leaves it as it is."""


class Frame:
    """The names that a generated function owns, and those it takes from outside."""

    __slots__ = ("free", "own")

    def __init__(self) -> None:
        self.own: set[str] = set()
        self.free: dict[str, None] = {}

    def use(self, name: str) -> str:
        if name not in self.own:
            self.free[name] = None
        return name


@attrs.frozen(eq=False)
class Local:
    """A Python name that holds a value, or a thunk of one."""

    name: str
    thunk: bool = False
    lazy: bool = False


@attrs.frozen(eq=False)
class Operator:
    """A Python name that holds an operator."""

    name: str


@attrs.frozen(eq=False)
class ByName:
    node: Node
    env: Env


@attrs.frozen(eq=False)
class LetDefinition:
    definition: Definition
    env: list[Env]
    compiled: dict[object, object] = attrs.Factory(dict)


Binding = Local | Operator | ByName | LetDefinition


@attrs.frozen(eq=False)
class Instance:
    """The meaning of an instantiated module's constants and variables."""

    meaning: Mapping[int, ByName]


@attrs.frozen(eq=False)
class Env:
    instance: Instance | None
    scope: Mapping[int, Binding]

    def bind(self, more: Mapping[int, Binding]) -> Env:
        return Env(self.instance, {**self.scope, **more})


@attrs.frozen(eq=False)
class Context:
    """Where an expression stands: its names, and how it reaches this state and the next."""

    env: Env
    frame: Frame
    now: Mode = "S"
    then: Mode = "T"

    def within(self, env: Env) -> Context:
        return Context(env, self.frame, self.now, self.then)

    def bind(self, more: Mapping[int, Binding]) -> Context:
        return self.within(self.env.bind(more))

    def primed(self) -> Context:
        return Context(self.env, self.frame, self.then, None)

    def inside(self, frame: Frame) -> Context:
        return Context(self.env, frame, self.now, self.then)

    def excepting(self, at: str) -> Context:
        """Where @ is the value under a Python name; what is defined inside sees it too."""
        return self.bind({AT: Local(at)})
