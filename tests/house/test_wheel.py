"""An installed wheel can judge by our specification, and carries no tests."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.house.sources import ROOT, name, python_files, text_files

pytestmark = pytest.mark.slow

MESSAGES = "matching/adapters/rpc/matching_pb2.py"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel holds, built from a copy so that the checkout stays clean."""
    copy = tmp_path_factory.mktemp("checkout")
    for path in text_files():
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    wheels = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", wheels, copy], check=True, timeout=120)
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(next(wheels.glob("*.whl"))).extractall(folder)
    return folder


def test_the_wheel_holds_the_specification_and_its_models(installed: Path) -> None:
    wanted = {path.relative_to(ROOT / "spec") for path in text_files() if name(path).startswith("spec/")}
    shipped = {path.relative_to(installed / "conformance/_spec") for path in files(installed / "conformance/_spec")}

    assert {path for path in wanted if path.name != "README.md"} == shipped


def test_the_wheel_holds_every_module_but_the_tests_and_those_that_the_build_makes(installed: Path) -> None:
    modules = {name(path).removeprefix("impl/") for path in python_files("impl", "conformance")}
    shipped = {path.relative_to(installed).as_posix() for path in files(installed) if path.suffix == ".py"}

    assert {path for path in modules if not is_test(Path(path))} | {MESSAGES} == shipped


def test_the_wheel_holds_the_messages_as_they_are_written_and_their_types(installed: Path) -> None:
    written = (ROOT / "impl" / MESSAGES).with_name("matching.proto")

    assert (installed / MESSAGES).with_name("matching.proto").read_bytes() == written.read_bytes()
    assert (installed / MESSAGES).with_suffix(".pyi").is_file()


def test_the_messages_of_the_wheel_can_be_imported(installed: Path, tmp_path: Path) -> None:
    program = "from matching.adapters.rpc.methods import SERVICE; print(SERVICE)"
    paths = os.pathsep.join([str(installed), *sys.path])
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": paths},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert ran.stdout.strip() == "matching.v1.Matching"


def test_an_installed_package_finds_the_specification_inside_itself(installed: Path, tmp_path: Path) -> None:
    program = "from conformance.paths import spec_directory; print(spec_directory())"
    ran = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={"PYTHONPATH": str(installed)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert Path(ran.stdout.strip()) == installed / "conformance/_spec"


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def is_test(path: Path) -> bool:
    return path.name.startswith("test_") or path.name == "conftest.py"
