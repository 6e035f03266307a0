"""What a driver does to bring about the actions of managers' lives, of processes and of the cluster.

The rules are those of ``provoking.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conformance.refinement.scene import (
    TURN,
    Args,
    Provoke,
    Provoked,
    Request,
    Scene,
    answers,
    done,
    named,
    next_timer,
)
from matching.namespace import HERE, THERE

__all__ = ["PROVOKED_BY_LIVES", "at_host", "fail", "refuse", "tick", "turn"]


def turn(args: Args, scene: Scene) -> Provoked:
    yield TURN


def refuse(args: Args, scene: Scene) -> Provoked:
    """A host refuses what comes to it once it shuts down."""
    yield {"do": "shutdown", "host": args[1]}
    yield TURN


def fail(kind: str) -> Provoke:
    """A call never takes effect, or its answer is lost."""

    def provoke(args: Args, scene: Scene) -> Provoked:
        for call in named(f"{kind} ", scene, decided=False):
            yield {"do": "store", "call": call, "effect": "fail", "answer": "error"}
        yield from answers(f"{kind} ", scene, "error")

    return provoke


def _load(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield at_host("load", args, scene)


def _unload(args: Args, scene: Scene) -> Provoked:
    yield from _arrive("unload", args, scene)
    yield at_host("unload", args, scene)


def _held(kind: str) -> Provoke:
    def provoke(args: Args, scene: Scene) -> Provoked:
        yield TURN
        yield from _arrive(kind, args, scene)

    return provoke


def _arrive(kind: str, args: Args, scene: Scene) -> Provoked:
    """Let what is held back come, of this partition and host."""
    for name in scene.held:
        if name.startswith(f"{kind} {args[1]}#") and name.endswith(f"@{args[0]}"):
            yield {"do": "arrive", "callback": name}


def _finish_part(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield from done("metadata" if args[3] == "metadata" else "userdata", scene)


def _fail_part(args: Args, scene: Scene) -> Provoked:
    for kind in ("metadata", "userdata"):
        yield from fail(kind)(args, scene)


def _abandon(args: Args, scene: Scene) -> Provoked:
    yield TURN
    for poll in scene.deadlines:
        yield {"do": "leave", "poll": poll}


def tick(args: Args, scene: Scene) -> Provoked:
    if scene.next_upkeep is not None and scene.next_upkeep > scene.now:
        yield {"do": "advance", "by_ms": scene.next_upkeep - scene.now}


def _time(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield from next_timer(scene)


def _hear_namespace(args: Args, scene: Scene) -> Provoked:
    yield {"do": "news", "host": args[0], "revision": args[1]}


def _hear_owners(args: Args, scene: Scene) -> Provoked:
    yield {"do": "news", "host": args[0], "ownership": args[1]}


def _change_namespace(args: Args, scene: Scene) -> Provoked:
    yield {"do": "change", "cluster": args[0]}


def _change_owners(args: Args, scene: Scene) -> Provoked:
    for host in scene.hosts:
        yield {"do": "change", "hosts": [host]}
    yield {"do": "change", "hosts": list(scene.hosts)}


def _of_host(what: str, **more: Any) -> Provoke:
    def provoke(args: Args, scene: Scene) -> Provoked:
        yield {"do": what, "host": args[0], **more}

    return provoke


def at_host(what: str, args: Args, scene: Scene) -> Request:
    host, partition = args[:2]
    return {"do": what, "partition": partition, **({"host": host} if len(scene.hosts) > 1 else {})}


def _failover(args: Args, scene: Scene) -> Provoked:
    """One host learns of it: where there are more, the change comes first, and then its news."""
    if len(scene.hosts) == 1:
        yield {"do": "failover", "active": not scene.active}
        return
    known = scene.known[args[0]][0]
    if known < len(scene.clusters):
        yield {"do": "news", "host": args[0], "revision": len(scene.clusters)}
    yield {"do": "change", "cluster": THERE if scene.clusters[known - 1] == HERE else HERE}


PROVOKED_BY_LIVES: Final[Mapping[str, Provoke]] = {
    "Load": _load,
    "Unload": _unload,
    "Seek": turn,
    "OrderLoad": _load,
    "Abandon": _abandon,
    "FinishPart": _finish_part,
    "Fail": _fail_part,
    "Publish": turn,
    "Start": _held("start"),
    "OrderUnload": _unload,
    "Idle": tick,
    "ShutDown": _of_host("shutdown"),
    "Stop": _held("stop"),
    "RemoveSeries": _time,
    "Sample": tick,
    "Emit": tick,
    "HearNamespace": _hear_namespace,
    "HearOwners": _hear_owners,
    "Crash": _of_host("crash", down=True),
    "Vanish": _of_host("crash", down=True),
    "Restart": _of_host("boot"),
    "ChangeNamespace": _change_namespace,
    "ChangeOwners": _change_owners,
    "NamespaceChanges": _failover,
}
