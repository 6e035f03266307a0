"""The tree keeps its shape: small files, a README in each folder, modules that say what they are."""

import ast
from pathlib import Path

from tests.house.sources import ROOT, name, python_files, text_files

# Data, and folders that the README one level up describes.
DESCRIBED_ABOVE = (".ci", "spec/trees", "traces/", "tests/")
README_LINES = 40
SOURCE_LINES = 400


def test_every_folder_has_a_readme() -> None:
    missing = [name(folder) for folder in folders_that_need_a_readme() if not (folder / "README.md").is_file()]

    assert missing == []


def test_every_folders_readme_is_at_most_forty_lines() -> None:
    readmes = [path for path in text_files() if path.name == "README.md" and path.parent != ROOT]

    assert longer_than(README_LINES, readmes) == []


def test_no_source_file_is_longer_than_one_thought() -> None:
    assert longer_than(SOURCE_LINES, python_files("impl", "conformance")) == []


def test_every_module_opens_with_a_docstring() -> None:
    silent = [name(path) for path in python_files("impl", "conformance", "tests", "bench") if not docstring(path)]

    assert silent == []


def test_every_public_module_says_what_it_offers() -> None:
    modules = [path for path in python_files("impl", "conformance") if is_public_module(path)]
    silent = [name(path) for path in modules if "__all__" not in assigned_names(path)]

    assert silent == []


def folders_that_need_a_readme() -> list[Path]:
    folders = {path.parent for path in text_files()} - {ROOT}
    own = {folder for folder in folders if not name(folder).startswith(DESCRIBED_ABOVE)}
    return sorted(own | {ROOT / "tests", ROOT / "tests/mutants", ROOT / "traces"})


def longer_than(limit: int, paths: list[Path]) -> list[str]:
    lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    return [f"{path} has {length} lines" for path, length in lengths.items() if length > limit]


def docstring(path: Path) -> str | None:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def is_public_module(path: Path) -> bool:
    """Tests offer nothing, and a package without code of its own needs no list."""
    if path.name.startswith("test_") or path.name in {"conftest.py", "__main__.py"}:
        return False
    if path.name == "__init__.py":
        return bool(ast.parse(path.read_text(encoding="utf-8")).body[1:])
    return not path.name.startswith("_")


def assigned_names(path: Path) -> set[str]:
    targets: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign):
            targets.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            targets.add(node.target.id)
    return targets
