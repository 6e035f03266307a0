"""Quantifiers, comprehensions, LET and CASE: what binds names or chooses among arms.

One rule: a bound name is a local of the generated function, and what stands inside
of a binder is asked once for each of its values, in the order that TLC has.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from conformance.tla.compile.calls import Calls
from conformance.tla.compile.scope import Binding, Context, Local
from conformance.tla.tree import Node

__all__ = ["DEPTH", "Binders"]

DEPTH = 20
"""How deep parentheses or arms may nest in one expression before the rest becomes a function."""


class Binders(Calls):
    """The compiler of what binds names."""

    # What `Expressions` provides.
    @abstractmethod
    def apart(self, c: Context, build: Callable[[Context], str]) -> str: ...

    def loops(self, node: Node, c: Context, *, kept: bool = False) -> tuple[Context, str]:
        inner, clauses = self.clauses(node, c, kept=kept)
        return inner, " ".join(clauses)

    def clauses(self, node: Node, c: Context, *, kept: bool = False) -> tuple[Context, list[str]]:
        """The ``for`` clauses of a node's bounds, and the context inside of them.

        Of several names the first changes fastest; every set is made once, and in order.
        Where something is kept of every element, a set that is too large is refused.
        """
        names, patterns, inner = self.bound(node, c)
        return inner, [f"for {names} in {self.choices(node, c, kept=kept)}", *patterns]

    def choices(self, node: Node, c: Context, *, kept: bool = False) -> str:
        """What the names of a node's bounds are bound to: values, or tuples of them, the last name's first."""
        sources = []
        for uids, is_tuple, domain in node[4]:
            if domain is None:
                raise self.unsupported(node, f"an unbounded {node[2].lstrip('$')}")
            sources += [self.iterate(domain, c, kept=kept)] * (1 if is_tuple else len(uids))
        return sources[0] if len(sources) == 1 else f"turns({', '.join(sources)})"

    def bound(self, node: Node, c: Context) -> tuple[str, list[str], Context]:
        """The target of one of a node's choices, the clauses that take tuples apart, and the context inside."""
        taken: list[str] = []
        patterns: list[str] = []
        bindings: dict[int, Binding] = {}
        for uids, is_tuple, _ in node[4]:
            names = [self.local(uid, c.frame) for uid in uids]
            bindings.update(zip(uids, map(Local, names), strict=True))
            if is_tuple:
                taken.append(self.own("t", c.frame))
                parts = f"({', '.join(names)},)"
                patterns.append(f"for {parts} in (pattern({taken[-1]}, {len(names)}, {self.at(node)}),)")
            else:
                taken += names
        return taken[0] if len(taken) == 1 else f"({', '.join(reversed(taken))})", patterns, c.bind(bindings)

    def iterate(self, node: Node, c: Context, *, kept: bool = False) -> str:
        """The elements of a set in order, without building the set where its form allows."""
        if node[0] == "b" and node[2] == "$SetEnumerate" and len(node[3]) == 1:
            return f"({self.stored(node[3][0], c)},)"
        if node[0] == "d" and node[2] not in c.env.scope:
            definition = self.know.definition(node[2])
            if definition.native is not None and definition.name == "..":
                low, high = (self.value(e, c) for e in node[3])
                return f"{'span' if kept else 'rng'}({low}, {high}, {self.at(node)})"
        through = "members" if kept and self.know.lazy(node, c.env) else "it"
        return f"{through}({self.value(node, c)}, {self.at(node)})"

    def _key(self, node: Node, inner: Context) -> str:
        """The argument that the bound names make together: a value, or a tuple where there are several bounds."""
        parts = []
        for uids, is_tuple, _ in node[4]:
            names = [self.bound_name(uid, inner) for uid in uids]
            parts += [f"({', '.join(names)},)"] if is_tuple else names
        return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"

    def bound_name(self, uid: int, c: Context) -> str:
        bound = c.env.scope[uid]
        assert isinstance(bound, Local)
        return c.frame.use(bound.name)

    def _let(self, node: Node, c: Context, build: Callable[[Node, Context], str]) -> str:
        inner, held = self.let(node, c)
        text = build(node[3], inner)
        for name, made in reversed(held):
            text = f"(lambda {name}: {text})({made})"
        return text

    def _case(self, node: Node, c: Context, build: Callable[[Node, Context], str]) -> str:
        otherwise = f"no_case({self.at(node)})"
        arms = []
        for pair in node[3]:
            guard, result = pair[3]
            if guard is None or guard[0] == "o":
                otherwise = build(result, c)
            else:
                arms.append((self.truth(guard, c), build(result, c)))
        if len(arms) > DEPTH:
            # One function for each further batch of arms keeps the nesting shallow.
            rest = self.apart(c, lambda inner: self._case(["b", node[1], "$Case", node[3][DEPTH:], None], inner, build))
            arms, otherwise = arms[:DEPTH], rest
        for guard, result in reversed(arms):
            otherwise = f"({result} if {guard} else {otherwise})"
        return otherwise

    def _rule(self, node: Node, bounds: list[Any], c: Context, build: Callable[[Node, Context], str]) -> str:
        """A lambda from one argument to the body of a binder with these bounds."""
        inner, target, size = self.formals(bounds, c)
        text = build(node[3][0], inner)
        if size is None:
            return f"(lambda {target}: {text})"
        whole = self.own("t", c.frame)
        return f"(lambda {whole}: [{text} for {target} in (pattern({whole}, {size}, {self.at(node)}),)][0])"

    def formals(self, bounds: list[Any], c: Context) -> tuple[Context, str, int | None]:
        """The context inside of these bounds, the target of one argument for them all, and how long a tuple that is."""
        bindings: dict[int, Binding] = {}
        groups = []
        for uids, is_tuple, _ in bounds:
            names = [self.local(uid, c.frame) for uid in uids]
            bindings.update(zip(uids, map(Local, names), strict=True))
            groups += [f"({', '.join(names)},)"] if is_tuple else names
        inner = c.bind(bindings)
        if len(groups) > 1:
            return inner, f"({', '.join(groups)})", len(groups)
        return inner, groups[0], len(bounds[0][0]) if groups[0].startswith("(") else None

    def domain_of(self, bounds: list[Any], c: Context) -> str:
        """The domain of a function with these bounds."""
        domains = [self.value(domain, c) for uids, is_tuple, domain in bounds for _ in ([0] if is_tuple else uids)]
        return domains[0] if len(domains) == 1 else f"Product(({', '.join(domains)},))"

    def rule_function(self, node: Node, c: Context) -> str:
        """A function that makes its values as they are asked for; a recursive one may ask for its own."""
        bounds = node[4]
        itself = None
        if node[2] == "$RecursiveFcnSpec":
            itself, bounds = bounds[0][0][0], bounds[1:]
        domain = self.domain_of(bounds, c)
        if itself is None:
            return f"LazyFn({domain}, lambda _: {self._rule(node, bounds, c, self.stored)})"
        name = self.local(itself, c.frame)
        rule = self._rule(node, bounds, c.bind({itself: Local(name, lazy=True)}), self.stored)
        return f"LazyFn({domain}, lambda {name}: {rule})"
