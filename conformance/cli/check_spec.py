"""``conform check-spec``: is the specification still what its records say?"""

import json
import sys
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from conformance.spec_runs import Report, Result
    from conformance.specs import Registry, Row

__all__ = ["check_spec"]


@click.command("check-spec")
@click.argument("models", metavar="[MODEL]...", nargs=-1)
@click.option("--quick", is_flag=True, help="Only the rows marked quick.")
@click.option("--jobs", type=click.IntRange(1, 16), default=2, show_default=True, help="Rows run at once.")
@click.option("--record", is_flag=True, help="Write the counts that were found into models.yaml.")
@click.option(
    "--mutants",
    is_flag=True,
    help="Compute the matrix of spec mutants afresh and record it; with a MODULE, its rows only.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check_spec(models: Sequence[str], quick: bool, jobs: int, record: bool, mutants: bool, as_json: bool) -> int:
    """Run every model of spec/models.yaml under TLC and compare with the record.

    MODEL is a cfg, its stem, or a module; without any, every row is run.  Exit 1
    on any difference: a verdict, a count, a cfg without a row, an action that is
    never taken, a stale or incomplete matrix of spec mutants.
    """
    from conformance.cli import complain
    from conformance.spec_mutants import load_mutants, matrix_as_json, recorded_problems
    from conformance.specs import load_registry

    if mutants and (quick or record):
        raise click.UsageError("--mutants computes the matrix; it takes no --quick and no --record")
    if mutants:
        return _mutants(models, as_json)
    registry = load_registry()
    plan = load_mutants()
    rows = _with_new_rows(registry) if record and not models else registry.select(models, quick=quick)
    report = _run(registry, rows, jobs)
    if record:
        return _record(registry, report, whole=not models)
    partial = bool(models)
    problems = [] if partial else registry.problems()
    problems += [] if partial else recorded_problems(plan)
    problems += report.problems
    if as_json:
        click.echo(json.dumps(_as_json(report, problems) | {"mutants": matrix_as_json(plan)}, indent=2))
    else:
        _print(report, problems)
    first = report.first_difference() or (problems[0] if problems else None)
    if first is not None:
        complain("conform", f"the first difference is {first}")
        return 1
    return 0


def _mutants(modules: Sequence[str], as_json: bool) -> int:
    from conformance.spec_mutants import (
        load_matrix,
        load_mutants,
        matrix_as_json,
        matrix_lines,
        recorded_problems,
        save_matrix,
    )
    from conformance.spec_survey import compute

    plan = load_mutants()
    for module in modules:
        if module not in plan.modules():
            raise click.UsageError(f"{module} has no mutants; there are some of {', '.join(plan.modules())}")
    count = sum(not modules or mutant.module in modules for mutant in plan.mutants)
    recorded = load_matrix(plan) if modules else None
    with _Bar(count, "mutant") as bar:
        matrix = compute(plan, modules=modules, recorded=recorded, on_result=lambda result: bar.step(result.name))
    save_matrix(plan, matrix)
    problems = recorded_problems(plan)
    if as_json:
        click.echo(json.dumps(matrix_as_json(plan) | {"problems": problems}, indent=2))
    else:
        for line in matrix_lines(plan):
            click.echo(line)
        for problem in problems:
            click.echo(f"!  {problem}")
    if problems:
        click.echo(f"conform: the first difference is {problems[0]}", err=True)
    return 1 if problems else 0


def _with_new_rows(registry: "Registry") -> list["Row"]:
    """The recorded rows, and one for each cfg that has none yet."""
    from conformance.specs import Row

    rows = list(registry.rows)
    modules = sorted((path.stem for path in registry.models.glob("*.tla")), key=len, reverse=True)
    for path in registry.unlisted():
        module = next((name for name in modules if path.stem.startswith(name)), None)
        if module is None:
            raise click.UsageError(f"{path.name} begins with the name of no module of {registry.models.name}/")
        rows.append(Row(module=module, config=path.name))
    return rows


def _run(registry: "Registry", rows: Sequence["Row"], jobs: int) -> "Report":
    from conformance.spec_runs import run_rows

    with _Bar(len(rows), "model") as bar:
        return run_rows(
            registry,
            rows,
            jobs=jobs,
            on_progress=lambda row, now: bar.note(f"{row.name}: {now.distinct:,} states"),
            on_result=lambda result: bar.step(result.row.name),
        )


def _record(registry: "Registry", report: "Report", *, whole: bool) -> int:
    from conformance.spec_runs import as_recorded
    from conformance.specs import save_registry

    failed = [result for result in report.results if result.verdict.verdict == "error"]
    if failed:
        click.echo(f"conform: {failed[0].row.name} is not recorded: {failed[0].verdict.errors[0]}", err=True)
        return 1
    new = {result.row.config: as_recorded(result.row, result.verdict) for result in report.results}
    rows = [new.pop(row.config, row) for row in registry.rows]
    save_registry(registry, [*rows, *(new.values() if whole else ())])
    click.echo(f"{len(report.results)} rows recorded in {registry.path.name}; read what changed before you commit it")
    return 0


def _print(report: "Report", problems: Sequence[str]) -> None:
    width = max((len(result.row.name) for result in report.results), default=5)
    click.echo(f"{'model':<{width}}  {'verdict':<10} {'states':>9} {'depth':>6} {'seconds':>8}  as recorded")
    for result in report.results:
        click.echo(_line(result, width))
    for module, counts in report.coverage().items():
        taken = sum(1 for count in counts.values() if count)
        click.echo(f"{module}: {taken} of {len(counts)} actions taken")
    for problem in problems:
        click.echo(f"!  {problem}")


def _line(result: "Result", width: int) -> str:
    verdict = result.verdict
    states = f"{verdict.distinct:,}" if verdict.completed and verdict.distinct is not None else "-"
    depth = str(verdict.depth) if verdict.completed and verdict.depth is not None else "-"
    said = "; ".join(result.differences) or ("yes" if verdict.violated is None else f"yes ({verdict.violated})")
    return f"{result.row.name:<{width}}  {verdict.verdict:<10} {states:>9} {depth:>6} {verdict.seconds:>8.1f}  {said}"


def _as_json(report: "Report", problems: Sequence[str]) -> dict[str, Any]:
    return {
        "as_recorded": report.as_recorded and not problems,
        "rows": [
            {
                "model": result.row.name,
                "module": result.row.module,
                "verdict": result.verdict.verdict,
                "recorded": result.row.verdict,
                "property": result.verdict.violated,
                "length": len(result.verdict.counterexample) or None,
                "distinct": result.verdict.distinct if result.verdict.completed else None,
                "depth": result.verdict.depth if result.verdict.completed else None,
                "seconds": round(result.verdict.seconds, 2),
                "warnings": list(result.verdict.warnings),
                "differences": list(result.differences),
            }
            for result in report.results
        ],
        "coverage": report.coverage(),
        "problems": list(problems),
    }


class _Bar:
    """A progress bar on stderr, silent where stderr is no terminal; safe from several threads."""

    def __init__(self, total: int, unit: str) -> None:
        from tqdm import tqdm

        self._lock = threading.Lock()
        self._bar = tqdm(total=total, unit=unit, file=sys.stderr, disable=not sys.stderr.isatty(), leave=False)

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()

    def note(self, text: str) -> None:
        with self._lock:
            self._bar.set_postfix_str(text)

    def step(self, text: str) -> None:
        with self._lock:
            self._bar.set_postfix_str(text, refresh=False)
            self._bar.update()
