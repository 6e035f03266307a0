"""The model that judges a run: the configuration's constants, and the run's own ids.

Three rules:

1. A run brings ids and nothing else.  It may name in ``new`` only constants that
   the configuration binds to a set of ids; flags, degrees and numbers are the
   configuration's, and the verdict prints them all.
2. Constants that share ids in the configuration, as all hosts and some of them, are
   brought together: which of its hosts a run means, the configuration's cannot say.
3. Ids are strings here, whatever the configuration writes.
4. Where a partition stands in the tree of its task queue is read off its name, in a run
   that has children: where the configuration sets partitions apart, ``queue/3`` is then
   number 3 of ``queue``, and a name without a number is the root of a queue of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from conformance.paths import spec_directory
from conformance.tla.errors import SpecError
from conformance.tla.values import NAT, ModelValue, make_function
from conformance.trace.errors import TraceError

if TYPE_CHECKING:
    from conformance.tla.config import Config
    from conformance.tla.model import Model

__all__ = ["Profile", "judging_model", "place_of", "seed_profile"]

PLACE: Final = "Place"
APART: Final = "Apart"
"""The operator by which a configuration says that every partition is the root of a tree of its own."""

_NUMBERED: Final = re.compile(r"(.+)/(0|[1-9][0-9]{0,8})", re.DOTALL)


@attrs.frozen
class Profile:
    """A specification and the configuration by which it judges."""

    module: Path
    config: Path

    def admit(self, name: str) -> None:
        """Refuse a constant that a run may not bring."""
        known = sorted(_sets_of_ids(self.config))
        if name not in known:
            raise TraceError(
                f"new names {name}, which is not a set of ids in {self.config.name};"
                f" a run brings the ids of {', '.join(known) or 'nothing'}, every other constant is the checker's"
            )

    def refuse_parted(self, names: Collection[str], *, line: int | None = None) -> None:
        """Refuse the constants that a run brings, if one that it leaves out shares ids with one of them."""
        known = _sets_of_ids(self.config)
        for name in sorted(names):
            for other in sorted(known.keys() - set(names)):
                if known[name] & known[other]:
                    raise TraceError(
                        f"new has {name} and not {other}, and these share ids in {self.config.name},"
                        f' which are not the run\'s; bring both at step 0, with "{other}":[] for none',
                        line=line,
                    )

    def model(self, ids: Mapping[str, Iterable[str]]) -> Model:
        """The model over these ids; a constant that has none keeps the configuration's."""
        for name in ids:
            self.admit(name)
        self.refuse_parted(ids)
        return _load(self.module, self.config, tuple(sorted((name, frozenset(each)) for name, each in ids.items())))


def seed_profile() -> Profile:
    """Matching, judged by the configuration that lies beside it."""
    return Profile(spec_directory() / "Matching.tla", spec_directory() / "Matching.cfg")


def judging_model(ids: Mapping[str, Iterable[str]]) -> Model:
    """The model that judges a run of these ids in the seed profile."""
    return seed_profile().model(ids)


def place_of(partition: str) -> tuple[str, int]:
    """The task queue of a partition, and its number there, as its name says."""
    found = _NUMBERED.fullmatch(partition)
    return (partition, 0) if found is None else (found[1], int(found[2]))


@lru_cache(maxsize=32)
def _load(module: Path, config: Path, ids: tuple[tuple[str, frozenset[str]], ...]) -> Model:
    from conformance.tla.model import Model

    if not module.is_file():
        raise SpecError(f"{module} is not there; name a module with --spec")
    cfg = _config(config)
    constants: dict[str, Any] = dict(ids)
    constants.update((name, NAT) for name, operator in cfg.overrides.items() if operator == "Nat")
    if constants.get("Child") and cfg.overrides.get(PLACE) == APART:
        partitions = constants.get("Partition", cfg.constants.get("Partition", frozenset()))
        constants[PLACE] = make_function({each: place_of(str(each)) for each in partitions})
    return Model.load(module, cfg, constants=constants)


@lru_cache(maxsize=32)
def _config(config: Path) -> Config:
    from conformance.tla.config import parse_config

    if not config.is_file():
        raise SpecError(f"{config} is not there; name the constants and properties to judge by with --config")
    return parse_config(config)


def _sets_of_ids(config: Path) -> dict[str, frozenset[Any]]:
    """The constants of which a run brings its own ids, with those of the configuration."""
    return {name: value for name, value in _config(config).constants.items() if _is_a_set_of_ids(value)}


def _is_a_set_of_ids(value: Any) -> bool:
    if not isinstance(value, frozenset):
        return False
    return all(isinstance(each, str | ModelValue) for each in value)
