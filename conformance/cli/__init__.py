"""The command line ``conform``: a name for each verb, and one way for things to go wrong.

Three rules:

1. A verb's module is imported when the verb is used, and not for ``conform --help``:
   judging a trace from the shell must not pay for what it does not need.
2. An error that owns an ``exit_status`` becomes one line on stderr and that status.
   A traceback means a bug of ours.
3. A verb returns its exit status: 0 conforms, 1 diverged or violated, 2 asked
   wrongly, 3 a tool is missing, 4 undecided or vacuous.  None means 0.
"""

import contextlib
import errno
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

import click

__all__ = ["VERBS", "complain", "conform", "main"]

LONGEST: Final = 600
"""How many characters a complaint has at most."""

VERBS: dict[str, tuple[str, str]] = {
    "all": ("conformance.cli.all:all_parts", "Do the main job: check the spec, fuzz, judge the corpus."),
    "check": ("conformance.cli.check:check", "Is this run allowed?"),
    "check-spec": ("conformance.cli.check_spec:check_spec", "Check every recorded model under TLC."),
    "doctor": ("conformance.cli.doctor:doctor", "Say which tools were found."),
    "explore": ("conformance.cli.explore:explore", "Explore a model breadth-first in Python."),
    "fuzz": ("conformance.cli.fuzz:fuzz", "Fuzz the service and judge every run."),
    "replay": ("conformance.cli.replay:replay", "Run a trace again, and explain where it parts from the spec."),
    "show": ("conformance.cli.show:show", "Show a trace."),
    "spec": ("conformance.cli.spec:spec", "Describe a module of the specification."),
}
"""Each verb, the function that it is, and its line in the list of verbs."""


class _Verbs(click.Group):
    """Looks a verb up when it is used; its line in the list needs no import."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module, _, name = VERBS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in sorted(VERBS.items())])


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="matching-conformance", prog_name="conform")
def conform() -> None:
    """Does the running system do only what the specification allows?"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one verb and leave with its exit status."""
    before = None
    with contextlib.suppress(ValueError):  # only the main thread hears signals
        before = signal.signal(signal.SIGTERM, _terminate)
    try:
        sys.exit(_run(arguments))
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


class _Terminated(BaseException):
    """Somebody asked this process to end; what it started must be ended first."""


def _terminate(signum: int, frame: object) -> None:
    raise _Terminated


def _run(arguments: Sequence[str] | None) -> int:
    output = sys.stdout
    try:
        status = conform.main(args=arguments, prog_name="conform", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        verb = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx is not None else "conform"
        complain(verb, error.format_message())
        return 2
    except (click.Abort, KeyboardInterrupt):
        complain("conform", "stopped")
        return 130
    except _Terminated:
        complain("conform", "stopped")
        return 143
    except OSError as error:
        return _lost_output(error)
    except SystemExit:
        # Where the reader of our output has left, Click puts something else in its place and leaves.
        if sys.stdout is output:
            raise
        return 141
    except Exception as error:
        status = getattr(error, "exit_status", None)
        if not isinstance(status, int):
            raise
        complain("conform", str(error))
    return status if isinstance(status, int) else 0


def _lost_output(error: OSError) -> int:
    """The status where what was said could not be written; an error about anything else is a bug of ours."""
    if error.errno not in (errno.EPIPE, errno.ENOSPC, errno.EIO):
        raise error
    # The interpreter must not try to flush it again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:
        return 141
    complain("conform", f"the output cannot be written: {error.strerror}")
    return 2


def complain(who: str, message: str) -> None:
    """One line on stderr, whatever the message is made of."""
    line = "".join(each if each.isprintable() else " " for each in message)
    line = " ".join(line.split())
    if len(line) > LONGEST:
        line = f"{line[: LONGEST - 1]}…"
    with contextlib.suppress(OSError):
        click.echo(f"{who}: {line}", err=True)
