"""Whether a run really ended quiet: nothing is owed that a fair step would bring.

Two rules:

1. What is fair is what the specification says: the actions under ``WF_`` and
   ``SF_`` in the text of the ``Fairness`` that the root sees, and of the definitions that it
   names, or in those of its parts where it sees none (a part's names may mean something else
   in the whole).  No list is kept here.
2. A state is quiet if every fair step from it can be undone by fair steps alone:
   a reader that reads the same records again owes nothing.  A run that stays
   among such states is fair, so the specification's liveness speaks of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from conformance.tla.sany import modules_of
from conformance.tla.text import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.tla.model import Model, State, Step

__all__ = ["fair_actions", "owed"]

MOST_STATES = 256
"""How many states of fair steps are looked at before the answer is: not quiet."""

_COMMENTS = re.compile(r"\(\*.*?\*\)|\\\*[^\n]*", re.DOTALL)
_DEFINITION = re.compile(r"^(\w+)[ \t]*==(.*?)(?=^\S|\Z)", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"\b[A-Za-z]\w*\b")
_FAIR = re.compile(r"\b[WS]F_\w+\s*\(")


_fair: WeakKeyDictionary[Model, frozenset[str]] = WeakKeyDictionary()


def fair_actions(model: Model) -> frozenset[str]:
    """The names of the actions that the specification says must happen when they can."""
    if model not in _fair:
        _fair[model] = _read_fair_actions(model)
    return _fair[model]


def _read_fair_actions(model: Model) -> frozenset[str]:
    found: set[str] = set()
    for path in _modules_that_say(model):
        for definition in _parts_of("Fairness", dict(_DEFINITION.findall(_COMMENTS.sub(" ", read_source(path))))):
            for opening in _FAIR.finditer(definition):
                body = _enclosed(definition, opening.end())
                found.update(name for name in _NAME.findall(body) if name in model.actions)
    return frozenset(found)


def _parts_of(name: str, definitions: dict[str, str]) -> list[str]:
    """The text of a definition, and of those that it names outside of its ``WF_`` and ``SF_``."""
    text = definitions.pop(name, "")
    between, last = [], 0
    for opening in _FAIR.finditer(text):
        between.append(text[last : opening.start()])
        last = opening.end() + len(_enclosed(text, opening.end()))
    named = _NAME.findall(" ".join((*between, text[last:])))
    return [text, *(part for each in named for part in _parts_of(each, definitions))]


def _modules_that_say(model: Model) -> list[Path]:
    """Where the `Fairness` stands that the root sees, its own or one that it extends; else all its parts."""
    modules = modules_of(model.owner)
    if "Fairness" not in model.tree.visible:
        return [*modules.values()]
    return [modules[model.tree.location(model.definition("Fairness").where).module]]


def _enclosed(text: str, start: int) -> str:
    """The text up to the parenthesis that closes the one just before ``start``."""
    depth = 1
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return text[start:position]
    return text[start:]


_asked: WeakKeyDictionary[Model, dict[tuple[State, frozenset[str]], tuple[Step, ...]]] = WeakKeyDictionary()
MOST_ASKED = 100_000
"""How many answers are remembered of one model; runs come to rest in the same states again and again."""


def owed(model: Model, state: State, fair: frozenset[str]) -> tuple[Step, ...]:
    """The fair steps of ``state`` that lead where no fair steps lead back from; none where it is quiet."""
    asked = _asked.setdefault(model, {})
    found = asked.get((state, fair))
    if found is None:
        if len(asked) >= MOST_ASKED:
            asked.clear()
        found = asked[state, fair] = _owed(model, state, fair)
    return found


def _owed(model: Model, state: State, fair: frozenset[str]) -> tuple[Step, ...]:
    first = [(step, after) for step, after in model.successors(state, fair) if after != state]
    if not first:
        return ()
    search = _Search(model, fair, {state: [after for _, after in first]})
    try:
        ending = tuple(step for step, after in first if search.ends(after))
    except _TooManyStates:
        return tuple(step for step, _ in first)
    if ending:
        return ending
    returning = _leading_to(state, search.edges)
    if len(returning) == len(search.edges):
        return ()
    lost = tuple(step for step, after in first if after not in returning)
    return lost or tuple(step for step, _ in first)


class _TooManyStates(Exception):
    """There are more states than are looked at."""


class _Search:
    """Follows fair steps, one after the other before any beside it: what is owed mostly ends where nothing is left."""

    def __init__(self, model: Model, fair: frozenset[str], edges: dict[State, list[State]]) -> None:
        self.edges = edges
        self._model = model
        self._fair = fair
        self._ending: set[State] = set()

    def ends(self, start: State) -> bool:
        """Tell whether fair steps lead from here to where there are none, from which there is no way back."""
        way: list[tuple[State, Iterator[State]]] = []
        coming: Iterator[State] = iter([start])
        while True:
            here = next(coming, None)
            if here is None:
                if not way:
                    return False
                coming = way.pop()[1]
                continue
            known = here in self.edges
            if here in self._ending or not (known or self._look(here)):
                self._ending.update(passed for passed, _ in way)
                self._ending.add(here)
                return True
            if not known:
                way.append((here, coming))
                coming = iter(self.edges[here])

    def _look(self, here: State) -> list[State]:
        if len(self.edges) == MOST_STATES:
            raise _TooManyStates
        found = self.edges[here] = [after for _, after in self._model.successors(here, self._fair) if after != here]
        return found


def _leading_to(goal: State, edges: dict[State, list[State]]) -> set[State]:
    backwards: dict[State, list[State]] = {}
    for here, afters in edges.items():
        for after in afters:
            backwards.setdefault(after, []).append(here)
    reached = {goal}
    waiting = [goal]
    while waiting:
        for before in backwards.get(waiting.pop(), ()):
            if before not in reached:
                reached.add(before)
                waiting.append(before)
    return reached
