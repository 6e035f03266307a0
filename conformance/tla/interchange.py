"""Values that a specification cannot tell apart, found by reading it, and states that are the same but for them.

Four rules:

1. Ids are interchangeable if exchanging two of them leaves every constant as it is,
   and nothing that is evaluated names one: no literal, no CHOOSE among values that
   may hold one, nothing that looks at the order or the spelling of values.
2. Where that cannot be seen, nothing is interchangeable, and the reason is told.
3. Two states have the same key only if an exchange of interchangeable values makes
   one of the other.
4. Where each part of a value holds one such id at most, the reverse is true as well;
   where ids stand in relations to each other, some equal states may keep keys apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import attrs

from conformance.tla.atoms import ModelValue
from conformance.tla.model import Model, State
from conformance.tla.tree import Node
from conformance.tla.values import Fn, make_function

__all__ = ["TELLING", "Interchange", "evaluated_nodes", "interchangeable", "renamed", "words_of"]

_HOLE: Final = ModelValue("(this one)")
_OTHER: Final = ModelValue("(another one)")
TELLING: Final = frozenset({"ToString", "TLCGet", "TLCSet", "RandomElement", "Print", "PrintT", "JavaTime"})
"""Operators whose result, or effect, depends on more than their arguments up to an exchange."""
_MOST_REMEMBERED: Final = 200_000

Atom = ModelValue | str
Facts = tuple[int, Mapping[Atom, int]]


@attrs.frozen(eq=False)
class Interchange:
    """Classes of interchangeable ids, each in a fixed order; without any, ``why_not`` says why."""

    classes: Mapping[str, tuple[Atom, ...]]
    """By the constant that holds them; ids of one class may be exchanged with each other."""
    why_not: str = ""
    _class_of: dict[Atom, str] = attrs.field(init=False)
    _split: dict[Any, Facts | None] = attrs.field(init=False, factory=dict)
    _numbers: dict[Any, int] = attrs.field(init=False, factory=dict)
    _keys: dict[State, Any] = attrs.field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        classes = {atom: name for name, atoms in self.classes.items() for atom in atoms}
        object.__setattr__(self, "_class_of", classes)

    def key(self, state: State) -> Any:
        """What all states have in common that differ by an exchange only."""
        if not self.classes:
            return state
        found = self._keys.get(state)
        if found is None:
            if len(self._keys) >= _MOST_REMEMBERED:
                self._keys.clear()
            found = self._keys[state] = self._key(state)
        return found

    def _key(self, state: State) -> Any:
        parts = [self._facts_of(value) for value in state]
        plain, facts = [], []
        for part in parts:
            if part is None:
                return self._representative(state)
            plain.append(part[0])
            facts.append(part[1])
        signatures = [
            tuple(sorted([self._number(tuple([fact.get(atom, -1) for fact in facts])) for atom in atoms]))
            for atoms in self.classes.values()
        ]
        return (*plain, *signatures)

    # --- where each id stands alone -----------------------------------------------------------

    def _facts_of(self, value: Any) -> Facts | None:
        if value not in self._split:
            if len(self._split) >= _MOST_REMEMBERED:
                self._split.clear()
            plain: list[Any] = []
            by_atom: dict[Atom, list[Any]] = {}
            alone = self._note(value, (), plain, by_atom)
            numbered = {atom: self._number(frozenset(facts)) for atom, facts in by_atom.items()}
            self._split[value] = (self._number(frozenset(plain)), numbered) if alone else None
        return self._split[value]

    def _note(self, value: Any, path: tuple[Any, ...], plain: list[Any], by_atom: dict[Atom, list[Any]]) -> bool:
        """Note what the value says of each id; False where it relates two of them."""
        atoms = self._atoms_in(value)
        if not atoms:
            plain.append((path, value))
            return True
        if len(atoms) == 1:
            (atom,) = atoms
            by_atom.setdefault(atom, []).append((path, renamed(value, {atom: _HOLE})))
            return True
        if isinstance(value, tuple):
            plain.append((path, "length", len(value)))
            return all(self._note(item, (*path, at), plain, by_atom) for at, item in enumerate(value))
        if isinstance(value, frozenset):
            return all(self._note_element((*path, "element"), (item,), plain, by_atom) for item in value)
        if isinstance(value, Fn):
            for key, item in value.m.items():
                if not self._atoms_in(key):
                    if not self._note(item, (*path, "at", key), plain, by_atom):
                        return False
                elif not self._note_element((*path, "pair"), (key, item), plain, by_atom):
                    return False
            return True
        return False

    def _note_element(
        self, path: tuple[Any, ...], items: tuple[Any, ...], plain: list[Any], by_atom: dict[Atom, list[Any]]
    ) -> bool:
        atoms = frozenset().union(*map(self._atoms_in, items))
        if len(atoms) > 1:
            return False
        for atom in atoms:
            by_atom.setdefault(atom, []).append((path, tuple([renamed(item, {atom: _HOLE}) for item in items])))
        if not atoms:
            plain.append((path, items))
        return True

    def _atoms_in(self, value: Any) -> frozenset[Atom]:
        return frozenset([atom for atom in words_of(value) if atom in self._class_of])

    def _number(self, description: Any) -> int:
        return self._numbers.setdefault(description, len(self._numbers))

    # --- where ids stand in relations ---------------------------------------------------------

    def _representative(self, state: State) -> State:
        """The state under that exchange which puts the ids into the order of what is said of them."""
        exchange: dict[Any, Any] = {}
        for atoms in self.classes.values():
            ranked = sorted(atoms, key=lambda atom: self._number(self._role(state, atom)))
            exchange.update(zip(ranked, atoms, strict=True))
        return tuple([renamed(value, exchange) for value in state])

    def _role(self, state: State, atom: Atom) -> Any:
        mapping: dict[Any, Any] = dict.fromkeys(self._class_of, _OTHER)
        mapping[atom] = _HOLE
        return tuple([_outline(value, mapping) for value in state])


def interchangeable(model: Model, named: Collection[Any] = ()) -> Interchange:
    """What the model's own ids are interchangeable, other than those that are ``named`` elsewhere."""
    literals: set[str] = set()
    reason = ""
    for node in evaluated_nodes(model):
        if node[0] == "s":
            literals.add(node[2])
        elif node[0] == "b" and node[2] in ("$BoundedChoose", "$UnboundedChoose") and not _chooses_numbers(model, node):
            reason = reason or f"{model.tree.location(node[1])} chooses among values that may hold ids"
        elif node[0] == "d" and model.program.know.definition(node[2]).body is None:
            name = model.program.know.definition(node[2]).name
            if name in TELLING:
                reason = reason or f"{model.tree.location(node[1])} uses {name}"
    if reason:
        return Interchange({}, reason)
    values = list(model.constants.values())
    classes: dict[str, list[Atom]] = {}
    taken: set[Atom] = set()
    for name, value in model.constants.items():
        if not isinstance(value, frozenset):
            continue
        free = [each for each in value if isinstance(each, ModelValue | str)]
        free = [each for each in free if each not in named and each not in literals and each not in taken]
        for group in _groups(sorted(free, key=str), values):
            if len(group) > 1:
                label = name if name not in classes else f"{name} ({group[0]})"
                classes[label] = group
                taken.update(group)
    if not classes:
        numbers = [name for name, value in model.constants.items() if _is_a_set_of_numbers(value)]
        if numbers:
            why_not = f"{numbers[0]} is a set of numbers, and numbers are never exchanged; use model values"
            return Interchange({}, why_not)
        return Interchange({}, "no set of ids is left of which the run and the modules name none")
    return Interchange({name: tuple(atoms) for name, atoms in classes.items()})


