"""``conform show``: a trace, told."""

from __future__ import annotations

import json
from pathlib import Path

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
def show(trace: Path, form: str, full: bool) -> int:
    """Show a run as a table that reads as a story: what was asked, what was done, what it changed.

    It is shown, not judged; a trace that was cut short is shown as far as it goes.
    """
    from conformance.cli.traces import readable
    from conformance.trace.reader import read_trace

    if full and form != "text":
        raise click.UsageError(f"--full is for text; as {form} nothing is folded")
    with readable(trace) as file:
        header, steps, footer = read_trace(file)
    if form == "text":
        from conformance.trace.show import show_text

        click.echo(show_text(header, steps, footer, full=full), nl=False)
    elif form == "mermaid":
        from conformance.refinement.parties import MESSAGES
        from conformance.trace.mermaid import show_mermaid

        click.echo(show_mermaid(header, steps, footer, MESSAGES), nl=False)
    else:
        from conformance.trace.itf import itf_document

        click.echo(json.dumps(itf_document(header, steps, footer), indent=1, ensure_ascii=False))
    return 0
