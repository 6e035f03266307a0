"""How a command is run, and the one way in which it goes wrong: a line on stderr, and an exit status.

Three rules:

1. An error that owns an ``exit_status`` becomes one line on stderr and that status.
   A traceback means a bug of ours.
2. A command returns its exit status; None means 0.  What the system refuses of a file
   is told with the name of the file, and the status is 2.
3. Where the reader of our output has left, nothing is said, and the status is that of a
   program that SIGPIPE ended; where it cannot be written, that is said.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

import click

__all__ = ["LONGEST", "complain", "run_and_leave"]

LONGEST: Final = 600
"""How many characters a complaint has at most."""
READER_LEFT: Final = 128 + signal.SIGPIPE
INTERRUPTED: Final = 128 + signal.SIGINT
TERMINATED: Final = 128 + signal.SIGTERM


def run_and_leave(command: click.Command, name: str, arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command under its name and leave with its exit status."""
    before = None
    with contextlib.suppress(ValueError):  # only the main thread hears signals
        before = signal.signal(signal.SIGTERM, _terminate)
    try:
        sys.exit(_run(command, name, arguments))
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


class _Terminated(SystemExit):
    """Somebody asked this process to end; what it started must be ended first.

    An exit, for of what its callbacks raise an event loop lets only that and an interrupt through.
    """


def _terminate(signum: int, frame: object) -> None:
    raise _Terminated


def _run(command: click.Command, name: str, arguments: Sequence[str] | None) -> int:
    output = sys.stdout
    try:
        status = command.main(args=arguments, prog_name=name, standalone_mode=False)
        if sys.stdout is not None:  # it may have been closed before we began
            sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        verb = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx is not None else name
        complain(verb, error.format_message())
        return 2
    except (click.Abort, KeyboardInterrupt):
        complain(name, "stopped")
        return INTERRUPTED
    except _Terminated:
        complain(name, "stopped")
        return TERMINATED
    except OSError as error:
        if error.filename is None:
            return _lost_output(name, error)
        complain(name, f"{error.strerror}: {error.filename}")
        return 2
    except SystemExit:
        # Where the reader of our output has left, Click puts something else in its place and leaves.
        if sys.stdout is output:
            raise
        return READER_LEFT
    except Exception as error:
        status = getattr(error, "exit_status", None)
        if not isinstance(status, int):
            raise
        complain(name, str(error))
    return status if isinstance(status, int) else 0


def _lost_output(name: str, error: OSError) -> int:
    """The status where what was said could not be written; any other error without a file is a bug of ours."""
    if error.errno not in (errno.EPIPE, errno.ENOSPC, errno.EIO):
        raise error
    # The interpreter must not try to flush it again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:
        return READER_LEFT
    complain(name, f"the output cannot be written: {error.strerror}")
    return 2


def complain(who: str, message: str) -> None:
    """One line on stderr, whatever the message is made of."""
    line = "".join(each if each.isprintable() else " " for each in message)
    line = " ".join(line.split())
    if len(line) > LONGEST:
        line = f"{line[: LONGEST - 1]}…"
    with contextlib.suppress(OSError):
        click.echo(f"{who}: {line}", err=True)
