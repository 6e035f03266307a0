"""Expressions and what they are worth, from the text files beside the modules; and modules made of them."""

from collections.abc import Sequence
from pathlib import Path

MODULES = Path(__file__).parent / "modules"


def rows(name: str) -> list[tuple[str, str]]:
    """(expression, value or message): a value stands indented below its expression."""
    lines = [line for line in (MODULES / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(zip(lines[::2], (line.strip() for line in lines[1::2]), strict=True))


def module_of(folder: Path, name: str, lines: Sequence[str]) -> Path:
    """A module that extends Table and holds the lines."""
    for needed in ("Table", "Doubled"):
        (folder / f"{needed}.tla").write_bytes((MODULES / f"{needed}.tla").read_bytes())
    path = folder / f"{name}.tla"
    path.write_text("\n".join([f"---- MODULE {name} ----", "EXTENDS Table", *lines, "====", ""]), encoding="utf-8")
    return path
