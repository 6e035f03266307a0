"""How the service tells what it does, one call for each atomic step.

A probe is a callable that is told the action's name, as the specification
spells it, and the action's arguments, in the specification's order.  It is
called at the moment that the step takes effect, before the next await.  The
service knows nothing of who listens: the default does nothing.

A listener that keeps traces is found by the entry-point group ``matching.probe``:
a factory that is given engines and gives a `TraceProbe` for their run.  Engines
are given their probe before there is such a listener, so they are given ``Caller.hear``,
and ``Caller.probe`` (or a probe behind it) is set to the listener before the first
step.  The factory is called on the running event loop.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from matching.errors import MissingLibrary

if TYPE_CHECKING:
    from matching.engine import Engine

__all__ = ["GROUP", "Attach", "Probe", "TraceFactory", "TraceProbe", "load_trace_factory", "silent"]

GROUP = "matching.probe"


class Probe(Protocol):
    """One call is one step of the specification."""

    def __call__(self, action: str, *args: str | int | tuple[str, ...]) -> None: ...


class Attach(Protocol):
    """Makes the probe that listens to the run of some engines."""

    def __call__(self, *engines: Engine) -> Probe: ...


class TraceProbe(Probe, Protocol):
    """A probe that keeps what it is told."""

    def write(self, path: Path, *, at_rest: bool) -> None:
        """Write the run so far as a trace, whole or not at all.

        ``at_rest`` claims that nothing is owed any more; a judge verifies it.
        """
        ...


class TraceFactory:
    """Makes the probe of one run, and has it write the trace afterwards."""

    def __init__(self, make: Callable[..., TraceProbe]) -> None:
        self._make = make
        self._made: TraceProbe | None = None

    def attach(self, *engines: Engine) -> Probe:
        """Make the probe that listens to the run of these engines, which share a store, a namespace and callers."""
        self._made = self._make(*engines)
        return self._made

    def write(self, path: Path, *, at_rest: bool) -> None:
        """Write the trace of the run to which a probe was attached."""
        assert self._made is not None
        self._made.write(path, at_rest=at_rest)


def load_trace_factory() -> TraceFactory:
    """Find the installed listener that keeps traces.

    Raises:
        MissingLibrary: none is installed.
    """
    from importlib.metadata import entry_points

    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        return TraceFactory(entry.load())
    raise MissingLibrary(
        f"nothing that keeps traces is installed: no entry point in {GROUP};"
        " pip install matching-conformance brings one"
    )


def silent(action: str, *args: str | int | tuple[str, ...]) -> None:
    """Listen to nothing."""
