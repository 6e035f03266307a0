"""What hosts promise to those who need a manager, of which the specification says nothing: when it loads, and for whom.

Ten rules:

1. After a load that failed no caller's load begins before its time, unless another manager has served meanwhile or the
   process began anew.  An order begins one at any time.
2. Whoever waits where nothing loads waits for the end of that time, and for nothing else; at a host that does not own
   the partition nobody does.  No poll waits beyond its deadline.
3. Nobody waits for a manager that serves.
4. No load begins for those alone who waited when the host heard that the partition is another's.
5. Why a load failed is told until another manager serves.
6. A part of a load is there, or fails, as the store has answered.
7. Who comes to a host that loads, and has not waited there since, is not refused; who comes after a load that failed
   may be, where another host is the owner.
8. Where everybody has left who needed a manager, the host says so before the load has ended.
9. A call whose offer went with the manager that made it waits for the next one.
10. The steps are heard as hosts and callers tell them; who waits is seen from the callers' side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from conformance.refinement.books import Books
from conformance.simulation.store import KIND_BY_PART, LOADED_KINDS, SimulatedStore, name_of
from conformance.targets.limits import SLACK_SECONDS
from matching.caller import Caller, OpenAdd, OpenOffer
from matching.engine import Engine
from matching.identity import Host, Owner, PartitionKey, TaskId
from matching.lifetime import Part
from matching.registry import Process

__all__ = ["Loads"]

_Manager = tuple[str, str]


class Loads:
    """Hears the steps of hosts, and knows where a load has failed and who has waited in vain."""

    def __init__(
        self,
        engines: Sequence[Engine],
        caller: Caller,
        books: Books,
        store: SimulatedStore,
        *,
        retry_seconds: float,
        now: Callable[[], float],
    ) -> None:
        self.broken: str | None = None
        """The first promise that was not kept."""
        self._engines = {engine.host: engine for engine in engines}
        self._caller = caller
        self._books = books
        self._store = store
        self._retry_seconds = retry_seconds
        self._now = now
        self._generations: dict[_Manager, int] = {}
        self._found: set[_Manager] = set()
        """Where callers find a manager."""
        self._sought: set[_Manager] = set()
        """Which managers somebody needs, as the hosts tell."""
        self._failing: tuple[str, str, int] | None = None
        self._failed_at: dict[_Manager, float] = {}
        self._ordered = False
        """Whether the last who needed a manager gave an order."""
        self._met: set[str] = set()
        """The polls and tasks for which a manager was found since they came."""
        self._offered: dict[str, _Manager] = {}
        """The tasks whose offers are under way, and who made them."""
        self._at_owners: set[tuple[str, _Manager]] = set()
        """Who waited at a host that owned the partition, when nothing was about to happen last."""
        self._in_vain: set[tuple[str, _Manager]] = set()
        """Who waited when the host heard that it owns the partition no more."""
        self._moved: dict[str, set[_Manager]] = {}
        """Which managers were sought or moved on since each call came: it may have waited for them."""

    # What is heard

    def hear(self, action: str, args: tuple[object, ...]) -> None:
        """Note a step, and whether it kept what is promised."""
        self._note_offers(action, args)
        if action in ("Seek", "Load", "Start", "Unload", "Vanish"):
            for moved in self._moved.values():
                moved.add((str(args[0]), str(args[1])))
        match action, args:
            case "OrderLoad", _:
                self._ordered = True
            case "Seek", (str(host), str(partition)):
                self._ordered = False
                self._sought.add((host, partition))
            case "Abandon", (str(host), str(partition)):
                self._sought.discard((host, partition))
            case "Load", (str(host), str(partition)):
                self._check_load((host, partition))
            case "FinishPart", (str(host), str(partition), int(generation), str(part)):
                self._check_answer(host, partition, generation, {KIND_BY_PART[Part(part)]}, well=True)
            case "Fail", (str(host), str(partition), int(generation)):
                self._failing = host, partition, generation
                self._check_answer(host, partition, generation, {*LOADED_KINDS}, well=False)
            case "Unload", (str(host), str(partition), int(generation)):
                self._unloaded((host, partition), generation)
            case "Start", (str(host), str(partition), _):
                self._failed_at.pop((host, partition), None)
                self._sought.discard((host, partition))
            case "Vanish", (str(host), str(partition)):
                self._found.discard((host, partition))
                self._sought.discard((host, partition))
            case "Crash", (str(host),):
                self._failed_at = {name: when for name, when in self._failed_at.items() if name[0] != host}
            case "HearOwners", (str(host), _):
                self._hear_owners(host)
            case (("StartPoll" | "AddTask" | "Transfer" | "ArrivePoll" | "ArriveTask"), (str(call), *_)):
                self._met.discard(call)
                self._moved[call] = set()
                self._in_vain = {who for who in self._in_vain if who[0] != call}
            case (("Register" | "Take" | "Forward" | "Spool" | "Offer" | "Decline"), (str(call), *_)):
                self._met.add(call)
            case "SyncMatch", (str(task), str(poll)):
                self._met |= {task, poll}
            case "Refuse", (str(poll), str(host)):
                self._check_refusal(poll, (host, str(self._books.wanted[poll][1])))
            case "RefuseAdd", (str(task), str(host)):
                self._check_refusal(task, (host, str(self._books.queue[task][0])))
            case _:
                pass

    def _note_offers(self, action: str, args: tuple[object, ...]) -> None:
        """Note which calls wait for an answer from above, and for a manager again where that has gone."""
        match action, args:
            case "Offer", (str(task), _, str(host)):
                self._offered[task] = host, str(self._books.queue[task][0])
            case (("Conclude" | "Retract"), (str(task), *_)):
                self._offered.pop(task, None)
            case (("Unload" | "Vanish"), (str(host), str(partition), *rest)):
                name = host, partition
                if name in self._found and rest in ([], [self._generations.get(name)]):
                    gone = {task for task, maker in self._offered.items() if maker == name}
                    self._offered = {task: maker for task, maker in self._offered.items() if task not in gone}
                    self._met -= gone
            case _:
                pass

    def _check_load(self, name: _Manager) -> None:
        self._generations[name] = self._generations.get(name, 0) + 1
        self._found.add(name)
        if self._ordered:
            return
        if (ago := self._since_failure(name)) < self._retry_seconds - SLACK_SECONDS:
            early = f"{ago:g} of {self._retry_seconds:g} s after a load failed"
            self._break(f"{_told(name)} is loaded for a caller {early}")
        waiting = {who for who in self._who_waits() if who[1] == name}
        if not self._owns(name) and waiting and waiting <= self._in_vain:
            callers = ", ".join(sorted(call for call, _ in waiting))
            self._break(f"{_told(name)} is loaded for {callers}, who waited when the host lost it")

    def _check_refusal(self, call: str, name: _Manager) -> None:
        loads = self._engines[Host(name[0])].registry.process is Process.UP
        may_have_waited = call in self._met or name in self._moved[call]
        if loads and not may_have_waited and name not in self._failed_at:
            self._break(f"{call} is refused by {name[0]}, where it has not waited for {name[1]}")

    def _check_answer(self, host: str, partition: str, generation: int, kinds: set[str], *, well: bool) -> None:
        owner = Owner(Host(host), PartitionKey.parse(partition), generation)
        answers = {kind: self._store.load_answers.get((kind, owner)) for kind in kinds}
        if well not in answers.values():
            what = "takes a part that was not given to it" if well else "fails though nothing has failed"
            self._break(f"{name_of(owner)} {what}")

    def _unloaded(self, name: _Manager, generation: int) -> None:
        if name in self._found and generation == self._generations[name]:
            self._found.discard(name)
            self._sought.discard(name)
            if self._failing == (*name, generation):
                self._failed_at[name] = self._now()

    def _hear_owners(self, host: str) -> None:
        """Who waits for what is another's waits in vain, and who waits for what has come back does not."""
        waited = {who for who in self._at_owners & set(self._who_waits()) if who[1][0] == host}
        self._in_vain = {who for who in self._in_vain | waited if who[1][0] != host or not self._owns(who[1])}

    # What is seen

    def look(self) -> str | None:
        """Say who waits in vain; nothing may be about to happen now."""
        waiting = set(self._who_waits())
        self._at_owners = {who for who in waiting if self._owns(who[1])}
        self._in_vain &= waiting
        for call, name in sorted(waiting):
            engine, partition = self._engines[Host(name[0])], PartitionKey.parse(name[1])
            if engine.registry.process is not Process.UP:
                return f"{call} waits for {_told(name)}, where nothing is loaded any more"
            may_pause = self._owns(name) and self._since_failure(name) < self._retry_seconds + SLACK_SECONDS
            if partition not in engine.managers and not may_pause:
                return f"{call} waits for {_told(name)}, and nothing loads it"
            if engine.managers.get(partition) is not None and self._is_served(call, engine, partition):
                return f"{call} waits for {_told(name)}, which serves"
        return self._overstays() or self._false_reason() or self._needless()

    def _needless(self) -> str | None:
        """Say what is still said to be needed, though every call that came for it has ended."""
        polls = {(poll.host, str(poll.request.partition)) for poll in self._caller.polls.values()}
        tasks: Iterable[tuple[str, OpenAdd | OpenOffer]] = (*self._caller.adds.items(), *self._caller.offers.items())
        adds = {(call.host, str(self._books.queue[task_id][0])) for task_id, call in tasks}
        needless = sorted(self._sought - polls - adds)
        return next((f"nobody needs {_told(name)} any more, which its host does not say" for name in needless), None)

    def _overstays(self) -> str | None:
        for poll_id, poll in self._caller.polls.items():
            if poll.late and not (poll.left or poll.ended or poll.call.done() or poll_id in self._met):
                return f"{poll_id} waits for a manager beyond its deadline"
        return None

    def owed_times(self) -> list[float]:
        """The moments at which who waits where a load failed should have another one, if time comes so far."""
        failed_at = [self._failed_at[name] for _, name in self._who_waits() if name in self._failed_at]
        return [time + self._retry_seconds + 2 * SLACK_SECONDS for time in failed_at]

    def _is_served(self, call: str, engine: Engine, partition: PartitionKey) -> bool:
        """Tell whether the manager could take up the call; one whose task must be stored needs an id for it."""
        manager = engine.managers[partition]
        return manager.running and (manager.backlog.ready or TaskId(call) not in self._caller.adds)

    def _false_reason(self) -> str | None:
        for host, engine in self._engines.items():
            for partition in engine.generations:
                name = host, str(partition)
                if (engine.registry.failure(partition) is not None) is not (name in self._failed_at):
                    what = "has failed, and no" if name in self._failed_at else "has not failed, and a"
                    return f"the last load of {_told(name)} {what} reason is told"
        return None

    def _who_waits(self) -> Iterator[tuple[str, _Manager]]:
        """The calls that have come to a host, and for which no manager was found yet."""
        for poll_id, poll in self._caller.polls.items():
            if not (poll.left or poll.ended or poll.late or poll.call.done() or poll_id in self._met):
                yield poll_id, (poll.host, str(poll.request.partition))
        for task_id, add in self._caller.adds.items():
            if add.arrived and not (add.answer.done() or add.call.done() or task_id in self._met):
                yield task_id, (add.host, self._books.queue[task_id][0])
        for task_id, offer in self._caller.offers.items():
            if offer.arrived and not offer.call.done() and task_id not in self._met:
                yield task_id, (offer.host, self._books.queue[task_id][0])

    def _since_failure(self, name: _Manager) -> float:
        """How many seconds ago the last load failed; infinitely many where it did not."""
        return self._now() - self._failed_at.get(name, -math.inf)

    def _owns(self, name: _Manager) -> bool:
        return self._engines[Host(name[0])].membership.owns(PartitionKey.parse(name[1]))

    def _break(self, promise: str) -> None:
        self.broken = self.broken or promise


def _told(name: _Manager) -> str:
    return f"{name[1]}@{name[0]}"
