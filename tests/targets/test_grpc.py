"""The target of two hosts over gRPC: what is drawn, what is promised, and how what was told becomes one run."""

import asyncio
from itertools import count
from pathlib import Path

import pytest

from conformance.judging.verdict import Word
from conformance.targets.grpc.hosts import HostFailed, Told, two_hosts
from conformance.targets.grpc.judged import verdict_of
from conformance.targets.grpc.merging import merged
from conformance.targets.grpc.promises import alone, unheard
from conformance.targets.grpc.requests import HOSTS, draw
from conformance.targets.grpc.run import Record, Seen
from matching.identity import Host

CHILD, ROOT = "shop/orders/workflow/1", "shop/orders/workflow/0"
HOP, ABOVE = f"h1-{'0' * 32}-1", f"h1-{'0' * 32}-10"
WAITS_ABOVE = (
    (0.0, "h1", "StartPoll", "p1", "w1", CHILD, "unversioned"),
    (1.0, "h1", "Forward", "p1", HOP, "h1"),
    (2.0, "h2", "ArrivePoll", HOP),
    (3.0, "h2", "Register", HOP, "h2"),
)
LEAVES = ((100.0, "h1", "CallerLeaves", "p1"), (101.0, "h1", "Withdraw", "p1"))


def told(*steps: tuple[object, ...]) -> list[Told]:
    counts = {host: count(1) for host in HOSTS}
    return [
        Told(Host(str(host)), next(counts[Host(str(host))]), float(str(at)), str(action), args)
        for at, host, action, *args_ in steps
        for args in [tuple(args_)]
    ]


def record(*steps: tuple[object, ...], seen: Seen | None = None, mistake: str | None = None) -> Record:
    return Record(requests=(), seen=seen or Seen(), told=told(*steps), mistake=mistake)


def test_the_same_seed_draws_the_same_list_and_another_one_another() -> None:
    assert draw(5) == draw(5) != draw(6)


# What is promised


def test_a_hop_is_alone_from_the_end_of_the_poll_on_whose_behalf_it_was_made() -> None:
    (found,) = alone(told(*WAITS_ABOVE, *LEAVES), {}, now_ms=150.0)

    assert (found.call, found.host, found.for_ms, found.has_ended) == (HOP, "h2", 49.0, False)


def test_a_hop_that_arrives_late_is_alone_from_then() -> None:
    steps = (*WAITS_ABOVE[:2], *LEAVES, (140.0, "h2", "ArrivePoll", HOP))

    assert [each.for_ms for each in alone(told(*steps), {}, now_ms=150.0)] == [10.0]


def test_a_cancel_that_comes_in_time_keeps_the_promise() -> None:
    steps = told(*WAITS_ABOVE, *LEAVES, (2_101.0, "h2", "CancelHop", HOP), (9_000.0, "h2", "Withdraw", HOP))

    assert unheard(steps, {}) is None


def test_a_cancel_that_comes_late_breaks_it_even_if_it_comes() -> None:
    steps = told(*WAITS_ABOVE, *LEAVES, (2_102.0, "h2", "CancelHop", HOP))

    assert unheard(steps, {}) == (
        f"h2 served {HOP} for 2.0 s after its caller had stopped waiting: no cancel came within 2 s"
    )


def test_a_client_that_gave_up_and_was_not_heard_breaks_it() -> None:
    steps = told(*WAITS_ABOVE, (5_000.0, "h2", "Emit", "h2", ROOT, 1))

    assert str(unheard(steps, {"p1": 10.0})).startswith("h1 served p1 for 5.0 s")


def test_an_offer_is_alone_once_it_was_retracted() -> None:
    offered = (
        (0.0, "h1", "AddTask", "t1", "h1", CHILD, "unversioned"),
        (1.0, "h1", "Offer", "t1", HOP, "h1"),
        (2.0, "h2", "ArriveTask", HOP, "h2"),
        (10.0, "h1", "Retract", "t1", HOP, "h1"),
    )

    assert [each.call for each in alone(told(*offered), {}, now_ms=20.0)] == [HOP]
    assert [each.for_ms for each in alone(told(*offered, (12.0, "h2", "AbandonAdd", HOP)), {}, 20.0)] == [2.0]


def test_an_unload_ends_the_polls_that_wait_under_the_manager_and_no_others() -> None:
    steps = (*WAITS_ABOVE, (50.0, "h1", "Unload", "h1", CHILD, 1))

    assert [each.call for each in alone(told(*steps), {}, now_ms=60.0)] == [HOP]
    assert not [each for each in alone(told(*steps, (50.0, "h2", "Unload", "h2", ROOT, 1)), {}, 60.0) if each.for_ms]


def test_nothing_is_promised_once_a_host_shuts_down() -> None:
    steps = (*WAITS_ABOVE, *LEAVES, (102.0, "h2", "ShutDown", "h2"), (9_000.0, "h2", "Withdraw", HOP))

    assert unheard(told(*steps), {}) is None


# How it becomes one run


def test_hops_are_numbered_by_kind_and_known_though_nobody_told_that_they_were_made() -> None:
    _, steps, _ = merged(record(*WAITS_ABOVE[:2], (2.0, "h2", "ArrivePoll", ABOVE)))

    assert [step.args for step in steps[2:4]] == [("p1", "c1", "h1"), ("c2",)]
    assert {"p1", "c1", "c2"} <= set(steps[0].new["Poll"])


def test_a_step_of_the_store_lies_between_what_asked_for_it_and_what_tells_of_it() -> None:
    claimed = (
        (10.0, "h1", "Claim", "h1", CHILD),
        (12.0, "h2", "Seek", "h2", ROOT),
        (15.0, "h1", "TakeLease", "h1", CHILD),
    )
    _, (_, *steps), _ = merged(record(*claimed))

    placed = [(step.action, step.begin_ms, step.end_ms, step.host) for step in steps]
    assert placed == [("Claim", 0, 0, "h1"), ("TakeLease", 0, 5, None), ("Seek", 2, 2, "h2")]


def test_a_client_is_believed_and_not_its_host() -> None:
    seen = Seen(answers={"p1": ("task", "t7")})
    _, steps, _ = merged(record(WAITS_ABOVE[0], (9.0, "h1", "Return", "p1", ("empty",)), seen=seen))

    assert steps[2].args == ("p1", ("task", "t7"))
    assert "t7" in steps[0].new["Task"]


def test_what_never_arrived_is_lost_once_both_hosts_have_stopped() -> None:
    made = (*WAITS_ABOVE[:2], *LEAVES)
    _, steps, footer = merged(record(*made))
    _, unfinished, failed = merged(record(*made, mistake=f"h2 served {HOP} for 2.0 s"))

    assert (steps[-1].action, steps[-1].args, footer.end) == ("LoseHop", ("c1",), "quiescent")
    assert (unfinished[-1].action, failed.end, failed.note) == ("Withdraw", "failed", "h2 served c1 for 2.0 s")


def test_a_run_in_which_nothing_was_told_is_vacuous() -> None:
    assert verdict_of(merged(record())).word is Word.VACUOUS


# Its hosts


def test_a_host_that_does_not_come_up_is_told_with_what_it_said(tmp_path: Path) -> None:
    async def start() -> None:
        async with two_hosts(tmp_path, ("sh", "-c", "echo no such thing; exit 3", "sh")):
            raise AssertionError

    with pytest.raises(HostFailed, match="h1 does not serve: no such thing"):
        asyncio.run(start())
