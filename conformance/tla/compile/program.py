"""One module under one configuration, as running Python.

Two rules:

1. Source is made and run when it is first asked for; what is asked for once
   stays.
2. The names of generated functions lead back to definitions, so that an error
   can tell through which it came.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import attrs

from conformance.tla.compile import builtins, runtime, sets
from conformance.tla.compile.actions import Actions
from conformance.tla.compile.branching import Branching
from conformance.tla.compile.early import first_asked_set
from conformance.tla.compile.order import Order
from conformance.tla.compile.registers import Registers
from conformance.tla.compile.scope import Binding, ByName, Context, Env, Frame, Local
from conformance.tla.compile.support import NAMES, no_case, no_constant, settle, top, unbounded_choose, valueless
from conformance.tla.compile.worklist import Goal, Writer
from conformance.tla.errors import DepthError, EvaluationError, Location
from conformance.tla.spelling import first_appearances
from conformance.tla.tree import Definition, ModuleTree, Node
from conformance.tla.values import BOOLEAN, FALSE, INT, NAT, STRING, TRUE, Fn, make_function

__all__ = ["Branch", "Program"]


@attrs.frozen(eq=False)
class Branch:
    """One disjunct of Next: under its quantifiers, a named action with arguments."""

    label: Definition
    arguments: tuple[Node, ...]
    env: Env
    body: Node
    quantifiers: tuple[tuple[Node, Env], ...]


class Program(Actions):
    """The compiler, and the functions that it made."""

    def __init__(
        self,
        tree: ModuleTree,
        constants: Mapping[str, Any],
        operators: Mapping[str, int],
        overrides: Mapping[int, int],
        words: Sequence[str] = (),
    ) -> None:
        super().__init__(Branching(tree, constants, operators, overrides))
        self.tree = tree
        self.order = Order(lambda: first_appearances(tree, words))
        self.registers = Registers()
        self.functions: dict[object, Callable[..., Any]] = {}
        self.space: dict[str, Any] = {
            "TRUE": TRUE,
            "FALSE": FALSE,
            "NAT": NAT,
            "INT": INT,
            "STRING": STRING,
            "BOOLEAN": BOOLEAN,
            "EMPTY": frozenset(),
            "Fn": Fn,
            "make_function": make_function,
            "VARIABLES": tuple(d.name for d in tree.variables),
            "settle": settle,
            "no_case": no_case,
            "no_constant": no_constant,
            "unbounded_choose": unbounded_choose,
            "valueless": valueless,
            "top": top,
            "whole": sets.whole,
            "PowerSet": sets.PowerSet,
            "Product": sets.Product,
            "FunctionSet": sets.FunctionSet,
            "RecordSet": sets.RecordSet,
            "subset_of": sets.subset_of,
            "union_of": sets.union_of,
        }
        self.space |= NAMES | {"it": self.order.it, "chs": self.order.choose, "to_string": self.order.to_string}
        self.space |= {"tlc_get": self.registers.get, "tlc_set": self.registers.set}
        for helper, _ in builtins.NATIVES.values():
            self.space.setdefault(helper, getattr(builtins, helper, None))
        self.space |= {f"K_{name}": value for name, value in constants.items()}

    # --- functions ----------------------------------------------------------------------------

    def run(self) -> None:
        """Run the source that waits."""
        if self.source:
            text = "\n".join(self.source)
            self.source.clear()
            exec(compile(text, f"<{self.tree.root}.tla>", "exec"), self.space)

    def _function(self, key: object, make: Callable[[], str]) -> Callable[..., Any]:
        found = self.functions.get(key)
        if found is None:
            name = make()
            self.run()
            found = self.functions[key] = self.space[name]
        return found

    def predicate(self, node: Node, env: Env) -> Callable[[Any, Any], bool]:
        """The truth of an expression, of (state, next state)."""

        def make() -> str:
            name, frame = self.fresh("q"), Frame()
            frame.own.update(("S", "T"))
            self.places[name] = node[1]
            text = self.truth(node, Context(env, frame))
            self.emit(f"def {name}(S, T=None):\n    return {text}")
            return name

        self.kept.append((node, env))
        return self._function(("predicate", id(node), id(env)), make)

    def expression(self, definition: Definition) -> Callable[[Any, Any], Any]:
        """The value of a definition without parameters, of (state, next state)."""

        def make() -> str:
            name, frame = self.fresh("q"), Frame()
            frame.own.update(("S", "T"))
            node: Node = ["d", definition.where, definition.uid, []]
            text = self.value(node, Context(self.know.root, frame))
            self.emit(f"def {name}(S=None, T=None):\n    return whole({text}, {self.at(node)})")
            return name

        return self._function(("expression", definition.uid), make)

    def constant(self, definition: Definition, env: Env) -> Callable[[], Any]:
        """The value of a constant expression."""

        def make() -> str:
            assert definition.body is not None
            name = self.fresh("q")
            text = self.value(definition.body, Context(env, Frame(), None, None))
            self.emit(f"def {name}():\n    return {text}")
            return name

        return self._function(("constant", definition.uid, id(env)), make)

    def action(self, definition: Definition) -> Callable[..., bool]:
        """A named action as a predicate of (state, next state, *arguments)."""

        def make() -> str:
            name, frame = self.fresh("a"), Frame()
            self.places[name] = definition.where
            parameters = [self.own("y", frame) for _ in definition.params]
            uids = [-1 - index for index in range(len(parameters))]
            bindings: dict[int, Binding] = dict(zip(uids, map(Local, parameters), strict=True))
            env = self.know.root.bind(bindings)
            frame.own.update(("S", "T"))
            node: Node = ["d", definition.where, definition.uid, [["f", definition.where, uid, []] for uid in uids]]
            text = self.truth(node, Context(env, frame))
            taken = ", ".join(["S", "T", *parameters]) if parameters else "S, T=None"
            self.emit(f"def {name}({taken}):\n    return {text}")
            return name

        return self._function(("action", definition.uid), make)

    def initial(self, node: Node) -> Callable[[], Any]:
        def make() -> str:
            name, writer = self.fresh("init"), Writer(Frame())
            self.places[name] = node[1]
            self.walk(((node, self.know.root), None), {}, writer, Goal("init", "Init"))
            self.emit("\n".join([f"def {name}():", *writer.lines, "    return", "    yield"]))
            return name

        return self._function(("initial", id(node)), make)

    def follow(self, branch: Branch) -> Callable[[Any], Any]:
        """The generator of (arguments, next state) for one disjunct of Next."""

        def make() -> str:
            name, frame = self.fresh("n"), Frame()
            writer, env, arguments = self._head(branch, Writer(frame), "None")
            goal = Goal("next", branch.label.name, tuple(arguments))
            self.walk(((branch.body, env), None), {}, writer, goal)
            self.emit("\n".join([f"def {name}(S):", *writer.lines, "    return", "    yield"]))
            return name

        return self._function(("follow", id(branch)), make)

    def given(self, branch: Branch) -> Callable[..., Any] | None:
        """The generator of next states for one disjunct of (state, *arguments); None where it has a body of its own."""
        if branch.body is not branch.label.body:
            return None

        def make() -> str:
            name, frame = self.fresh("g"), Frame()
            frame.own.add("S")
            parameters = [self.own("y", frame) for _ in branch.label.params]
            formals: dict[int, Binding] = dict(zip(branch.label.params, map(Local, parameters), strict=True))
            writer = Writer(frame)
            goal = Goal("next", branch.label.name)
            self.walk(((branch.body, Env(branch.env.instance, formals)), None), {}, writer, goal)
            self.emit(
                "\n".join([f"def {name}({', '.join(['S', *parameters])}):", *writer.lines, "    return", "    yield"])
            )
            return name

        return self._function(("given", id(branch)), make)

    def instances(self, branch: Branch) -> Callable[[Any, Any], Any]:
        """The generator of the arguments under which a disjunct's action may be asked, of (state, next state).

        A disjunct with a body of its own, a part of the definition that it is named after, is asked already.
        """

        def make() -> str:
            name, frame = self.fresh("m"), Frame()
            frame.own.update(("S", "T"))
            writer, env, arguments = self._head(branch, Writer(frame), "T")
            if branch.body is not branch.label.body:
                # A part without a name of its own is not the whole of what it is named after: it is asked here.
                writer = writer.block(f"if {self.truth(branch.body, Context(env, frame))}:")
            writer.line(f"yield ({''.join(a + ', ' for a in arguments)})")
            self.emit("\n".join([f"def {name}(S, T):", *writer.lines, "    return", "    yield"]))
            return name

        return self._function(("instances", id(branch)), make)

    def _head(self, branch: Branch, w: Writer, then: str) -> tuple[Writer, Env, list[str]]:
        """The quantifiers and arguments of a branch, and its body's environment."""
        w.frame.own.update(("S",))
        if then == "None" and branch.body is branch.label.body:
            self._leave_early(branch, w)
        scope: dict[int, Binding] = {}
        for node, env in branch.quantifiers:
            c = Context(Env(env.instance, {**env.scope, **scope}), w.frame, "S", "T" if then == "T" else None)
            for uids, is_tuple, domain in node[4]:
                if self.know.lazy(domain, c.env):
                    source = f"top({self.value(domain, c)}, S, {then}, {self.at(domain)})"
                else:
                    source = self.iterate(domain, c)
                names = [self.local(uid, w.frame) for uid in uids]
                scope.update(zip(uids, map(Local, names), strict=True))
                if is_tuple:
                    whole = self.own("t", w.frame)
                    w = w.block(f"for {whole} in {source}:")
                    w.line(f"({', '.join(names)},) = pattern({whole}, {len(names)}, {self.at(node)})")
                else:
                    for name in names:
                        w = w.block(f"for {name} in {source}:")
        env = Env(branch.env.instance, {**branch.env.scope, **scope})
        env = _rescoped(env, scope)
        c = Context(env, w.frame, "S", None)
        arguments = []
        for argument in branch.arguments:
            arguments.append(self.own("g", w.frame))
            w.line(f"{arguments[-1]} = {self.stored(argument, c)}")
        formals = self.taken(branch.label, branch.arguments, arguments, env)
        if branch.body is branch.label.body:
            return w, Env(branch.env.instance, formals), arguments
        return w, env.bind(formals), arguments

    def _leave_early(self, branch: Branch, w: Writer) -> None:
        """Where the first thing asked is whether something is in a set that is empty now, the answer is known."""
        asked = first_asked_set(self.know, branch.body, Env(branch.env.instance, {}))
        if asked is not None:
            found, env = asked
            w.line(f"if {self.value(found, Context(env, w.frame, 'S', None))} == frozenset():")
            w.line("    return")

    def taken(
        self, action: Definition, arguments: Sequence[Node], names: Sequence[str], env: Env
    ) -> dict[int, Binding]:
        """What the formals of a named action mean: the arguments by their Python names, or what is gone through."""
        given = zip(action.params, arguments, names, strict=True)
        return {uid: ByName(each, env) if self.know.parted(each, env) else Local(name) for uid, each, name in given}

    # --- constants needed while compiling -----------------------------------------------------

    def constant_elements(self, node: Node, env: Env) -> list[Any]:
        name, frame = self.fresh("c"), Frame()
        text = self.value(node, Context(env, frame, None, None))
        self.emit(f"def {name}():\n    return {text}")
        self.run()
        return list(self.order.it(self.space[name](), self.at(node)))

    def constant_name(self, value: Any) -> str:
        name = self.fresh("V")
        self.space[name] = value
        return name

    # --- Next taken apart ---------------------------------------------------------------------

    def branches(self, definition: Definition) -> list[Branch]:
        """The disjuncts of Next, each under the name of the action that it is."""
        assert definition.body is not None
        return list(self._branches(definition.body, self.know.root, (), (definition, ())))

    def _branches(self, node: Node, env: Env, quantifiers: Any, around: Any) -> Any:
        head = node[0]
        if head == "b" and node[2] in ("\\lor", "$DisjList"):
            for part in node[3]:
                yield from self._branches(part, env, quantifiers, around)
            return
        if head == "b" and node[2] == "$BoundedExists" and self.named(node[3][0]):
            yield from self._branches(node[3][0], env, (*quantifiers, (node, env)), around)
            return
        if head == "d" and node[2] not in env.scope and self.named(node):
            definition = self.know.definition(node[2])
            if definition.body is not None and not definition.recursive:
                if not definition.params and self.splits(definition):
                    inner = Env(env.instance, {})
                    yield from self._branches(definition.body, inner, quantifiers, (definition, ()))
                    return
                yield Branch(definition, tuple(node[3]), env, definition.body, quantifiers)
                return
        label, arguments = around
        yield Branch(label, arguments, env, node, quantifiers)

    def named(self, node: Node) -> bool:
        """Whether every disjunct below, under quantifiers, is a definition applied."""
        if node[0] == "b" and node[2] in ("\\lor", "$DisjList"):
            return all(map(self.named, node[3]))
        if node[0] == "b" and node[2] == "$BoundedExists":
            return self.named(node[3][0])
        if node[0] != "d" or (definition := self.know.definition(node[2])).body is None:
            return False
        # An operator, an action or a variable to prime is no value that could be told beside the name.
        primed = self.know.primed_formals(definition)
        for uid, argument in zip(definition.params, node[3], strict=True):
            reads = self.know.reads(argument, self.know.root)
            if argument[0] == "op" or (uid in primed and reads) or any(then for _, then in reads):
                return False
        return True

    def splits(self, definition: Definition) -> bool:
        """Whether a definition stands for the actions that it names, and not for one of its own."""
        return definition.body is not None and self._splits(definition.body)

    def _splits(self, node: Node) -> bool:
        """Whether a definition is a disjunction of actions that have names of their own in this module."""
        if node[0] == "b" and node[2] in ("\\lor", "$DisjList", "$BoundedExists"):
            return all(map(self._splits, node[3]))
        return node[0] == "d" and "!" not in self.know.definition(node[2]).name and self.named(node)

    @property
    def order_dependent(self) -> list[Location]:
        """The CHOOSEs met so far whose value hangs on which name stands first in the text."""
        return [runtime.place(number) for number in self.order.dependent]

    # --- errors -------------------------------------------------------------------------------

    def chain(self, traceback: TracebackType | None) -> tuple[Location, ...]:
        """The definitions that an error came through, innermost first."""
        found: list[Location] = []
        before = None
        while traceback is not None:
            where = self.places.get(traceback.tb_frame.f_code.co_name)
            # An endless recursion is hundreds of thousands of calls in one place.
            if where is not None and where != before:
                before, place = where, self.tree.location(where)
                if not found or found[-1] != place:
                    found.append(place)
            traceback = traceback.tb_next
        return tuple(reversed(found[-50:]))

    def explain_error(self, error: BaseException) -> EvaluationError:
        """The error with its chain; what Python refused becomes an error of the specification."""
        chain = self.chain(error.__traceback__)
        if isinstance(error, EvaluationError):
            if not error.chain:
                error.chain = chain
            if error.location is None and chain:
                error.location = chain[0]
            return error
        return DepthError(
            "the evaluation goes too deep; a recursion does not end, or ends too late",
            chain[0] if chain else None,
            chain,
        )


def _rescoped(env: Env, scope: Mapping[int, Binding]) -> Env:
    """Arguments bound by name see the quantified names too."""
    changed: dict[int, Binding] = {}
    for uid, bound in env.scope.items():
        if isinstance(bound, ByName):
            changed[uid] = ByName(bound.node, Env(bound.env.instance, {**bound.env.scope, **scope}))
    return env.bind(changed) if changed else env
