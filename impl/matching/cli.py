"""The command line ``matching``: walkthroughs of the service, a host that serves, calls of it, and a look at it.

Exit 0 done, 1 the service did not do what it should, 2 asked wrongly, 3 a tool is missing.
An error that owns an ``exit_status`` becomes one line on stderr and that status.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from matching.calling import add, poll
from matching.errors import MatchingError
from matching.wording import one_line

__all__ = ["main", "matching"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="matching-conformance", prog_name="matching")
def matching() -> None:
    """A task-matching service, as Temporal has it."""


def _walkthrough(name: str, told: str) -> None:
    """Add the verb of one walkthrough, a module of that name with a function of that name."""
    module = name.replace("-", "_")

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

        take = getattr(import_module(f"matching.walkthroughs.{module}"), module)
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
_walkthrough("lifecycle", "Walk through the life of a partition's manager over a failover, in six steps.")
_walkthrough("metrics", "Walk through what a scrape reads, and what an export without two labels hides.")
_walkthrough("failover-metrics", "Walk through what a dashboard reads after a failover, under both settings.")


def _that_ends(context: click.Context, parameter: click.Parameter, seconds: float | None) -> float | None:
    if seconds is not None and not math.isfinite(seconds):
        raise click.BadParameter(f"{seconds} is no number of seconds", context, parameter)
    return seconds


@matching.command("serve")
@click.option("--database", required=True, help="The URL of the database, such as sqlite:///FILE.")
@click.option("--host", required=True, help="The name of this host, unlike that of any other over the database.")
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    required=True,
    help="Where /metrics and /inspect answer on this machine; 0 is any port that is free.",
)
@click.option(
    "--rpc-port",
    type=click.IntRange(0, 65535),
    help="Where the host is called on this machine, by gRPC; 0 is any port that is free. By default it is not.",
)
@click.option("--peers", help="The other hosts, and where they are called: NAME=127.0.0.1:PORT,…")
@click.option("--namespace", help="Whose calls are served: by default that of what is loaded, or else `default`.")
@click.option("--load", "partitions", multiple=True, help="A partition to be loaded, namespace/family/workflow/0.")
@click.option(
    "--emit-seconds",
    type=click.FloatRange(0, min_open=True),
    callback=_that_ends,
    default=5.0,
    show_default=True,
    help="How often a partition shows its backlog.",
)
@click.option(
    "--block-size",
    type=click.IntRange(min=1),
    default=100_000,
    show_default=True,
    help="How many ids a lease is good for: the same at every host over the database, at all times.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    callback=_that_ends,
    help="Stop after so long; by default at a signal.",
)
@click.option(
    "--trace",
    "steps",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Append every step that this host takes to this file, a line of JSON each, as it is taken.",
)
def serve(
    database: str,
    host: str,
    metrics_port: int,
    rpc_port: int | None,
    peers: str | None,
    namespace: str | None,
    partitions: tuple[str, ...],
    emit_seconds: float,
    block_size: int,
    seconds: float | None,
    steps: Path | None,
) -> None:
    """Serve as one host, until a signal: load the named partitions, show them, and answer to calls."""
    import asyncio

    from matching.adapters.rpc.addresses import Calls, parse_peers
    from matching.backlog import BacklogLimits
    from matching.identity import Host, PartitionKey
    from matching.lifetime import LifetimeOptions
    from matching.serving import serve

    for name in (host, namespace or "", *partitions):
        _refuse_what_is_no_text(name)
    keys = list(dict.fromkeys(map(PartitionKey.parse, partitions)))
    if len({key.namespace for key in keys}) > 1:
        raise click.UsageError("a host serves one namespace; name partitions of one only")
    if not host.strip():
        raise click.UsageError("a host has a name; give it with --host")
    if namespace is not None and (not namespace.strip() or "/" in namespace):
        raise click.UsageError(f"{namespace!r} is no namespace; it has a name without a slash")
    if rpc_port is None and (peers is not None or namespace is not None):
        raise click.UsageError("a host is called where others or a namespace are named; give it --rpc-port")
    loaded = keys[0].namespace if keys else namespace
    if namespace is not None and loaded != namespace:
        raise click.UsageError(f"a host serves one namespace; {namespace} is not that of what is loaded, {loaded}")
    calls = None
    if rpc_port is not None:
        others = {} if peers is None else parse_peers(Host(host), peers)
        calls = Calls(port=rpc_port, namespace=loaded or "default", peers=others)
    if steps is not None:
        _refuse_what_cannot_be_written(steps)
    run = serve(
        click.echo,
        Host(host),
        database=database,
        metrics_port=metrics_port,
        partitions=keys,
        options=LifetimeOptions(emit_seconds=emit_seconds, idle_seconds=None),
        limits=BacklogLimits(block_size=block_size),
        calls=calls,
        steps=steps,
        seconds=seconds,
    )
    asyncio.run(run)


matching.add_command(poll)
matching.add_command(add)


@matching.command("inspect")
@click.option("--port", type=click.IntRange(1, 65535), required=True, help="The metrics port of `matching serve`.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def inspect(port: int, as_json: bool) -> None:
    """Show what a host that serves on this machine holds of each partition."""
    import json

    from matching.adapters.asking import ask_inspect
    from matching.errors import NothingServed
    from matching.inspect import read, table

    found = ask_inspect(port)
    try:
        text = table([read(each) for each in found["partitions"]])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NothingServed(f"what answers on port {port} tells of partitions as no host does") from error
    click.echo(json.dumps(found, indent=2) if as_json else text)


def _refuse_what_is_no_text(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise click.UsageError(f"the name {name!r} is no text in UTF-8") from error


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
    before = signal.getsignal(signal.SIGTERM)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        sys.exit(_run(arguments))
    finally:
        signal.signal(signal.SIGTERM, before)


class _Terminated(SystemExit):
    """Somebody asked this process to end; what it has opened is closed first.

    It is an exit, since an event loop lets nothing else but an interrupt out of a callback.
    """


def _terminate(number: int, frame: object) -> None:
    raise _Terminated


def _run(arguments: Sequence[str] | None) -> int:
    output = sys.stdout
    try:
        matching.main(args=arguments, prog_name="matching", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        _complain(error.format_message())
        return 2
    except (click.Abort, KeyboardInterrupt):
        _complain("stopped")
        return 128 + signal.SIGINT
    except _Terminated:
        _complain("stopped")
        return 128 + signal.SIGTERM
    except SystemExit:
        # Where the reader of our output has left, Click puts something else in its place and leaves.
        if sys.stdout is output:
            raise
        return 128 + signal.SIGPIPE
    except OSError as error:
        if error.filename is None:
            # The interpreter must not try to flush it again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        _complain(f"{error.filename or 'the output'} cannot be written: {error.strerror}")
        return 2
    except Exception as error:
        status = 2 if isinstance(error, MatchingError) else getattr(error, "exit_status", None)
        if not isinstance(status, int):
            raise
        _complain(str(error))
        return status
    return 0


def _complain(message: str) -> None:
    with contextlib.suppress(OSError):
        click.echo(f"matching: {one_line(message)}", err=True)
