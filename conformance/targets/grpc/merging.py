"""One trace of what two hosts have told and what clients saw.

Six rules:

1. A step of a host stands at the moment at which it was told: until then nobody else can have noticed it, since
   whatever a step sends is sent afterwards, and all processes read one clock.
2. A step of the store took effect some time between the step that asked for it and the moment at which it was told.
   It is of no host: which of two hosts' steps was first, the database knows.
3. What a client received replaces what its host told of the answer.  Where it got none, the host's word is taken.
4. Of the state nothing is shown but who owns the partitions, and where the namespace is active: neither changes.
   What managers hold, what is durable and what is on its way is whatever the specification makes of the steps.
5. Once both hosts have stopped nothing is on its way: a hop that neither has received is lost, and the run is at rest.
6. Hops are numbered, ``c1`` and so on those of polls, ``u1`` those of tasks.  A run has some more ids than it names, so
   that many runs have the same, and the specification is compiled for all of them at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, Final

import attrs

from conformance.probe import ids_of
from conformance.refinement.books import Ids
from conformance.refinement.matching import to_value
from conformance.targets.grpc.hosts import Told
from conformance.targets.grpc.requests import HOSTS, MEMBERS, NUMBERS, as_json, key
from conformance.targets.grpc.run import Record
from conformance.trace.header import Footer, Header
from conformance.trace.step import TraceStep
from matching.lifetime import LifetimeOptions
from matching.namespace import HERE

__all__ = ["Trace", "merged"]

Trace = tuple[Header, list[TraceStep], Footer]

_MODULE: Final = "PartitionLifetime"
_SHOWN: Final[Mapping[str, Any]] = {"clusters": (HERE,), "owners": (MEMBERS,)}
_ROUNDED: Final = 8
"""The ids of a kind are a multiple of so many."""
_HOPS: Final = {"Forward": ("c", 1), "ArrivePoll": ("c", 0), "Offer": ("u", 1), "ArriveTask": ("u", 0)}
"""The steps that name hops, with the letter of their kind, and which argument names one."""

_ASKS: Final = {
    "Claim": ("claim", 1),
    "ClaimAgain": ("claim", 1),
    "Spool": ("write", 0),
    "Lead": ("read", 1),
    "ReadBacklog": ("read", 1),
    "SaveLevel": ("save", 1),
    "Delete": ("delete", 1),
}
"""What the steps of a host ask the store for, or will ask for next, and which argument says for what."""
_DECIDES: Final = {
    **dict.fromkeys(["TakeLease", "FenceClaim", "LoseClaim"], ("claim", 1)),
    **dict.fromkeys(["TakeAdrift", "EndAdrift"], ("claim", 0)),
    **dict.fromkeys(["CommitWrite", "FenceWrite", "FailWrite", "LoseWrite"], ("write", 0)),
    **dict.fromkeys(["ServeRead", "FailRead"], ("read", 1)),
    **dict.fromkeys(["CommitSave", "FenceSave", "LoseSave"], ("save", 1)),
    "CommitDelete": ("delete", 0),
}
"""What the steps of the store decide."""
_LOSES: Final = {"c": "LoseHop", "u": "ForgetTask"}


def merged(record: Record, *, seed: int | None = None) -> Trace:
    """The run as a trace; one that broke a promise says that it failed, for its steps may all be allowed."""
    told = list(_corrected(record))
    ids = _ids(told)
    known = Ids(ids["Host"], ids["Partition"], ids["Poll"], ids["Task"], ids.get("Event", ()))
    shown = {_MODULE: {name: to_value(name, raw, known) for name, raw in _SHOWN.items()}}
    steps = [TraceStep(step=0, action=None, begin_ms=0, end_ms=0, new=ids, after=shown)]
    placed = sorted(_placed(told), key=attrgetter("begin_ms", "end_ms"))
    lost = [] if record.mistake is not None else _lost(told, placed[-1].end_ms if placed else 0)
    steps += [attrs.evolve(step, step=number) for number, step in enumerate((*placed, *lost), 1)]
    setup = {"requests": list(map(as_json, record.requests))} | ({} if seed is None else {"seed": seed})
    header = Header(observes={_MODULE: tuple(_SHOWN)}, target="grpc", setup=setup)
    if record.mistake is None:
        return header, steps, Footer(end="quiescent")
    return header, steps, Footer(end="failed", note=_shortened(record.mistake, _numbered(record.told)))


def _corrected(record: Record) -> Iterator[Told]:
    """What was told, with short names, and with what the clients saw."""
    seen, numbers = record.seen, _numbered(record.told)
    for step in record.told:
        args = step.args
        if step.action == "Return" and args[0] in seen.answers:
            args = (args[0], seen.answers[args[0]])
        elif step.action == "AnswerAdd" and args[0] in seen.accepted:
            args = (args[0], "accepted")
        yield attrs.evolve(step, args=tuple(_renamed(each, numbers) for each in args))


def _numbered(told: Iterable[Told]) -> dict[str, str]:
    """The short name of each hop."""
    found: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for step in told:
        if step.action in _HOPS:
            letter, position = _HOPS[step.action]
            if (hop := step.args[position]) not in found:
                counts[letter] += 1
                found[hop] = f"{letter}{counts[letter]}"
    return found


def _renamed(name: Any, numbers: Mapping[str, str]) -> Any:
    if isinstance(name, tuple):
        return tuple(_renamed(each, numbers) for each in name)
    return numbers.get(name, name)


def _lost(told: Iterable[Told], at_ms: float | None) -> list[TraceStep]:
    """What became of the hops that were made and have not arrived."""
    hops: dict[str, str] = {}
    for step in told:
        if step.action in _HOPS:
            letter, position = _HOPS[step.action]
            if position:
                hops[step.args[position]] = letter
            else:
                hops.pop(step.args[position], None)
    moment: dict[str, Any] = {"begin_ms": at_ms, "end_ms": at_ms}
    return [TraceStep(step=0, action=_LOSES[letter], args=(hop,), **moment) for hop, letter in hops.items()]


def _shortened(text: str, numbers: Mapping[str, str]) -> str:
    """A text with the short names of hops; one name may begin as another does."""
    for hop in sorted(numbers, key=len, reverse=True):
        text = text.replace(hop, numbers[hop])
    return text


def _ids(told: Iterable[Told]) -> dict[str, tuple[str, ...]]:
    """Every id of the run, and some more: also what somebody was given that nobody has added."""
    unloads = LifetimeOptions().unload_on_namespace_state_change
    steps = [(step.action, step.args) for step in told]
    ids = ids_of(steps, hosts=dict.fromkeys(HOSTS, unloads), clusters=(HERE,))
    given = [args[1][1] for action, args in steps if action == "Return" and args[1][0] == "task"]
    arrived = [args[0] for action, args in steps if action in ("ArrivePoll", "ArriveTask")]
    ids["Poll"] = _rounded([*ids["Poll"], *(each for each in arrived if each[0] == "c")], "pc")
    ids["Task"] = _rounded([*ids["Task"], *(each for each in arrived if each[0] == "u"), *given], "tu")
    if "Child" in ids:
        ids["Partition"] = tuple(dict.fromkeys((*map(str, map(key, NUMBERS)), *ids["Partition"])))
        ids["Child"] = tuple(each for each in ids["Partition"] if each != str(key(0)))
    return ids


def _rounded(names: Iterable[str], letters: str) -> tuple[str, ...]:
    """Those names, and for each letter so many numbers that they are a round count."""
    found = dict.fromkeys(names)
    more = {letter: sum(name[0] == letter for name in found) for letter in letters}
    slots = (
        f"{letter}{number}" for letter in letters for number in range(1, more[letter] + -more[letter] % _ROUNDED + 1)
    )
    return tuple(dict.fromkeys((*slots, *found)))


def _placed(told: Iterable[Told]) -> Iterator[TraceStep]:
    """Each step between the earliest and the latest moment at which it can have been taken, from 0 on."""
    asked: dict[tuple[Any, ...], float] = {}
    began: float | None = None
    for step in told:
        began = step.at_ms if began is None else began
        at = round(step.at_ms - began, 3)
        if (asks := _ASKS.get(step.action)) is not None:
            asked[step.host, asks[0], step.args[asks[1]]] = at
        decides = _DECIDES.get(step.action)
        placed: dict[str, Any] = {"host": step.host, "seq": step.seq, "begin_ms": at}
        if decides is not None:
            placed = {"begin_ms": asked[step.host, decides[0], step.args[decides[1]]]}
        yield TraceStep(step=0, action=step.action, args=step.args, end_ms=at, **placed)
