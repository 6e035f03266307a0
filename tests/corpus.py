"""The recorded runs of ``traces/corpus/accepted`` that are scenarios played by the service.

``python -m tests.corpus`` records them anew, for a service or a story that has changed on purpose.
"""

from pathlib import Path

import click

from conformance.cli.running import run_and_leave
from conformance.paths import traces_directory
from conformance.scenarios import play, read_scenario, scenario_files
from conformance.trace.writer import trace_text, write_trace

__all__ = ["ACCEPTED", "corpus", "recorded_text"]

ACCEPTED = traces_directory() / "corpus" / "accepted"


def recorded_text(path: Path) -> str:
    """The scenario of that file, played now."""
    run = play(read_scenario(path))
    return trace_text(run.header, run.steps, run.footer)


@click.command()
def corpus() -> None:
    """Play every script of traces/scenarios, and keep the runs in traces/corpus/accepted.

    It is for a service or a story that has changed on purpose, and prints the names of
    the files.  Nothing is kept unless all of them can be played.
    """
    texts = {path.stem: recorded_text(path) for path in scenario_files()}
    for name, text in texts.items():
        click.echo(write_trace(ACCEPTED / f"{name}.ndjson", text).name)


if __name__ == "__main__":
    run_and_leave(corpus, "python -m tests.corpus")
