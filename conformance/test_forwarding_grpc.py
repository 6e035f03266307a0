"""Two hosts that call each other over gRPC keep to ``spec/Matching.tla``, and hear of every cancel."""

import sys
from collections import Counter

import pytest

from conformance.exercise import EXERCISE
from conformance.judging.verdict import Word
from conformance.targets.grpc.judged import Judged, judged_run
from conformance.targets.grpc.requests import Add, Leave, Poll, Until

SEEDS = (1, 7)

SERVE = "from matching.cli import main; main()"
NOT_CARRIED = f"""
import asyncio
from matching.adapters.rpc.peers import GrpcPeers

carried = GrpcPeers._poll

async def shielded(self, host, request):
    return await asyncio.shield(asyncio.ensure_future(carried(self, host, request)))

GrpcPeers._poll = shielded
{SERVE}
"""
NOT_HEARD = f"""
from matching.caller import Caller

heard = Caller.leave

def leave(self, poll_id):
    poll = self.polls.get(poll_id)
    return poll is not None and poll.request.forward_info is None and heard(self, poll_id)

Caller.leave = leave
{SERVE}
"""
MISLABELLED = f"""
import attrs
from matching.adapters.rpc import server

told = server.write_poll_answer
server.write_poll_answer = lambda task: told(None if task is None else attrs.evolve(task, task_id="t1"))
{SERVE}
"""
LEFT = (Poll("p1", "h1", 1, 30.0), Until("h2", "ArrivePoll"), Leave("p1"))
MET = (Poll("p1", "h1", 1, 30.0), Until("h2", "Register"), Add("t1", "h1", 5))


@pytest.fixture(scope="module")
def runs() -> list[Judged]:
    found = [judged_run(seed) for seed in SEEDS]
    for run in found:
        EXERCISE.actions.update(run.verdict.actions)
    return found


def test_every_run_is_allowed_and_every_cancel_is_heard(runs: list[Judged]) -> None:
    assert [(run.verdict.word, run.reason) for run in runs] == [(Word.ACCEPTED, "every step is allowed")] * len(SEEDS)


def test_hops_of_both_kinds_are_made_and_answered(runs: list[Judged]) -> None:
    taken = Counter(action for run in runs for action in run.verdict.actions)

    assert taken.keys() >= {"Forward", "ArrivePoll", "Resume", "Offer", "ArriveTask", "Conclude"}


@pytest.mark.parametrize("program", [NOT_CARRIED, NOT_HEARD], ids=["by its maker", "by its host"])
def test_a_cancel_that_is_not_carried_over_a_hop_is_found(program: str) -> None:
    run = judged_run(0, program=(sys.executable, "-c", program), requests=LEFT)

    assert run.mistake is not None
    assert run.mistake.startswith("h2 served h1-")
    assert "no cancel came" in run.mistake
    assert run.verdict.word is Word.UNDECIDED
    assert run.exit_status == 1


def test_an_answer_that_names_another_task_than_the_one_handed_over_is_refused() -> None:
    run = judged_run(0, program=(sys.executable, "-c", MISLABELLED), requests=MET)

    assert run.verdict.word is Word.REJECTED
