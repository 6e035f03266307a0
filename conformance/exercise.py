"""What the stateful tests and the scenarios exercised, counted over one test session.

A specification whose actions are never taken, or a machine whose rules never run,
is green without saying anything.  `test_exercise.py` asks this record at the end.
"""

from __future__ import annotations

from collections import Counter

import attrs

__all__ = ["EXERCISE", "Exercise"]


@attrs.define
class Exercise:
    """How often each action of the specification and each rule of a machine was taken, and by which tests."""

    actions: Counter[str] = attrs.field(factory=Counter)
    rules: Counter[str] = attrs.field(factory=Counter)
    sources: set[str] = attrs.field(factory=set)


EXERCISE = Exercise()
