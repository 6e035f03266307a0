"""Finds the module or the configuration that a person names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.paths import models_directory, spec_directory

if TYPE_CHECKING:
    from conformance.judging.profile import Profile

__all__ = ["find_model", "find_module", "find_profile"]


def find_module(name: str) -> Path:
    """A path to a ``.tla`` file, or the name of a module of the specification or of its models."""
    return _find(name, ".tla", "module")


def find_model(name: str, config: str | None) -> tuple[Path, Path]:
    """A module, and the ``.cfg`` file that is named, by path or as a model, or else its own.

    The name of a recorded model is that of its module and of its cfg at once.
    """
    from conformance.specs import load_registry

    if config is not None:
        return find_module(name), _find(config, ".cfg", "configuration")
    registry = load_registry()
    for row in registry.rows:
        if row.name == name:
            return registry.module_path(row), registry.config_path(row)
    module = find_module(name)
    return module, module.with_suffix(".cfg")


def find_profile(spec: Path | None, config: Path | None) -> Profile:
    """What judges: the named module and configuration, or those of the specification."""
    from conformance.judging.profile import Profile, seed_profile

    seed = seed_profile()
    if spec is None:
        return seed if config is None else Profile(seed.module, config)
    if not spec.is_file():
        raise click.UsageError(f"there is no module {spec}; name an existing .tla file with --spec")
    return Profile(spec, config if config is not None else spec.with_suffix(".cfg"))


def _find(name: str, suffix: str, what: str) -> Path:
    given = Path(name)
    if given.is_file():
        return given
    folders = [spec_directory(), models_directory()]
    if given.name == name:
        for folder in folders:
            path = folder / (name if name.endswith(suffix) else name + suffix)
            if path.is_file():
                return path
    known = sorted(path.stem for folder in folders for path in folder.glob(f"*{suffix}"))
    raise click.UsageError(f"There is no {what} {name}; give a path, or one of: {', '.join(known)}")
