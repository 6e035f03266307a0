"""What an action asks first: whether something is in a set, which may be empty.

One rule: what is told is the first conjunct of the action, wherever it is written; nothing
that stands before it is passed over.
"""

from __future__ import annotations

from conformance.tla.compile.analysis import Analysis
from conformance.tla.compile.scope import Env
from conformance.tla.tree import Node

__all__ = ["first_asked_set"]


def first_asked_set(know: Analysis, node: Node, env: Env) -> tuple[Node, Env] | None:
    """The set, and what its names mean, if it is a variable or a definition without parameters, of this state alone."""
    while True:
        if node[0] == "b" and node[2] in ("\\land", "$ConjList"):
            node = node[3][0]
        elif node[0] == "sub":
            node, env = node[3], know.substituted(node, env)
        elif node[0] == "d" and (definition := know.definition(node[2])).body is not None:
            if definition.recursive:
                return None
            node, env = definition.body, Env(know.home(definition, env).instance, {})
        else:
            break
    if node[0] != "b" or node[2] != "\\in":
        return None
    found = node[3][1]
    plain = found[0] == "v" or (found[0] == "d" and not found[3])
    if not plain or know.lazy(found, env) or any(then for _, then in know.reads(found, env)):
        return None
    return found, env
