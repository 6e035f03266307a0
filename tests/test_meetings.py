"""The walk through meetings runs for real, tells its seven stops, and what it recorded is accepted."""

import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from conformance.judging.check import check_trace
from conformance.judging.verdict import TraceVerdict, Word

PROGRAM = Path(sys.executable).parent / "matching"
EVERY_STEP_BUT_TROUBLE = {
    *("StartPoll", "AddTask", "Return", "AnswerAdd", "DeadlinePasses", "CallerLeaves", "ChangeNamespace"),
    *("Seek", "Load", "FinishPart", "Publish", "Start", "OrderUnload", "HearNamespace", "ShutDown", "Unload", "Stop"),
    *("RemoveSeries", "Claim", "TakeLease", "Lead", "SaveLevel", "CommitSave", "EndSave"),
    *("Register", "Take", "SyncMatch", "Match", "Deliver", "GiveBack", "Expire", "Withdraw"),
    *("Spool", "CommitWrite", "EndWrite", "ServeRead", "ReadBacklog", "Delete", "CommitDelete", "EndDelete"),
}


@attrs.frozen
class Walk:
    """A walk that was taken: what it told, where it was recorded, and what is said of that."""

    told: str
    trace: Path
    verdict: TraceVerdict


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    trace = tmp_path_factory.mktemp("meetings") / "meetings.ndjson"
    ran = subprocess.run(
        [PROGRAM, "meetings", "--trace", trace], capture_output=True, text=True, check=True, timeout=60
    )
    return Walk(ran.stdout, trace, check_trace(trace))


def test_the_walk_tells_seven_stops(walk: Walk) -> None:
    assert [line[0] for line in walk.told.splitlines() if line[:1].isdigit()] == ["1", "2", "3", "4", "5", "6", "7"]


@pytest.mark.parametrize(
    "line",
    [
        "happened  SyncMatch(t1, p1) · Deliver(t1, p1)",
        "happened  Take(p2, t2) · Deliver(t2, p2) · Delete · CommitDelete(1, 1) · EndDelete(1, 1)",
        "happened  Register(p3) · DeadlinePasses(p3) · Expire(p3)",
        "happened  CallerLeaves(p4) · Withdraw(p4)",
        "returned  p5 interrupted; add of t3 accepted",
        "returned  p7 empty",
        "now       no manager is loaded · namespace active · backlog t4",
        "now       generation 3 · waiting p9 · namespace passive · backlog t5",
        "returned  p9 empty",
        "now       generation 4 · waiting none · namespace active · backlog none",
    ],
)
def test_the_walk_tells_what_happened_what_returned_and_how_things_stand(walk: Walk, line: str) -> None:
    assert line in [told.strip() for told in walk.told.splitlines()]


def test_the_walk_names_the_command_that_judges_it(walk: Walk) -> None:
    assert walk.told.splitlines()[-1].endswith(f"conform check {walk.trace}")


def test_what_the_walk_recorded_is_accepted_to_its_quiet_end(walk: Walk) -> None:
    assert (walk.verdict.word, walk.verdict.end) == (Word.ACCEPTED, "quiescent")


def test_the_walk_takes_every_step_but_those_of_trouble(walk: Walk) -> None:
    assert set(walk.verdict.actions) == EVERY_STEP_BUT_TROUBLE


@pytest.mark.parametrize(
    ("told", "instead"),
    [
        ('"action":"GiveBack","args":["t3","p5"]', '"action":"Deliver","args":["t3","p5"]'),
        ('"action":"Return","args":["p7",["empty"]]', '"action":"Return","args":["p7",["task","t4"]]'),
        (
            '"CommitDelete","args":["shop/orders/workflow/0",2,3]',
            '"CommitDelete","args":["shop/orders/workflow/0",2,4]',
        ),
    ],
    ids=["another step", "another answer", "another record"],
)
def test_a_walk_that_tells_something_else_is_rejected(walk: Walk, tmp_path: Path, told: str, instead: str) -> None:
    text = walk.trace.read_text(encoding="utf-8")
    other = tmp_path / "other.ndjson"
    other.write_text(text.replace(told, instead), encoding="utf-8")

    assert text.count(told) == 1
    assert check_trace(other).word is Word.REJECTED


def test_a_walk_without_a_trace_leaves_nothing_behind(tmp_path: Path) -> None:
    subprocess.run([PROGRAM, "meetings"], cwd=tmp_path, capture_output=True, check=True, timeout=60)

    assert list(tmp_path.iterdir()) == []
