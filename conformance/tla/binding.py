"""What a configuration binds: constants, operators in their place, and the sets of parameters.

One rule: a name that the module does not declare, or that is bound as TLC would not
bind it, is refused with the configuration's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from conformance.tla.compile.program import Program
from conformance.tla.config import Config
from conformance.tla.errors import SpecError, UnsupportedError
from conformance.tla.tree import Declaration, Definition, ModuleTree, Node
from conformance.tla.values import LazySet

__all__ = ["Domain", "bind", "default_config", "with_values"]


@attrs.frozen(eq=False, repr=False)
class Domain:
    """A constant set that a parameter ranges over, evaluated when it is asked for."""

    program: Program
    node: Any
    env: Any

    def value(self) -> Any:
        from conformance.tla.compile.runtime import fc

        holder = Definition(-id(self.node), "domain", self.node[1], (), self.node, False)
        function = self.program.constant(holder, self.env)
        value = function()
        return value if isinstance(value, LazySet) and not value.finite() else fc(value)


def default_config(tree: ModuleTree) -> Config:
    has = tree.visible
    return Config(init="Init" if "Init" in has else None, next="Next" if "Next" in has else None)


def with_values(tree: ModuleTree, config: Config) -> ModuleTree:
    """The tree in which each definition that the configuration gives a value is a constant of that name."""
    declared = {d.name for d in tree.constants}
    declarations, definitions = dict(tree.declarations), dict(tree.definitions)
    for number, name in enumerate(config.constants):
        uid = tree.visible.get(name)
        if name in declared or uid is None or tree.definitions[uid].params:
            continue
        replaced = tree.definitions[uid]
        # No number of SANY's is negative.
        constant = Declaration(-1_000_000 - number, name, 0, False, replaced.where)
        body: Node = ["v", replaced.where, constant.uid, []]
        declarations[constant.uid] = constant
        definitions[uid] = attrs.evolve(replaced, body=body, native=None, recursive=False)
    if len(declarations) == len(tree.declarations):
        return tree
    return attrs.evolve(tree, declarations=declarations, definitions=definitions)


def bind(
    tree: ModuleTree, config: Config, more: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, int], dict[int, int]]:
    """Constants by value, constants by operator, and definitions that others replace."""
    declared = {d.name for d in tree.constants}
    values: dict[str, Any] = {}
    operators: dict[str, int] = {}
    overrides: dict[int, int] = {}
    for name, value in (*config.constants.items(), *more.items()):
        if name in declared:
            values[name] = value
        elif name in tree.visible:
            raise UnsupportedError(f"{config.name} gives {name} a value, and it has parameters; use <-")
        else:
            raise SpecError(f"{config.name} gives a value to {name}, which {tree.root} does not declare")
    for name, operator in config.overrides.items():
        if name in more:
            continue
        uid = tree.visible.get(operator)
        if uid is None:
            raise SpecError(f"{config.name} replaces {name} by {operator}, which {tree.root} does not define")
        if name in declared:
            operators[name] = uid
        elif name in tree.visible:
            overrides[tree.visible[name]] = uid
        else:
            raise SpecError(f"{config.name} replaces {name}, which {tree.root} neither declares nor defines")
    for (module, name), operator in config.module_overrides.items():
        inner, uid = tree.by_module.get(module, {}).get(name), tree.visible.get(operator)
        if inner is None or uid is None:
            raise SpecError(f"{config.name} replaces {name} of {module} by {operator}, and one of them is not defined")
        overrides[inner] = uid
    if config.module_constants:
        raise UnsupportedError(f"{config.name} gives values to constants of single modules, which is not done here")
    missing = sorted(declared - values.keys() - operators.keys())
    if missing:
        raise SpecError(f"{config.name} gives no value to {', '.join(missing)}, which {tree.root} declares")
    return values, operators, overrides
