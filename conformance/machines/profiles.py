"""How much a stateful test does: the profiles ``ci``, ``dev`` and ``deep`` of Hypothesis.

Two rules:

1. Nothing in a profile depends on the speed of the machine: no deadline, no limit of
   time, so that the same seed makes the same run.
2. ``ci`` is the same run every time, and neither needs nor keeps an example database.
"""

import os
from typing import Any

from hypothesis import HealthCheck, settings

__all__ = ["PROFILES", "chosen_profile", "register_profiles"]

COMMON: dict[str, Any] = {
    "deadline": None,
    # Two reports of one fault, from a rule and from the end of the run, would read as two faults.
    "report_multiple_bugs": False,
    # A world is not cheap to build, and a slow machine is no reason to stop looking.
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
PROFILES: dict[str, dict[str, Any]] = {
    "ci": {"max_examples": 200, "stateful_step_count": 50, "derandomize": True, "database": None},
    "dev": {"max_examples": 100, "stateful_step_count": 50},
    "deep": {"max_examples": 5_000, "stateful_step_count": 100},
}


def register_profiles() -> None:
    """Make the three known to Hypothesis, so that ``--hypothesis-profile`` can choose one."""
    for name, own in PROFILES.items():
        settings.register_profile(name, **COMMON, **own)


def chosen_profile() -> str:
    """The profile that the environment asks for: ``CONFORM_PROFILE``, else ``ci`` where ``CI=true``, else ``dev``."""
    return os.environ.get("CONFORM_PROFILE") or ("ci" if os.environ.get("CI") == "true" else "dev")