def _is_a_set_of_numbers(value: Any) -> bool:
    return isinstance(value, frozenset) and len(value) > 1 and all(isinstance(each, int) for each in value)


def _groups(atoms: Iterable[Atom], constants: list[Any]) -> list[list[Atom]]:
    groups: list[list[Atom]] = []
    for atom in atoms:
        for group in groups:
            swap = {atom: group[0], group[0]: atom}
            if all(renamed(value, swap) == value for value in constants):
                group.append(atom)
                break
        else:
            groups.append([atom])
    return groups


def _chooses_numbers(model: Model, node: Node) -> bool:
    """Tell whether what is chosen from holds numbers only, as far as that can be read off."""
    if node[2] == "$UnboundedChoose":
        return False
    domain = node[4][0][2]
    if domain[0] == "b":
        return bool(domain[2] == ".." or domain[2] == "BOOLEAN")
    if domain[0] == "d":
        definition = model.program.know.definition(domain[2])
        return definition.body is None and definition.name in ("Nat", "Int", "..")
    if domain[0] == "v" and domain[2] in model.tree.declarations:
        value = model.constants.get(model.tree.declarations[domain[2]].name)
        return value is not None and not any(isinstance(word, ModelValue | str) for word in words_of(value))
    return False


def evaluated_nodes(model: Model) -> Iterator[Node]:
    """Every node that the model may evaluate, each definition's once."""
    know = model.program.know
    config = model.config
    roots = [config.specification, config.init, config.next, *config.invariants, *config.properties]
    roots += [*config.constraints, *config.action_constraints]
    waiting: list[int] = [model.definition(name).uid for name in roots if name]
    waiting.extend(model.program.know.operators.values())
    seen: set[int] = set()
    while waiting:
        uid = waiting.pop()
        if uid in seen or uid not in model.tree.definitions:
            continue
        seen.add(uid)
        body = know.definition(uid).body
        nodes = [body] if body is not None else []
        while nodes:
            node = nodes.pop()
            yield node
            nodes.extend(_below(node))
            waiting.extend(_named(node))


