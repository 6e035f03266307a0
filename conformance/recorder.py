"""Turns what a run tells and what is observed into the steps of a trace, and has them judged.

Four rules:

1. One call of the probe is one step.  What changed is what the view shows now and
   did not show after the step before.
2. The callers' own steps, and those of the network that carries hops, change the books and
   nothing else; whatever else changed by then shows as a change that no step reported.  Few
   steps change the service and the books at once: those of managers that make calls.
3. The first divergence stands.  It is kept, not raised: an exception in a probe
   would be lost in somebody's callback.
4. Steps are kept as plain data; a trace is made of them when somebody asks for one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from conformance.judge import Divergence, Judge
from conformance.refinement.books import Books, Ids
from conformance.refinement.forwarding import Call, arrive_poll, arrive_task, offer, send
from conformance.refinement.matching import BOOKS_FROM, OBSERVED, OWNERS, RAW_ORDER, MatchingView, to_value
from conformance.refinement.partition_lifetime import owners_of
from conformance.trace.header import Footer, Header
from conformance.trace.step import TraceStep
from conformance.trace.writer import trace_text
from matching.membership import Membership

__all__ = ["CALLER_ACTIONS", "RecordedStep", "Recorder"]

CALLER_ACTIONS: Final = frozenset(
    {
        "StartPoll",
        "AddTask",
        "Transfer",
        "LeaveAdd",
        "Return",
        "AnswerAdd",
        "DeadlinePasses",
        "CallerLeaves",
        "ForgetPoll",
        "ForgetTask",
        "ChangeNamespace",
        "ChangeOwners",
        "OrderLoad",
        "OrderUnload",
        "ArrivePoll",
        "ArriveTask",
        "CancelHop",
        "LoseHop",
    }
)
"""What callers do, operators of the cluster, and the network."""

MAKER_ACTIONS: Final = frozenset({"Forward", "Resume", "Offer", "Conclude", "Retract"})
"""What a manager does that makes a call, or hears its answer: it is that call's caller."""

ENDING_ACTIONS: Final = frozenset({"Unload", "Vanish"})
"""Where a manager goes, and nobody hears the answers to its offers."""


@attrs.frozen
class RecordedStep:
    """One step as it was told; ``changes`` has the raw parts of the view that changed.

    A step without an action is a change that nobody told.
    """

    action: str | None
    args: tuple[Any, ...]
    changes: Mapping[str, Any]
    requests: tuple[Mapping[str, Any], ...]
    moment_ms: int
    host: str | None


