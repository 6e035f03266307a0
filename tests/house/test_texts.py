"""No file tells on whose machine it was written, or where packages are fetched."""

import re

from tests.house.sources import name, text_files

# Each pattern is written so that it does not match its own text.
MACHINE_PATHS = re.compile(r"/(?:work|root|opt|home/\w+|Users/\w+|tmp/w)/(?=\w)")
REGISTRIES = re.compile(r"(?:pypi|pythonhosted|npmjs)\.(?=org|com)|--(?:extra-)?(?:index-url|trusted-host)(?=[= ])")
BINARY = {".png", ".gz", ".sqlite"}


def test_no_file_names_a_path_of_one_machine() -> None:
    assert lines_with(MACHINE_PATHS) == []


def test_no_file_names_a_package_registry() -> None:
    assert lines_with(REGISTRIES) == []


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    texts = {path: path.read_text(encoding="utf-8") for path in text_files() if path.suffix not in BINARY}
    return [
        f"{name(path)}:{number}: {line.strip()}"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]
