"""What is left of a run that fails: the smallest such run as a trace, and what is said of it.

One rule: the trace is kept before anything is said, and what is said ends with the
command that runs it again.
"""

from __future__ import annotations

from pathlib import Path

from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from conformance.judging.report import render_divergence
from conformance.machines.polls import ConformanceError, PollRegistrationMachine
from conformance.machines.smaller import smaller
from conformance.paths import shown_path, traces_directory
from conformance.targets.simulation import Run
from conformance.trace.writer import keep_trace

__all__ = ["keep_run", "run_machine", "tell_run"]


def keep_run(run: Run, folder: Path | None = None) -> Path:
    """Keep the run under ``traces/found``, or in this folder, under the name that its content gives it."""
    return keep_trace(folder or traces_directory() / "found", run.header, run.steps, run.footer)


def tell_run(run: Run, kept: Path) -> str:
    """Say where the run left the specification, and how to run it again."""
    said = (
        render_divergence(run.header, run.steps, run.divergence)
        if run.divergence is not None
        else f"the service made a mistake: {run.mistake}\n"
    )
    shown = shown_path(kept)
    return f"{said}\nkept as {shown}      again: conform replay {shown}"


def run_machine(machine: type[PollRegistrationMachine], rules: settings, folder: Path | None = None) -> None:
    """Draw runs as these settings say; one that fails is made smaller request by request, not by drawing it anew.

    Raises:
        ConformanceError: a run failed; the message tells of the smallest, which is kept.
    """
    try:
        phases = [phase for phase in rules.phases if phase is not Phase.shrink]
        run_state_machine_as_test(machine, settings=settings(rules, phases=phases))
    except ConformanceError:
        if machine.last_run is None:
            raise
        machine.last_run = run = smaller(machine.last_run)
        raise ConformanceError(f"\n{tell_run(run, keep_run(run, folder))}") from None
