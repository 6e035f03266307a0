"""The recorded runs of ``traces/corpus/accepted`` that are scenarios played by the service.

``python -m tests.corpus`` records them anew, for a service or a story that has changed on purpose.
"""

import argparse
from pathlib import Path

from conformance.paths import traces_directory
from conformance.scenarios import play, read_scenario, scenario_files
from conformance.trace.writer import trace_text, write_trace

__all__ = ["ACCEPTED", "main", "record_all", "recorded_text"]

ACCEPTED = traces_directory() / "corpus" / "accepted"


def recorded_text(path: Path) -> str:
    """The scenario of that file, played now."""
    run = play(read_scenario(path))
    return trace_text(run.header, run.steps, run.footer)


def record_all() -> list[Path]:
    """Record every scenario."""
    return [write_trace(ACCEPTED / f"{path.stem}.ndjson", recorded_text(path)) for path in scenario_files()]


def main(arguments: list[str] | None = None) -> int:
    """Record every scenario, and print the names of the files."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.corpus", description="Plays every script of traces/scenarios, and keeps the runs."
    )
    parser.parse_args(arguments)
    for written in record_all():
        print(written.name)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
