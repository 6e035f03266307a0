"""In which order TLC meets the strings of a specification: the order that they have for TLC.

Three rules:

1. TLC numbers every word when it first meets it: first those of the configuration, then
   the words of the modules as they are parsed, then string literals as they are resolved.
2. Modules are parsed breadth-first from the root; literals are resolved module by module,
   a module after those that it stands on.
3. A string that only an evaluation makes comes after all of these; among themselves such
   strings are ordered by their characters here, and by TLC as they come about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from conformance.tla.sany import mentioned
from conformance.tla.tree import ModuleTree, Node

__all__ = ["first_appearances"]

# The words of the standard modules in the order of their text, as far as no earlier one has them.
_STANDARD = {
    "Naturals": "Nat a b n",
    "Integers": "Naturals Int a",
    "Sequences": "Naturals Seq S n Nat Len s t i Append e Head Tail SubSeq m SelectSeq Test F",
    "FiniteSets": "Naturals Sequences IsFiniteSet S seq s n Len Cardinality CS T x",
    "Bags": "TLC Naturals IsABag B n Nat BagToSet SetToBag S e BagIn EmptyBag B1 B2 Sum f DSum elt BagUnion SubBag "
    "RemoveFromDom x y Combine BagSet i Biggest Range r s RSB BB BagOfAll F BagCardinality CopiesIn",
    "TLC": "Naturals Sequences FiniteSets Print out val PrintT Assert v JavaTime n Nat TLCGet i TLCSet d e x f g "
    "Permutations S w SortSeq s Op Perm p Len j RandomElement Any ToString a b TLCEval",
    "Reals": "Integers Real a b m Infinity i r",
    "RealTime": "Reals now RTBound A v D E TNext t Timer MaxTime MinTime RTnow NowNext r Real",
    "Randomization": "Naturals FiniteSets RandomSubset k S T Cardinality RandomSetOfSubsets n TestRandomSetOfSubsets i",
}
_BUILT_IN = "TRUE FALSE BOOLEAN STRING"
_WORD = re.compile(r"[A-Za-z0-9_]+")
_NO_WORD = re.compile(r'\\\*[^\n]*|"(?:\\.|[^"\\\n])*"|\\[A-Za-z]+')
_HEADER = re.compile(r"-{4,}\s*MODULE\s")


def first_appearances(tree: ModuleTree, configured: Sequence[str] = ()) -> dict[str, int]:
    """The number of each word, by which TLC orders strings and model values."""
    numbers: dict[str, int] = {}
    texts = {name: _code(path.read_text(encoding="utf-8")) for name, path in tree.files.items()}
    stands_on = {name: mentioned(text) for name, text in texts.items()}
    for name, words in _STANDARD.items():
        stands_on.setdefault(name, [word for word in words.split() if word in _STANDARD])

    def add(words: Iterable[str]) -> None:
        for word in words:
            numbers.setdefault(word, len(numbers))

    add(configured)
    add(_BUILT_IN.split())
    for name in _as_parsed(tree.root, stands_on):
        add(_WORD.findall(texts[name]) if name in texts else _STANDARD.get(name, "").split())
    add(_literals(tree, list(_as_resolved(tree.root, stands_on, set()))))
    return numbers


def _as_parsed(root: str, stands_on: dict[str, list[str]]) -> list[str]:
    order = {root: None}
    waiting = [root]
    while waiting:
        fresh = [name for name in dict.fromkeys(stands_on.get(waiting.pop(0), ())) if name not in order]
        order.update(dict.fromkeys(fresh))
        waiting += fresh
    return list(order)


def _as_resolved(name: str, stands_on: dict[str, list[str]], seen: set[str]) -> Iterator[str]:
    seen.add(name)
    for other in stands_on.get(name, ()):
        if other not in seen:
            yield from _as_resolved(other, stands_on, seen)
    yield name


def _code(text: str) -> str:
    """The module's text from its header on, without comments, literals and named signs."""
    header = _HEADER.search(text)
    kept: list[str] = []
    depth = 0
    for piece in re.split(r"(\(\*|\*\))", text[header.start() if header else 0 :]):
        if piece == "(*":
            depth += 1
        elif piece == "*)":
            depth = max(0, depth - 1)
        elif depth == 0:
            kept.append(piece)
    return _NO_WORD.sub(" ", " ".join(kept))


def _literals(tree: ModuleTree, modules: list[str]) -> list[str]:
    """The string literals, module by module and in the order in which each is resolved."""
    bodies: list[tuple[tuple[int, ...], Node]] = [
        ((modules.index(name), *definition.where[1:3]), definition.body)
        for definition in tree.definitions.values()
        if definition.body is not None and (name := tree.modules[definition.where[0]]) in modules
    ]
    bodies += [
        ((modules.index(tree.modules[assumption.where[0]]), *assumption.where[1:3]), assumption.body)
        for assumption in tree.assumptions
        if tree.modules[assumption.where[0]] in modules
    ]
    found: list[str] = []
    for _, body in sorted(bodies, key=lambda pair: pair[0]):
        _collect(body, found)
    return found


def _collect(node: Node, found: list[str]) -> None:
    """Every literal below a node or a list of nodes."""
    head = node[0] if node else None
    if head == "s":
        found.append(node[2])
        return
    # The sets of a binder are resolved before its body.
    parts = [*(bound[2] for bound in node[4] or ()), node[3]] if head == "b" else node
    for part in parts:
        if part.__class__ is list:
            _collect(part, found)