def _below(node: Node) -> list[Node]:
    head = node[0]
    if head in ("d", "v", "f"):
        return list(node[3])
    if head == "b":
        domains = [bound[2] for bound in node[4] or () if bound[2] is not None]
        return [*domains, *(operand for operand in node[3] if operand is not None)]
    if head == "sub":
        return [node[3], *(value for _, value in node[2])]
    return [node[3]] if head == "let" else []


def _named(node: Node) -> list[int]:
    if node[0] == "d":
        return [node[2]]
    if node[0] == "op":
        return [node[3]] if node[2] == "d" else []
    return list(node[2]) if node[0] == "let" else []


@lru_cache(maxsize=1 << 16)
def words_of(value: Any) -> frozenset[Atom]:
    """The strings and model values anywhere in a value."""
    if isinstance(value, ModelValue | str):
        return frozenset((value,))
    if isinstance(value, tuple | frozenset):
        return frozenset().union(*map(words_of, value))
    if isinstance(value, Fn):
        return frozenset().union(*map(words_of, value.m), *map(words_of, value.m.values()))
    return frozenset()


def renamed(value: Any, mapping: Mapping[Any, Any]) -> Any:
    """The value with ids exchanged one for one."""
    kind = value.__class__
    if kind is str or kind is ModelValue:
        return mapping.get(value, value)
    if kind is int:
        return value
    if kind is tuple:
        return tuple([renamed(item, mapping) for item in value])
    if kind is frozenset:
        return frozenset([renamed(item, mapping) for item in value])
    if kind is Fn:
        return make_function({renamed(key, mapping): renamed(item, mapping) for key, item in value.m.items()})
    return value


def _outline(value: Any, mapping: Mapping[Any, Any]) -> Any:
    """Like `renamed` where several ids become one: sets and functions become what stands in them, counted."""
    if isinstance(value, tuple):
        return tuple([_outline(item, mapping) for item in value])
    if isinstance(value, frozenset):
        return ("set", _counted(_outline(item, mapping) for item in value))
    if isinstance(value, Fn):
        pairs = ((_outline(key, mapping), _outline(item, mapping)) for key, item in value.m.items())
        return ("function", _counted(pairs))
    return renamed(value, mapping)


def _counted(items: Iterable[Any]) -> frozenset[tuple[Any, int]]:
    counts: dict[Any, int] = {}
    for item in items:
        counts[item] = counts.get(item, 0) + 1
    return frozenset(counts.items())
