"""Two hosts that call each other over gRPC keep to ``spec/Matching.tla``, and hear of every cancel."""

import re
import sys

import attrs
import pytest

from conformance.judging.verdict import Word
from conformance.targets.grpc.judged import Judged, judged_run, verdict_of
from conformance.targets.grpc.merging import Trace
from conformance.targets.grpc.requests import Add, Leave, Poll, Until

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
MET = (Poll("p2", "h1", 1, 30.0), Until("h2", "Register"), Add("t1", "h1", 5))


@pytest.fixture(scope="module")
def led() -> Judged:
    """A poll leaves the root, and another one meets a task there."""
    return judged_run(0, requests=LEFT + MET)


def program(text: str) -> tuple[str, ...]:
    return sys.executable, "-c", text


def without(trace: Trace, action: str) -> Trace:
    """The run as if nobody had told of such steps."""
    header, steps, footer = trace
    left = [step for step in steps if step.action != action]
    return header, [attrs.evolve(step, step=number) for number, step in enumerate(left)], footer


def test_a_run_is_allowed_in_which_hops_of_both_kinds_are_made_answered_and_cancelled(led: Judged) -> None:
    assert (led.verdict.word, led.reason, led.exit_status) == (Word.ACCEPTED, "every step is allowed", 0)
    assert led.verdict.actions.keys() >= {"Forward", "ArrivePoll", "Resume", "CancelHop"}
    assert led.verdict.actions.keys() >= {"Offer", "ArriveTask", "Conclude"}


def test_a_drawn_run_is_allowed_and_every_cancel_is_heard() -> None:
    run = judged_run(1)

    assert (run.verdict.word, run.reason) == (Word.ACCEPTED, "every step is allowed")


@pytest.mark.parametrize(
    "action", ["Forward", "ArrivePoll", "Withdraw", "SyncMatch", "Deliver", "Resume", "Offer", "ArriveTask", "Conclude"]
)
def test_a_run_that_leaves_out_a_step_is_refused(led: Judged, action: str) -> None:
    assert verdict_of(without(led.trace, action)).word is Word.REJECTED


@pytest.mark.parametrize(
    "fault", [NOT_CARRIED, pytest.param(NOT_HEARD, marks=pytest.mark.slow)], ids=["by its maker", "by its host"]
)
def test_a_cancel_that_is_not_carried_over_a_hop_is_found(fault: str) -> None:
    run = judged_run(0, program=program(fault), requests=LEFT)

    assert re.fullmatch("h2 served c1 for .* no cancel came within 2 s", run.reason)
    assert run.exit_status == 1
    assert run.verdict.divergence is None


@pytest.mark.slow
def test_an_answer_that_names_another_task_than_the_one_handed_over_is_refused() -> None:
    run = judged_run(0, program=program(MISLABELLED), requests=MET)

    assert run.verdict.word is Word.REJECTED
