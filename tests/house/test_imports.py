"""The command line costs what it uses: a heavy library is imported by the function that needs it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.sources import python_files

HEAVY = ("hypothesis", "matching", "networkx", "sqlalchemy", "tqdm", "yaml")
VERB_FILES = [path for path in python_files("conformance/cli") if path.name != "__init__.py"]
PROGRAM = """
import importlib, sys
importlib.import_module(sys.argv[1])
print(*sorted(set(sys.argv[2:]) & sys.modules.keys()))
"""


def heavy_imports(module: str) -> list[str]:
    command = [sys.executable, "-c", PROGRAM, module, *HEAVY]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split()


def test_the_list_of_verbs_imports_nothing_heavy() -> None:
    assert heavy_imports("conformance.cli") == []


@pytest.mark.parametrize("path", VERB_FILES, ids=lambda path: path.stem)
def test_a_verb_imports_nothing_heavy_before_it_runs(path: Path) -> None:
    assert heavy_imports(f"conformance.cli.{path.stem}") == []
