"""The tasks of one shard, which all end with it.

Three rules:

1. Whoever asks for work only waits for it: one who leaves stops nothing that has begun to
   take effect, and says that nothing else need begin.
2. After the stop no work begins, and none that has begun goes on.
3. A refusal goes to the caller, if it still waits.  A bug goes there too; one of work that
   nobody waits for is told to the loop at once, and raised by ``stopped``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import attrs

from matching.errors import MatchingError, Unavailable

__all__ = ["STEADY", "Asker", "Work"]

T = TypeVar("T")


@attrs.define(eq=False)
class Asker:
    """Whoever waits for what was asked."""

    gone: bool = False


STEADY = Asker()
"""The shard itself, which never leaves."""


class Work:
    """Owns tasks until they are done or stopped."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stopped = False
        # A dictionary keeps the order in which they began.
        self._tasks: dict[asyncio.Task[Any], None] = {}

    async def ask(self, work: Callable[[Asker], Awaitable[T]], name: str) -> T:
        """Have this done and wait for what it gives.

        Raises:
            Unavailable: it was stopped.
        """
        asker = Asker()
        task = self._begin(_refusal_or_result(lambda: work(asker)), name)
        if task is not None:
            task.add_done_callback(lambda done: self._tasks.pop(done, None))
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                asker.gone = True
                raise
            if not task.cancelled():
                result = task.result()
                if isinstance(result, MatchingError):
                    raise result
                return result
        raise Unavailable(f"{self._name} has stopped; ask the host that has it now")

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Have this done; nobody waits for it."""
        task = self._begin(work, name)
        if task is not None:
            task.add_done_callback(self._ended)

    def stop(self) -> None:
        """Cancel everything; a second time there is nothing to do."""
        self._stopped = True
        for task in list(self._tasks):
            task.cancel()

    async def stopped(self) -> None:
        """Wait until nothing runs any more, and raise a bug of work that nobody waited for."""
        tasks = list(self._tasks)
        if tasks:
            await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled():
                task.result()

    def _begin(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T] | None:
        if self._stopped:
            work.close()
            return None
        task = asyncio.get_running_loop().create_task(work)
        task.set_name(f"{self._name} {name}")
        self._tasks[task] = None
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Forget a task that is over; of a bug the loop is told now, and whoever waits for the end."""
        if task.cancelled() or (bug := task.exception()) is None:
            self._tasks.pop(task, None)
        else:
            raise bug


async def _refusal_or_result(work: Callable[[], Awaitable[T]]) -> T | MatchingError:
    """Give a refusal as a value, for an exception that nobody retrieves would pass for a bug."""
    try:
        return await work()
    except MatchingError as refusal:
        return refusal
