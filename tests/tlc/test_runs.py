"""How TLC is run: what it is given, several at once, within a time."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conformance.tla.errors import SpecError
from conformance.tla.sany import modules_of
from conformance.tla.tlc import Progress, Verdict, needed_modules, run


def test_six_runs_of_one_model_at_once_give_one_verdict(tools: None, modules: Path, tmp_path: Path) -> None:
    """CASES 12."""
    config = tmp_path / "Counts.cfg"
    config.write_text("INIT Init\nNEXT Next\nINVARIANT BelowThreeInv\n", encoding="utf-8")

    def one(number: int) -> Verdict:
        return run(modules / "Counts.tla", config, timeout_s=120, heap_mb=128)

    with ThreadPoolExecutor(max_workers=6) as pool:
        verdicts = list(pool.map(one, range(6)))

    assert {(verdict.verdict, verdict.violated, len(verdict.counterexample)) for verdict in verdicts} == {
        ("safety", "BelowThreeInv", 4)
    }


def test_a_run_leaves_nothing_beside_its_module(tools: None, modules: Path, tmp_path: Path) -> None:
    module, config = tmp_path / "Counts.tla", tmp_path / "Counts.cfg"
    module.write_bytes((modules / "Counts.tla").read_bytes())
    config.write_text("INIT Init\nNEXT Next\n", encoding="utf-8")
    run(module, config, timeout_s=60)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["Counts.cfg", "Counts.tla"]


def test_a_run_that_takes_too_long_is_stopped_and_is_no_verdict(tools: None, modules: Path, tmp_path: Path) -> None:
    """CASES 141."""
    config = tmp_path / "Grows.cfg"
    config.write_text("SPECIFICATION Spec\nCONSTANT Pair = {p}\n", encoding="utf-8")
    verdict = run(modules / "Grows.tla", config, timeout_s=4)

    assert (verdict.verdict, verdict.timed_out, verdict.exit_status) == ("error", True, 4)
    assert verdict.seconds < 7
    assert verdict.version


def test_progress_is_told_with_its_counts(tools: None, modules: Path, tmp_path: Path) -> None:
    config = tmp_path / "Counts.cfg"
    config.write_text("INIT Init\nNEXT Next\n", encoding="utf-8")
    seen: list[Progress] = []
    run(modules / "Counts.tla", config, timeout_s=60, progress=seen.append)

    assert seen[-1] == Progress(depth=5, generated=6, distinct=5, queued=0)


def test_only_the_modules_that_a_run_needs_are_taken(tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / "MCTop.tla").write_text("EXTENDS Naturals, Top \\* EXTENDS Unused\n", encoding="utf-8")
    (tmp_path / "Top.tla").write_text("P == INSTANCE Part WITH x <- y (* INSTANCE Unused *)\n", encoding="utf-8")
    (tmp_path / "Part.tla").write_text('S == "INSTANCE \\\\* of a kind"\nLOCAL INSTANCE Deep\n', encoding="utf-8")
    (tmp_path / "Deep.tla").write_text("", encoding="utf-8")
    (tmp_path / "Unused.tla").write_text("", encoding="utf-8")

    needed = [path.stem for path in needed_modules(models / "MCTop.tla")]

    assert needed == ["MCTop", "Top", "Part", "Deep"]


def test_a_standard_module_that_lies_in_the_folder_above_is_a_copy_that_a_tool_left(tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / "MCTop.tla").write_text("EXTENDS FiniteSets, Bags\n", encoding="utf-8")
    (models / "Bags.tla").write_text("", encoding="utf-8")
    (tmp_path / "FiniteSets.tla").write_text("", encoding="utf-8")

    assert [path.name for path in needed_modules(models / "MCTop.tla")] == ["MCTop.tla", "Bags.tla"]
    assert list(modules_of(models / "MCTop.tla", [tmp_path])) == ["Bags", "MCTop"]


def test_a_module_that_is_not_there_is_an_error_before_java_starts(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"Nothing\.tla is not there"):
        run(tmp_path / "Nothing.tla", tmp_path / "Nothing.cfg")
