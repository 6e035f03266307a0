"""A step property that read nothing new is not asked again, and is asked where that could matter."""

import pytest

from conformance.tla.config import Config
from conformance.tla.model import Model
from conformance.tla.values import FALSE, TRUE

MODULE = """---- MODULE Calm ----
EXTENDS Naturals
VARIABLES x, y, ok
Init == x = 0 /\\ y = 0 /\\ ok = TRUE
Next == x' \\in 0..3 /\\ y' \\in 0..3 /\\ ok' \\in BOOLEAN
OkProp == [][ok]_<<x, y>>
====
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    path = tmp_path_factory.mktemp("calm") / "Calm.tla"
    path.write_text(MODULE, encoding="utf-8")
    return Model.load(path, Config(init="Init", next="Next", properties=("OkProp",)))


def test_a_property_that_held_because_nothing_moved_is_asked_again_when_something_does(model: Model) -> None:
    still, moved = (0, 0, FALSE), (1, 0, FALSE)

    assert model.check_step_properties(still, still) == []
    assert model.check_step_properties(still, moved) == ["OkProp"]


def test_a_property_whose_action_held_is_taken_for_true_while_it_reads_the_same(model: Model) -> None:
    first, second, third = (0, 0, TRUE), (1, 0, TRUE), (2, 0, TRUE)

    assert model.check_step_properties(first, second) == []
    assert model.check_step_properties(second, third) == []


def test_a_property_is_asked_anew_after_what_it_reads_has_changed(model: Model) -> None:
    good, bad, worse = (0, 0, TRUE), (1, 0, FALSE), (2, 0, FALSE)

    assert model.check_step_properties(good, bad) == []
    assert model.check_step_properties(bad, worse) == ["OkProp"]
