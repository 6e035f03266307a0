"""The traces that are kept: each gets the verdict for which it is kept."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import conform
from conformance.paths import traces_directory
from conformance.trace.reader import read_trace
from conformance.trace.writer import trace_text

CORPUS = traces_directory() / "corpus"
ACCEPTED = sorted((CORPUS / "accepted").glob("*.ndjson"))
REJECTED = sorted((CORPUS / "rejected").glob("*.ndjson"))
SAID = {
    "format-chosen-constant": (2, "format-chosen-constant.ndjson:2: new names Generation, which is not a set of ids"),
    "format-cut-short": (4, "cut short at line 14: the trace ends there without a footer"),
    "format-empty": (2, "the trace is empty"),
    "format-half-a-character": (2, ":3: half of a surrogate pair is not text"),
    "format-missing-constant": (2, ":2: new has Host and not UnloadOnNamespaceStateChange, and these share ids"),
    "format-missing-variable": (2, ":2: step 0 lacks wanted"),
    "format-name-twice": (2, ":5: the name 'step' stands twice in one object"),
    "format-noise": (2, ":5: the line is not JSON"),
    "format-not-a-number": (2, ":3: NaN is not a number of JSON"),
    "format-null": (2, ":2: PollRegistration.left: null is no TLA+ value"),
    "format-only-stutters": (4, "no action of Matching was taken"),
    "format-other-version": (2, ":1: the format is 'matching-trace/9'"),
    "format-step-missing": (2, ":6: step 5 stands where step 4 is expected"),
    "format-torn-line": (4, "cut short at line 14: the trace ends there in the middle of a line"),
    "format-unknown-action": (2, ":12: Matching has no action SynchMatch; near it are SyncMatch"),
    "format-unknown-host": (2, ":3: step 1 is of host h9, and the run's hosts are h1"),
    "format-unknown-id": (2, ':10: Register(p9, h1) has p = "p9", which is not in'),
    "format-unknown-variable": (2, ":10: step 8 shows PollRegistration.mood, and the header does not list it"),
    "format-wrong-arity": (2, ":12: SyncMatch(t, p) takes 2 arguments, and the run gives 1"),
    "format-wrong-type": (2, ":2: step 0 has a value of the wrong type"),
    "late-call-unloads-the-next-generation": (1, "Unload(h1, shop/orders/workflow/0, 2) needs <<h, q, g>> \\in called"),
    "late-poll-gets-the-task": (1, "SyncMatch(t1, p1) needs p \\notin expired"),
    "left-caller-gets-the-task": (1, "SyncMatch(t1, p1) needs p \\notin left"),
    "series-of-a-stopped-manager-stay": (1, "gauges is not what the spec leaves"),
    "story-delivered-twice": (1, "diverged at step 12 of"),
    "story-line-dropped": (1, "diverged at step 11 of"),
    "story-lines-swapped": (1, "diverged at step 10 of"),
    "story-not-quiescent": (1, "not the end: something is owed"),
    "story-unreported-change": (1, "a change that no step reported"),
}


def named(path: Path) -> str:
    return path.stem


def check(path: Path) -> tuple[int, str]:
    result = CliRunner().invoke(conform, ["check", str(path)], standalone_mode=False)
    return result.return_value, result.output


@pytest.mark.parametrize("path", ACCEPTED, ids=named)
def test_an_accepted_run_is_accepted(path: Path) -> None:
    assert check(path)[0] == 0


@pytest.mark.parametrize("path", REJECTED, ids=named)
def test_a_rejected_run_is_not_accepted(path: Path) -> None:
    assert check(path)[0] in (1, 2, 4)


@pytest.mark.parametrize("name", SAID)
def test_what_is_wrong_is_said_of_it(name: str) -> None:
    status, said = SAID[name]
    found, output = check(CORPUS / "rejected" / f"{name}.ndjson")

    assert found == status
    assert said.lower() in output.lower()


@pytest.mark.parametrize("path", ACCEPTED, ids=named)
def test_a_run_that_is_kept_is_canonical_and_says_why(path: Path) -> None:
    header, steps, footer = read_trace(path)

    assert trace_text(header, steps, footer) == path.read_text(encoding="utf-8")
    assert header.why
