"""Which files the house rules are about.

One rule: a folder is walked, never asked of a version control system, so that
the tests run wherever the files are.
"""

from collections.abc import Iterator
from pathlib import Path

__all__ = ["ROOT", "name", "python_files", "text_files"]

ROOT = Path(__file__).resolve().parents[2]

_GENERATED = {"__pycache__", "build", "dist", "found", "node_modules"}
_GENERATED_BY_THE_BUILD = ("_pb2.py", "_pb2.pyi")
_KEPT_THOUGH_HIDDEN = {".ci", ".gitignore"}


def python_files(*folders: str) -> list[Path]:
    """Every Python file under the folders, in order of path."""
    return [path for folder in folders for path in _walk(ROOT / folder) if path.suffix == ".py"]


def text_files() -> list[Path]:
    """Every file of the project that a person wrote or reads."""
    return list(_walk(ROOT))


def name(path: Path) -> str:
    """The path as the project says it: from its root, with forward slashes."""
    return path.relative_to(ROOT).as_posix()


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        hidden = path.name.startswith(".") and path.name not in _KEPT_THOUGH_HIDDEN
        generated = path.name in _GENERATED or path.name.endswith(_GENERATED_BY_THE_BUILD)
        if hidden or generated or path.suffix == ".egg-info":
            continue
        if path.is_dir():
            yield from _walk(path)
        elif path.is_file():
            yield path
