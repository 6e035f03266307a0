"""Who owns a partition, what moves when hosts come and go, and which news a host takes in."""

import os
import subprocess
import sys
from collections import Counter
from typing import Any

import attrs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from matching.errors import Unavailable
from matching.identity import Host, OwnershipGeneration, PartitionKey, TaskType
from matching.membership import Membership, MembershipView

H1, H2, H3, H4 = map(Host, ("h1", "h2", "h3", "h4"))
PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)
MANY = [
    PartitionKey(namespace, family, kind, number)
    for namespace in ("shop", "bank", "post")
    for family in ("orders", "returns")
    for kind in TaskType
    for number in range(8)
]
PRINT_OWNERS = """
import sys
from matching.identity import PartitionKey
from matching.membership import Membership
print(*map(Membership({"h3", "h1", "h2"}).route, map(PartitionKey.parse, sys.argv[1:])))
"""

NAMES = st.text(min_size=1)
HOSTS = st.lists(NAMES.map(Host), min_size=1, max_size=6, unique=True)
PARTITIONS = st.builds(
    PartitionKey,
    NAMES.filter(lambda text: "/" not in text),
    NAMES,
    st.sampled_from(TaskType),
    st.integers(0, 1000),
)


@st.composite
def news_of_histories(draw: st.DrawFn) -> list[Membership]:
    """The generations of one history in any order, each any number of times, the first one first."""
    few = st.lists(st.sampled_from([H1, H2, H3]), max_size=3)
    history = [Membership(draw(few))]
    for hosts in draw(st.lists(few, max_size=4)):
        history.append(history[-1].change(hosts))
    return [history[0], *draw(st.lists(st.sampled_from(history), max_size=12))]


def owners(membership: Membership) -> dict[PartitionKey, Host]:
    return {partition: membership.route(partition) for partition in MANY}


def moved(before: Membership, after: Membership) -> list[PartitionKey]:
    return [partition for partition in MANY if before.route(partition) != after.route(partition)]


def viewing(news: list[Membership]) -> tuple[MembershipView, list[Membership]]:
    """The view of h1 that has heard the news, and what it knew each time that a subscriber was told."""
    view = MembershipView(H1, news[0])
    told: list[Membership] = []
    view.subscribe(lambda: told.append(view.known))
    for each in news:
        view.hear(each)
    return view, told


# Who owns a partition


@given(HOSTS.flatmap(lambda hosts: st.tuples(st.just(hosts), st.permutations(hosts))), PARTITIONS)
def test_a_partition_has_one_owner_in_whatever_order_the_hosts_are_named(
    orders: tuple[list[Host], list[Host]], partition: PartitionKey
) -> None:
    one, other = map(Membership, orders)

    assert one.route(partition) == other.route(partition)
    assert one.route(partition) in one.hosts


@given(HOSTS, st.data())
def test_a_host_that_leaves_moves_its_own_partitions_only(hosts: list[Host], data: st.DataObject) -> None:
    assume(len(hosts) > 1)
    leaving = data.draw(st.sampled_from(hosts))
    before = Membership(hosts)
    after = before.change([host for host in hosts if host != leaving])

    assert moved(before, after) == [partition for partition in MANY if before.route(partition) == leaving]


@given(HOSTS, NAMES.map(Host))
def test_a_host_that_joins_moves_partitions_to_itself_only(hosts: list[Host], joining: Host) -> None:
    assume(joining not in hosts)
    before = Membership(hosts)
    after = before.change([*hosts, joining])

    assert moved(before, after) == [partition for partition in MANY if after.route(partition) == joining]


