"""A step by its name: what a run says that it took, and what a model says that it allows.

One rule: steps of one action with equal arguments are equal.
"""

from __future__ import annotations

from typing import Any

import attrs

from conformance.tla.values import format_value

__all__ = ["Step"]


@attrs.frozen
class Step:
    """A named action with its arguments."""

    action: str
    args: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.action}({', '.join(map(format_value, self.args))})" if self.args else self.action
