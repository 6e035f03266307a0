"""The shipped syntax trees are those of the present text, and enough to judge a run without Java."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.paths import spec_directory, traces_directory
from conformance.tla.errors import SpecError
from conformance.tla.sany import SHIPPED, load_tree, ship_tree
from tests.trees import modules

CONFORM = Path(sys.executable).parent / "conform"


def without_java(folder: Path) -> dict[str, str]:
    """The environment of a machine that has neither Java nor anything cached."""
    nothing = str(folder / "nothing")
    return {**os.environ, "CONFORM_CACHE": str(folder / "cache"), "CONFORM_JAVA": nothing, "TLA2TOOLS_JAR": nothing}


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.stem)
def test_the_shipped_tree_is_that_of_the_present_text(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in without_java(tmp_path).items():
        monkeypatch.setenv(name, value)

    assert load_tree(module).root == module.stem, "ship the trees anew with: make trees"


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.stem)
def test_one_tree_is_shipped_for_each_module(module: Path) -> None:
    assert len(list((module.parent / SHIPPED).glob(f"{module.stem}-*.json"))) == 1


def test_a_tree_that_cannot_be_written_leaves_the_others_and_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in without_java(tmp_path).items():
        monkeypatch.setenv(name, value)
    shutil.copytree(spec_directory(), tmp_path / "spec")
    module = tmp_path / "spec" / "PollRegistration.tla"
    kept = ship_tree(module)
    other = kept.with_name("PollRegistration-other.json")
    (tmp_path / "cache").mkdir()
    kept.rename(tmp_path / "cache" / kept.name)
    kept.mkdir()
    other.touch()

    with pytest.raises(SpecError, match="cannot be written"):
        ship_tree(module)
    assert other.exists()


def test_a_run_is_judged_without_java(tmp_path: Path) -> None:
    trace = traces_directory() / "corpus" / "accepted" / "sync-match.ndjson"
    ran = subprocess.run(
        [CONFORM, "check", trace], env=without_java(tmp_path), capture_output=True, text=True, timeout=60, check=False
    )

    assert ran.returncode == 0
    assert ran.stdout.startswith("accepted")
