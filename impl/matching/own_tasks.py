"""The tasks that one object has started, and waits for at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

__all__ = ["OwnTasks"]


class OwnTasks:
    """Tasks by the order of their start; ``name`` begins their names."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._tasks: dict[asyncio.Task[None], None] = {}

    @property
    def quiet(self) -> bool:
        """Tell whether none of them runs any more."""
        return not self._tasks

    def spawn(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        """Do this work in a task of its own."""
        task = asyncio.get_running_loop().create_task(work)
        task.set_name(f"{self._name} {name}")
        self._tasks[task] = None
        task.add_done_callback(self._ended)
        return task

    def cancel(self) -> None:
        """Interrupt every one of them."""
        for task in self._tasks:
            task.cancel()

    async def ended(self) -> None:
        """Wait until all have ended; a bug in one of them is raised."""
        while self._tasks:
            tasks = list(self._tasks)
            await asyncio.wait(tasks)
            for task in tasks:
                if not task.cancelled():
                    task.result()

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Forget a task that is over; of a bug the loop is told now, and whoever waits for the end."""
        if task.cancelled() or (bug := task.exception()) is None:
            del self._tasks[task]
        else:
            raise bug
