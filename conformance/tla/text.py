"""Texts of specifications and what lies beside them, read so that a bad file is one clear error."""

from __future__ import annotations

from pathlib import Path

from conformance.tla.errors import SpecError

__all__ = ["read_source"]


def read_source(path: Path) -> str:
    """The text of a file.

    Raises:
        SpecError: the file is not there, may not be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} is not UTF-8: byte {error.start} cannot be read") from error
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}") from error