class Recorder:
    """The probe of one run.

    Without a judge the run is only recorded; its ids may then become known as it goes.
    """

    def __init__(self, clock: Callable[[], float], *, hidden: frozenset[str] = frozenset()) -> None:
        self.books = Books()
        self.steps: list[RecordedStep] = []
        self.divergence: Divergence | None = None
        self.judge: Judge | None = None
        self.observed = {
            module: tuple(name for name in names if name not in hidden) for module, names in OBSERVED.items()
        }
        self._hidden = hidden
        self._clock = clock
        self._view: MatchingView | None = None
        self._ids: Ids | None = None
        self._requests: list[Mapping[str, Any]] = []
        self._start: dict[str, Any] = {}
        self._last: list[Any] = []
        self._host: str | None = None

    def begin(
        self, view: MatchingView, host: str | None, *, judge: Judge | None = None, ids: Ids | None = None
    ) -> None:
        """Take the first look; from here on everything is a step."""
        self._view, self._host, self.judge, self._ids = view, host, judge, ids
        self._last = list(view.raw())
        self._start = dict(zip(RAW_ORDER, self._last, strict=True))
        if judge is not None:
            assert ids is not None
            shown = [name for names in self.observed.values() for name in names]
            self.divergence = judge.begin({name: to_value(name, self._start[name], ids) for name in shown})

    def request(self, request: Mapping[str, Any]) -> None:
        """Note what the driver asks for next."""
        self._requests.append(request)

    def __call__(self, action: str, *args: str | int | tuple[str, ...] | Membership) -> None:
        """Take one step, told by the service, the store, a caller or whoever changes the cluster."""
        if self.divergence is not None:
            return
        assert self._view is not None, "the run has not begun"
        if action in CALLER_ACTIONS:
            self._note(action, args)
            self._step(action, args, self._changed(self._view.books_part(), BOOKS_FROM), None)
            return
        part = self._view.service_part()
        if action in MAKER_ACTIONS:
            self._note_maker(action, args, dict(zip(RAW_ORDER, part, strict=False)))
            part += self._view.books_part()
        elif action in ENDING_ACTIONS and self._last[_LENT]:
            self.books.added.update(dict.fromkeys(_calls(self._last[_LENT]) - _calls(part[_LENT]), "lost"))
            part += self._view.books_part()
        self._step(action, args, self._changed(part, 0), self._host)

    def look(self) -> None:
        """Compare what is observed with the last step: nothing may have changed since."""
        if self.divergence is not None or self._view is None:
            return
        last = self._last
        part = self._view.service_part()
        if part != tuple(last[: len(part)]):
            # A step without an action, so that the trace shows what was seen.
            self._step(None, (), self._changed(part, 0), None)

    def _step(self, action: str | None, args: tuple[Any, ...], changes: dict[str, Any], host: str | None) -> None:
        requests, self._requests = tuple(self._requests), []
        self.steps.append(RecordedStep(action, args, changes, requests, round(self._clock() * 1000), host))
        if self.judge is not None:
            assert self._ids is not None
            self.divergence = self.judge.step(action, _arguments(args, self._ids), self._values(changes))

    def _changed(self, part: tuple[Any, ...], first: int) -> dict[str, Any]:
        """The parts that differ from the last look, which they then replace."""
        last = self._last
        changes: dict[str, Any] = {}
        for position, value in enumerate(part, first):
            if value != last[position]:
                last[position] = value
                if RAW_ORDER[position] not in self._hidden:
                    changes[RAW_ORDER[position]] = value
        return changes

    def _values(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        ids = self._ids
        assert ids is not None
        return {name: to_value(name, raw, ids) for name, raw in changes.items()}

    def _note(self, action: str, args: tuple[Any, ...]) -> None:
        """Enter a caller's step in the callers' books."""
        books, subject = self.books, args[0]
        match action:
            case "StartPoll":
                books.wanted[subject] = args[1:]
            case "ChangeNamespace":
                books.clusters.append(subject)
            case "ChangeOwners":
                books.owners.append(subject)
            case "AddTask":
                books.queue[subject], books.arrived[subject] = args[2:], args[1]
            case "Transfer":
                books.queue[subject], books.arrived[subject] = args[2:4], args[1]
                books.carries[subject] = args[4:]
            case "LeaveAdd":
                books.added[subject] = "lost"
            case "Return":
                books.answer[subject] = args[1]
            case "AnswerAdd":
                books.added[subject] = args[1]
            case "DeadlinePasses":
                books.expired.add(subject)
            case "CallerLeaves" | "CancelHop":
                books.left.add(subject)
            case "ArrivePoll":
                arrive_poll(books, subject)
            case "ArriveTask":
                arrive_task(books, subject, args[1])
            case "ForgetPoll" | "LoseHop":
                for book in (books.wanted, books.answer, books.hop, books.came):
                    book.pop(subject, None)
                books.expired.discard(subject)
                books.left.discard(subject)
            case "ForgetTask":
                for entries in (books.queue, books.arrived, books.added, books.carries, books.hop, books.came):
                    entries.pop(subject, None)

    def _note_maker(self, action: str, args: tuple[Any, ...], seen: Mapping[str, Any]) -> None:
        """Note a call that a manager has made, or how it was answered."""
        books = self.books
        behalf, call = args[0], args[1]
        match action:
            case "Forward":
                for made in _made(seen["sent"], call):
                    send(books, behalf, made)
            case "Offer":
                for made in _made(seen["lent"], call):
                    offer(books, behalf, made)
            case "Resume" if call in books.came:
                books.answer[call] = books.came.pop(call)
            case "Conclude" if call in books.came:
                books.added[call] = " ".join(books.came.pop(call))
            case "Retract":
                books.came.pop(call, None)
                books.added[call] = "lost"

    # The trace

    def trace(
        self,
        *,
        end: str,
        ids: Mapping[str, tuple[str, ...]],
        target: str,
        why: str = "",
        setup: Mapping[str, Any] | None = None,
    ) -> tuple[Header, list[TraceStep], Footer]:
        """The run so far as a trace over these ids, by constant of the specification."""
        known = Ids(ids["Host"], ids["Partition"], ids["Poll"], ids["Task"], ids.get("Event", ()))
        header = Header(observes=self.observed, target=target, why=why, setup=setup or {})
        shown = [name for names in self.observed.values() for name in names]
        start = {name: to_value(name, self._start[name], known) for name in shown}
        steps = [TraceStep(step=0, action=None, end_ms=0, begin_ms=0, new=dict(ids), after=_by_module(start))]
        told: dict[str, int] = {}
        for number, step in enumerate(self.steps, 1):
            seq = None
            if step.host is not None:
                seq = told[step.host] = told.get(step.host, 0) + 1
            after = {name: to_value(name, raw, known) for name, raw in step.changes.items()}
            steps.append(
                TraceStep(
                    step=number,
                    action=step.action,
                    args=_arguments(step.args, known),
                    host=step.host,
                    seq=seq,
                    begin_ms=step.moment_ms,
                    end_ms=step.moment_ms,
                    request=step.requests,
                    after=_by_module(after),
                )
            )
        return header, steps, Footer(end=end, requests=tuple(self._requests))

    def text(self, *, end: str, ids: Mapping[str, tuple[str, ...]], target: str, why: str = "") -> str:
        """The canonical text of the run so far."""
        return trace_text(*self.trace(end=end, ids=ids, target=target, why=why))


_LENT: Final = RAW_ORDER.index("lent")


def _made(shown: Any, call: Any) -> list[Call]:
    """The calls of this id that managers have made, as they show them."""
    return [made for _, calls in shown for made in calls if made[0] == call]


def _calls(lent: Any) -> set[str]:
    """The ids of the calls that offer tasks."""
    return {made[0] for _, calls in lent for made in calls}


def _arguments(args: tuple[Any, ...], ids: Ids) -> tuple[Any, ...]:
    """The arguments as the specification has them: a membership is who owns each partition."""
    if not any(isinstance(each, Membership) for each in args):
        return args
    return tuple([owners_of(each, ids.partitions) if isinstance(each, Membership) else each for each in args])


def _by_module(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The values of variables, each under the module that owns it."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        found.setdefault(OWNERS[name], {})[name] = value
    return found
