"""The parts of a formula, each evaluated in its own surroundings.

Three rules:

1. A part is compiled once for the surroundings that it stands in, and then kept.
2. What a part only names (a definition, an argument, a LET, an instance) is looked
   through, as far as it can be told without evaluating it.
3. Nothing here is fast, and nothing here decides: `Model` has decided before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.tla.compile.scope import Binding, ByName, Context, Env, Frame, LetDefinition, Local
from conformance.tla.model import Model
from conformance.tla.tree import Node

__all__ = ["Formulas"]


class Formulas:
    """What is asked of the parts of a model's formulas; names are those of the values that stand around a part."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.program = model.program
        self.know = model.program.know
        self.envs: dict[object, Env] = {}
        self.functions: dict[object, Callable[..., Any]] = {}
        self.kept: list[object] = []

    def named(self, action: str) -> tuple[Node, Env, tuple[str, ...]]:
        definition = self.model.actions[action].definition
        names = tuple(self.know.formal(uid)[0] for uid in definition.params)
        key = ("action", action)
        if key not in self.envs:
            scope: dict[int, Binding] = {
                uid: Local(f"b_{name}") for uid, name in zip(definition.params, names, strict=True)
            }
            self.envs[key] = Env(None, scope)
        assert definition.body is not None
        return definition.body, self.envs[key], names

    def _compiled(self, kind: str, node: Node, env: Env, names: tuple[str, ...], build: Any) -> Callable[..., Any]:
        key = (kind, id(node), id(env), names)
        found = self.functions.get(key)
        if found is None:
            program, frame = self.program, Frame()
            parameters = [f"b_{name}" for name in names]
            frame.own.update(["S", "T", *parameters])
            name = program.fresh("w")
            build(name, ", ".join(["S", "T", *parameters]), Context(env, frame))
            program.run()
            found = self.functions[key] = program.space[name]
            self.kept.append((node, env))
        return found

    def truth(self, node: Node, env: Env, names: tuple[str, ...]) -> Callable[..., bool]:
        def build(name: str, parameters: str, c: Context) -> None:
            self.program.emit(f"def {name}({parameters}):\n    return {self.program.truth(node, c)}")

        return self._compiled("truth", node, env, names, build)

    def value(self, node: Node, env: Env, names: tuple[str, ...]) -> Callable[..., Any]:
        def build(name: str, parameters: str, c: Context) -> None:
            self.program.emit(f"def {name}({parameters}):\n    return {self.program.stored(node, c)}")

        return self._compiled("value", node, env, names, build)

    def witnesses(
        self, node: Node, env: Env, names: tuple[str, ...]
    ) -> tuple[Callable[..., Any], Env, tuple[str, ...]]:
        """A generator of the bound values for which a quantifier's body is false, and the body's environment."""
        return self._rows("witness", " if not {}", node, env, names)

    def rows(self, node: Node, env: Env, names: tuple[str, ...]) -> tuple[Callable[..., Any], Env, tuple[str, ...]]:
        """A generator of all bound values of a quantifier, and the environment of its body."""
        return self._rows("row", "", node, env, names)

    def _rows(
        self, kind: str, condition: str, node: Node, env: Env, names: tuple[str, ...]
    ) -> tuple[Callable[..., Any], Env, tuple[str, ...]]:
        uids = [uid for group, _, _ in node[4] for uid in group]
        new = []
        for uid in uids:
            name = self.know.formal(uid)[0]
            while name in names or name in new:
                name += "_"
            new.append(name)
        key = ("bound", id(node), id(env))
        if key not in self.envs:
            self.envs[key] = env.bind({uid: Local(f"b_{name}") for uid, name in zip(uids, new, strict=True)})

        def build(name: str, parameters: str, c: Context) -> None:
            inner, loops = self.program.loops(node, c)
            taken = "".join(f"{self.program.bound_name(uid, inner)}, " for uid in uids)
            asked = condition.format(self.program.truth(node[3][0], inner)) if condition else ""
            self.program.emit(f"def {name}({parameters}):\n    return (({taken}) {loops}{asked})")

        return self._compiled(kind, node, env, names, build), self.envs[key], tuple(new)

    def inside(self, node: Node, env: Env) -> tuple[Node, Env] | None:
        """What a node stands for, where it only names it."""
        head = node[0]
        key = (id(node), id(env))
        if head == "sub":
            if key not in self.envs:
                self.envs[key] = self.know.substituted(node, env)
            return node[3], self.envs[key]
        if head in ("f", "v", "d") and not node[3]:
            held = env.scope.get(node[2]) if head != "v" else None
            if isinstance(held, ByName):
                return held.node, held.env
        if head == "let":
            if key not in self.envs:
                shared = [env]
                scope: dict[int, Binding] = {}
                for uid in node[2]:
                    definition = self.know.definition(uid)
                    assert definition.body is not None
                    plain = not definition.params and not definition.recursive
                    scope[uid] = ByName(definition.body, shared[0]) if plain else LetDefinition(definition, shared)
                    if plain:
                        shared = [*shared]
                    shared[0] = env.bind(scope)
                self.envs[key] = env.bind(scope)
            return node[3], self.envs[key]
        if head == "d":
            held = env.scope.get(node[2])
            definition = held.definition if isinstance(held, LetDefinition) else self.know.definition(node[2])
            if definition.body is None or definition.recursive or isinstance(held, (Local,)):
                return None
            if key not in self.envs:
                home = held.env[0] if isinstance(held, LetDefinition) else Env(env.instance, {})
                arguments = zip(definition.params, node[3], strict=True)
                self.envs[key] = home.bind({uid: ByName(argument, env) for uid, argument in arguments})
                self.kept.append((node, env))
            return definition.body, self.envs[key]
        return None
