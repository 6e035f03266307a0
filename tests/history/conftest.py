"""A shard of History whose every step must be one that the specification allows."""

from collections.abc import Iterator

import pytest

from tests.history.bench import Bench


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A shard whose store answers at once."""
    made = Bench()
    yield made
    made.close()


@pytest.fixture
def slow() -> Iterator[Bench]:
    """A shard whose store answers what and when the test says; it has taken its shard."""
    made = Bench(prompt=False)
    made.answer_all()
    yield made
    made.close()


@pytest.fixture
def taking() -> Iterator[Bench]:
    """A shard that has asked its store for the shard, and has no answer yet."""
    made = Bench(prompt=False)
    yield made
    made.close()
