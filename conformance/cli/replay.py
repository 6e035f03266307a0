"""``conform replay``: run a trace again, and explain where it parts from the specification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from conformance.trace.header import Footer
    from conformance.trace.step import TraceStep

__all__ = ["first_difference", "replay", "requests_of"]


@click.command(short_help="Run a trace again, and explain where it parts from the spec.")
@click.argument("trace", type=click.Path(path_type=Path))
def replay(trace: Path) -> int:
    """Run a trace again on the implementation, step by step, and explain where it parts from the specification.

    The requests that the trace records are made again, in their order; what the
    service does then is judged anew.  Exit 0 when this run is allowed, 1 when it
    diverges or the target itself fails, 2 when the trace cannot be read.
    """
    from conformance.judging.report import render_divergence
    from conformance.targets import simulation
    from conformance.trace.reader import read_trace
    from conformance.trace.show import show_text

    header, recorded, footer = read_trace(trace)
    run = simulation.replay(header, requests_of(recorded, footer))
    if run.divergence is not None:
        click.echo(render_divergence(run.header, run.steps, run.divergence), nl=False)
    else:
        click.echo(show_text(run.header, run.steps, run.footer), nl=False)
        click.echo("The specification allows every step of this run.")
    click.echo(f"\n{_comparison(recorded, run.steps)}")
    return 1 if run.divergence is not None or run.end == "failed" else 0


def requests_of(steps: Sequence[TraceStep], footer: Footer | None) -> list[Mapping[str, Any]]:
    """Everything that the driver asked, in order; the reproduction of the run."""
    asked = [request for step in steps for request in step.request]
    return asked + list(footer.requests if footer is not None else ())


def first_difference(recorded: Sequence[TraceStep], again: Sequence[TraceStep]) -> int | None:
    """The number of the first step in which two runs differ; None where they are the same."""
    for before, now in zip(recorded, again, strict=False):
        if before.as_json() != now.as_json():
            return before.step
    if len(recorded) != len(again):
        return min(len(recorded), len(again))
    return None


def _comparison(recorded: Sequence[TraceStep], again: Sequence[TraceStep]) -> str:
    number = first_difference(recorded, again)
    if number is None:
        return "same as recorded"
    before = recorded[number].label if number < len(recorded) else "the end"
    now = again[number].label if number < len(again) else "the end"
    if before == now:
        return f"this run parts from the recorded one at step {number}: {now} leaves something else"
    return f"this run parts from the recorded one at step {number}: recorded {before or '-'}, now {now or '-'}"
