"""The command line ``matching``: walkthroughs of the service.

Exit 0 done, 1 the service did not do what it should, 2 asked wrongly, 3 a tool is missing.
An error that owns an ``exit_status`` becomes one line on stderr and that status.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from matching.errors import MatchingError

__all__ = ["main", "matching"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="matching-conformance", prog_name="matching")
def matching() -> None:
    """A task-matching service, as Temporal has it."""


def _walkthrough(name: str, told: str) -> None:
    """Add the verb of one walkthrough, a module of that name with a function of that name."""

    @matching.command(name, help=told)
    @click.option(
        "--trace",
        type=click.Path(dir_okay=False, path_type=Path),
        default=None,
        help="Record the run in this file, for `conform check`.",
    )
    def walk(trace: Path | None) -> None:
        import asyncio

        from matching.probe import load_trace_factory

        take = getattr(import_module(f"matching.walkthroughs.{name}"), name)
        if trace is None:
            asyncio.run(take(click.echo))
            return
        _refuse_what_cannot_be_written(trace)
        recorders = load_trace_factory()
        asyncio.run(take(click.echo, recorders.attach))
        recorders.write(trace, at_rest=True)
        click.echo(f"\nrecorded as {trace}      judge it: conform check {trace}")


_walkthrough("tour", "Walk from a client to what is durable, and back through a worker, in six steps.")
_walkthrough("meetings", "Walk through the ways in which a poll and a task meet, or miss each other.")
_walkthrough("dispatch", "Walk through what each answer of History does to a record.")
_walkthrough("concurrency", "Walk through what runs at the same time, and what of it ends when.")


def _refuse_what_cannot_be_written(trace: Path) -> None:
    if not trace.name or (trace.exists() and not trace.is_file()):
        raise click.UsageError(f"{str(trace)!r} is no file; name one to record the run in")
    if not trace.parent.is_dir():
        raise click.UsageError(f"there is no folder {trace.parent} for {trace.name}; make it, or name another")
    try:
        tempfile.TemporaryFile(dir=trace.parent).close()
    except OSError as error:
        raise click.UsageError(f"the folder {trace.parent} cannot be written: {error.strerror}") from error


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one verb and leave with its exit status."""
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    output = sys.stdout
    try:
        matching.main(args=arguments, prog_name="matching", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        click.echo(f"matching: {' '.join(error.format_message().split())}", err=True)
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("matching: stopped", err=True)
        return 128 + signal.SIGINT
    except SystemExit:
        # Where the reader of our output has left, Click puts something else in its place and leaves.
        if sys.stdout is output:
            raise
        return 128 + signal.SIGPIPE
    except OSError as error:
        if error.filename is None:
            # The interpreter must not try to flush it again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        click.echo(f"matching: {error.filename or 'the output'} cannot be written: {error.strerror}", err=True)
        return 2
    except Exception as error:
        status = 2 if isinstance(error, MatchingError) else getattr(error, "exit_status", None)
        if not isinstance(status, int):
            raise
        click.echo(f"matching: {error}", err=True)
        return status
    return 0
