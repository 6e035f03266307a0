"""What tests of every folder ask for."""

from collections.abc import Iterator

import pytest

from conformance.tla.errors import ToolMissingError
from conformance.tla.toolchain import INSTALL, find_jar, find_java
from tests import postgres


@pytest.fixture(scope="session")
def tools() -> None:
    """Java and TLC are there, or the test is skipped with the remedy."""
    try:
        find_java()
        find_jar()
    except ToolMissingError:
        pytest.skip(f"missing tool: Java or TLC, install it with: {INSTALL}")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server, or the test is skipped with the remedy."""
    with postgres.server() as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of an empty database of this test alone."""
    with postgres.schema(postgres_server) as url:
        yield url
