"""What stands for a constant operator: the definition by which the configuration or an INSTANCE replaces it.

One rule: a definition comes with the environment that its body is written in.
"""

from __future__ import annotations

from conformance.tla.compile.analysis import Analysis
from conformance.tla.compile.scope import Env
from conformance.tla.tree import Definition, Node

__all__ = ["replacement"]


def replacement(know: Analysis, node: Node, env: Env) -> tuple[Definition, Env] | None:
    """The definition that a constant operator stands for; None where it is no such operator."""
    if node[0] != "v" or not node[3] or node[2] in know.variables:
        return None
    uid = node[2]
    while env.instance is not None and uid in env.instance.meaning:
        meant = env.instance.meaning[uid]
        if meant.node[0] != "op" or meant.node[3] in meant.env.scope:
            return None
        kind, uid, env = meant.node[2], meant.node[3], meant.env
        if kind == "d":
            definition = know.definition(uid)
            return definition, know.home(definition, env)
    declared = know.tree.declarations.get(uid)
    if declared is None or declared.name not in know.operators:
        return None
    return know.definition(know.operators[declared.name]), know.root
