"""What a run of delivery can begin with, or come to later: several requests that belong together.

Two rules:

1. A scene asks only for what can be asked for where it begins; of what it cannot have it leaves out the rest.
2. It knows nothing of what is right, as the rules of the machines do not.
"""

from __future__ import annotations

from typing import Any

from conformance.machines.polls import PollRegistrationMachine, mostly_first, pick
from conformance.simulation.store import Effect
from conformance.targets.references import is_free
from conformance.targets.rest import EVERY_KIND
from matching.identity import Item

__all__ = ["OPENINGS", "DeliveryScenes"]

OPENINGS = (
    *("given", "doubtful", "abandoned", "retried", "activity", "fenced", "stolen", "crowded", "overtaken"),
    *("unsure", "unsure_start"),
)
"""Where a run can begin: what would take many requests drawn one by one."""


class DeliveryScenes(PollRegistrationMachine):
    """Openings, each a method of its name, and the helpers that they share with the rules."""

    # Openings

    def _given(self, where: int) -> None:
        self._bring_to_worker(stored=where >= 5, until="given")

    def _doubtful(self, where: int) -> None:
        """A start was recorded, and Matching does not learn of it."""
        self._bring_to_worker(stored=where >= 4, until="started")
        decided = [call for call in self.simulation.history.starts.waiting() if call.effect is not Effect.PENDING]
        for call in decided:
            self._ask("store", "run", call=call.name, answer="error")

    def _abandoned(self, where: int) -> None:
        """A worker leaves while its poll's handler asks; another one polls."""
        self._bring_to_worker(stored=where >= 2, until="asked")
        for poll in self.simulation.open_polls()[-1:]:
            self._ask("leave", "run", poll=poll)
        if polls := self.simulation.free_polls():
            self._usual_poll_at(self.simulation.world.partitions[0], polls[0])

    def _retried(self, where: int) -> None:
        """A worker is late, and another has the next attempt."""
        self._bring_to_worker(stored=False, until="given")
        self._ask("advance", "run", by_ms=2000)
        self._serve("apply")
        if polls := self.simulation.free_polls():
            self._usual_poll_at(self.simulation.world.partitions[0], polls[0])
        for _ in range(2):
            self._serve("start")
            self._serve("apply")

    def _activity(self, where: int) -> None:
        """An activity is with a worker."""
        self._bring_to_worker(stored=False, until="given")
        for item in self.simulation.history.tokens[-1:]:
            if "activity" in self.simulation.history.next_commands(item.event_id):
                self._complete_task(item, "activity", "run")
                self._serve("apply")
                self._bring_to_worker(stored=where >= 5, until="given")

    def _fenced(self, where: int) -> None:
        """History begins anew twice, and the first takeover comes after the second."""
        for _ in range(2):
            self._ask("restart", "run")
        for call in [call for call in self.simulation.calls() if call.kind == "take"][:-3:-1]:
            self._ask("store", "run", call=call.name, effect="commit", answer="ok")
            self._serve("load")

    def _stolen(self, where: int) -> None:
        simulation = self.simulation
        other = simulation.others[0]
        self._ask("load", "run", partition=mostly_first(simulation.world.partitions, where), host=other.host)
        self._serve("lease")

    def _overtaken(self, where: int) -> None:
        """A block of ids is used up, a task waits for the next one, and another host has taken the lease."""
        self._crowded(where)
        self._stolen(where)
        if tasks := self.simulation.free_tasks():
            self._add_at(mostly_first(self.simulation.world.partitions, where), tasks[0])

    def _crowded(self, where: int) -> None:
        simulation = self.simulation
        partition = mostly_first(simulation.world.partitions, where)
        for task in simulation.free_tasks()[:3]:
            if task in simulation.free_tasks():  # History may need a name meanwhile
                self._add_at(partition, task)
        self._store_and_read()

    def _unsure(self, where: int) -> None:
        """A run begins, or an event gets other options, and nobody knows; whoever looks is told nothing, or is."""
        if runs := self.simulation.history.free_runs():
            self._make_room()
            self._ask("workflow", "run", execution=runs[0])
        elif waiting := self.simulation.history.waiting_events():
            self._ask("restamp", "run", event=pick(waiting, where))
        self._lose_change(found_out=where >= 5)

    def _unsure_start(self, where: int) -> None:
        """A start is recorded, and History does not know; when it looks it is told, or is not."""
        self._bring_to_worker(stored=where % 2 == 1, until="asked")
        for call in self._starts()[-1:]:
            self._ask("store", "run", call=call.name, effect="commit")
            self._lose_change(found_out=where < 5)

    # Helpers

    def _lose_change(self, *, found_out: bool) -> None:
        """The newest change of a run takes effect, and its answer is lost; so is what is read of it, or is not."""
        for kind in ("apply",) if found_out else ("apply", "load"):
            for call in [call for call in self.simulation.history.store.waiting() if call.kind == kind][-1:]:
                self._answer(call, "run", "error")
        if found_out:
            self._serve("load")

    def _begin_workflow(self) -> None:
        if runs := self.simulation.history.free_runs():
            self._make_room()
            self._ask("workflow", "run", execution=runs[0])
            self._serve("apply")

    def _make_room(self) -> None:
        """Forget a task that nobody refers to, where otherwise History would wait for an id."""
        simulation = self.simulation
        used = [task for task in simulation.free_tasks() if task in simulation.recorder.books.queue]
        if len(used) == len(simulation.free_tasks()) and used:
            for poll in simulation.received(used[0]):
                self._ask("forget", "stay", poll=poll)
            self._ask("forget", "stay", task=used[0])

    def _bring_to_worker(self, stored: bool, until: str) -> None:
        simulation = self.simulation
        activity = bool(self._due_activities())
        partition = simulation.world.partitions[1 if activity else 0]
        if stored:
            if not activity:
                self._begin_workflow()
            self._store_and_read()
        if polls := simulation.free_polls():
            self._usual_poll_at(partition, polls[0])
        if not stored and not activity:
            self._begin_workflow()
        for call in self._starts()[-1:] if until != "asked" else []:
            self._ask("store", "run", call=call.name, effect="commit")
            self._serve("apply")
            if until == "given":
                self._serve("start")

    def _add_at(self, partition: str, task: str) -> None:
        self._ask("add", "run", task=task, partition=partition, version=self.simulation.world.versions[0])

    def _usual_poll_at(self, partition: str, poll: str) -> None:
        world = self.simulation.world
        self._ask(
            "poll",
            "run",
            poll=poll,
            worker=world.workers[0],
            partition=partition,
            version=world.versions[0],
            wait_ms=10_000,
        )

    def _store_and_read(self) -> None:
        for kind in ("lease", "append", "apply", "read"):
            self._serve(kind)

    def _due_activities(self) -> list[str]:
        """Activities that a worker could start."""
        return [event for event in self.simulation.history.waiting_events() if not event.endswith("/1")]

    def _complete_task(self, item: Item, decides: str, then: str) -> None:
        self._ask("complete", then, token=f"{item.event_id}.{item.attempt}", decides=decides)

    def _tick(self, then: str) -> None:
        simulation = self.simulation
        if upkeep := simulation.upkeep_times():
            by_ms = max(1, round((upkeep[0] - simulation.loop.time()) * 1000))
            self._ask("advance", then, by_ms=by_ms)

    def _closed_events(self) -> list[str]:
        """Events of closed runs whose tasks nobody refers to any more."""
        simulation = self.simulation
        held = {item[0] for task, item in simulation.recorder.books.carries.items() if not is_free(simulation, task)}
        return [event for event in simulation.history.over_events() if simulation.loop.idle and event not in held]

    def _starts(self) -> list[Any]:
        return [
            call
            for call in self.simulation.history.starts.waiting()
            if call.effect is Effect.PENDING and not call.answered
        ]

    def _serve(self, kind: str) -> None:
        """Let the calls of one kind take effect and be answered, and what follows happen."""
        if any(kind in (call.kind, EVERY_KIND) for call in self.simulation.calls()):
            self._ask("serve", "run", kind=kind)
