"""Finds the module or the configuration that a person names."""

from pathlib import Path

import click

from conformance.paths import models_directory, spec_directory

__all__ = ["find_config", "find_module"]


def find_module(name: str) -> Path:
    """A path to a ``.tla`` file, or the name of a module of the specification or of its models."""
    return _find(name, ".tla", "module")


def find_config(name: str) -> Path:
    """A path to a ``.cfg`` file, or the name of a model."""
    return _find(name, ".cfg", "configuration")


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
