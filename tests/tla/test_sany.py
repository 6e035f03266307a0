"""Trees: cached by content, told apart by content, and refused with a place."""

import json
from pathlib import Path

import pytest

from conformance.tla import sany
from conformance.tla.errors import SpecError
from conformance.tla.sany import load_tree, modules_of


def put(folder: Path, name: str, body: str) -> Path:
    path = folder / f"{name}.tla"
    path.write_text(f"---- MODULE {name} ----\n{body}\n====\n", encoding="utf-8")
    return path


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("CONFORM_CACHE", str(folder))
    return folder


def test_a_known_text_needs_no_java(
    tools: None, own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = put(tmp_path, "Known", "E == 1")
    load_tree(module)
    monkeypatch.setenv("CONFORM_JAVA", str(tmp_path / "no-java-here"))

    assert "E" in load_tree(module).visible


def test_a_change_of_an_extended_module_is_seen(tools: None, own_cache: Path, tmp_path: Path) -> None:
    put(tmp_path, "Base", "A == 1")
    module = put(tmp_path, "Upper", "EXTENDS Base\nE == A")
    before = load_tree(module)
    put(tmp_path, "Base", "A == 1\nB == 2")

    assert "B" not in before.visible
    assert "B" in load_tree(module).visible


def test_a_change_of_an_instantiated_module_is_seen(tools: None, own_cache: Path, tmp_path: Path) -> None:
    put(tmp_path, "Base", "A == 1")
    module = put(tmp_path, "Upper", "I == INSTANCE Base\nE == I!A")
    load_tree(module)
    put(tmp_path, "Base", "A == 1\nB == 2")

    assert "I!B" in load_tree(module).visible


def test_a_cached_file_that_is_spoilt_is_made_again(tools: None, own_cache: Path, tmp_path: Path) -> None:
    module = put(tmp_path, "Spoilt", "E == 1")
    load_tree(module)
    cached = next(own_cache.iterdir())
    cached.write_text("{", encoding="utf-8")

    assert "E" in load_tree(module).visible
    assert json.loads(cached.read_text(encoding="utf-8"))["root"] == "Spoilt"


def test_a_module_is_looked_for_in_the_named_folders(tools: None, own_cache: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    put(other, "Base", "A == 1")
    module = put(tmp_path, "Upper", "EXTENDS Base\nE == A")

    assert sorted(modules_of(module, (other,))) == ["Base", "Upper"]
    assert "E" in load_tree(module, (other,)).visible


def test_a_name_in_a_comment_is_no_module(tmp_path: Path) -> None:
    put(tmp_path, "Base", "A == 1")
    module = put(tmp_path, "Upper", "\\* EXTENDS Base\n(* INSTANCE Base *)\nE == 1")

    assert list(modules_of(module)) == ["Upper"]


def test_a_syntax_error_has_a_place(tools: None, own_cache: Path, tmp_path: Path) -> None:
    """CASES 9."""
    module = put(tmp_path, "Broken", "VARIABLE x\nNext == x' = x +")

    with pytest.raises(SpecError) as caught:
        load_tree(module)

    assert caught.value.location is not None
    assert (caught.value.location.module, caught.value.location.line) == ("Broken", 4)
    assert "Encountered" in caught.value.message


def test_an_unknown_name_has_a_place(tools: None, own_cache: Path, tmp_path: Path) -> None:
    module = put(tmp_path, "Unknown", "E == y")

    with pytest.raises(SpecError, match=r"Unknown.tla:2:6: [\s\S]*Unknown operator: `y'"):
        load_tree(module)


def test_a_module_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"there is no module .*Nothing.tla"):
        load_tree(tmp_path / "Nothing.tla")


def test_a_parser_that_takes_too_long_is_stopped(
    tools: None, own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sany, "TIMEOUT_S", 0.01)

    with pytest.raises(SpecError, match="did not finish"):
        load_tree(put(tmp_path, "Slow", "E == 1"))


def test_what_sany_finds_only_by_levels_is_refused_with_its_place(tools: None, own_cache: Path, tmp_path: Path) -> None:
    module = put(tmp_path, "Levels", "VARIABLE x\nStep == x' = x\nAlways == []Step")

    with pytest.raises(SpecError, match="followed by action") as caught:
        load_tree(module)

    assert str(caught.value).startswith("Levels.tla:4:11: SANY refuses the module")
