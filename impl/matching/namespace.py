"""Whether the namespace is active on this cluster, and who wants to know when that changes."""

from __future__ import annotations

from collections.abc import Callable

from matching.probe import Probe, silent

__all__ = ["NamespaceState"]


class NamespaceState:
    """The state of one namespace on this cluster.

    The state is read at each match, never remembered by a poll.
    """

    def __init__(self, *, active: bool, probe: Probe = silent) -> None:
        self._active = active
        self._probe = probe
        self._callbacks: list[Callable[[], None]] = []

    @property
    def active(self) -> bool:
        """Tell whether tasks may be handed to workers of this cluster."""
        return self._active

    def subscribe(self, callback: Callable[[], None]) -> None:
        """Call back after each change."""
        self._callbacks.append(callback)

    def change(self, *, active: bool) -> None:
        """Apply a failover; the same state again is no change."""
        if active is self._active:
            return
        self._active = active
        self._probe("NamespaceChanges")
        for callback in self._callbacks:
            callback()
