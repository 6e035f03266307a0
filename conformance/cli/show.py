"""``conform show``: a trace, told."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["show"]


@click.command(short_help="Show a trace.")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--as", "form", type=click.Choice(["text"]), default="text", show_default=True, help="The form in which to show it."
)
def show(trace: Path, form: str) -> int:
    """Show a run as a table that reads as a story: what was asked, what was done, what it changed.

    It is shown, not judged; a trace that was cut short is shown as far as it goes.
    """
    from conformance.trace.reader import read_trace
    from conformance.trace.show import show_text

    assert form == "text"
    header, steps, footer = read_trace(trace)
    click.echo(show_text(header, steps, footer), nl=False)
    return 0
