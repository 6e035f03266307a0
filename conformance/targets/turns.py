"""In which order records are offered, of which the specification says nothing: one that was kept waits for the others.

Two rules:

1. A record that was kept is not offered again before one of its version that was available when it was
   kept, and has been since: a task whose start nobody knows of must not keep the rest waiting.
2. A record that is given back takes its old place, and the others theirs.
"""

from __future__ import annotations

from collections.abc import Iterator

from matching.engine import Engine
from matching.identity import Owner
from matching.manager import PartitionManager
from matching.requests import Task

__all__ = ["Turns"]


class Turns:
    """Hears the steps of all managers, and knows which records a kept one has to wait for."""

    def __init__(self, engines: list[Engine]) -> None:
        self.broken: str | None = None
        """The first record that did not wait."""
        self._engines = engines
        self._asking: dict[str, Owner] = {}
        self._ahead: dict[tuple[Owner, str], set[str]] = {}

    def hear(self, action: str, args: tuple[object, ...]) -> None:
        """Note a step of a manager."""
        match action, args:
            case "Ask", (_, poll_id, _) if manager := self._manager_of(str(poll_id)):
                self._asking[str(poll_id)] = manager.owner
            case "Keep", (task_id, poll_id):
                self._kept(str(task_id), self._asking.pop(str(poll_id), None))
            case ("Match", (task_id, poll_id)) | ("Take", (poll_id, _, task_id)):
                self._offered(str(task_id), self._manager_of(str(poll_id)))
            case "GiveBack", _:
                self._ahead.clear()
            case _:
                pass

    def _kept(self, task_id: str, owner: Owner | None) -> None:
        manager = next((each for each in self._managers() if each.owner == owner), None)
        available = {} if manager is None else {str(task.task_id): task.version for task in _available(manager)}
        if owner is not None and task_id in available:
            self._ahead[owner, task_id] = {
                each for each, version in available.items() if each != task_id and version == available[task_id]
            }

    def _offered(self, task_id: str, manager: PartitionManager | None) -> None:
        if manager is None:
            return
        waiting = self._ahead.pop((manager.owner, task_id), set()) & {task.task_id for task in _available(manager)}
        if waiting and self.broken is None:
            first = ", ".join(sorted(waiting))
            self.broken = f"{task_id} was kept and is offered again before {first}, which waited longer"
        for (owner, _), ahead in self._ahead.items():
            if owner == manager.owner:
                ahead.discard(task_id)

    def _manager_of(self, poll_id: str) -> PartitionManager | None:
        return next((manager for manager in self._managers() if poll_id in manager.polls), None)

    def _managers(self) -> Iterator[PartitionManager]:
        return (manager for engine in self._engines for manager in engine.managers.values())


def _available(manager: PartitionManager) -> Iterator[Task]:
    return (record.task for record in manager.backlog.memory.available())
