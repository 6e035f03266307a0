"""Expressions as Python expressions: one for the value, one for the truth.

Four rules:

1. `value` gives a TLA+ value and may give a lazy set; `stored` forces it, and
   stands wherever a value is kept.  `truth` gives a native bool.
2. Every operation that can be refused carries its place.
3. Source that grows too deep for Python's parser goes into a function of its own.
4. What is not evaluated here is an `UnsupportedError` when it is compiled; what TLC refuses
   where it meets it is an `EvaluationError` there.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from typing import Any

from conformance.tla.compile.binders import DEPTH, Binders
from conformance.tla.compile.builtins import CONSTANT_SETS, NATIVES
from conformance.tla.compile.forms import HOISTED, PAIRS, TRUTHS, VALUELESS
from conformance.tla.compile.scope import AT, Context, Frame, Local
from conformance.tla.errors import UnsupportedError
from conformance.tla.tree import Node

__all__ = ["Expressions"]

_SPECIFICATIONS = ("$RecursiveFcnSpec", "$NonRecursiveFcnSpec")


class Expressions(Binders):
    """The compiler of expressions; `Calls` applies definitions."""

    depth = 0

    # --- the three positions ------------------------------------------------------------------

    def value(self, node: Node, c: Context) -> str:
        return self._deep(node, c, self._value)

    def stored(self, node: Node, c: Context) -> str:
        text = self.value(node, c)
        return f"fc({text}, {self.at(node)})" if self.know.lazy(node, c.env) else text

    def truth(self, node: Node, c: Context) -> str:
        return self._deep(node, c, self._truth)

    def _deep(self, node: Node, c: Context, build: Callable[[Node, Context], str]) -> str:
        self.depth += 1
        try:
            if self.depth % DEPTH == 0:
                return self.apart(c, lambda inner: build(node, inner))
            return build(node, c)
        finally:
            self.depth -= 1

    def apart(self, c: Context, build: Callable[[Context], str]) -> str:
        """The source as a call of a function of its own, which is given the names it uses."""
        frame = Frame()
        body = build(c.inside(frame))
        free = list(frame.free)
        name = self.fresh("h")
        self.emit(f"def {name}({', '.join(free)}):\n    return {body}")
        return f"{name}({', '.join(map(c.frame.use, free))})"

    def _truth(self, node: Node, c: Context) -> str:
        head = node[0]
        if head == "b":
            name = node[2]
            if name == "TRUE":
                return "True"
            if name == "FALSE":
                return "False"
            if name == "$IfThenElse":
                test, yes, no = (self.truth(part, c) for part in node[3])
                return f"({yes} if {test} else {no})"
            if name == "$Case":
                return self._case(node, c, self.truth)
            if name == "'":
                return self.truth(node[3][0], self.primed(node, c))
            if name in TRUTHS:
                return self._predicate(node, c)
        if head == "d":
            return self.apply_definition(node, c, "p")
        if head == "let":
            return self._let(node, c, self.truth)
        if head == "sub":
            return self.truth(node[3], c.within(self.know.substituted(node, c.env)))
        if head == "v" or head == "f":
            meant = self.meant(node, c)
            if meant is not None:
                return self.truth(*meant)
        return f"bl({self.value(node, c)}, {self.at(node)})"

    def _value(self, node: Node, c: Context) -> str:
        head = node[0]
        if head == "n":
            return str(node[2])
        if head == "s":
            return repr(node[2])
        if head == "v":
            return self.apply_declared(node, c)
        if head == "f":
            return self.apply_formal(node, c)
        if head == "d":
            return self.apply_definition(node, c, "v")
        if head == "let":
            return self._let(node, c, self.value)
        if head == "sub":
            return self.value(node[3], c.within(self.know.substituted(node, c.env)))
        if head == "at":
            old = c.env.scope[AT]
            assert isinstance(old, Local)
            return c.frame.use(old.name)
        if head != "b":
            raise self.unsupported(node, str(node[2]) if head == "u" else head)
        name = node[2]
        if name in HOISTED and self.know.constant(node, c.env):
            return self.once(node, c)
        if name in TRUTHS:
            return f"(TRUE if {self._predicate(node, c)} else FALSE)"
        return self._builtin(node, c)

    def once(self, node: Node, c: Context) -> str:
        """A constant expression: evaluated when first needed, and kept."""
        key = (id(node), id(c.env.instance))
        name = self.constants_made.get(key)
        if name is None:
            text = self._builtin(node, c.inside(Frame()))
            if _is_literal(text):
                return text
            if node[2] in _SPECIFICATIONS or not self.know.lazy(node, c.env):
                finished = text
            else:
                finished = f"settle({text})"
            name = self.constants_made[key] = self.fresh("c")
            self.kept.append(node)
            self.emit_once(name, finished)
        return f"{name}()"

    # --- truths -------------------------------------------------------------------------------

    def _predicate(self, node: Node, c: Context) -> str:
        name, operands = node[2], node[3]
        at = self.at(node)
        if name == "=":
            return f"eq({self.value(operands[0], c)}, {self.value(operands[1], c)}, {at})"
        if name in ("/=", "#"):
            return f"(not eq({self.value(operands[0], c)}, {self.value(operands[1], c)}, {at}))"
        if name == "\\in":
            return self._member(operands[0], operands[1], c, at)
        if name == "\\notin":
            return f"(not {self._member(operands[0], operands[1], c, at)})"
        if name == "\\subseteq":
            return f"subseteq({self.value(operands[0], c)}, {self.value(operands[1], c)}, {at})"
        if name in ("\\land", "$ConjList"):
            return self._chain(node, c, ("\\land", "$ConjList"), " and ")
        if name in ("\\lor", "$DisjList"):
            return self._chain(node, c, ("\\lor", "$DisjList"), " or ")
        if name == "=>":
            return f"((not {self.truth(operands[0], c)}) or {self.truth(operands[1], c)})"
        if name in ("\\equiv", "<=>"):
            return f"({self.truth(operands[0], c)} == {self.truth(operands[1], c)})"
        if name in ("\\lnot", "~", "\\neg"):
            return f"(not {self.truth(operands[0], c)})"
        if name in ("$BoundedForall", "$BoundedExists"):
            inner, loops = self.loops(node, c)
            quantifier = "all" if name == "$BoundedForall" else "any"
            return f"{quantifier}({self.truth(operands[0], inner)} {loops})"
        if name == "UNCHANGED":
            return self.unchanged(operands[0], c)
        if name == "$SquareAct":
            return f"({self.truth(operands[0], c)} or {self.unchanged(operands[1], c)})"
        if name == "$AngleAct":
            return f"({self.truth(operands[0], c)} and not {self.unchanged(operands[1], c)})"
        return self.enabled(node, c)

    def enabled(self, node: Node, c: Context) -> str:
        raise self.unsupported(node, "ENABLED")

    def _chain(self, node: Node, c: Context, names: tuple[str, str], joint: str) -> str:
        parts: list[Node] = []
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if part[0] == "b" and part[2] in names:
                waiting.extend(reversed(part[3]))
            else:
                parts.append(part)
        texts = [self.truth(part, c) for part in parts]
        return f"({joint.join(texts)})" if texts else str(joint == " and ")

    def _member(self, element: Node, among: Node, c: Context, at: int) -> str:
        x = self.value(element, c)
        listed = among[0] == "b" and among[2] == "$SetEnumerate" and len(among[3]) > 0
        if listed and (_mixed(among[3]) or not self.know.constant(among, c.env)):
            return f"mem_enum({x}, ({', '.join(self.value(e, c) for e in among[3])},), {at})"
        if among[0] == "d" and among[2] not in c.env.scope:
            definition = self.know.definition(among[2])
            if definition.native is not None and definition.name == "..":
                low, high = (self.value(e, c) for e in among[3])
                return f"mem_range({x}, {low}, {high}, {at})"
        return f"mem({x}, {self.value(among, c)}, {at})"

    def unchanged(self, node: Node, c: Context) -> str:
        head = node[0]
        if head == "b" and node[2] == "$Tuple":
            return "(" + " and ".join(self.unchanged(part, c) for part in node[3]) + ")" if node[3] else "True"
        if head in ("v", "f"):
            meant = self.meant(node, c)
            if meant is not None:
                return self.unchanged(*meant)
        if head == "sub":
            return self.unchanged(node[3], c.within(self.know.substituted(node, c.env)))
        if head == "d" and not node[3] and node[2] not in c.env.scope:
            definition = self.know.definition(node[2])
            if definition.body is not None and not definition.recursive:
                from conformance.tla.compile.scope import Env

                return self.unchanged(definition.body, c.within(Env(c.env.instance, {})))
        index = self.know.variables.get(node[2]) if head == "v" else None
        at = self.at(node)
        if index is not None and isinstance(c.now, str) and isinstance(c.then, str):
            return f"same({c.frame.use(c.now)}, {c.frame.use(c.then)}, {index}, {at})"
        now, then = self.value(node, c), self.value(node, self.primed(node, c))
        if head == "v":
            return f"({then} is {now} or eq({then}, {now}, {at}))"
        return f"eq({then}, {now}, {at})"

    def primed(self, node: Node, c: Context) -> Context:
        if c.then is None:
            raise self.unsupported(node, "a prime within a primed expression")
        return c.primed()

    # --- values -------------------------------------------------------------------------------

    def _builtin(self, node: Node, c: Context) -> str:
        name, operands = node[2], node[3]
        at = self.at(node)
        if name in ("TRUE", "FALSE"):
            return str(name)
        if name == "BOOLEAN" or name == "STRING":
            return str(name)
        if name == "'":
            return self.value(operands[0], self.primed(node, c))
        if name == "$FcnApply":
            return f"ap({self.applied(operands[0], c)}, {self.value(operands[1], c)}, {at})"
        if name == "$RcdSelect":
            return f"fld({self.value(operands[0], c)}, {operands[1][2]!r}, {at})"
        if name == "$Tuple":
            return "(" + "".join(self.stored(part, c) + ", " for part in operands) + ")"
        if name == "$SetEnumerate":
            elements = [self.stored(part, c) for part in operands]
            if len(elements) < 2:
                return f"frozenset(({elements[0]},))" if elements else "EMPTY"
            return f"mkset([{', '.join(elements)}], {at})"
        if name == "$RcdConstructor":
            return "Fn({" + ", ".join(f"{p[3][0][2]!r}: {self.stored(p[3][1], c)}" for p in operands) + "}, True)"
        if name == "$IfThenElse":
            return f"({self.value(operands[1], c)} if {self.truth(operands[0], c)} else {self.value(operands[2], c)})"
        if name == "$Case":
            return self._case(node, c, self.value)
        if name == "$Except":
            return self._except(node, c)
        if name in PAIRS:
            return f"{PAIRS[name]}({self.value(operands[0], c)}, {self.value(operands[1], c)}, {at})"
        if name == "UNION":
            return self._union(node, c)
        if name == "SUBSET":
            return f"PowerSet({self.value(operands[0], c)}, {at})"
        if name == "DOMAIN":
            return f"dom({self.value(operands[0], c)}, {at})"
        if name == "$CartesianProd":
            return "Product((" + "".join(self.value(part, c) + ", " for part in operands) + "))"
        if name == "$SetOfFcns":
            return f"FunctionSet({self.value(operands[0], c)}, {self.value(operands[1], c)}, {at})"
        if name == "$SetOfRcds":
            fields = ", ".join(f"{pair[3][0][2]!r}: {self.value(pair[3][1], c)}" for pair in operands)
            return f"RecordSet({{{fields}}})"
        if name in ("$SubsetOf", "$SetOfAll", "$FcnConstructor", "$BoundedChoose", *_SPECIFICATIONS):
            return self._binder(node, c)
        if name == "$UnboundedChoose":
            return f"unbounded_choose({at})"
        if name in VALUELESS:
            return f"valueless({VALUELESS[name]!r}, {at})"
        raise self.unsupported(node, name.lstrip("$"))

    def _binder(self, node: Node, c: Context) -> str:
        name, body, bounds = node[2], node[3][0], node[4]
        at = self.at(node)
        if name in _SPECIFICATIONS:
            return self.rule_function(node, c)
        lazily = len(bounds) == 1 and bounds[0][2] is not None and self.know.lazy(bounds[0][2], c.env)
        if lazily and name != "$SetOfAll" and name != "$BoundedChoose" and (bounds[0][1] or len(bounds[0][0]) == 1):
            rule = self._rule(node, bounds, c, self.truth if name == "$SubsetOf" else self.stored)
            helper = "subset_of" if name == "$SubsetOf" else "fn"
            return f"{helper}({self.value(bounds[0][2], c)}, {rule}, {at})"
        if name == "$FcnConstructor" and any(self.know.lazy(domain, c.env) for _, _, domain in bounds):
            rule = self._rule(node, bounds, c, self.stored)
            return f"fn({self.domain_of(bounds, c)}, {rule}, {at})"
        inner, loops = self.loops(node, c, kept=name != "$BoundedChoose")
        if name == "$SetOfAll":
            return f"mkset([{self.stored(body, inner)} {loops}], {at})"
        key = self._key(node, inner)
        if name == "$SubsetOf":
            return f"frozenset([{key} {loops} if {self.truth(body, inner)}])"
        if name == "$BoundedChoose":
            return f"chs(({key} {loops} if {self.truth(body, inner)}), {at})"
        return f"make_function({{{key}: {self.stored(body, inner)} {loops}}})"

    def _union(self, node: Node, c: Context) -> str:
        """UNION of a set that is written out; only then may its elements be infinite."""
        whole, at = node[3][0], self.at(node)
        if not self.know.lazy(node, c.env):
            return f"bigunion({self.value(whole, c)}, {at})"
        if whole[2] == "$SetEnumerate":
            return f"union_of([{', '.join([self.value(part, c) for part in whole[3]])}], {at})"
        inner, loops = self.loops(whole, c)
        return f"union_of([{self.value(whole[3][0], inner)} {loops}], {at})"

    def applied(self, node: Node, c: Context) -> str:
        """A function that is applied: of one that is written out, only the value that is asked for is made."""
        if node[0] == "b" and node[2] == "$FcnConstructor" and not self.know.constant(node, c.env):
            return self.rule_function(node, c)
        return self.value(node, c)

    def _except(self, node: Node, c: Context) -> str:
        text = self.value(node[3][0], c)
        for pair in node[3][1:]:
            path, result = pair[3]
            keys = [self.stored(key, c) for key in path[3]]
            at = self.at(pair)
            if len(keys) == 1 and self.total(result, c):
                text = f"excv({text}, {keys[0]}, {self.stored(result, c)}, {at})"
                continue
            old = self.own("at", c.frame)
            changed = f"lambda {old}: {self.stored(result, c.excepting(old))}"
            if len(keys) == 1:
                text = f"exc1({text}, {keys[0]}, {changed}, {at})"
            else:
                text = f"exc({text}, ({', '.join(keys)}), {changed}, {at})"
        return text

    def native(self, name: str, operands: list[Any], node: Node, c: Context, want: str) -> str:
        """An operator of a standard module."""
        if name in CONSTANT_SETS and not operands:
            helper, kind = name.upper(), "l"
            text = helper
        elif name in NATIVES:
            helper, kind = NATIVES[name]
            arguments = [self.argument(operand, c) for operand in operands]
            text = f"{helper}({', '.join([*arguments, str(self.at(node))])})"
        else:
            raise self.unsupported(node, name)
        if want == "p":
            return text if kind == "p" else f"bl({text}, {self.at(node)})"
        return f"(TRUE if {text} else FALSE)" if kind == "p" else text

    def unsupported(self, node: Node, operator: str) -> UnsupportedError:
        place = self.know.tree.location(node[1])
        return UnsupportedError(f"{operator} is not evaluated here; TLC may know it", place)


def _is_literal(text: str) -> bool:
    """Whether the source is a constant of Python itself, which costs nothing to repeat."""
    if text == "EMPTY":
        return True
    try:
        literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return len(text) < 80


def _mixed(elements: list[Node]) -> bool:
    """Whether numbers stand beside strings: such a set cannot be made, and can be asked for its first elements."""
    return {"n", "s"} <= {element[0] for element in elements}
