"""What a configuration binds: constants, operators in their place, and the sets of parameters.

Two rules:

1. A name that is bound as TLC would not bind it is refused with the configuration's name.  A
   value for a name that the module knows nothing of stays unused, as in TLC.
2. ``D = [Module] value`` gives a value to what that module defines; as in TLC it gives none
   to what a module declares or the standard modules define, and says nothing there.
   An INSTANCE copies the definitions of its module; the copies are replaced with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from conformance.tla.compile.program import Program
from conformance.tla.config import Config
from conformance.tla.errors import SpecError, UnsupportedError
from conformance.tla.tree import Declaration, Definition, ModuleTree, Node, named

__all__ = ["Domain", "bind", "default_config", "with_cycles", "with_values"]


@attrs.frozen(eq=False, repr=False)
class Domain:
    """A constant set that a parameter ranges over, evaluated when it is asked for."""

    program: Program
    node: Any
    env: Any

    def value(self) -> Any:
        from conformance.tla.compile.sets import whole

        holder = Definition(-id(self.node), "domain", self.node[1], (), self.node, False)
        function = self.program.constant(holder, self.env)
        return whole(function())


def default_config(tree: ModuleTree) -> Config:
    has = tree.visible
    return Config(init="Init" if "Init" in has else None, next="Next" if "Next" in has else None)


def with_values(tree: ModuleTree, config: Config) -> ModuleTree:
    """The tree in which each definition that the configuration gives a value is a constant of that name."""
    declared = {d.name for d in tree.constants}
    declarations, definitions = dict(tree.declarations), dict(tree.definitions)
    named = {name: [tree.visible[name]] for name in config.constants if name not in declared and name in tree.visible}
    for module, name in config.module_constants:
        uid = tree.by_module.get(module, {}).get(name)
        if uid is not None:
            named[_in_module(name, module)] = [uid, *_copies(tree, uid)]
    for number, (name, uids) in enumerate(named.items()):
        if tree.definitions[uids[0]].native is not None:
            continue
        # No number of SANY's is negative.
        constant = Declaration(-1_000_000 - number, name, 0, False, tree.definitions[uids[0]].where)
        declarations[constant.uid] = constant
        for uid in uids:
            replaced = definitions[uid]
            body: Node = ["v", replaced.where, constant.uid, []]
            definitions[uid] = attrs.evolve(replaced, body=body, native=None, recursive=False)
    if len(declarations) == len(tree.declarations):
        return tree
    return attrs.evolve(tree, declarations=declarations, definitions=definitions)


def with_cycles(tree: ModuleTree, operators: Mapping[str, int], overrides: Mapping[int, int]) -> ModuleTree:
    """The tree in which a definition is recursive if it comes to call itself because one replaces another."""
    replaced = {d.uid: operators[d.name] for d in tree.constants if d.name in operators} | dict(overrides)
    called: dict[int, frozenset[int]] = {}

    def calls(uid: int) -> frozenset[int]:
        if uid not in called:
            definition = tree.definitions.get(uid)
            body = definition.body if definition is not None else None
            called[uid] = frozenset(replaced.get(each, each) for each in named(body, "d", "v"))
        return called[uid]

    def reached(uid: int) -> set[int]:
        found: set[int] = set()
        waiting = [uid]
        while waiting:
            fresh = calls(waiting.pop()) - found
            found |= fresh
            waiting.extend(fresh)
        return found

    # A cycle that was not there before goes through one that replaces another.
    below = {uid: reached(uid) for uid in set(replaced.values())}
    cyclic = {each for uid, found in below.items() if uid in found for each in found if uid in reached(each)}
    if not cyclic:
        return tree
    again = {uid: attrs.evolve(tree.definitions[uid], recursive=True) for uid in cyclic}
    return attrs.evolve(tree, definitions={**tree.definitions, **again})


def _in_module(name: str, module: str) -> str:
    """What a definition of one module is called as a constant; no name of TLA+ has such a dot, and Python's may."""
    return f"{name}·{module}"


def _copies(tree: ModuleTree, uid: int) -> list[int]:
    """The definitions that an INSTANCE made of one: theirs is the very body, under substitutions or not."""
    original = tree.definitions[uid]
    if original.body is None:
        return []
    place = _body(original)[1]
    return [
        each.uid
        for each in tree.definitions.values()
        if each.uid != uid
        and each.body is not None
        and _body(each)[1] == place
        and each.name.rpartition("!")[2] == original.name
        and each.where != original.where
    ]


def _body(definition: Definition) -> Node:
    body = definition.body
    assert body is not None
    while body[0] == "sub":
        body = body[3]
    return body


def bind(
    tree: ModuleTree, config: Config, more: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, int], dict[int, int]]:
    """Constants by value, constants by operator, and definitions that others replace."""
    declared = {d.name for d in tree.constants}
    values: dict[str, Any] = {}
    operators: dict[str, int] = {}
    overrides: dict[int, int] = {}
    for (module, name), value in config.module_constants.items():
        if _in_module(name, module) in declared:
            values[_in_module(name, module)] = value
    for name, value in (*config.constants.items(), *more.items()):
        if name in declared:
            values[name] = value
        elif name in tree.visible:
            raise UnsupportedError(f"{config.name} gives {name} a value, and it is an operator of a standard module")
        elif name in more:
            raise SpecError(f"{config.name} gives a value to {name}, which {tree.root} does not declare")
    arities = {d.name: d.arity for d in tree.constants} | {
        name: len(tree.definitions[uid].params) for name, uid in tree.visible.items() if uid in tree.definitions
    }
    replaced: set[str] = set()
    for name, operator in config.overrides.items():
        if name in more:
            continue
        replaced.add(name)
        if operator in replaced:
            raise SpecError(f"{config.name} replaces something by {operator} after it replaced {operator}")
        if name in arities and arities[name] != arities.get(operator, arities[name]):
            raise SpecError(
                f"{config.name} replaces {name}, which takes {arities[name]} arguments, by {operator}, "
                f"which takes {arities[operator]}"
            )
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
        arity = len(tree.definitions[inner].params)
        same = [each for each in _copies(tree, inner) if len(tree.definitions[each].params) == arity]
        overrides |= dict.fromkeys([inner, *same], uid)
    missing = sorted(declared - values.keys() - operators.keys())
    if missing:
        raise SpecError(f"{config.name} gives no value to {', '.join(missing)}, which {tree.root} declares")
    return values, operators, overrides
