"""The walkthroughs run for real, tell what happened, and what they recorded is accepted."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from conformance.judging.check import check_trace
from conformance.judging.verdict import TraceVerdict, Word

PROGRAM = Path(sys.executable).parent / "matching"
WALKS = ["tour", "dispatch", "concurrency", "lifecycle", "metrics", "failover-metrics"]


@attrs.frozen
class Walk:
    """A walk that was taken: what it told, where it was recorded, and what is said of that."""

    told: str
    trace: Path
    verdict: TraceVerdict

    @property
    def lines(self) -> list[str]:
        return [line.strip() for line in self.told.splitlines()]


@pytest.fixture(scope="module")
def take(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Walk]:
    """Takes each walk once."""
    taken: dict[str, Walk] = {}

    def walk(name: str) -> Walk:
        if name not in taken:
            trace = tmp_path_factory.mktemp(name) / f"{name}.ndjson"
            ran = subprocess.run([PROGRAM, name, "--trace", trace], capture_output=True, text=True, timeout=60)
            assert ran.returncode == 0, ran.stderr
            taken[name] = Walk(ran.stdout, trace, check_trace(trace))
        return taken[name]

    return walk


@pytest.mark.parametrize(
    ("name", "stops"),
    [("tour", 6), ("dispatch", 5), ("concurrency", 6), ("lifecycle", 6), ("metrics", 2), ("failover-metrics", 4)],
)
def test_a_walk_tells_each_of_its_stops(take: Callable[[str], Walk], name: str, stops: int) -> None:
    numbers = [line.partition(".")[0] for line in take(name).told.splitlines() if line[:1].isdigit()]

    assert numbers == [str(number) for number in range(1, stops + 1)]


@pytest.mark.parametrize("name", WALKS)
def test_what_a_walk_recorded_is_accepted_to_its_quiet_end(take: Callable[[str], Walk], name: str) -> None:
    verdict = take(name).verdict

    assert (verdict.word, verdict.end) == (Word.ACCEPTED, "quiescent")


@pytest.mark.parametrize(
    ("name", "piece"),
    [
        ("tour", "Take(p1, t1) · Ask(t1, p1, 1) · RecordStart(order-1/1, 1, 0, 1) · Deliver(t1, p1)"),
        ("tour", "SyncMatch(t2, p2) · Ask(t2, p2, 2) · RecordStart(order-1/2, 1, 0, 2) · Deliver(t2, p2)"),
        ("tour", "History order-1/1 done, order-1/2 done, order-1/3 done · intents none"),
        ("dispatch", "FailStart(order-2/1, 1, 0, 2) · Keep(t2, p2) · Take(p2, t2)"),
        ("dispatch", "RefuseStart(order-3/1, 1, 0, 4, taken) · Drop(t4, p4)"),
        ("dispatch", "RefuseStart(order-4/1, 1, 0, 5, stale) · Drop(t5, p5)"),
        ("dispatch", "RefuseStart(order-5/1, 1, 0, 7, gone) · Drop(t7, p6)"),
        ("concurrency", "What is running?         the task 'poll p1', suspended in Engine.poll"),
        ("concurrency", "Who owns it?             its caller; generation 1 of the manager owns the registration"),
        ("concurrency", "; the manager, if it stops (now running)"),
        ("concurrency", "History order-1/1 done, order-1/2 started, order-2/1 done"),
        ("concurrency", "shop/orders/workflow/0 · generation 4 · waiting none · namespace active · backlog t5"),
        ("concurrency", "returned  p4 empty"),
        ("lifecycle", "generation            2, running"),
        ("lifecycle", "labels                version=unversioned generation=2 namespace_state=passive"),
        ("lifecycle", "happened  a scrape reads the same"),
        ("lifecycle", "History order-1/1 done · intents none"),
        ("metrics", "partition=1 version=unversioned host=h1 generation=1 namespace_state=active  3"),
        ("metrics", "namespace=shop family=orders type=workflow host=h1 generation=1 namespace_state=active  3"),
    ],
)
def test_a_walk_tells_what_happened(take: Callable[[str], Walk], name: str, piece: str) -> None:
    assert any(piece in line for line in take(name).lines)


def test_a_lifecycle_shows_what_was_emitted_after_each_step(take: Callable[[str], Walk]) -> None:
    shown = [line.removeprefix("emitted backlog").strip() for line in take("lifecycle").lines if "emitted" in line]

    assert shown == [
        "active 1, passive 0",
        "active 0, passive 0",
        "active 0, passive 0",
        "active 0, passive 1",
        "active 1, passive 0",
        "active 0, passive 0",
    ]


def test_a_dashboard_of_active_backlog_reads_zero_with_the_flag_off_until_the_partition_idles_out(
    take: Callable[[str], Walk],
) -> None:
    shown = [line.split("(")[0].split() for line in take("failover-metrics").lines if line.startswith("dashboard")]

    assert [" ".join(words[4:]) for words in shown if words[3] == "off"] == [
        "active 0, passive 1",
        "active 0, passive 1",
        "active 0, passive 2",
        "active 2, passive 0",
    ]
    assert [" ".join(words[4:]) for words in shown if words[3] == "on"] == [
        "active 0, passive 1",
        "active 0, passive 0",
        "active 2, passive 0",
        "active 2, passive 0",
    ]


@pytest.mark.parametrize(
    ("name", "told", "instead"),
    [
        ("tour", '"action":"Deliver","args":["t2","p2"]', '"action":"Drop","args":["t2","p2"]'),
        ("dispatch", '["order-5/1",1,0,7,"gone"]', '["order-5/1",1,0,7,"stale"]'),
        (
            "concurrency",
            '"action":"ToldComplete","args":["order-2/1",1]',
            '"action":"ToldComplete","args":["order-1/2",1]',
        ),
        ("lifecycle", '"action":"ChangeNamespace","args":["there"]', '"action":"ChangeNamespace","args":["here"]'),
        (
            "failover-metrics",
            '"action":"Idle","args":["h1","shop/orders/workflow/1"]',
            '"action":"Idle","args":["h2","shop/orders/workflow/1"]',
        ),
    ],
    ids=["another step", "another reason", "another event", "another state", "another host"],
)
def test_a_walk_that_tells_something_else_is_rejected(
    take: Callable[[str], Walk], tmp_path: Path, name: str, told: str, instead: str
) -> None:
    text = take(name).trace.read_text(encoding="utf-8")
    other = tmp_path / "other.ndjson"
    other.write_text(text.replace(told, instead), encoding="utf-8")

    assert text.count(told) == 1
    assert check_trace(other).word is Word.REJECTED


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_without_a_trace_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    subprocess.run([PROGRAM, name], cwd=tmp_path, capture_output=True, check=True, timeout=60)

    assert list(tmp_path.iterdir()) == []
