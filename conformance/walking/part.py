"""The part of the specification that counterexamples are of, and how a run of the whole looks to it.

Two rules:

1. A state of the whole is a state of the part, for it has the part's variables: that is
   the refinement that ``spec/Matching.tla`` names, and TLC checks.
2. A step of the whole is at most one step of the part.  What leaves the part's variables
   as they are is none: a lease, a level, History's own affairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from conformance.paths import spec_directory
from conformance.refinement.poll_registration import MODULE
from conformance.tla.config import Config
from conformance.tla.model import Model, State, Step
from conformance.tla.values import NAT, boolean, make_function
from matching.namespace import HERE

__all__ = ["DRIVEN", "IDS", "AsPart", "part_model"]

DRIVEN: Final = MODULE
"""The module that the service can be led along."""

IDS: Final = ("Host", "Partition", "Version", "Worker", "Poll", "Task")
"""Its constants that are sets of ids; the numbers of loads have no end, and no partition has a parent, or is sticky."""

_SHORTER: Final[Mapping[str, tuple[str, int]]] = {
    "Unload": ("Unload", 2),
    "Vanish": ("Unload", 2),
    "HearNamespace": ("NamespaceChanges", 1),
    "Restart": ("NamespaceChanges", 1),
    "FenceWrite": ("FailWrite", 1),
    "Transfer": ("AddTask", 4),
    "Ask": ("Ask", 2),
}
"""Actions that bear another name there, or have arguments that the part does not know."""


def part_model(ids: Mapping[str, Iterable[str]]) -> Model:
    """The part over these ids, by constant."""
    return _load(tuple((name, frozenset(ids[name])) for name in IDS))


@lru_cache(maxsize=32)
def _load(ids: tuple[tuple[str, frozenset[str]], ...]) -> Model:
    module = spec_directory() / f"{DRIVEN}.tla"
    none: frozenset[str] = frozenset()
    constants = {**dict(ids), "Child": none, "Sticky": none, "Generation": NAT}
    return Model.load(module, Config(specification="SafetySpec"), constants=constants)


_ACTIVE: Final = "active"
"""What the whole has no variable for: it follows from what each host knows."""


class AsPart:
    """Shows states and steps of the whole as states and steps of the part."""

    def __init__(self, whole: Model, part: Model) -> None:
        self._places = [whole.variables.index(name) if name != _ACTIVE else None for name in part.variables]
        self._clusters, self._revision = whole.variables.index("clusters"), whole.variables.index("revision")
        self._fetched, self._backlog = part.variables.index("fetched"), part.variables.index("backlog")

    def state(self, state: State) -> State:
        """The values of the part's variables."""
        return tuple(self._active(state) if place is None else state[place] for place in self._places)

    def _active(self, state: State) -> Any:
        """Where each host believes the namespace to be active."""
        clusters, revision = state[self._clusters], state[self._revision].m
        return make_function({host: boolean(clusters[known - 1] == HERE) for host, known in revision.items()})

    def step(self, action: str, args: tuple[Any, ...], before: State, after: State) -> Step | None:
        """The step between two states of the part; None where nothing of it changed."""
        if before == after:
            return None
        if action == "ServeRead":
            return Step(action, (*args[:2], after[self._fetched].m[args[:2]]))
        if action == "CommitDelete":
            return Step(action, (before[self._backlog] - after[self._backlog],))
        name, arity = _SHORTER.get(action, (action, len(args)))
        return Step(name, args[:arity])
