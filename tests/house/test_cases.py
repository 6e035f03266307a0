"""Every collected case is cited by a test, or ``tests/cases.yaml`` says why it cannot be.

One rule: a test cites a case in one form only, ``CASES 12``, so that a search for it finds them all.
"""

import re
from pathlib import Path
from typing import Any

import yaml

from tests.house.sources import ROOT, name, python_files

TABLE = ROOT / "tests" / "cases.yaml"
KEYS = {"about", "as far as", "not here"}
CITED = re.compile(r"\bCASES (\d+(?:, \d+)*)\b")
OTHERWISE = re.compile(r'"""\[\d+\]|\b[Cc]ases? \d+|\bCASES \d+ and')


def test_every_case_of_the_table_is_cited_or_has_a_reason_why_not() -> None:
    uncited = {number for number, row in table().items() if "not here" not in row} - cited()

    assert uncited == set()


def test_what_is_said_not_to_apply_is_cited_nowhere() -> None:
    assert {number for number, row in table().items() if "not here" in row} & cited() == set()


def test_every_cited_number_stands_in_the_table() -> None:
    assert cited() - set(table()) == set()
    assert len(cited()) > 40


def test_every_row_says_what_the_case_is_about() -> None:
    wordless = {number for number, row in table().items() if not row.get("about") or not set(row) <= KEYS}

    assert wordless == set()


def test_cases_are_cited_in_one_form_only() -> None:
    found = {name(path): OTHERWISE.findall(path.read_text(encoding="utf-8")) for path in citing_files()}

    assert {path: each for path, each in found.items() if each} == {}


def table() -> dict[int, dict[str, Any]]:
    groups = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return {number: row for rows in groups.values() for number, row in rows.items()}


def citing_files() -> list[Path]:
    return [path for path in python_files("tests") if path != Path(__file__)]


def cited() -> set[int]:
    found: set[int] = set()
    for path in citing_files():
        for numbers in CITED.findall(path.read_text(encoding="utf-8")):
            found.update(map(int, numbers.split(", ")))
    return found
