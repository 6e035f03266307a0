"""What asks for the registers of TLC, so that it has another value whenever it is asked.

One rule: the answer errs on the safe side; what cannot be told apart is said to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from conformance.tla.compile.scope import Env
from conformance.tla.tree import Definition, ModuleTree, Node

__all__ = ["Asking"]

_OPERATORS: Final = frozenset({"TLCGet", "TLCSet"})


class Asking:
    """Answers about expressions of one tree."""

    def __init__(self, tree: ModuleTree, operators: Mapping[str, int], meant: Callable[[int], Definition]) -> None:
        self._meant = meant
        self._any = any(d.native is not None and d.name in _OPERATORS for d in tree.definitions.values())
        self._replaced = {d.uid: operators[d.name] for d in tree.constants if d.name in operators}
        self._known: dict[int, bool] = {}

    def asks(self, node: Node, env: Env) -> bool:
        """Whether the evaluation of a node may come by TLCGet or TLCSet."""
        if not self._any:
            return False
        instance = env.instance
        nodes = [node] if instance is None else [node, *(each.node for each in instance.meaning.values())]
        return any(self._definition(uid) for each in nodes for uid in self._mentioned(each))

    def _definition(self, uid: int) -> bool:
        """Whether the operators are among what a definition mentions, at any distance."""
        found = self._known.get(uid)
        if found is None:
            reached, waiting = {uid}, [uid]
            found = False
            while waiting and not found:
                definition = self._meant(waiting.pop())
                if definition.body is None:
                    found = definition.name in _OPERATORS
                    continue
                new = set(self._mentioned(definition.body)) - reached
                reached |= new
                waiting += new
            self._known[uid] = found
        return found

    def _mentioned(self, node: Node) -> Iterator[int]:
        """The definitions that a node names."""
        waiting = [node]
        while waiting:
            head, *rest = waiting.pop()
            if head == "d":
                yield rest[1]
            elif head == "v" and rest[1] in self._replaced:
                yield self._replaced[rest[1]]
            elif head == "op" and rest[1] == "d":
                yield rest[2]
            elif head == "op" and rest[1] == "v" and rest[2] in self._replaced:
                yield self._replaced[rest[2]]
            if head in ("d", "v", "f", "b"):
                waiting += [part for part in rest[2] if part is not None]
            if head == "b":
                waiting += [bound[2] for bound in rest[3] or () if bound[2] is not None]
            elif head == "let":
                waiting.append(rest[2])
            elif head == "sub":
                waiting += [rest[2], *(value for _, value in rest[1])]
