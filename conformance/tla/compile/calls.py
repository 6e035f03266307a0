"""Names applied: variables, constants, formals, LET names, definitions.

Two rules:

1. An argument that might be refused and might not be needed is handed over as
   a thunk; a definition is compiled once for each pattern of thunks.
2. An argument whose formal is primed in the body is bound by name: priming
   reads it in the next state.
"""

from __future__ import annotations

from conformance.tla.compile.naming import Made, Naming
from conformance.tla.compile.scope import (
    Binding,
    ByName,
    Context,
    Env,
    Frame,
    LetDefinition,
    Local,
    Operator,
)
from conformance.tla.tree import Definition, Node

__all__ = ["Calls", "Made"]


class Calls(Naming):
    """Application of names; the compiler of expressions builds on it."""

    def meant(self, node: Node, c: Context) -> tuple[Node, Context] | None:
        """What a name stands for, where it is bound by name."""
        if node[3]:
            return None
        if node[0] == "f":
            bound = c.env.scope.get(node[2])
            return (bound.node, c.within(bound.env)) if isinstance(bound, ByName) else None
        if node[0] == "v" and c.env.instance is not None and node[2] in c.env.instance.meaning:
            found = c.env.instance.meaning[node[2]]
            return found.node, c.within(found.env)
        return None

    def apply_declared(self, node: Node, c: Context) -> str:
        uid, arguments = node[2], node[3]
        if c.env.instance is not None and uid in c.env.instance.meaning:
            found = c.env.instance.meaning[uid]
            if arguments:
                return self.apply_operator(found, arguments, node, c, "v")
            return self.value(found.node, c.within(found.env))
        if uid in self.know.variables:
            return self.variable(self.know.variables[uid], c.now, c, node)
        declared = self.know.tree.declarations.get(uid)
        if declared is None:
            raise self.unsupported(node, "a constant of an instantiated module without a meaning")
        if declared.name in self.know.operators:
            outside = c.within(self.know.root)
            return self.call(self.know.operators[declared.name], arguments, node, c, "v", outside)
        if declared.name in self.know.constants:
            return f"K_{declared.name}"
        return f"no_constant({declared.name!r}, {self.at(node)})"

    # --- formals ------------------------------------------------------------------------------

    def apply_formal(self, node: Node, c: Context) -> str:
        bound = c.env.scope.get(node[2])
        if bound is None:
            raise self.unsupported(node, f"the name {self.know.formal(node[2])[0]} outside of its scope")
        return self.apply_bound(bound, node, c, "v")

    def apply_bound(self, bound: Binding, node: Node, c: Context, want: str) -> str:
        if isinstance(bound, Local):
            name = c.frame.use(bound.name)
            text = f"{name}()" if bound.thunk else name
            return text if want == "v" else f"bl({text}, {self.at(node)})"
        if isinstance(bound, Operator):
            text = f"{c.frame.use(bound.name)}({', '.join(self.stored(a, c) for a in node[3])})"
            return text if want == "v" else f"bl({text}, {self.at(node)})"
        if isinstance(bound, ByName):
            if node[3]:
                return self.apply_operator(bound, node[3], node, c, want)
            inner = c.within(bound.env)
            return self.value(bound.node, inner) if want == "v" else self.truth(bound.node, inner)
        return self.call_let(bound, node[3], node, c, want)

    def apply_operator(self, bound: ByName, arguments: list[Node], node: Node, c: Context, want: str) -> str:
        """An operator that was handed over (``op``), applied to arguments of this place."""
        _, _, kind, target = bound.node
        outside = c.within(bound.env)
        if kind == "b":
            return self._either(["b", node[1], target[2], arguments, None], c, want)
        if kind == "d":
            held = bound.env.scope.get(target)
            if isinstance(held, LetDefinition):
                return self.call_let(held, arguments, node, c, want)
            return self.call(target, arguments, node, c, want, outside)
        if kind == "f":
            held = bound.env.scope[target]
            return self.apply_bound(held, ["f", node[1], target, arguments], c, want)
        # A constant operator: its meaning is fixed where the operator was handed over.
        declared = self.know.tree.declarations.get(target)
        if declared is not None and declared.name in self.know.operators:
            return self.call(self.know.operators[declared.name], arguments, node, c, want, c.within(self.know.root))
        raise self.unsupported(node, "this operator argument")

    def _either(self, node: Node, c: Context, want: str) -> str:
        return self.value(node, c) if want == "v" else self.truth(node, c)

    def argument(self, node: Node, c: Context) -> str:
        """An argument of a native operator: a value, or a callable where an operator is handed over."""
        if node[0] != "op":
            return self.value(node, c)
        return self.callable(ByName(node, c.env), node, c)

    def callable(self, bound: ByName, node: Node, c: Context) -> str:
        arity = self.arity(bound.node, bound.env)
        names = [self.own("y", c.frame) for _ in range(arity)]
        uids = [-self.counter - i for i in range(arity)]
        inner = c.bind(dict(zip(uids, map(Local, names), strict=True)))
        arguments: list[Node] = [["f", node[1], uid, []] for uid in uids]
        return f"(lambda {', '.join(names)}: {self.apply_operator(bound, arguments, node, inner, 'v')})"

    def arity(self, node: Node, env: Env) -> int:
        _, _, kind, target = node
        if kind == "d":
            return len(self.know.definition(target).params)
        if kind == "f":
            return self.know.formal(target)[1]
        if kind == "v":
            return self.know.tree.declarations[target].arity
        return 1 if target[2] in ("SUBSET", "UNION", "DOMAIN", "\\lnot", "'", "UNCHANGED") else 2

    # --- definitions --------------------------------------------------------------------------

    def apply_definition(self, node: Node, c: Context, want: str) -> str:
        bound = c.env.scope.get(node[2])
        if bound is not None:
            return self.apply_bound(bound, node, c, want)
        return self.call(node[2], node[3], node, c, want, c)

    def call(self, uid: int, arguments: list[Node], node: Node, c: Context, want: str, outside: Context) -> str:
        """A global definition applied; its own names mean what they mean in ``outside``."""
        definition = self.know.definition(uid)
        if definition.body is None:
            return self.native(definition.name, arguments, node, c, want)
        home = self.know.home(definition, outside.env)
        identity: object = (uid, id(home.instance))
        if home is outside.env:
            identity = (uid, id(home))
            self.kept.append(home)
        return self._call(definition, home, self.made, identity, arguments, node, c, want)

    def call_let(self, bound: LetDefinition, arguments: list[Node], node: Node, c: Context, want: str) -> str:
        definition = bound.definition
        store: dict[object, Made] = bound.compiled  # type: ignore[assignment]
        return self._call(definition, bound.env[0], store, definition.uid, arguments, node, c, want)

    def _call(
        self,
        definition: Definition,
        home: Env,
        store: dict[object, Made],
        identity: object,
        arguments: list[Node],
        node: Node,
        c: Context,
        want: str,
    ) -> str:
        scope, parameters, texts, mask, by_name = self.bind_arguments(definition, arguments, c)
        key = (identity, mask, want)
        made = None if by_name else store.get(key)
        if made is None:
            made = self._compile(definition, home.bind(scope), parameters, key, None if by_name else store, want)
        if not made.free and not definition.params and not by_name and not definition.recursive:
            return f"{made.name}()"
        needed_now = needed_then = frozenset[int]()
        if not (isinstance(c.now, str) and isinstance(c.then, str)) and ("S" in made.free or "T" in made.free):
            assert definition.body is not None
            reads = self.know.reads(definition.body, home.bind(scope))
            needed_now = frozenset(index for index, primed in reads if not primed)
            needed_then = frozenset(index for index, primed in reads if primed)
        for name in made.free:
            if name == "S":
                texts.append(self.state(c.now, c, needed_now))
            elif name == "T":
                if c.then is None and needed_then:
                    raise self.unsupported(node, "a prime within a primed expression")
                texts.append(self.state(c.then, c, needed_then))
            else:
                texts.append(c.frame.use(name))
        return f"{made.name}({', '.join(texts)})"

    def bind_arguments(
        self, definition: Definition, arguments: list[Node], c: Context
    ) -> tuple[dict[int, Binding], list[str], list[str], tuple[bool, ...], bool]:
        primed = self.know.primed_formals(definition)
        strict = self.know.strict_formals(definition)
        scope: dict[int, Binding] = {}
        parameters: list[str] = []
        texts: list[str] = []
        mask: list[bool] = []
        by_name = False
        for uid, argument in zip(definition.params, arguments, strict=True):
            name = self.fresh("p_" + "".join(ch if ch.isalnum() else "_" for ch in self.know.formal(uid)[0]))
            if argument[0] == "op" and not definition.recursive:
                scope[uid] = ByName(argument, c.env)
                by_name = True
                continue
            if argument[0] == "op":
                scope[uid] = Operator(name)
                texts.append(self.argument(argument, c))
                mask.append(False)
            elif uid in primed and not definition.recursive and self.know.reads(argument, c.env):
                scope[uid] = ByName(argument, c.env)
                by_name = True
                continue
            elif uid in primed and self.know.reads(argument, c.env):
                raise self.unsupported(argument, "a recursive operator that primes its argument")
            else:
                passed = self._passed(argument, c)
                lazily = passed is not None or not (uid in strict or self.total(argument, c))
                scope[uid] = Local(name, thunk=lazily, lazy=True)
                text = passed or self.value(argument, c)
                texts.append(f"Thunk(lambda: {text})" if lazily and passed is None else text)
                mask.append(lazily)
            parameters.append(name)
        return scope, parameters, texts, tuple(mask), by_name

    def _passed(self, argument: Node, c: Context) -> str | None:
        """A thunk that is handed on as it is."""
        if argument[0] in ("f", "d") and not argument[3]:
            bound = c.env.scope.get(argument[2])
            if isinstance(bound, Local) and bound.thunk:
                return c.frame.use(bound.name)
        return None

    def _compile(
        self,
        definition: Definition,
        env: Env,
        parameters: list[str],
        key: object,
        store: dict[object, Made] | None,
        want: str,
    ) -> Made:
        assert definition.body is not None
        stem = "".join(ch if ch.isascii() and ch.isalnum() else "_" for ch in definition.name)
        name = self.fresh(f"d_{stem}")
        self.places[name] = definition.where
        frame = Frame()
        frame.own.update(parameters)
        made: Made | None = None
        if definition.recursive:
            # A recursive call needs the names before the body is known: all that are in reach.
            reads = self.know.reads(definition.body, env)
            free = ["S"] if any(not primed for _, primed in reads) else []
            free += ["T"] if any(primed for _, primed in reads) else []
            free += [n for n in _reachable(env) if n not in parameters]
            made = Made(name, tuple(free))
            if store is not None:
                store[key] = made
        inner, body = Context(env, frame), definition.body
        depth, self.depth = self.depth, 0
        lines: list[str] = []
        while body[0] == "let":
            inner, held = self.let(body, inner)
            lines += [f"    {local} = {source}\n" for local, source in held]
            body = body[3]
        text = self.value(body, inner) if want == "v" else self.truth(body, inner)
        self.depth = depth
        if made is None:
            made = Made(name, tuple(frame.free))
            if store is not None:
                store[key] = made
        once = not parameters and not made.free and not definition.recursive
        if once and not self.know.asking.asks(definition.body, env):
            if want == "v" and self.know.lazy(definition.body, env):
                text = f"settle({text})"
            if lines:
                self.emit(f"def {name}_body():\n{''.join(lines)}    return {text}")
                text = f"{name}_body()"
            self.emit_once(name, text)
        elif len(made.free) == 1 and made.free[0] in ("S", "T") and self._holds_still(definition, parameters, env):
            if want == "v" and self.know.lazy(definition.body, env):
                text = f"settle({text})"
            self.emit(_once_a_state(name, made.free[0], lines, text))
        else:
            self.emit(f"def {name}({', '.join([*parameters, *made.free])}):\n{''.join(lines)}    return {text}")
        return made

    def _holds_still(self, definition: Definition, parameters: list[str], env: Env) -> bool:
        """Whether a definition has one value in one state, whoever asks."""
        assert definition.body is not None
        return not parameters and not definition.recursive and not self.know.asking.asks(definition.body, env)

    # --- LET and totality ---------------------------------------------------------------------

    def let(self, node: Node, c: Context, *, action: bool = False) -> tuple[Context, list[tuple[str, str]]]:
        """The context inside a LET, and the values to be held for it: (name, source).

        In an action what branches is bound by name: it is gone through where it is used.
        """
        primed = self.know.primed_names(node[3])
        strict = self.know.strict(node[3])
        held: list[tuple[str, str]] = []
        envs: list[Env] = []
        scope: dict[int, Binding] = {}
        inner = c
        shared: list[Env] = [c.env]
        for uid in reversed(node[2]):
            body = self.know.definition(uid).body
            if body is not None and uid in primed:
                primed |= self.know.primed_names(body, True)
        for uid in node[2]:
            definition = self.know.definition(uid)
            assert definition.body is not None
            if definition.params or definition.recursive:
                scope[uid] = LetDefinition(definition, shared)
            elif uid in primed or self._by_name(definition.body, inner.env, action=action):
                scope[uid] = ByName(definition.body, inner.env)
            else:
                name = self.own("l_" + "".join(ch if ch.isalnum() else "_" for ch in definition.name), c.frame)
                text = self.value(definition.body, inner)
                eager = uid in strict and not envs
                held.append((name, text if eager else f"Thunk(lambda: {text})"))
                scope[uid] = Local(name, thunk=not eager, lazy=self.know.lazy(definition.body, inner.env))
            inner = c.bind(scope)
            shared[0] = inner.env
        return inner, held

    def _by_name(self, body: Node, env: Env, *, action: bool) -> bool:
        return any(then for _, then in self.know.reads(body, env)) or (action and self.know.parted(body, env))

    def total(self, node: Node, c: Context) -> bool:
        """Whether evaluating the node is sure to succeed, at next to no cost."""
        head = node[0]
        if head in ("n", "s"):
            return True
        if head == "f" or (head == "d" and not node[3] and node[2] in c.env.scope):
            bound = c.env.scope.get(node[2])
            if isinstance(bound, ByName):
                return self.total(bound.node, c.within(bound.env))
            return isinstance(bound, Local) and not bound.thunk
        if head == "v" and not node[3]:
            if c.env.instance is not None and node[2] in c.env.instance.meaning:
                found = c.env.instance.meaning[node[2]]
                return self.total(found.node, c.within(found.env))
            if node[2] in self.know.variables:
                return isinstance(c.now, str)
            declared = self.know.tree.declarations.get(node[2])
            return declared is not None and declared.name in self.know.constants
        if head == "b":
            if node[2] in ("TRUE", "FALSE"):
                return True
            return node[2] == "$Tuple" and all(self.total(part, c) for part in node[3])
        return False


def _reachable(env: Env) -> list[str]:
    """The Python names that source compiled in this environment may mention."""
    found: dict[str, None] = {}
    waiting: list[Env] = [env]
    seen: set[int] = set()
    while waiting:
        here = waiting.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        for bound in here.scope.values():
            if isinstance(bound, (Local, Operator)):
                found[bound.name] = None
            elif isinstance(bound, ByName):
                waiting.append(bound.env)
            else:
                waiting.append(bound.env[0])
        if here.instance is not None:
            waiting.extend(meant.env for meant in here.instance.meaning.values())
    return list(found)


def _once_a_state(name: str, state: str, lines: list[str], text: str) -> str:
    """A function of a state that remembers what it said of the last one; guards ask the same again and again."""
    return (
        f"def {name}({state}, last=[None, None]):\n"
        f"    if last[0] is {state}:\n"
        "        return last[1]\n"
        f"{''.join(lines)}"
        f"    found = {text}\n"
        f"    if {state}.__class__ is tuple:\n"
        f"        last[:] = {state}, found\n"
        "    return found"
    )
