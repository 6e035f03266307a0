"""Every dependency is pinned with hashes, as ``pyproject.toml`` asks for it."""

import re
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.sources import ROOT

PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def test_every_declared_dependency_is_pinned_to_a_version_that_it_allows() -> None:
    pinned = pins()

    assert [str(each) for each in declared() if not is_met(each, pinned)] == []


def test_every_line_of_the_lock_is_a_pin_with_hashes_or_a_comment() -> None:
    rest = PIN.sub("", lock())
    other = [line for line in rest.splitlines() if line.strip() and not line.lstrip().startswith("#")]

    assert other == []


def test_what_builds_the_distribution_is_in_the_lock() -> None:
    assert {"setuptools", "wheel"} <= pins().keys()


def declared() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    always = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    return [Requirement(each) for each in [*always, *(each for some in extras for each in some)]]


def is_met(requirement: Requirement, pinned: dict[str, str]) -> bool:
    version = pinned.get(canonicalize_name(requirement.name))
    return version is not None and requirement.specifier.contains(version)


def pins() -> dict[str, str]:
    return {canonicalize_name(found[0]): found[1] for found in PIN.findall(lock())}


def lock() -> str:
    return (ROOT / "requirements.lock").read_text(encoding="utf-8")
