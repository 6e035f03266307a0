"""Where the specification and the recorded runs lie.

Two places are possible, and the first that exists wins:

1. an installed wheel carries the specification inside the package;
2. a checkout has it beside the package, with the traces.
"""

from pathlib import Path

__all__ = ["SpecificationMissingError", "models_directory", "shown_path", "spec_directory", "traces_directory"]

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent


class SpecificationMissingError(Exception):
    """This installation has no specification to judge by."""

    exit_status = 3


def spec_directory() -> Path:
    """The folder with ``Matching.tla`` and the modules that it is made of."""
    for folder in (_PACKAGE / "_spec", _CHECKOUT / "spec"):
        if folder.is_dir():
            return folder
    raise SpecificationMissingError(
        f"The package {_PACKAGE.name} has no specification beside it. "
        "Install it again: pip install --force-reinstall matching-conformance"
    )


def models_directory() -> Path:
    """The folder with the models: modules ``MC….tla`` and a cfg for each question."""
    return spec_directory() / "models"


def traces_directory() -> Path:
    """The folder of ``corpus/``, ``scenarios/`` and ``found/``.

    In a checkout it is the checkout's own.  A wheel carries no traces: there it
    is ``traces`` in the current folder, which need not exist yet.
    """
    if (_CHECKOUT / "spec").is_dir() and (_CHECKOUT / "traces").is_dir():
        return _CHECKOUT / "traces"
    return Path.cwd() / "traces"


def shown_path(path: Path) -> str:
    """The path as a person reads it: from the current folder on where it lies there, whole elsewhere."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
