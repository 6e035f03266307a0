"""What is shown of a host's partitions: every row from the object that owns it, and the same when it is read back."""

import asyncio
import json

import attrs
import pytest

from matching.gauges import SeriesLabels
from matching.identity import Host, PartitionKey, TaskId, TaskType, Version
from matching.inspect import Inspection, inspect, read, table
from matching.lifetime import LifetimeOptions
from matching.membership import Membership
from matching.requests import Task
from matching.walkthroughs.stage import H1, Stage, staged

KEY = PartitionKey("shop", "orders", TaskType.WORKFLOW)
V2 = Version("v2")
HOSTS = {H1: LifetimeOptions(emit_seconds=0.01)}
ROWS = [
    *("queue", "host", "generation", "ownership generation", "namespace revision", "durable backlog", "loaded queues"),
    *("waiting polls", "in flight", "user data version", "labels", "emitted backlog"),
]


@attrs.frozen
class Seen:
    """One partition with a poll and a record, after a failover, and after its owner changed."""

    loaded: Inspection
    unloaded: Inspection
    moved: Inspection


async def _see() -> Seen:
    async with staged(lambda _: None, KEY, "sqlite://", hosts=HOSTS) as stage:
        stage.add("t1")
        await stage.watch.until("AnswerAdd t1")
        stage.poll("p1", "w1", seconds=30.0, version=V2)
        await stage.watch.until("Register p1")
        await stage.watch.until("Emit")
        loaded = await _look(stage)
        stage.failover(active=False)
        await stage.watch.until("Stop")
        unloaded = await _look(stage)
        stage.engine.membership.hear(Membership([Host("h2")]).change([Host("h2")]))
        return Seen(loaded, unloaded, await _look(stage))


async def _look(stage: Stage) -> Inspection:
    [found] = await inspect(stage.engine, stage.count)
    return found


async def _no_records(_: PartitionKey) -> int:
    return 0


@pytest.fixture(scope="module")
def seen() -> Seen:
    return asyncio.run(_see())


def test_a_partition_that_is_loaded_shows_what_its_manager_holds(seen: Seen) -> None:
    found = seen.loaded

    assert (found.partition, found.host, found.generation, found.state) == (KEY, "h1", 1, "running")
    assert (found.durable_backlog, found.waiting_polls, found.in_flight) == (1, ("p1",), ())
    assert (found.loaded_queues, found.user_data_version) == (("unversioned",), 0)
    assert found.labels == SeriesLabels("shop", "orders", "workflow", "0", "unversioned", "h1", "1", "active")
    assert found.emitted == {"active": 1, "passive": 0}


def test_an_unload_leaves_the_durable_backlog_and_nothing_of_the_manager(seen: Seen) -> None:
    found = seen.unloaded

    assert (found.generation, found.state, found.durable_backlog) == (1, "not loaded", 1)
    assert (found.loaded_queues, found.waiting_polls, found.in_flight) == ((), (), ())
    assert (found.user_data_version, found.labels) == (None, None)
    assert found.emitted == {"active": 0, "passive": 0}


def test_a_namespace_revision_and_an_ownership_generation_are_shown_apart(seen: Seen) -> None:
    counters = [
        (each.namespace_revision, each.ownership_generation) for each in (seen.loaded, seen.unloaded, seen.moved)
    ]

    assert counters == [(1, 1), (2, 1), (2, 2)]
    assert [seen.unloaded.owned, seen.moved.owned] == [True, False]
    assert [seen.loaded.namespace_state, seen.unloaded.namespace_state] == ["active", "passive"]


def test_what_was_written_as_json_is_read_back(seen: Seen) -> None:
    for_a_person = [seen.loaded, seen.unloaded, seen.moved]

    assert [read(json.loads(json.dumps(each.as_json()))) for each in for_a_person] == for_a_person


def test_a_table_has_a_row_for_each_thing_and_a_column_for_each_partition(seen: Seen) -> None:
    lines = table([seen.loaded, seen.moved]).splitlines()

    assert [line[:22].strip() for line in lines] == ROWS
    assert [word in lines[3] for word in ("1, owned", "2, owned by another host")] == [True, True]


def test_a_host_that_has_loaded_nothing_says_so() -> None:
    assert table([]) == "nothing was loaded yet"


def test_a_task_in_the_hand_of_a_poll_is_in_flight() -> None:
    async def story() -> Inspection:
        async with staged(lambda _: None, KEY, "sqlite://", hosts=HOSTS) as stage:
            stage.poll("p1", "w1", seconds=30.0)
            await stage.watch.until("Register p1")
            stage.engine.managers[KEY].sync_match(Task(TaskId("t1"), KEY))
            [held] = await inspect(stage.engine, _no_records)  # the poll's handler has not run again
            await stage.watch.until("Return p1")
            return held

    found = asyncio.run(story())

    assert (found.in_flight, found.waiting_polls) == (("t1",), ())


def told(seen: Seen, name: str, value: object) -> dict[str, object]:
    """What a host tells of a partition, with something else under one name."""
    return {**json.loads(json.dumps(seen.loaded.as_json())), name: value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("namespace", None),
        ("namespace", "a/b"),
        ("family", ""),
        ("type", "Workflow"),
        ("partition", "0"),
        ("partition", True),
        ("partition", 10**9),
        ("host", 5),
        ("host", " "),
        ("generation", "1"),
        ("generation", -1),
        ("generation", 1.5),
        ("state", "asleep"),
        ("owned", 1),
        ("owned", "yes"),
        ("ownership_generation", {}),
        ("namespace_revision", None),
        ("namespace_state", "idle"),
        ("durable_backlog", "many"),
        ("loaded_queues", "abc"),
        ("waiting_polls", [1]),
        ("in_flight", {"t1": 1}),
        ("user_data_version", True),
        ("labels", []),
        ("labels", {"version": "v1"}),
        ("labels", {**dict.fromkeys(attrs.asdict(SeriesLabels(*"abcdefgh")), "x"), "generation": 5}),
        ("emitted_backlog_by_namespace_state", {}),
        ("emitted_backlog_by_namespace_state", {"active": "x", "passive": 0}),
        ("emitted_backlog_by_namespace_state", {"active": 0, "passive": 0, "idle": 0}),
        ("mood", "good"),
    ],
)
def test_what_no_host_tells_is_not_read(seen: Seen, name: str, value: object) -> None:
    with pytest.raises((AttributeError, KeyError, TypeError, ValueError)):
        read(told(seen, name, value))


@pytest.mark.parametrize("host", ["a\nb", "\x1b[31mred", "\ud800", "\u202e"])
def test_what_a_terminal_would_obey_is_shown_escaped(seen: Seen, host: str) -> None:
    lines = table([read(told(seen, "host", host))]).splitlines()

    assert len(lines) == len(ROWS)
    assert all(line.isprintable() for line in lines)
