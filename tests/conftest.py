"""What tests of every folder ask for."""

import pytest

from conformance.tla.errors import ToolMissingError
from conformance.tla.toolchain import INSTALL, find_jar, find_java


@pytest.fixture(scope="session")
def tools() -> None:
    """Java and TLC are there, or the test is skipped with the remedy."""
    try:
        find_java()
        find_jar()
    except ToolMissingError:
        pytest.skip(f"missing tool: Java or TLC, install it with: {INSTALL}")
