"""What a driver does to bring about each action of ``spec/Matching.tla``.

Four rules:

1. Every action has an entry: the requests that may provoke it, the likeliest first.
   A request may be one that cannot be carried out yet; the driver then says so.
2. What a service does of its own comes when callbacks run: ``turn``.
3. What stores and History decide are effects that the driver chooses; what the service
   makes of them comes with the answer.
4. An action may be given as a part of the specification has it, with fewer arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conformance.refinement.provoking_lives import PROVOKED_BY_LIVES, at_host, fail, refuse, tick, turn
from conformance.refinement.scene import (
    TURN,
    Args,
    Provoke,
    Provoked,
    Request,
    Scene,
    answers,
    done,
    effects,
    next_timer,
)

__all__ = ["PROVOKED_BY", "provocations"]


def provocations(action: str, args: Args, scene: Scene) -> list[Request]:
    """The requests that may bring the action about."""
    return list(PROVOKED_BY[action](args, scene))


# Callers, time and the cluster


def _start_poll(args: Args, scene: Scene) -> Provoked:
    poll, worker, partition, version = args
    wait = scene.deadlines.get(poll, scene.patient) - scene.now
    asked = {"poll": poll, "worker": worker, "partition": partition, "version": version, "wait_ms": wait}
    for host in scene.hosts:
        yield {"do": "poll", **asked, **({"host": host} if len(scene.hosts) > 1 else {})}


def _add_task(args: Args, scene: Scene) -> Provoked:
    task, host, partition, version = args
    if task in scene.carrying:
        yield from _transfer(args, scene)
        return
    asked = {"task": task, "partition": partition, "version": version}
    yield {"do": "add", **asked, **({"host": host} if len(scene.hosts) > 1 else {})}


def _leave(args: Args, scene: Scene) -> Provoked:
    yield {"do": "leave", "poll": args[0]}
    yield {"do": "leave", "poll": args[0], "at_once": True}


def _leave_add(args: Args, scene: Scene) -> Provoked:
    yield {"do": "lose", "task": args[0]}
    yield {"do": "lose", "task": args[0], "interrupt": True}


def _abandon_add(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield {"do": "lose", "task": args[0], "interrupt": True}


def _deadline(args: Args, scene: Scene) -> Provoked:
    deadline = scene.deadlines.get(args[0])
    if deadline is not None and deadline >= scene.now:
        yield {"do": "advance", "by_ms": deadline - scene.now}


def _expire(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield from _deadline(args, scene)


def _forget_poll(args: Args, scene: Scene) -> Provoked:
    yield {"do": "forget", "poll": args[0]}


def _forget_task(args: Args, scene: Scene) -> Provoked:
    yield {"do": "forget", "task": args[0]}


# The store of the backlog


def _commit(kind: str) -> Provoke:
    return lambda args, scene: effects(f"{kind} ", "commit", scene)


def _heard(kind: str, *heard: str) -> Provoke:
    """The answer of a call is heard."""

    def provoke(args: Args, scene: Scene) -> Provoked:
        yield TURN
        for answer in heard or ("ok",):
            yield from answers(f"{kind} ", scene, answer)

    return provoke


def _lose_lease(args: Args, scene: Scene) -> Provoked:
    yield TURN
    for kind in ("lease", "save", "append"):
        yield from answers(f"{kind} ", scene, "ok")


def _claim_again(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield from fail("lease")(args, scene)


def _spool(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield from done("lease", scene)


def _commit_write(args: Args, scene: Scene) -> Provoked:
    yield from effects(f"append {args[0]}", "commit", scene)


def _fail_write(args: Args, scene: Scene) -> Provoked:
    yield from effects(f"append {args[0]}", "fail", scene)


def _answer_add(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield from answers(f"append {args[0]}", scene, "ok" if args[1] == "accepted" else "error")


def _serve_read(args: Args, scene: Scene) -> Provoked:
    read = f"read {args[1]}#"
    yield from effects(read, "commit", scene)
    yield from done("lease", scene)
    yield from answers("append ", scene, "ok")
    # A read that was served already is read again where its answer is lost and the service has waited a while.
    yield from answers(read, scene, "error")
    yield from next_timer(scene)


def _fail_read(args: Args, scene: Scene) -> Provoked:
    yield from answers(f"read {args[1]}#", scene, "error")


def _read_backlog(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield from answers(f"read {args[1]}#", scene, "ok")


def _match(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield from answers("read ", scene, "ok")


def _save_level(args: Args, scene: Scene) -> Provoked:
    yield from tick(args, scene)
    yield at_host("unload", args[:2], scene)


def _end_adrift(args: Args, scene: Scene) -> Provoked:
    yield from _commit("lease")(args, scene)
    yield from fail("lease")(args, scene)


# History


def _begin_run(args: Args, scene: Scene) -> Provoked:
    for run in scene.free_runs[:1]:
        yield {"do": "workflow", "execution": run}
    yield from done("apply", scene)


def _transfer(args: Args, scene: Scene) -> Provoked:
    if scene.home != args[1]:
        yield {"do": "route", "host": args[1]}
    yield from _begin_run(args, scene)
    yield TURN


def _applied(args: Args, scene: Scene) -> Provoked:
    yield from done("apply", scene)
    yield TURN


def _start_decided(args: Args, scene: Scene) -> Provoked:
    yield from effects("start ", "commit", scene)
    yield from done("apply", scene)
    yield TURN


def _started(args: Args, scene: Scene) -> Provoked:
    """A task without an event is handed over at once, another once History has recorded its start."""
    yield TURN
    yield from _start_decided(args, scene)
    yield from answers("start ", scene, "ok")


def _drop(args: Args, scene: Scene) -> Provoked:
    """History refuses a start whose run was closed."""
    yield TURN
    yield from answers("start ", scene, "ok")
    for run in scene.open_runs:
        yield {"do": "terminate", "execution": run}
    yield from _start_decided(args, scene)


def _keep(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield from fail("start")(args, scene)


def _lose_answer(args: Args, scene: Scene) -> Provoked:
    yield from effects("start ", "commit", scene)
    yield from answers("start ", scene, "error")


def _strays_end(args: Args, scene: Scene) -> Provoked:
    yield {"do": "settle"}


def _complete(args: Args, scene: Scene) -> Provoked:
    yield {"do": "complete", "token": f"{args[0]}.{args[1]}"}
    yield from done("apply", scene)


def _told_complete(args: Args, scene: Scene) -> Provoked:
    yield TURN
    yield from answers("apply ", scene, "ok")


def _restamp(args: Args, scene: Scene) -> Provoked:
    yield {"do": "restamp", "event": args[0]}
    yield from done("apply", scene)


def _time_out(args: Args, scene: Scene) -> Provoked:
    yield from next_timer(scene)
    yield from done("apply", scene)


def _close(args: Args, scene: Scene) -> Provoked:
    yield {"do": "terminate", "execution": args[0].rpartition("/")[0]}
    yield from done("apply", scene)


def _forget_event(args: Args, scene: Scene) -> Provoked:
    yield {"do": "forget", "event": args[0]}


PROVOKED_BY: Final[Mapping[str, Provoke]] = {
    **PROVOKED_BY_LIVES,
    "StartPoll": _start_poll,
    "AddTask": _add_task,
    "Return": turn,
    "AnswerAdd": _answer_add,
    "Schedule": _begin_run,
    "Complete": _complete,
    "RefuseComplete": _complete,
    "ToldComplete": _told_complete,
    "LoseLease": _lose_lease,
    "Refuse": refuse,
    "RefuseAdd": refuse,
    "Claim": turn,
    "Lead": _heard("lease"),
    "ClaimAgain": _claim_again,
    "Register": turn,
    "Take": turn,
    "SyncMatch": turn,
    "Match": _match,
    "Ask": turn,
    "Deliver": _started,
    "Drop": _drop,
    "Keep": _keep,
    "GiveBack": turn,
    "Expire": _expire,
    "Withdraw": turn,
    "Spool": _spool,
    "AbandonAdd": _abandon_add,
    "EndWrite": _heard("append", "ok", "error"),
    "ReadBacklog": _read_backlog,
    "SaveLevel": _save_level,
    "EndSave": _heard("save", "ok", "error"),
    "Delete": turn,
    "EndDelete": _heard("delete", "ok", "error"),
    "Transfer": _transfer,
    "RemoveIntent": _applied,
    "DiscardIntent": _applied,
    "RecordStart": _start_decided,
    "RefuseStart": _start_decided,
    **dict.fromkeys(("Forward", "SendOn", "ArrivePoll", "Resume", "Break", "CancelHop", "LoseHop"), turn),
    **dict.fromkeys(("Offer", "Lend", "ArriveTask", "Decline", "Conclude", "Retract"), turn),
    **dict.fromkeys(("RejectPoll", "RejectAdd"), turn),
    "DeadlinePasses": _deadline,
    "CallerLeaves": _leave,
    "LeaveAdd": _leave_add,
    "ForgetPoll": _forget_poll,
    "ForgetTask": _forget_task,
    "TakeLease": _commit("lease"),
    "FenceClaim": _commit("lease"),
    "LoseClaim": fail("lease"),
    "TakeAdrift": _commit("lease"),
    "EndAdrift": _end_adrift,
    "CommitWrite": _commit_write,
    "FenceWrite": _commit_write,
    "FailWrite": _fail_write,
    "LoseWrite": fail("append"),
    "ServeRead": _serve_read,
    "FailRead": _fail_read,
    "CommitSave": _commit("save"),
    "FenceSave": _commit("save"),
    "LoseSave": fail("save"),
    "CommitDelete": _commit("delete"),
    "FailStart": _keep,
    "LoseAnswer": _lose_answer,
    "StrayEnds": _strays_end,
    "Restamp": _restamp,
    "TryAgain": _time_out,
    "GiveUp": _time_out,
    "Close": _close,
    "ForgetEvent": _forget_event,
}