@pytest.mark.parametrize("seed", ["1", "2"])
def test_every_process_finds_the_same_owners_whatever_its_hash_seed(seed: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PRINT_OWNERS, *map(str, MANY)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert ran.stdout.split() == list(owners(Membership([H1, H2, H3])).values())


@pytest.mark.parametrize(
    ("partition", "owner"),
    [
        ("shop/orders/workflow/0", H2),
        ("shop/orders/workflow/1", H3),
        ("shop/orders/activity/0", H1),
        ("bank/orders/workflow/0", H1),
    ],
)
def test_a_partition_is_owned_by_whom_every_other_release_finds(partition: str, owner: Host) -> None:
    assert Membership([H1, H2, H3]).route(PartitionKey.parse(partition)) == owner


def test_each_of_a_few_hosts_owns_its_part_of_many_partitions() -> None:
    shares = Counter(owners(Membership([H1, H2, H3, H4])).values())

    assert len(shares) == 4
    assert min(shares.values()) > len(MANY) / 10


@pytest.mark.parametrize(
    "other",
    [{"namespace": "bank"}, {"family": "returns"}, {"task_type": TaskType.ACTIVITY}, {"partition": 7}],
    ids=lambda other: next(iter(other)),
)
def test_each_part_of_a_partitions_name_counts(other: dict[str, Any]) -> None:
    """FAULTS Z67"""
    found = owners(Membership([H1, H2, H3, H4]))
    there = {partition: found[attrs.evolve(partition, **other)] for partition in MANY}

    assert there != found


def test_without_hosts_there_is_nobody_to_route_to() -> None:
    with pytest.raises(Unavailable, match="no host serves shop/orders/workflow/0"):
        Membership([]).route(PARTITION)


def test_hosts_are_the_same_in_whatever_order_and_however_often_they_are_named() -> None:
    assert Membership([H2, H1, H2]) == Membership([H1, H2])


def test_ownership_generations_count_from_one() -> None:
    with pytest.raises(ValueError, match="generation"):
        Membership([H1], OwnershipGeneration(0))


# What a host knows


@given(news_of_histories())
def test_a_view_knows_the_highest_generation_that_it_heard(news: list[Membership]) -> None:
    view, told = viewing(news)

    assert view.known == max(news, key=lambda each: each.generation)
    assert [news[0], *told] == sorted({news[0], *told}, key=lambda each: each.generation)
    assert [news[0], *told][-1] == view.known


@pytest.mark.parametrize("generation", [1, 2])
def test_what_is_not_news_changes_nothing_and_is_told_to_nobody(generation: int) -> None:
    known = Membership([H1], OwnershipGeneration(2))
    view, told = viewing([known, Membership([H1, H2], OwnershipGeneration(generation))])

    assert (view.known, told) == (known, [])


def test_whatever_is_heard_is_a_step_told_when_it_counts_and_before_anybody_acts_on_it() -> None:
    told: list[object] = []

    def probe(action: str, *args: object) -> None:
        told.append((action, *args, view.known.generation))

    view = MembershipView(H1, Membership([H1]), probe=probe)
    view.subscribe(lambda: told.append("subscriber"))
    view.hear(Membership([H1, H2], OwnershipGeneration(3)))
    view.hear(Membership([H1], OwnershipGeneration(2)))

    assert told == [("HearOwners", "h1", 3, 3), "subscriber", ("HearOwners", "h1", 2, 3)]


def test_the_same_hosts_again_are_a_generation_of_their_own() -> None:
    view, told = viewing([Membership([H1]), Membership([H1]).change([H1])])

    assert view.known.generation == 2
    assert told == [view.known]


@given(HOSTS, st.sampled_from(MANY))
def test_of_the_views_of_all_hosts_exactly_one_owns_a_partition(hosts: list[Host], partition: PartitionKey) -> None:
    membership = Membership(hosts)
    owning = [host for host in hosts if MembershipView(host, membership).owns(partition)]

    assert owning == [membership.route(partition)]


@pytest.mark.parametrize("hosts", [[], [H2]])
def test_a_host_that_is_not_among_the_hosts_owns_nothing(hosts: list[Host]) -> None:
    assert not MembershipView(H1, Membership(hosts)).owns(PARTITION)
