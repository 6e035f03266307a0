"""The stateful tests run under one profile: ``CONFORM_PROFILE``, or ``--hypothesis-profile ci|dev|deep``."""

import pytest
from hypothesis import settings

from conformance.machines.profiles import chosen_profile, register_profiles

register_profiles()
settings.load_profile(chosen_profile())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The exercise gate comes last; the deep profile runs for as long as it takes."""
    items.sort(key=lambda item: item.path.name == "test_exercise.py")
    profile = config.getoption("--hypothesis-profile", default=None) or chosen_profile()
    if profile == "deep":
        for item in items:
            item.add_marker(pytest.mark.timeout(0))
