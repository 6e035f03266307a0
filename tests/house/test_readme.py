"""What the READMEs promise is so: targets, commands, and samples of real output.

A sample is a fenced block behind ``<!-- sample: COMMAND -->``; the command is
run from the root of the project, and its standard output must be the block.
"""

import re
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from conformance.cli import VERBS
from tests.house.sources import ROOT, name, text_files

SAMPLE = re.compile(r"<!-- sample: (?P<command>.+?) -->\n+```\w*\n(?P<output>.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
TARGET = re.compile(r"^([a-z][\w-]*|\.venv):(?!=)", re.MULTILINE)
DESCRIBED_TARGET = re.compile(r"^([a-z][\w-]*|\.venv):.* ## \w", re.MULTILINE)


@attrs.frozen
class Sample:
    """A command as a README shows it, with the output that it promises."""

    readme: str
    command: str
    output: str


def samples() -> list[Sample]:
    return [
        Sample(name(path), found["command"], found["output"])
        for path in readmes()
        for found in SAMPLE.finditer(path.read_text(encoding="utf-8"))
    ]


def readmes() -> list[Path]:
    return [path for path in text_files() if path.name == "README.md"]


def test_the_readme_shows_a_real_run() -> None:
    assert [sample.command for sample in samples() if sample.readme == "README.md"] != []


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.command)
def test_a_sample_is_what_the_command_prints(sample: Sample) -> None:
    program, *arguments = sample.command.split()
    ran = subprocess.run(
        [Path(sys.executable).parent / program, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=60,
        check=False,
    )

    assert ran.stdout == sample.output


def test_every_make_target_in_a_readme_exists() -> None:
    targets = set(TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8")))
    named = {target for path in readmes() for target in commands_in(path, r"make ([a-z][\w-]*)")}

    assert named - targets == set()


def test_every_verb_of_conform_in_a_readme_exists() -> None:
    named = {verb for path in readmes() for verb in commands_in(path, r"conform ([a-z][\w-]*)")}

    assert named - VERBS.keys() == set()


def test_every_make_target_says_what_it_is_for() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert set(TARGET.findall(makefile)) == set(DESCRIBED_TARGET.findall(makefile))


def commands_in(path: Path, pattern: str) -> list[str]:
    """What the code of a README calls, prose left aside."""
    code = CODE.findall(path.read_text(encoding="utf-8"))
    return [found for block in code for found in re.findall(rf"(?:^|[`\s$]){pattern}", block)]
