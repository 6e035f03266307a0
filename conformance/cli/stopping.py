"""How work that is done in pieces is asked to stop: between two of them, and not in the middle of one.

One rule: an interrupt in the middle of a run would leave a service that did half of a step, and
a judge that says so; a run is finished first.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

__all__ = ["Stop", "asked_to_stop"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Whether this process was asked to stop."""

    def __init__(self) -> None:
        self._signal: int | None = None
        heard = [each for each in _SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
        self._before = {each: signal.signal(each, self._note) for each in heard}

    def __call__(self) -> bool:
        return self._signal is not None

    def act(self) -> None:
        """Let the signal do what it does elsewhere, if there was one."""
        if self._signal is not None:
            signal.raise_signal(self._signal)

    def restore(self) -> None:
        """Listen no more."""
        while self._before:
            signal.signal(*self._before.popitem())

    def _note(self, signum: int, frame: FrameType | None) -> None:
        self._signal = signum
        self.restore()


@contextlib.contextmanager
def asked_to_stop() -> Iterator[Stop]:
    """Note the first signal that asks this process to stop, unless it ignores that one, as work in the background may.

    A second one does what it does elsewhere.
    """
    stop = Stop()
    try:
        yield stop
    finally:
        stop.restore()
