"""Actions as generators: which states may follow, by a worklist of conjuncts.

Four rules:

1. A conjunct tests, or gives a variable its next value, or branches; the rest
   of the worklist stands inside of it.  Which variables have a value is known
   when the source is made.
2. The rest behind a branch is written once and called from every arm.
3. A definition is taken apart where it branches or assigns; formals that are
   primed are bound by name.
4. No generated function nests deeper than Python allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.tla.compile.repeated import Repeated
from conformance.tla.compile.replaced import replacement
from conformance.tla.compile.scope import KEPT, Binding, ByName, Context, Env, Frame, LetDefinition, Local, Operator
from conformance.tla.compile.worklist import MAX_BLOCKS, MAX_INDENT, Goal, Item, Known, Rest, Work, Writer, flat
from conformance.tla.tree import Definition, Node

__all__ = ["Actions"]


class Actions(Repeated):
    """The compiler of actions and initial predicates."""

    def generator(self, name: str, work: Work, goal: Goal, frame: Frame, parameters: list[str]) -> list[str]:
        """A generator function over the worklist; answers the names that it takes after its parameters."""
        writer = Writer(frame)
        self.walk(work, {}, writer, goal)
        return self.close(name, writer, parameters)

    def close(self, name: str, writer: Writer, parameters: list[str]) -> list[str]:
        free = list(writer.frame.free)
        head = f"def {name}({', '.join([*parameters, *free])}):"
        self.emit("\n".join([head, *writer.lines, "    return", "    yield"]))
        return free

    def enabled(self, node: Node, c: Context) -> str:
        frame = Frame()
        name = self.fresh("e")
        free = self.generator(name, ((node[3][0], c.env), None), Goal("enabled", "ENABLED"), frame, [])
        texts = []
        for taken in free:
            if taken == "S":
                reads = self.know.reads(node[3][0], c.env)
                texts.append(self.state(c.now, c, frozenset(i for i, primed in reads if not primed)))
            else:
                texts.append(c.frame.use(taken))
        return f"next({name}({', '.join(texts)}), False)"

    # --- the worklist -------------------------------------------------------------------------

    def context(self, env: Env, known: Known, writer: Writer, goal: Goal) -> Context:
        if goal.kind == "init":
            return Context(env, writer.frame, dict(known), None)
        return Context(env, writer.frame, "S", dict(known))

    def walk(self, work: Work, known: Known, w: Writer, goal: Goal) -> None:
        while work is not None:
            if w.blocks >= MAX_BLOCKS or w.indent >= MAX_INDENT:
                self._continue(Rest(work, goal), known, w)
                return
            item, work = work
            if isinstance(item, Rest):
                self._continue(item, known, w)
                return
            step = self._step(item[0], item[1], work, known, w, goal)
            if step is None:
                return
            work, known, w = step
        self._finish(known, w, goal)

    def _finish(self, known: Known, w: Writer, goal: Goal) -> None:
        if goal.ways is not None:
            given = tuple(sorted(known.keys() - goal.ways.before))
            if given not in goal.ways.given:
                goal.ways.given.append(given)
            values = "".join(self.held(index, known, w.frame) + ", " for index in given)
            w.line(f"yield ({goal.ways.given.index(given)}, {values})")
            return
        if goal.kind == "enabled":
            w.line("yield True")
            return
        missing = [name for index, name in enumerate(self.names) if index not in known]
        if missing:
            w.line(f"unassigned({', '.join(missing)!r}, {goal.action!r})")
            return
        texts = [self.held(index, known, w.frame) for index in range(len(self.names))]
        if goal.kind == "leaf":
            texts = ["None" if known[index] == KEPT else text for index, text in enumerate(texts)]
        state = "(" + "".join(text + ", " for text in texts) + ")"
        if goal.arguments is None:
            w.line(f"yield {state}")
            return
        told = f"({''.join(w.frame.use(a) + ', ' for a in goal.arguments)}), {state}"
        w.line(f"yield {goal.action!r}, {told}" if goal.kind == "leaf" else f"yield {told}")

    def _continue(self, rest: Rest, known: Known, w: Writer) -> None:
        order = sorted(index for index in known if known[index] != KEPT)
        kept = {index: KEPT for index in known if known[index] == KEPT}
        key = (frozenset(order), frozenset(kept))
        if key not in rest.functions:
            frame = Frame()
            name = self.fresh("r")
            inner = {index: self.own("k", frame) for index in order}
            writer = Writer(frame)
            self.walk(rest.work, {**inner, **kept}, writer, rest.goal)
            rest.functions[key] = (name, self.close(name, writer, [inner[index] for index in order]))
        name, free = rest.functions[key]
        texts = [w.frame.use(known[index]) for index in order] + [w.frame.use(taken) for taken in free]
        w.line(f"yield from {name}({', '.join(texts)})")

    def _step(
        self, node: Node, env: Env, work: Work, known: Known, w: Writer, goal: Goal
    ) -> tuple[Work, Known, Writer] | None:
        c = self.context(env, known, w, goal)
        head = node[0]
        if goal.kind != "enabled" and len(known) == len(self.names):
            # As TLC has it: once every variable has its value, what is left is a test and branches no more.
            return work, known, w.block(f"if {self.truth(node, c)}:")
        if head in ("f", "v") and not node[3]:
            meant = self.meant(node, c)
            if meant is not None:
                return ((meant[0], meant[1].env), work), known, w
        if head == "sub":
            return ((node[3], self.know.substituted(node, env)), work), known, w
        if head == "let":
            inner, held = self.let(node, c, action=True)
            for name, made in held:
                w.line(f"{name} = {made}")
            return ((node[3], inner.env), work), known, w
        if head in ("d", "f", "v"):
            opened = self._open(node, c, work, known, w, goal)
            if opened is not NotImplemented:
                return opened  # type: ignore[no-any-return]
        if head == "b":
            done = self._builtin_step(node, c, work, known, w, goal)
            if done is not NotImplemented:
                return done  # type: ignore[no-any-return]
        return work, known, w.block(f"if {self.truth(node, c)}:")

    def _builtin_step(self, node: Node, c: Context, work: Work, known: Known, w: Writer, goal: Goal) -> Any:
        name, operands = node[2], node[3]
        env = c.env
        if name in ("\\land", "$ConjList"):
            for operand in reversed(operands):
                work = ((operand, env), work)
            return work, known, w
        if name in ("\\lor", "$DisjList"):
            self._branch([(w, (operand, env)) for operand in flat(node)], work, known, goal)
            return None
        if name == "TRUE":
            return work, known, w
        if name == "$BoundedExists":
            inner, clauses = self.clauses(node, c)
            for clause in clauses:
                w = w.block(clause + ":")
            return ((operands[0], inner.env), work), known, w
        if name in ("=", "\\in"):
            return self._assign(node, c, work, known, w, goal)
        if name == "UNCHANGED" and goal.kind != "init":
            return self._keep(operands[0], c, work, known, w)
        if name == "$SquareAct":
            unchanged: Node = ["b", node[1], "UNCHANGED", [operands[1]], None]
            self._branch([(w, (operands[0], env)), (w, (unchanged, env))], work, known, goal)
            return None
        if name == "$AngleAct":
            changed: Node = ["b", node[1], "\\lnot", [["b", node[1], "UNCHANGED", [operands[1]], None]], None]
            return ((operands[0], env), ((changed, env), work)), known, w
        opens = self._opens(node, env, known, goal)
        if name == "$IfThenElse" and opens:
            yes = w.block(f"if {self.truth(operands[0], c)}:")
            yes.line("pass")
            self._branch([(yes, (operands[1], env))], work, known, goal, alone=False)
            no = w.block("else:")
            no.line("pass")
            self._branch([(no, (operands[2], env))], work, known, goal, alone=False)
            return None
        if name == "=>" and opens:
            # TLC takes the right side as an action where the left side holds, and leaves it out elsewhere.
            holds = w.block(f"if {self.truth(operands[0], c)}:")
            holds.line("pass")
            self._branch([(holds, (operands[1], env))], work, known, goal, alone=False)
            fails = w.block("else:")
            fails.line("pass")
            self._branch([(fails, (["b", node[1], "TRUE", [], None], env))], work, known, goal, alone=False)
            return None
        if name == "$Case" and opens:
            self._case_step(node, c, work, known, w, goal)
            return None
        if name == "$BoundedForall" and all(bound[2] for bound in node[4]):
            return self.forall(node, c, work, known, w, goal)
        if name == "$FcnApply" and opens and goal.kind in ("next", "leaf"):
            found = self.written_out(node, c, w)
            return NotImplemented if found is None else ((found[:2], work), known, found[2])
        return NotImplemented

    def _opens(self, node: Node, env: Env, known: Known, goal: Goal) -> bool:
        """Whether the node gives a value to a variable that has none, or branches."""
        return bool(self.wanted(node, env, known, goal)) or self.know.branching(node, env)

    def _branch(
        self, arms: list[tuple[Writer, Item]], work: Work, known: Known, goal: Goal, *, alone: bool = True
    ) -> None:
        if work is not None and not isinstance(work[0], Rest) and (len(arms) > 1 or not alone):
            work = (Rest(work, goal), None)
        for writer, item in arms:
            self.walk((item, work), known, writer, goal)

    def _case_step(self, node: Node, c: Context, work: Work, known: Known, w: Writer, goal: Goal) -> None:
        if work is not None and not isinstance(work[0], Rest):
            work = (Rest(work, goal), None)
        word = "if"
        for pair in node[3]:
            guard, result = pair[3]
            if guard is None or guard[0] == "o":
                continue
            arm = w.block(f"{word} {self.truth(guard, c)}:")
            arm.line("pass")
            self.walk(((result, c.env), work), known, arm, goal)
            word = "elif"
        otherwise = w.block("else:")
        others = [pair[3][1] for pair in node[3] if pair[3][0] is None or pair[3][0][0] == "o"]
        if others:
            otherwise.line("pass")
            self.walk(((others[0], c.env), work), known, otherwise, goal)
        else:
            otherwise.line(f"no_case({self.at(node)})")

    # --- assignments --------------------------------------------------------------------------

    def target(self, node: Node, c: Context, goal: Goal) -> int | None:
        """The variable that the left side of = or \\in names, if it is one."""
        if goal.kind != "init":
            if node[0] == "b" and node[2] == "'":
                return self._variable(node[3][0], c.env)
            if node[0] in ("f", "v", "d") and not node[3]:
                bound = c.env.scope.get(node[2])
                if isinstance(bound, ByName):
                    return self.target(bound.node, c.within(bound.env), goal)
            return None
        return self._variable(node, c.env)

    def _variable(self, node: Node, env: Env) -> int | None:
        while True:
            head = node[0]
            if head == "v" and not node[3]:
                if env.instance is not None and node[2] in env.instance.meaning:
                    meant = env.instance.meaning[node[2]]
                    node, env = meant.node, meant.env
                    continue
                return self.know.variables.get(node[2])
            bound = env.scope.get(node[2]) if head in ("f", "d") and not node[3] else None
            if isinstance(bound, ByName):
                node, env = bound.node, bound.env
                continue
            if head == "d" and not node[3] and bound is None:
                definition = self.know.definition(node[2])
                if definition.body is None or definition.recursive:
                    return None
                node, env = definition.body, Env(env.instance, {})
                continue
            if head == "sub":
                node, env = node[3], self.know.substituted(node, env)
                continue
            return None

    def _assign(self, node: Node, c: Context, work: Work, known: Known, w: Writer, goal: Goal) -> Any:
        index = self.target(node[3][0], c, goal)
        if index is None or index in known:
            return NotImplemented
        if node[2] == "=" and goal.kind != "init" and self._variable(node[3][1], c.env) == index:
            return work, {**known, index: KEPT}, w
        name = self.own(f"n_{self.names[index]}", w.frame)
        if node[2] == "=":
            w.line(f"{name} = {self.stored(node[3][1], c)}")
        else:
            w = w.block(f"for {name} in {self.iterate(node[3][1], c)}:")
        return work, {**known, index: name}, w

    def _keep(self, node: Node, c: Context, work: Work, known: Known, w: Writer) -> Any:
        parts = self.parts(node, c.env)
        for index, part, env in parts:
            if index is not None and index not in known:
                known = {**known, index: KEPT}
            else:
                inner = self.context(env, known, w, Goal("next", ""))
                w = w.block(f"if {self.unchanged(part, inner)}:")
        return work, known, w

    def parts(self, node: Node, env: Env) -> list[tuple[int | None, Node, Env]]:
        index = self._variable(node, env)
        if index is not None:
            return [(index, node, env)]
        head = node[0]
        if head == "b" and node[2] == "$Tuple":
            return [part for operand in node[3] for part in self.parts(operand, env)]
        bound = env.scope.get(node[2]) if head in ("f", "d") and not node[3] else None
        if isinstance(bound, ByName):
            return self.parts(bound.node, bound.env)
        if head == "v" and env.instance is not None and node[2] in env.instance.meaning:
            meant = env.instance.meaning[node[2]]
            return self.parts(meant.node, meant.env)
        if head == "d" and not node[3] and bound is None:
            definition = self.know.definition(node[2])
            if definition.body is not None and not definition.recursive:
                return self.parts(definition.body, Env(env.instance, {}))
        if head == "sub":
            return self.parts(node[3], self.know.substituted(node, env))
        return [(None, node, env)]

    # --- definitions taken apart --------------------------------------------------------------

    def _open(self, node: Node, c: Context, work: Work, known: Known, w: Writer, goal: Goal) -> Any:
        """The step that goes through what a name stands for, if TLC does."""
        bound = c.env.scope.get(node[2])
        if isinstance(bound, ByName) and not node[3]:
            return ((bound.node, bound.env), work), known, w
        definition, home = self._named(node, c, bound)
        if definition is None or definition.body is None:
            return NotImplemented
        if definition.recursive:
            written = self.repeat(definition, home, node[3], c, work, known, w, goal)
            return None if written else NotImplemented
        opened = self._opened(definition, home, node, c, w)
        return NotImplemented if opened is None else ((opened, work), known, w)

    def _named(self, node: Node, c: Context, bound: Binding | None) -> tuple[Definition | None, Env]:
        """The definition that is applied, and the environment of its body."""
        if isinstance(bound, ByName):
            if bound.node[0] != "op" or bound.node[2] != "d":
                return None, c.env
            handed = bound.env.scope.get(bound.node[3])
            if handed is None:
                definition = self.know.definition(bound.node[3])
                return definition, self.know.home(definition, bound.env)
            bound = handed
        if isinstance(bound, LetDefinition):
            return bound.definition, bound.env[0]
        if bound is None and node[0] == "d":
            return self.know.definition(node[2]), Env(c.env.instance, {})
        replaced = replacement(self.know, node, c.env) if bound is None else None
        return (None, c.env) if replaced is None else replaced

    def _opened(self, definition: Definition, home: Env, node: Node, c: Context, w: Writer) -> Item | None:
        assert definition.body is not None
        arguments: list[Node] = node[3]
        reads = self.know.reads(definition.body, home)
        given = frozenset[tuple[int, bool]]().union(*(self.know.reads(each, c.env) for each in arguments))
        primed = any(then for _, then in reads | given | self.know.reads(node, c.env))
        by_state = isinstance(c.now, dict) and bool(reads | given)
        parted = any(self.know.parted(argument, c.env) for argument in arguments)
        if not (primed or by_state or parted or self.know.branching(definition.body, home)):
            return None
        return definition.body, home.bind(self.open_formals(definition, arguments, c, w))

    def open_formals(
        self, definition: Definition, arguments: Sequence[Node], c: Context, w: Writer
    ) -> dict[int, Binding]:
        primed = self.know.primed_formals(definition)
        unrolled = self.know.quantified_formals(definition)
        scope: dict[int, Binding] = {}
        for uid, argument in zip(definition.params, arguments, strict=True):
            reads = self.know.reads(argument, c.env)
            by_name = argument[0] == "op" or (uid in primed and bool(reads)) or any(then for _, then in reads)
            by_name = by_name or (uid in unrolled and self.know.constant(argument, c.env))
            by_name = by_name or self.know.parted(argument, c.env)
            bound = c.env.scope.get(argument[2]) if argument[0] in ("f", "d") and not argument[3] else None
            if by_name or (isinstance(c.now, dict) and reads):
                scope[uid] = ByName(argument, c.env)
            elif isinstance(bound, (Local, Operator)):
                scope[uid] = bound
            elif self.total(argument, c):
                name = self.own("a", w.frame)
                w.line(f"{name} = {self.value(argument, c)}")
                scope[uid] = Local(name, lazy=self.know.lazy(argument, c.env))
            else:
                name = self.own("a", w.frame)
                w.line(f"{name} = Thunk(lambda: {self.value(argument, c)})")
                scope[uid] = Local(name, thunk=True, lazy=self.know.lazy(argument, c.env))
        return scope
