"""The surroundings of a part of a definition.

SANY makes of a reference to a part, as ``A!1!2`` is, a LAMBDA of that part.  What a LET
around the part defines is named in it and stands no longer around it.

One rule: the LET comes back around the LAMBDA's body, with all that it defines, and with
it each LET around that one which is named in turn.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from conformance.tla.tree import named

__all__ = ["surround"]

_Row = list[Any]
"""[uid, name, where, params, body, recursive], as a definition stands in the exported tree."""


def surround(definitions: Sequence[_Row]) -> None:
    """Put around the body of each LAMBDA, in place, the LETs whose names it uses and does not hold."""
    lets = [node for row in definitions for node in _lets(row[4])]
    groups = {uid: node[2] for node in lets for uid in node[2]}
    if not groups:
        return
    bodies: Mapping[int, Any] = {row[0]: row[4] for row in definitions}
    local = {row[0] for row in definitions if row[1] == "LAMBDA"} | groups.keys()
    written = {uid: reached for node in lets for reached in [_reached(node, bodies, local)] for uid in node[2]}
    for row in definitions:
        if row[1] == "LAMBDA":
            # What is written inside of a LET has it around it already.
            _surround(row, {uid: group for uid, group in groups.items() if row[0] not in written[uid]}, bodies)


def _reached(let: Any, bodies: Mapping[int, Any], local: set[int]) -> Set[int]:
    """What a LET names, in what it defines as well."""
    found: set[int] = set()
    waiting = [let, *(bodies[uid] for uid in let[2])]
    while waiting:
        new = local.intersection(named(waiting.pop(), "d")) - found
        found |= new
        waiting += [bodies[uid] for uid in new]
    return found


def _surround(row: _Row, groups: Mapping[int, list[int]], bodies: Mapping[int, Any]) -> None:
    held: set[int] = set()
    while True:
        whole = [row[4], *(bodies[uid] for uid in held)]
        inside = held.union(*_groups(whole))
        used = set(named(whole, "d"))
        missing = next((uid for uid in sorted(used) if uid in groups and uid not in inside), None)
        if missing is None:
            return
        held.update(groups[missing])
        row[4] = ["let", row[4][1], groups[missing], row[4]]


def _groups(node: Any) -> Iterator[list[int]]:
    """What each LET of a node defines."""
    return (let[2] for let in _lets(node))


def _lets(node: Any) -> Iterator[Any]:
    if isinstance(node, list):
        if node and node[0] == "let":
            yield node
        for part in node:
            yield from _lets(part)
