"""``conform replay``: run a trace or a scenario, or walk a counterexample of TLC; say where the service parts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from conformance.targets.run import Run
    from conformance.trace.header import Footer
    from conformance.trace.step import TraceStep

__all__ = ["first_difference", "replay", "requests_of"]


@click.command(short_help="Run a trace, a scenario or a counterexample of TLC on the implementation.")
@click.argument("source", metavar="TRACE|SCENARIO|COUNTEREXAMPLE")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of text.")
def replay(source: str, as_json: bool) -> int:
    """Run a trace, a scenario or a counterexample of TLC on the implementation, and judge what it does.

    A trace, or a scenario (.yaml): the requests that it records are made again, in their
    order; what the service does then is judged anew.  A trace of a faulty service is one
    from which this service parts: that is said.  Exit 0 when this run is allowed, 1 when it
    diverges or the target itself fails, 2 when the trace cannot be read or is of another
    target, 4 when it takes no action, so that it says nothing.

    A counterexample: the output of TLC in a file; or the name of a model of
    PollRegistration, of its property (NeverTwoWait), or of a mutant, which TLC then runs.
    The service is led along it.  What the specification says can happen is walked to
    its end, a mutant up to its mutated step, where the service must part from it.
    Exit 0 when it did, 1 when it parts from the specification, 2 when there is no such
    name or no counterexample, 3 when TLC is missing, 4 when no way was found.
    """
    path = Path(source)
    if path.suffix in (".yaml", ".yml") and path.is_file():
        return _play_scenario(path, as_json)
    if path.suffix == ".ndjson" or (path.is_file() and _is_a_trace(path)):
        return _replay_trace(path, as_json)
    from conformance.walking import report
    from conformance.walking.sources import walk_named

    walked = walk_named(source)
    if as_json:
        _print_json(report.as_json(walked))
    else:
        click.echo(report.render_walk(walked), nl=False)
    return {True: 0, False: 1, None: 4}[walked.conforms]


def _is_a_trace(path: Path) -> bool:
    """A trace begins with an object, or is named as one; TLC's output begins with neither."""
    with path.open("rb") as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \r\n").startswith(b"{")


def _replay_trace(trace: Path, as_json: bool) -> int:
    from conformance.targets.replaying import replay as run_again
    from conformance.trace.reader import read_trace

    header, recorded, footer = read_trace(trace)
    with _named(trace):
        run = run_again(header, requests_of(recorded, footer))
    if as_json:
        _print_json({"trace": str(trace), **_as_json(run), "first_difference": first_difference(recorded, run.steps)})
    else:
        _tell(run)
        click.echo(f"\n{_comparison(recorded, run.steps)}")
    return _status(run)


def _play_scenario(path: Path, as_json: bool) -> int:
    from conformance.scenarios import play, read_scenario

    scenario = read_scenario(path)
    with _named(path):
        run = play(scenario)
    if as_json:
        _print_json({"scenario": str(path), **_as_json(run)})
    else:
        _tell(run)
    return _status(run)


@contextlib.contextmanager
def _named(source: Path) -> Iterator[None]:
    """Name the file with a request, or a world, that cannot be."""
    from conformance.trace.errors import TraceError

    try:
        yield
    except TraceError as error:
        raise error.at(source=str(source)) from error


def _tell(run: Run) -> None:
    from conformance.judging.report import render_divergence
    from conformance.trace.show import show_text

    if run.divergence is not None:
        click.echo(render_divergence(run.header, run.steps, run.divergence), nl=False)
    else:
        click.echo(show_text(run.header, run.steps, run.footer), nl=False)
        vacuous = "The run takes no action of the specification: it says nothing."
        click.echo(vacuous if _is_vacuous(run) else "The specification allows every step of this run.")


def _as_json(run: Run) -> dict[str, Any]:
    headline = None if run.divergence is None else run.divergence.headline
    return {"end": run.end, "divergence": headline, "vacuous": _is_vacuous(run)}


def _status(run: Run) -> int:
    if run.divergence is not None or run.end == "failed":
        return 1
    return 4 if _is_vacuous(run) else 0


def _is_vacuous(run: Run) -> bool:
    return all(step.action is None for step in run.steps)


def _print_json(document: Mapping[str, Any]) -> None:
    import json

    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


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
    before = _label(recorded[number]) if number < len(recorded) else "the end"
    now = _label(again[number]) if number < len(again) else "the end"
    if before == now:
        return f"this run parts from the recorded one at step {number}: {now} leaves something else"
    return f"this run parts from the recorded one at step {number}: recorded {before}, now {now}"


def _label(step: TraceStep) -> str:
    """The step as the table above spells it."""
    from conformance.judging.divergence import call

    return call(step.action, step.args) if step.action is not None else "-"
