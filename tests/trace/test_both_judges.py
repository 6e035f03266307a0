"""A failing run goes to TLC as well, which must find the same step: kept runs, and planted faults of the service.

A few are asked in each run of the tests; ``python -m tests.trace.test_both_judges`` asks all.
"""

from pathlib import Path

import click
import pytest

from conformance.cli.running import run_and_leave
from conformance.judging.check import check_trace
from conformance.paths import traces_directory
from conformance.trace.errors import TraceError
from conformance.trace_spec import check_trace_with_tlc

REJECTED = sorted((traces_directory() / "corpus" / "rejected").glob("*.ndjson"))
KILLING = sorted((Path(__file__).parents[1] / "mutants" / "scenarios").glob("*.ndjson"))
SAMPLE = ("left-caller-gets-the-task", "story-unreported-change", "stop-keeps-its-memory", "start-reads-nothing")
Said = tuple[str, int | None]


def said(path: Path) -> list[Said] | None:
    """What the evaluator and TLC say of a run, and at which step; None where it is none that can be read."""
    try:
        verdicts = [check_trace(path), check_trace_with_tlc(path)]
    except TraceError:
        return None
    return [(each.word.value, each.divergence.step if each.divergence else None) for each in verdicts]


@pytest.mark.parametrize("name", SAMPLE)
def test_both_judges_find_the_same_step_of_a_failing_run(tools: None, name: str) -> None:
    (path,) = [path for path in (*REJECTED, *KILLING) if path.stem == name]
    verdicts = said(path)

    assert verdicts is not None
    assert verdicts[0] == verdicts[1]
    assert verdicts[0][0] == "rejected"


@click.command()
def both_judges() -> int:
    """Ask the evaluator and TLC about every failing run that is kept, and print what both say.

    Exit 1 where they differ, 3 where Java or TLC is missing.
    """
    differing = 0
    for path in (*REJECTED, *KILLING):
        verdicts = said(path)
        differing += verdicts is not None and verdicts[0] != verdicts[1]
        click.echo(f"{path.stem:<60} {'cannot be read' if verdicts is None else verdicts}")
    return int(differing > 0)


if __name__ == "__main__":
    run_and_leave(both_judges, "python -m tests.trace.test_both_judges")
