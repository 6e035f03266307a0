"""An asyncio event loop whose time stands still until somebody moves it.

Five rules:

1. Callbacks run first in, first out, as on the ordinary loop; nothing happens
   here that could not happen there.
2. Time moves only by ``advance``.  Timers that have become due are queued in the
   order of their times; which of two equal times comes first is the driver's choice.
3. ``run`` runs callbacks until none is left, ``turn`` those of one turn of the loop, as
   the ordinary loop does before it looks at sockets again; ``after_callback`` is called after each.
4. A callback that the driver ``holds`` back waits until it is released, in whatever order; one that
   it ``captures`` can be queued once more.
5. There are no threads, no files and no sockets.  A mistake that asyncio would
   only log is kept in ``mistakes``.
"""

from __future__ import annotations

import asyncio
import contextvars
from asyncio import events
from collections.abc import Callable, Collection
from typing import Any

__all__ = ["MOST_CALLBACKS", "BusyLoopError", "SimulationLoop"]

MOST_CALLBACKS = 100_000
"""How many callbacks may run before ``run`` takes the loop for one that never comes to rest."""


class BusyLoopError(Exception):
    """Callbacks kept making callbacks at one moment of time."""


def _nothing() -> None: ...


def _hold_nothing(callback: Callable[..., object], args: tuple[Any, ...]) -> str | None:
    return None


def _capture_nothing(callback: Callable[..., object], args: tuple[Any, ...]) -> bool:
    return False


class SimulationLoop(asyncio.BaseEventLoop):
    """A deterministic event loop; times are in seconds, starting at 0."""

    def __init__(self) -> None:
        super().__init__()
        self.after_callback: Callable[[], None] = _nothing
        self.mistakes: list[str] = []
        self.holds: Callable[[Callable[..., object], tuple[Any, ...]], str | None] = _hold_nothing
        self.captures: Callable[[Callable[..., object], tuple[Any, ...]], bool] = _capture_nothing
        self.held: dict[str, asyncio.Handle] = {}
        self._captured: list[tuple[Callable[..., object], tuple[Any, ...]]] = []
        self._now = 0.0
        self._timers: list[asyncio.TimerHandle] = []
        self._ready: Any  # asyncio's own queue of handles, stable from 3.11 to 3.13
        self.set_exception_handler(self._keep_mistake)

    # What asyncio asks of a loop

    def time(self) -> float:
        """The virtual time."""
        return self._now

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        if self.captures(callback, args):
            self._captured.append((callback, args))
        self._timers.append(timer)
        return timer

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        handle = super().call_soon(callback, *args, context=context)
        if self.captures(callback, args):
            self._captured.append((callback, args))
        if (name := self.holds(callback, args)) is not None:
            self._ready.pop()
            self.held[name] = handle
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        if handle in self._timers:
            self._timers.remove(handle)

    def _write_to_self(self) -> None:
        raise RuntimeError("the simulation has no threads; only adapters may use them")

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        raise RuntimeError("the simulation has no threads; only adapters may use them")

    def _keep_mistake(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.mistakes.append(f"{context['message']}: {error!r}" if error is not None else str(context["message"]))

    # What the driver does

    @property
    def idle(self) -> bool:
        """Tell whether no callback is queued."""
        return not self._ready

    def release(self, name: str, *, again: bool = False) -> None:
        """Queue a callback that was held back; one that comes ``again`` stays for another time."""
        self._ready.append(self.held[name] if again else self.held.pop(name))

    def fire_again(self, which: Callable[[Callable[..., object], tuple[Any, ...]], bool]) -> None:
        """Queue once more those of the captured callbacks."""
        captured, self._captured = self._captured, []
        for callback, args in captured:
            if which(callback, args):
                super().call_soon(callback, *args)

    def timers(self, which: Callable[[Callable[..., object], tuple[Any, ...]], bool]) -> list[asyncio.TimerHandle]:
        """The timers of those callbacks that are still to come."""
        return [timer for timer in self._timers if which(timer._callback, tuple(timer._args))]  # type: ignore[attr-defined]

    def due_times(self, ignoring: Collection[asyncio.TimerHandle] = ()) -> list[float]:
        """The times of all timers but those to be ignored, each once, in order."""
        return sorted({timer.when() for timer in self._timers if not any(timer is each for each in ignoring)})

    def advance(self, until: float, *, rotate_ties: int = 0) -> None:
        """Move time forward to ``until`` and queue the timers that are due by then.

        Of timers with one and the same time the first ``rotate_ties`` come last.
        """
        assert until >= self._now, "time does not go back"
        self._now = until
        due = [timer for timer in self._timers if timer.when() <= until]
        self._timers = [timer for timer in self._timers if timer.when() > until]
        for when in sorted({timer.when() for timer in due}):
            tied = [timer for timer in due if timer.when() == when]
            first = rotate_ties % len(tied)
            self._ready.extend(tied[first:] + tied[:first])

    def run(self) -> None:
        """Run callbacks until none is left.

        Raises:
            BusyLoopError: more than ``MOST_CALLBACKS`` ran.
        """
        for _ in range(MOST_CALLBACKS):
            if not self._ready:
                return
            self._run_callbacks(1)
        raise BusyLoopError(f"{MOST_CALLBACKS} callbacks ran at {self._now} s and more were queued")

    def turn(self) -> None:
        """Run the callbacks that are queued now: what they queue comes after whatever the world does next."""
        self._run_callbacks(len(self._ready))

    def _run_callbacks(self, count: int) -> None:
        before = events._get_running_loop()
        events._set_running_loop(self)
        try:
            for _ in range(count):
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()
                    self.after_callback()
        finally:
            events._set_running_loop(before)

    def cancel_everything(self) -> list[str]:
        """Cancel all tasks and run them out; give the names of those that would not end."""
        for task in asyncio.all_tasks(self):
            task.cancel()
        self.run()
        return sorted(task.get_name() for task in asyncio.all_tasks(self))
