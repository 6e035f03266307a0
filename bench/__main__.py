"""``python -m bench``: every measurement, one table; exit 1 where a ratio misses its gate."""

import json
import tempfile
from pathlib import Path

import attrs
import click

from bench import evaluating, exploring, fuzzing, judging, serving
from bench.measure import table
from conformance.cli.running import run_and_leave


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--long",
    type=click.IntRange(min=100),
    default=judging.LONG,
    show_default=True,
    help="How many steps of a long trace TLC is given as well; at 20,000 it takes a quarter of an hour.",
)
def bench(as_json: bool, long: int) -> int:
    """Measure judging, exploring, fuzzing and serving, each as a ratio of this run."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            *judging.measure(Path(folder), long),
            *evaluating.measure(),
            *exploring.measure(),
            *fuzzing.measure(),
            *serving.measure(Path(folder)),
        ]
    if as_json:
        found = [attrs.asdict(row) | {"ratio": row.ratio, "kept": row.kept} for row in rows]
        click.echo(json.dumps({"measurements": found}, indent=2))
    else:
        click.echo(table(rows))
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    run_and_leave(bench, "python -m bench")
