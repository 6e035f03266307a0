"""The recorded runs of ``traces/corpus``: scenarios played by the service, and what no service made.

``python -m tests.corpus`` records them anew, for a service, a specification or a story that has changed on purpose.
"""

from pathlib import Path

import click

from conformance.cli.running import run_and_leave
from conformance.paths import traces_directory
from conformance.scenarios import play, read_scenario, scenario_files
from conformance.trace.writer import trace_text, write_trace

__all__ = ["ACCEPTED", "REJECTED", "corpus", "kept_texts", "recorded_text"]

ACCEPTED = traces_directory() / "corpus" / "accepted"
REJECTED = ACCEPTED.with_name("rejected")


def recorded_text(path: Path) -> str:
    """The scenario of that file, played now."""
    run = play(read_scenario(path))
    return trace_text(run.header, run.steps, run.footer)


def kept_texts() -> dict[Path, str]:
    """Everything that is kept but an empty file, by where it is kept."""
    from tests.broken import accepted_stories, faulty_runs, rejected_texts

    played = {path.stem: recorded_text(path) for path in scenario_files()}
    accepted = {ACCEPTED / f"{name}.ndjson": text for name, text in (played | accepted_stories()).items()}
    rejected = {REJECTED / f"{name}.ndjson": text for name, text in (rejected_texts() | faulty_runs()).items()}
    return accepted | rejected


@click.command()
def corpus() -> None:
    """Play every script of traces/scenarios, tell every story, and keep the runs in traces/corpus.

    It is for what has changed on purpose, and prints the names of the files.  Nothing is
    kept unless all of them can be made.
    """
    for path, text in kept_texts().items():
        click.echo(write_trace(path, text).name)


if __name__ == "__main__":
    run_and_leave(corpus, "python -m tests.corpus")
