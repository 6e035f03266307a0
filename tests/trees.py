"""Ships the syntax trees of ``spec/`` anew, so that judging by it needs no Java."""

from pathlib import Path

import click

from conformance.cli.running import run_and_leave
from conformance.paths import spec_directory
from conformance.tla.sany import ship_tree

__all__ = ["modules", "trees"]


def modules() -> list[Path]:
    """The modules whose trees are shipped."""
    return sorted(spec_directory().glob("*.tla"))


@click.command()
def trees() -> None:
    """Ship the syntax trees of spec/ anew, so that judging by it needs no Java.

    It is for after a change of spec/, and prints the names of the files.  Exit 2 where
    a module is refused or a tree cannot be written, 3 where Java is needed and missing.
    """
    for module in modules():
        click.echo(ship_tree(module).name)


if __name__ == "__main__":
    run_and_leave(trees, "python -m tests.trees")
