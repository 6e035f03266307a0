"""TLC's registers, and what it counts while it searches: what TLCGet reads and TLCSet writes.

Four rules:

1. Registers have numbers from 0 up.  They live as long as one search does, or one question
   to the model; elsewhere nothing is read or written, as no answer would be TLC's.
2. The counts that have names are those of TLC 2.15 with one worker; any other name is
   undefined, as it is there.
3. ``TLCSet("exit", TRUE)`` ends a search behind the state that is being followed, or
   behind the initial states.
4. What asks for them is evaluated whenever it is met: see `Analysis.constant`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol

from conformance.tla.atoms import TRUE
from conformance.tla.compile.runtime import fail, fc, shown

__all__ = ["Counts", "Registers"]


class Counts(Protocol):
    """What a search tells of itself."""

    @property
    def level(self) -> int:
        """Of the state that is being followed; 0 while there is none."""

    @property
    def distinct(self) -> int: ...
    @property
    def queue(self) -> int:
        """How many states wait to be followed."""

    @property
    def depth(self) -> int: ...


class Registers:
    """The registers of one program."""

    def __init__(self) -> None:
        self._values: dict[int, Any] | None = None
        self._counts: Counts | None = None
        self._began = 0.0
        self.exit = False

    @contextmanager
    def opened(self, counts: Counts | None = None) -> Iterator[None]:
        """Let TLCGet and TLCSet have answers; within a search a question finds the registers of the search."""
        if self._values is not None:
            yield
            return
        self._values, self._counts, self._began, self.exit = {}, counts, time.monotonic(), False
        try:
            yield
        finally:
            self._values, self._counts = None, None

    def get(self, register: Any, loc: int) -> Any:
        """TLCGet(register)"""
        values = self._opened("TLCGet", loc)
        if register.__class__ is str:
            ask = _COUNTS.get(register)
            if register == "duration":
                return int(time.monotonic() - self._began)
            if ask is None:
                fail(f'TLCGet("{register}") is undefined', loc)
            return ask(self._counts) if self._counts is not None else _BEFORE[register]
        if register.__class__ is not int or register < 0:
            fail(f"TLCGet needs an integer from 0 up, and got {shown(register)}", loc)
        if register not in values:
            fail(f"TLCGet({register}) is undefined: nothing was put there with TLCSet", loc)
        return values[register]

    def set(self, register: Any, value: Any, loc: int) -> bool:
        """TLCSet(register, value)"""
        values = self._opened("TLCSet", loc)
        value = fc(value, loc)
        if register == "exit":
            self.exit = self.exit or value is TRUE
        elif register == "pause" and value is TRUE:
            fail('TLCSet("pause", TRUE) waits for somebody at the terminal, which is not done here', loc)
        elif register != "pause":
            if register.__class__ is not int or register < 0:
                fail(f"TLCSet needs an integer from 0 up, and got {shown(register)}", loc)
            values[register] = value
        return True

    def _opened(self, operator: str, loc: int) -> dict[int, Any]:
        if self._values is None:
            fail(f"{operator} has a meaning only while a model is explored; a run is judged without it", loc)
        return self._values


_COUNTS: Final[dict[str, Callable[[Counts], int]]] = {
    "level": lambda counts: counts.level,
    "distinct": lambda counts: counts.distinct,
    "queue": lambda counts: counts.queue,
    "diameter": lambda counts: counts.depth,
}
_BEFORE: Final = {"level": 0, "distinct": 0, "queue": 0, "diameter": 1}
"""What they are before a search, as in an assumption."""
