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
from itertools import product
from typing import Any

from conformance.tla.compile.expressions import Expressions
from conformance.tla.compile.replaced import replacement
from conformance.tla.compile.scope import KEPT, Binding, ByName, Context, Env, Frame, LetDefinition, Local, Operator
from conformance.tla.compile.worklist import MAX_BLOCKS, MAX_INDENT, Goal, Item, Known, Rest, Work, Writer, flat
from conformance.tla.errors import EvaluationError
from conformance.tla.tree import Definition, Node

__all__ = ["Actions"]


class Actions(Expressions):
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
            inner, held = self.let(node, c)
            for name, made in held:
                w.line(f"{name} = {made}")
            return ((node[3], inner.env), work), known, w
        if head in ("d", "f", "v"):
            opened = self._open(node, c, known, w)
            if opened is not None:
                return (opened, work), known, w
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
        if name == "$BoundedForall" and opens and all(b[2] and self.know.constant(b[2], env) for b in node[4]):
            rows = self._rows(node, c)
            return NotImplemented if rows is None else (self._unroll(node, rows, c, work), known, w)
        return NotImplemented

    def _opens(self, node: Node, env: Env, known: Known, goal: Goal) -> bool:
        """Whether the node gives a value to a variable that has none, or branches."""
        reads = self.know.reads(node, env)
        wanted = goal.kind != "init"
        return any(primed is wanted and index not in known for index, primed in reads) or self.know.branching(node, env)

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

    def _rows(self, node: Node, c: Context) -> list[tuple[Any, ...]] | None:
        """The elements that a \\A over constant sets binds, in TLC's order; None where they cannot be listed."""
        domains: list[list[Any]] = []
        for names, is_tuple, domain in node[4]:
            if is_tuple:
                raise self.unsupported(node, "\\A with a tuple pattern around an assignment")
            try:
                domains += [self.constant_elements(domain, c.env)] * len(names)
            except EvaluationError:
                return None
        # TLC begins with the first choice and goes on from the last one backwards; the first name changes fastest.
        rows = [row[::-1] for row in product(*reversed(domains))]
        return [*rows[:1], *reversed(rows[1:])]

    def _unroll(self, node: Node, rows: list[tuple[Any, ...]], c: Context, work: Work) -> Work:
        """\\A over a constant set, where its body assigns: one conjunct for each element."""
        uids = [uid for names, _, _ in node[4] for uid in names]
        for row in reversed(rows):
            names = [Local(self.constant_name(value)) for value in row]
            work = ((node[3][0], c.env.bind(dict(zip(uids, names, strict=True)))), work)
        return work

    def constant_elements(self, node: Node, env: Env) -> list[Any]:
        raise NotImplementedError

    def constant_name(self, value: Any) -> str:
        raise NotImplementedError

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

    def _open(self, node: Node, c: Context, known: Known, w: Writer) -> Item | None:
        bound = c.env.scope.get(node[2])
        if isinstance(bound, ByName) and not node[3]:
            return bound.node, bound.env
        arguments: list[Node] = node[3]
        definition: Definition
        if isinstance(bound, ByName):
            if bound.node[0] != "op" or bound.node[2] != "d":
                return None
            handed = bound.env.scope.get(bound.node[3])
            if isinstance(handed, LetDefinition):
                definition, home = handed.definition, handed.env[0]
            elif handed is not None:
                return None
            else:
                definition = self.know.definition(bound.node[3])
                home = self.know.home(definition, bound.env)
        elif isinstance(bound, LetDefinition):
            definition, home = bound.definition, bound.env[0]
        elif bound is None and node[0] == "d":
            definition, home = self.know.definition(node[2]), Env(c.env.instance, {})
        elif bound is None and (replaced := replacement(self.know, node, c.env)) is not None:
            definition, home = replaced
        else:
            return None
        if definition.body is None or definition.recursive:
            return None
        reads = self.know.reads(definition.body, home)
        given = frozenset[tuple[int, bool]]().union(*(self.know.reads(each, c.env) for each in arguments))
        primed = any(then for _, then in reads | given | self.know.reads(node, c.env))
        by_state = isinstance(c.now, dict) and bool(reads | given)
        if not (primed or by_state or self.know.branching(definition.body, home)):
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
