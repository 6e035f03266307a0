"""What is measured of hosts in processes of their own: kills of a root's host, and hops beside bare calls."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import attrs
import pytest

from bench.hosts import queue_where
from bench.kills import Report
from conformance.targets.grpc.hosts import free_addresses, peers_of
from matching.adapters.rpc.addresses import parse_peers
from matching.identity import EventId, Host, Item

H1, H2, H3 = Host("h1"), Host("h2"), Host("h3")
HELD = Report(kills=1, begun=2, over=2, hops=1, polls=5)


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
def test_nothing_is_lost_where_the_host_of_the_root_is_killed() -> None:
    ran = python("-m", "bench.kills", "--kills", "4")

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith("4 kills of the root's host")
    assert "lost 0, started twice 0" in ran.stdout


@pytest.mark.slow
def test_hops_are_measured_beside_two_calls_and_beside_four() -> None:
    ran = python("-m", "bench.hops", "--samples", "20")

    assert ran.returncode in (0, 1), ran.stderr
    assert "two bare calls" in ran.stdout
    assert "four bare calls, relayed" in ran.stdout


def test_a_report_of_which_everything_holds_says_so() -> None:
    assert HELD.held


@pytest.mark.parametrize(
    "report",
    [
        attrs.evolve(HELD, over=1),
        attrs.evolve(HELD, unanswered=1),
        attrs.evolve(HELD, late=1),
        attrs.evolve(HELD, hops=0),
    ],
    ids=["lost", "unanswered", "late", "no hops"],
)
def test_a_report_does_not_hold_where_something_is_amiss_or_nothing_came_over_the_root(report: Report) -> None:
    assert not report.held


def test_a_report_does_not_hold_where_an_attempt_was_handed_over_twice() -> None:
    report = attrs.evolve(HELD, received=Counter([Item(EventId("e1"), 1, 0)] * 2))

    assert (report.doubled, report.held) == (1, False)


def test_a_queue_is_found_whose_partitions_are_where_they_are_wanted() -> None:
    assert list(queue_where({0: H1, 1: H2, 2: H3})) == [0, 1, 2]


def test_each_host_is_told_of_the_others() -> None:
    addresses = free_addresses([H1, H2, H3])

    assert parse_peers(H2, peers_of(H2, addresses)) == {H1: addresses[H1], H3: addresses[H3]}
