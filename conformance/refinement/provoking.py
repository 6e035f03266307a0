"""What a driver does to bring about each action of ``spec/PollRegistration.tla``.

Three rules:

1. Every action has an entry: the requests that may provoke it, the likeliest first.
   A request may be one that cannot be carried out yet; the driver then says so.
2. What a service does of its own comes when callbacks run: ``turn``.
3. The store's actions are effects that the driver chooses; what the service makes
   of them comes with the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import attrs

__all__ = ["PROVOKED_BY", "TURN", "Request", "Scene", "provocations"]

Request = dict[str, Any]

TURN: Final[Request] = {"do": "turn"}


@attrs.frozen(kw_only=True)
class Scene:
    """What the driver sees when it chooses; times are in milliseconds.

    ``calls`` are the store's unanswered calls by name, and whether their effect is decided;
    ``deadlines`` are those of the polls that are to expire, ``next_timer`` is the service's next.
    """

    now: int
    active: bool
    calls: Mapping[str, bool]
    deadlines: Mapping[str, int]
    patient: int
    next_timer: int | None = None


def provocations(action: str, args: tuple[Any, ...], scene: Scene) -> list[Request]:
    """The requests that may bring the action about."""
    return list(PROVOKED_BY[action](args, scene))


def _turn(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield TURN


def _start_poll(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    poll, worker, partition, version = args
    wait = scene.deadlines.get(poll, scene.patient) - scene.now
    yield {"do": "poll", "poll": poll, "worker": worker, "partition": partition, "version": version, "wait_ms": wait}


def _add_task(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    task, partition, version = args
    yield {"do": "add", "task": task, "partition": partition, "version": version}


def _leave(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield {"do": "leave", "poll": args[0]}
    yield {"do": "leave", "poll": args[0], "at_once": True}


def _deadline(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    deadline = scene.deadlines.get(args[0])
    if deadline is not None and deadline >= scene.now:
        yield {"do": "advance", "by_ms": deadline - scene.now}


def _load(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield TURN
    yield {"do": "load", "partition": args[1]}


def _unload(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield {"do": "unload", "partition": args[1]}


def _failover(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield {"do": "failover", "active": not scene.active}


def _forget_poll(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield {"do": "forget", "poll": args[0]}


def _forget_task(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield {"do": "forget", "task": args[0]}


def _commit_write(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield from _effects(f"append {args[0]}", "commit", scene)


def _fail_write(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield from _effects(f"append {args[0]}", "fail", scene)


def _commit_delete(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield from _effects(f"delete {args[0]}#{args[2]}", "commit", scene)


def _serve_read(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    read = f"read {args[1]}#"
    yield from _effects(read, "commit", scene)
    # A read that was served already is read again where its answer is lost and the service has waited a while.
    yield from _answers(read, scene, "error")
    yield from _next_timer(scene)


def _answer_add(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield TURN
    yield from _answers(f"append {args[0]}", scene, "ok" if args[1] == "accepted" else "error")


def _read_backlog(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield TURN
    yield from _answers(f"read {args[1]}#", scene, "ok")


def _match(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield TURN
    yield from _answers("read ", scene, "ok")


def _expire(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield TURN
    yield from _deadline(args, scene)


def _acknowledge(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    yield TURN
    yield from _answers(f"delete {args[0]}#{args[2]}", scene, "ok")


def _acknowledge_fails(args: tuple[Any, ...], scene: Scene) -> Iterator[Request]:
    delete = f"delete {args[0]}#{args[2]}"
    yield TURN
    yield from _answers(delete, scene, "error")
    for call in _named(delete, scene, decided=False):
        yield {"do": "store", "call": call, "effect": "fail", "answer": "error"}


def _effects(prefix: str, effect: str, scene: Scene) -> Iterator[Request]:
    for call in _named(prefix, scene, decided=False):
        yield {"do": "store", "call": call, "effect": effect}


def _answers(prefix: str, scene: Scene, answer: str) -> Iterator[Request]:
    for call in _named(prefix, scene, decided=True):
        yield {"do": "store", "call": call, "answer": answer}


def _named(prefix: str, scene: Scene, *, decided: bool) -> Iterator[str]:
    return (call for call, is_decided in scene.calls.items() if call.startswith(prefix) and is_decided is decided)


def _next_timer(scene: Scene) -> Iterator[Request]:
    coming = [time for time in scene.deadlines.values() if time > scene.now]
    if scene.next_timer is not None and scene.now < scene.next_timer < min(coming, default=scene.patient):
        yield {"do": "advance", "by_ms": scene.next_timer - scene.now}


PROVOKED_BY: Final[Mapping[str, Callable[[tuple[Any, ...], Scene], Iterator[Request]]]] = {
    "StartPoll": _start_poll,
    "AddTask": _add_task,
    "Return": _turn,
    "AnswerAdd": _answer_add,
    "Load": _load,
    "Unload": _unload,
    "Register": _turn,
    "Take": _turn,
    "SyncMatch": _turn,
    "Spool": _turn,
    "ReadBacklog": _read_backlog,
    "Match": _match,
    "Deliver": _turn,
    "GiveBack": _turn,
    "Expire": _expire,
    "Withdraw": _turn,
    "Acknowledge": _acknowledge,
    "AcknowledgeFails": _acknowledge_fails,
    "DeadlinePasses": _deadline,
    "CallerLeaves": _leave,
    "NamespaceChanges": _failover,
    "CommitWrite": _commit_write,
    "FailWrite": _fail_write,
    "ServeRead": _serve_read,
    "CommitDelete": _commit_delete,
    "ForgetPoll": _forget_poll,
    "ForgetTask": _forget_task,
}
