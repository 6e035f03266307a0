"""The model that judges a run: the configuration's constants, and the run's own ids.

Two rules:

1. A run brings ids and nothing else.  It may name in ``new`` only constants that
   the configuration binds to a set of ids; flags, degrees and numbers are the
   configuration's, and the verdict prints them all.
2. Ids are strings here, whatever the configuration writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from conformance.paths import spec_directory
from conformance.tla.errors import SpecError
from conformance.tla.values import NAT, ModelValue
from conformance.trace.errors import TraceError

if TYPE_CHECKING:
    from conformance.tla.config import Config
    from conformance.tla.model import Model

__all__ = ["Profile", "judging_model", "seed_profile"]


@attrs.frozen
class Profile:
    """A specification and the configuration by which it judges."""

    module: Path
    config: Path

    def model(self, ids: Mapping[str, Iterable[str]]) -> Model:
        """The model over these ids; a constant that has none keeps the configuration's."""
        return _load(self.module, self.config, tuple(sorted((name, frozenset(each)) for name, each in ids.items())))


def seed_profile() -> Profile:
    """Matching, judged by the configuration that lies beside it."""
    return Profile(spec_directory() / "Matching.tla", spec_directory() / "Matching.cfg")


def judging_model(ids: Mapping[str, Iterable[str]]) -> Model:
    """The model that judges a run of these ids in the seed profile."""
    return seed_profile().model(ids)


@lru_cache(maxsize=32)
def _load(module: Path, config: Path, ids: tuple[tuple[str, frozenset[str]], ...]) -> Model:
    from conformance.tla.config import parse_config
    from conformance.tla.model import Model

    for path in (module, config):
        if not path.is_file():
            raise SpecError(f"{path} is not there; name a module with --spec and its configuration with --config")
    cfg = parse_config(config)
    constants: dict[str, Any] = {}
    for name, values in ids:
        _refuse_other_constants(name, cfg, config)
        constants[name] = values
    for name, override in cfg.overrides.items():
        if override == "Nat":
            constants[name] = NAT
    return Model.load(module, cfg, constants=constants)


def _refuse_other_constants(name: str, cfg: Config, config: Path) -> None:
    """A run may bring ids, and no other constant."""
    known = {each: value for each, value in cfg.constants.items() if _is_a_set_of_ids(value)}
    if name not in known:
        raise TraceError(
            f"new names {name}, which is not a set of ids in {config.name};"
            f" a run brings the ids of {', '.join(sorted(known)) or 'nothing'}, every other constant is the checker's"
        )


def _is_a_set_of_ids(value: Any) -> bool:
    if not isinstance(value, frozenset):
        return False
    return all(isinstance(each, str | ModelValue) for each in value)
