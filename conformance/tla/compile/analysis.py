"""What can be said of an expression without evaluating it.

Every answer errs on the safe side: a variable may be listed as read that is
not, an argument taken for lazy that is always needed; never the reverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.tla.compile.asking import Asking
from conformance.tla.compile.builtins import CONSTANT_SETS, NATIVES
from conformance.tla.compile.nodes import mentions, quantified
from conformance.tla.compile.scope import ByName, Env, Instance, LetDefinition, Local
from conformance.tla.tree import Definition, ModuleTree, Node
from conformance.tla.values import LazySet

__all__ = ["Analysis"]

Reads = frozenset[tuple[int, bool]]
_NOTHING: Reads = frozenset()
_PRIMING = frozenset({"'", "UNCHANGED", "$SquareAct", "$AngleAct", "$WF", "$SF", "ENABLED", "\\cdot"})
_LAZY = frozenset(
    {"$CartesianProd", "$SetOfFcns", "$SetOfRcds", "SUBSET", "DOMAIN", "$RecursiveFcnSpec", "$NonRecursiveFcnSpec"}
)
_OF_OPERANDS = frozenset({"\\union", "\\cup", "\\intersect", "\\cap", "\\"})


class Analysis:
    """Answers about expressions of one tree under given constants."""

    def __init__(
        self, tree: ModuleTree, constants: Mapping[str, Any], operators: Mapping[str, int], overrides: Mapping[int, int]
    ) -> None:
        self.tree = tree
        self.constants = constants
        self.operators = operators
        self.overrides = overrides
        self.variables = {d.uid: index for index, d in enumerate(tree.variables)}
        self.root = Env(None, {})
        self._reads: dict[tuple[int, int], Reads] = {}
        self._active: set[tuple[int, int]] = set()
        self._strict: dict[int, frozenset[int]] = {}
        self._primed: dict[int, frozenset[int]] = {}
        self._quantified: dict[int, frozenset[int]] = {}
        self._lazy: dict[tuple[int, int], bool] = {}
        self._instances: dict[object, Instance] = {}
        self.asking = Asking(tree, operators, self.definition)

    def definition(self, uid: int) -> Definition:
        return self.tree.definitions[self.overrides.get(uid, uid)]

    def home(self, definition: Definition, env: Env) -> Env:
        """The environment of a definition's body, reached from an environment: only a LAMBDA sees its names."""
        return env if definition.name == "LAMBDA" else Env(env.instance, {})

    def formal(self, uid: int) -> tuple[str, int]:
        return self.tree.formals.get(uid, ("x", 0))

    def substituted(self, node: Node, env: Env) -> Env:
        """The environment inside an INSTANCE; equal substitutions of a whole module share one."""
        pairs = node[2]
        closed = not any(mentions(value, env) for _, value in pairs)
        key = (id(env.instance), repr(sorted((uid, value[0], value[2:]) for uid, value in pairs))) if closed else None
        found = self._instances.get(key) if closed else None
        if found is None:
            found = Instance({uid: ByName(value, env) for uid, value in pairs})
            # Kept alive in either case: other answers are remembered by its identity.
            self._instances[key if closed else found] = found
        # The formals of an instantiated definition are those of the original, and stay in reach.
        return Env(found, env.scope)

    # --- reads --------------------------------------------------------------------------------

    def reads(self, node: Node, env: Env, primed: bool = False) -> Reads:
        """The variables read, each with whether in the next state."""
        head = node[0]
        if head in ("n", "s", "o", "at"):
            return _NOTHING
        if head == "v":
            return self._reads_declared(node, env, primed)
        if head == "f":
            bound = env.scope.get(node[2])
            found = self.reads(bound.node, bound.env, primed) if isinstance(bound, ByName) else _NOTHING
            return found.union(*(self.reads(arg, env, primed) for arg in node[3]))
        if head == "d":
            found = self.reads_of(node[2], env, primed)
            if not node[3]:
                return found
            given = [self.reads(argument, env, primed) for argument in node[3]]
            definition = self.definition(node[2])
            needed = self.primed_formals(definition)
            if any(reads and uid in needed for uid, reads in zip(definition.params, given, strict=False)):
                given.append(self._reads_primed(node, definition, env, primed))
            return found.union(*given)
        if head == "op":
            return self.reads_of(node[3], env, primed) if node[2] == "d" else _NOTHING
        if head == "let":
            held = [env]
            inner = env.bind({uid: LetDefinition(self.definition(uid), held) for uid in node[2]})
            held[0] = inner
            return self.reads(node[3], inner, primed)
        if head == "sub":
            return self.reads(node[3], self.substituted(node, env), primed)
        if head == "b":
            return self._reads_builtin(node, env, primed)
        return _NOTHING

    def _reads_primed(self, node: Node, definition: Definition, env: Env, primed: bool) -> Reads:
        """What is read of arguments that the definition may prime: asked of its body, as ENABLED hides a prime."""
        given = zip(definition.params, node[3], strict=True)
        key = (definition.uid, id(env.instance))
        if definition.body is None or definition.recursive or node[2] in env.scope or key in self._active:
            read = _NOTHING.union(*(self.reads(argument, env, primed) for _, argument in given))
            return frozenset((index, True) for index, _ in read)
        self._active.add(key)
        scope = {uid: ByName(argument, env) for uid, argument in given}
        found = self.reads(definition.body, self.home(definition, env).bind(scope), primed)
        self._active.discard(key)
        return found

    def _reads_declared(self, node: Node, env: Env, primed: bool) -> Reads:
        if env.instance is not None and node[2] in env.instance.meaning:
            meant = env.instance.meaning[node[2]]
            found = self.reads(meant.node, meant.env, primed)
        elif node[2] in self.variables:
            found = frozenset({(self.variables[node[2]], primed)})
        else:
            name = self.tree.declarations[node[2]].name if node[2] in self.tree.declarations else ""
            found = self.reads_of(self.operators[name], self.root, primed) if name in self.operators else _NOTHING
        return found.union(*(self.reads(arg, env, primed) for arg in node[3]))

    def _reads_builtin(self, node: Node, env: Env, primed: bool) -> Reads:
        name, operands, bounds = node[2], node[3], node[4]
        found: set[tuple[int, bool]] = set()
        for bound in bounds or ():
            if bound[2] is not None:
                found |= self.reads(bound[2], env, primed)
        for operand in operands:
            if operand is None:
                continue
            inside = self.reads(operand, env, primed or name == "'")
            found |= inside
            if name in ("UNCHANGED",) or (name in ("$SquareAct", "$AngleAct") and operand is operands[1]):
                found |= {(index, True) for index, _ in inside}
        if name == "ENABLED":
            found = {(index, False) for index, _ in found}
        return frozenset(found)

    def reads_of(self, uid: int, env: Env, primed: bool) -> Reads:
        bound = env.scope.get(uid)
        if isinstance(bound, ByName):
            return self.reads(bound.node, bound.env, primed)
        if isinstance(bound, LetDefinition):
            definition, inner = bound.definition, bound.env[0]
        elif bound is not None:
            return _NOTHING
        else:
            definition = self.definition(uid)
            inner = self.home(definition, env)
        if definition.body is None:
            return _NOTHING
        if definition.name == "LAMBDA":
            return self.reads(definition.body, inner, primed)
        key = (definition.uid, id(env.instance))
        found = self._reads.get(key)
        if found is None:
            if key in self._active:
                return _NOTHING
            self._active.add(key)
            found = self.reads(definition.body, inner, False)
            self._active.discard(key)
            # Inside a cycle the answer is complete only for the definition where the cycle was entered.
            if not self._active and not isinstance(bound, LetDefinition):
                self._reads[key] = found
        return frozenset((index, True) for index, _ in found) if primed else found

    def constant(self, node: Node, env: Env) -> bool:
        """Whether the value depends on nothing that is bound locally, on no state and on no register."""
        return not self._local(node, env, frozenset()) and not self.reads(node, env) and not self.asking.asks(node, env)

    def _local(self, node: Node, env: Env, bound: frozenset[int]) -> bool:
        head = node[0]
        if head == "f":
            meant = env.scope.get(node[2])
            if isinstance(meant, ByName):
                outside = self._local(meant.node, meant.env, frozenset())
            else:
                outside = node[2] not in bound
            return outside or any(self._local(arg, env, bound) for arg in node[3])
        if head == "v":
            if env.instance is not None and node[2] in env.instance.meaning:
                meant = env.instance.meaning[node[2]]
                return self._local(meant.node, meant.env, frozenset())
            return any(self._local(arg, env, bound) for arg in node[3])
        if head == "d":
            if node[2] in env.scope:
                return True
            if env.instance is not None and any(m.env.scope for m in env.instance.meaning.values()):
                return True
            return any(self._local(arg, env, bound) for arg in node[3])
        if head in ("let", "sub", "at", "op", "u"):
            return True
        if head == "b":
            here = bound.union(*(b[0] for b in node[4] or ()))
            domains = any(b[2] is not None and self._local(b[2], env, bound) for b in node[4] or ())
            return domains or any(o is not None and self._local(o, env, here) for o in node[3])
        return False

    # --- strictness ---------------------------------------------------------------------------

    def strict(self, node: Node) -> frozenset[int]:
        """Formals that are surely evaluated whenever the node is."""
        head = node[0]
        if head == "f" or (head == "d" and not node[3]):
            return frozenset({node[2]})
        if head == "d":
            definition = self.definition(node[2])
            if definition.body is None:
                return frozenset().union(*map(self.strict, node[3]))
            needed = self.strict_formals(definition)
            found = [self.strict(a) for f, a in zip(definition.params, node[3], strict=False) if f in needed]
            return frozenset().union(*found)
        if head == "let":
            return self.strict(node[3])
        if head != "b":
            return frozenset()
        name, operands, bounds = node[2], node[3], node[4]
        if bounds:
            domain = bounds[0][2]
            return self.strict(domain) if domain is not None and "RecursiveFcnSpec" not in name else frozenset()
        if not operands or name in ("$Case", "$SquareAct", "ENABLED", "[]", "<>", "'"):
            return frozenset()
        if name == "$IfThenElse":
            branches = self.strict(operands[1]) & self.strict(operands[2])
            return self.strict(operands[0]) | branches
        if name in ("\\land", "\\lor", "=>", "$ConjList", "$DisjList", "$Except"):
            return self.strict(operands[0]) if operands[0] is not None else frozenset()
        return frozenset().union(*(self.strict(operand) for operand in operands if operand is not None))

    def strict_formals(self, definition: Definition) -> frozenset[int]:
        """The greatest answer that is consistent with itself: an accumulator of a recursion counts as needed."""
        found = self._strict.get(definition.uid)
        if found is not None:
            return found
        if definition.body is None:
            return frozenset(definition.params)
        guess = frozenset(definition.params)
        while True:
            self._strict[definition.uid] = guess
            better = self.strict(definition.body) & guess
            if better == guess:
                return guess
            guess = better

    # --- names that are primed ----------------------------------------------------------------

    def primed_names(self, node: Node, under: bool = False) -> frozenset[int]:
        """Formals and LET names that occur below a prime, UNCHANGED or ENABLED."""
        head = node[0]
        if head == "f":
            own = frozenset({node[2]}) if under else frozenset()
            return own.union(*(self.primed_names(arg, under) for arg in node[3]))
        if head == "d":
            definition = self.definition(node[2])
            needed = self.primed_formals(definition) if node[3] and definition.body is not None else frozenset()
            found = frozenset({node[2]}) if under and not node[3] else frozenset()
            for index, arg in enumerate(node[3]):
                primed = index < len(definition.params) and definition.params[index] in needed
                found |= self.primed_names(arg, under or primed)
            return found
        if head == "v":
            return frozenset().union(*(self.primed_names(arg, under) for arg in node[3]))
        if head == "let":
            found = self.primed_names(node[3], under)
            for uid in reversed(node[2]):
                body = self.definition(uid).body
                if body is not None:
                    found |= self.primed_names(body, uid in found)
            return found
        if head == "sub":
            values = (self.primed_names(value, True) for _, value in node[2])
            return self.primed_names(node[3], under).union(*values)
        if head == "b":
            here = under or node[2] in _PRIMING
            found = frozenset()
            for bound in node[4] or ():
                if bound[2] is not None:
                    found |= self.primed_names(bound[2], under)
            return found.union(*(self.primed_names(o, here) for o in node[3] if o is not None))
        return frozenset()

    def primed_formals(self, definition: Definition) -> frozenset[int]:
        found = self._primed.get(definition.uid)
        if found is None:
            self._primed[definition.uid] = frozenset()
            body = definition.body
            found = self.primed_names(body) & frozenset(definition.params) if body is not None else frozenset()
            self._primed[definition.uid] = found
        return found

    def quantified_formals(self, definition: Definition) -> frozenset[int]:
        """The formals that are the set of a \\A; where it assigns, its elements must be known to the compiler."""
        found = self._quantified.get(definition.uid)
        if found is None:
            names = quantified(definition.body) if definition.body is not None else frozenset()
            found = self._quantified[definition.uid] = names & frozenset(definition.params)
        return found

    # --- laziness and shape -------------------------------------------------------------------

    def lazy(self, node: Node, env: Env) -> bool:
        """Whether the value may be a lazy set or function."""
        head: str = node[0]
        if head == "f":
            bound = env.scope.get(node[2])
            if isinstance(bound, ByName):
                return self.lazy(bound.node, bound.env)
            return bound.lazy if isinstance(bound, Local) else True
        if head == "v":
            if env.instance is not None and node[2] in env.instance.meaning:
                meant = env.instance.meaning[node[2]]
                return self.lazy(meant.node, meant.env)
            if node[2] in self.variables:
                return False
            name = self.tree.declarations[node[2]].name
            return name not in self.constants or isinstance(self.constants[name], LazySet)
        if head == "d":
            return self._lazy_definition(node, env)
        if head in ("let", "sub"):
            return True
        if head != "b":
            return False
        name, operands, bounds = node[2], node[3], node[4]
        if name in _OF_OPERANDS:
            return self.lazy(operands[0], env) or self.lazy(operands[1], env)
        if name in ("$FcnConstructor", "$SubsetOf"):
            return any(bound[2] is None or self.lazy(bound[2], env) for bound in bounds)
        if name == "$IfThenElse":
            return self.lazy(operands[1], env) or self.lazy(operands[2], env)
        if name == "$Case":
            return any(self.lazy(pair[3][1], env) for pair in operands)
        if name in ("'", "$Except"):
            return self.lazy(operands[0], env)
        if name == "UNION":
            # Only of a set that is written out the elements are not made before they are joined.
            whole = operands[0]
            written = whole[0] == "b" and whole[2] in ("$SetEnumerate", "$SetOfAll")
            return written and any(self.lazy(part, env) for part in whole[3])
        return bool(name in _LAZY or name in CONSTANT_SETS)

    def _lazy_definition(self, node: Node, env: Env) -> bool:
        bound = env.scope.get(node[2])
        if isinstance(bound, ByName):
            return self.lazy(bound.node, bound.env)
        if isinstance(bound, Local):
            return bound.lazy
        if isinstance(bound, LetDefinition):
            return True
        definition = self.definition(node[2])
        if definition.body is None:
            return definition.name in ("Nat", "Int") or NATIVES.get(definition.name, ("", "l"))[1] == "l"
        key = (definition.uid, id(env.instance))
        found = self._lazy.get(key)
        if found is None:
            self._lazy[key] = True
            found = self._lazy[key] = self.lazy(definition.body, Env(env.instance, {}))
        return found
