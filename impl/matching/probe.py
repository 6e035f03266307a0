"""How the service tells what it does, one call for each atomic step.

A probe is a callable that is told the action's name, as the specification
spells it, and the action's arguments, in the specification's order.  It is
called at the moment that the step takes effect, before the next await.  The
service knows nothing of who listens: the default does nothing, and another is
found by the entry-point group ``matching.probe``.
"""

from __future__ import annotations

from typing import Protocol

__all__ = ["Probe", "silent"]


class Probe(Protocol):
    """One call is one step of the specification."""

    def __call__(self, action: str, *args: str | int | tuple[str, ...]) -> None: ...


def silent(action: str, *args: str | int | tuple[str, ...]) -> None:
    """Listen to nothing."""
