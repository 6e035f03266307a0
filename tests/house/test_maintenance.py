"""What is run as a module, for those who maintain the project, has a help, and says by its status how it went."""

import subprocess
import sys

import pytest

from tests.house.sources import ROOT, name, python_files

COMMANDS = sorted(
    name(path).removesuffix(".py").removesuffix("/__main__").replace("/", ".")
    for path in python_files("tests", "bench", "conformance", "impl")
    if '\nif __name__ == "__main__":' in path.read_text(encoding="utf-8")
)
every_command = pytest.mark.parametrize("command", COMMANDS)


def ran(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", command, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_commands_that_the_makefile_runs_are_among_them() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert {command for command in COMMANDS if f"/python -m {command}\n" in makefile} == {
        "bench",
        "tests.mutants",
        "tests.trees",
    }
    assert "tests.corpus" in COMMANDS


@every_command
def test_a_maintenance_command_says_what_it_does(command: str) -> None:
    asked = ran(command, "--help")

    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout.startswith(f"Usage: python -m {command} [OPTIONS]\n")
    assert len(asked.stdout.splitlines()) > 4


@every_command
def test_a_maintenance_command_that_is_asked_wrongly_does_nothing(command: str) -> None:
    asked = ran(command, "--nonsense")

    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr.startswith(f"python -m {command}: No such option '--nonsense'.")
    assert len(asked.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [["--seconds", "nan"], ["--seconds", "0"], ["--seed", "-1"], ["--only", "no-such-mutant"]],
    ids=" ".join,
)
def test_a_hunt_that_could_not_end_or_hunts_nothing_is_refused(arguments: list[str]) -> None:
    asked = ran("tests.mutants", *arguments)

    assert (asked.returncode, asked.stdout) == (2, "")
    assert len(asked.stderr.splitlines()) == 1
