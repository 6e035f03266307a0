"""The surroundings of a part of a definition.

SANY makes of a reference to a part, as ``A!1!2`` is, a LAMBDA of that part.  What a LET
around the part defines is named in it and stands no longer around it.

One rule: the LET comes back around the LAMBDA's body, with all that it defines, and with
it each LET around that one which is named in turn.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["surround"]

_Row = list[Any]
"""[uid, name, where, params, body, recursive], as a definition stands in the exported tree."""


def surround(definitions: Sequence[_Row]) -> None:
    """Put around the body of each LAMBDA, in place, the LETs whose names it uses and does not hold."""
    groups = {uid: group for row in definitions for group in _groups(row[4]) for uid in group}
    if not groups:
        return
    bodies: Mapping[int, Any] = {row[0]: row[4] for row in definitions}
    for row in definitions:
        if row[1] == "LAMBDA":
            _surround(row, groups, bodies)


def _surround(row: _Row, groups: Mapping[int, list[int]], bodies: Mapping[int, Any]) -> None:
    held: set[int] = set()
    while True:
        whole = [row[4], *(bodies[uid] for uid in held)]
        inside = held.union(*_groups(whole))
        used = set(_named(whole))
        missing = next((uid for uid in sorted(used) if uid in groups and uid not in inside), None)
        if missing is None:
            return
        held.update(groups[missing])
        row[4] = ["let", row[4][1], groups[missing], row[4]]


def _groups(node: Any) -> Iterator[list[int]]:
    """What each LET of a node defines."""
    if isinstance(node, list):
        if node and node[0] == "let":
            yield node[2]
        for part in node:
            yield from _groups(part)


def _named(node: Any) -> Iterator[int]:
    """The definitions that a node names."""
    if isinstance(node, list):
        if node and node[0] == "d" and isinstance(node[2], int):
            yield node[2]
        if node and node[0] == "op" and node[2] == "d":
            yield node[3]
        for part in node:
            yield from _named(part)
