"""``conform show``: a trace, told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

__all__ = ["show"]


@click.command(short_help="Show a trace.")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--as",
    "form",
    type=click.Choice(["text", "mermaid", "itf"]),
    default="text",
    show_default=True,
    help="A table, a sequence diagram in Mermaid's language, or a document of Apalache's Informal Trace Format.",
)
@click.option("--full", is_flag=True, help="As text: fold nothing, however long it is.")
@click.option("--judged", is_flag=True, help="As itf: every variable of the specification, also what the run hides.")
@click.option("--spec", type=click.Path(path_type=Path), help="With --judged: by this module (default: Matching).")
@click.option("--config", type=click.Path(path_type=Path), help="With --judged: by these constants and properties.")
def show(trace: Path, form: str, full: bool, judged: bool, spec: Path | None, config: Path | None) -> int:
    """Show a run as a table that reads as a story: what was asked, what was done, what it changed.

    It is shown, not judged; a trace that was cut short is shown as far as it goes.  With
    --judged it is judged, and shown as far as the specification allows it; the exit
    status is then that of conform check, or 2 where several states fit.
    """
    from conformance.cli.traces import readable
    from conformance.trace.reader import read_trace

    if full and form != "text":
        raise click.UsageError(f"--full is for text; as {form} nothing is folded")
    if (judged and form != "itf") or ((spec or config) and not judged):
        raise click.UsageError("--judged is for --as itf, and --spec and --config are for --judged")
    status, states = 0, None
    with readable(trace) as file:
        header, steps, footer = read_trace(file)
        if judged:
            status, states = _judged(file, spec, config)
    if form == "text":
        from conformance.trace.show import show_text

        click.echo(show_text(header, steps, footer, full=full), nl=False)
    elif form == "mermaid":
        from conformance.refinement.parties import MESSAGES
        from conformance.trace.mermaid import show_mermaid

        click.echo(show_mermaid(header, steps, footer, MESSAGES), nl=False)
    else:
        from conformance.trace.itf import itf_document

        click.echo(json.dumps(itf_document(header, steps, footer, states), indent=1, ensure_ascii=False))
    return status


def _judged(trace: Path, spec: Path | None, config: Path | None) -> tuple[int, list[dict[str, Any]]]:
    """The exit status of the verdict, and the states of the specification along the run."""
    from conformance.cli.modules import find_profile
    from conformance.judging.check import check_trace
    from conformance.judging.states import States

    states = States()
    verdict = check_trace(trace, find_profile(spec, config), onlooker=states)
    if not states.found and verdict.divergence is None:
        raise click.UsageError("the steps of the run may have come in several orders: no state can be told as the one")
    return verdict.exit_status, states.found
