"""What is inside of a node of the tree.

One rule: only the node itself is looked at, never what it names.
"""

from __future__ import annotations

from conformance.tla.compile.scope import Env
from conformance.tla.tree import Node

__all__ = ["children", "mentions", "quantified"]


def quantified(node: Node) -> frozenset[int]:
    """The formals that are the set of a \\A inside the node."""
    found = frozenset[int]().union(*map(quantified, children(node)))
    if node[0] == "b" and node[2] == "$BoundedForall":
        return found.union(bound[2][2] for bound in node[4] if bound[2] is not None and bound[2][0] == "f")
    return found


def mentions(node: Node, env: Env) -> bool:
    """Whether the node mentions a name that is bound locally."""
    if node[0] == "f" or (node[0] == "d" and node[2] in env.scope):
        return True
    return any(mentions(part, env) for part in children(node))


def children(node: Node) -> list[Node]:
    """The nodes directly below a node."""
    head = node[0]
    if head in ("d", "v", "f"):
        return list(node[3])
    if head == "b":
        domains = [bound[2] for bound in node[4] or () if bound[2] is not None]
        return [*domains, *(operand for operand in node[3] if operand is not None)]
    if head in ("let", "sub"):
        return [node[3]]
    return []
