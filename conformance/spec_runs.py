"""Runs the recorded models under TLC and holds each verdict against its row.

Four rules:

1. Counts are compared only where they mean something: one worker, and a model that
   completes.
2. A run that proves nothing (liveness under a constraint, nothing checked) differs
   from every record.
3. Coverage that recognises no action is a failure, and so is an action that no run
   of its module takes: a gate that matches nothing must not pass.
4. The fingerprint polynomial is fixed, so that a counterexample of liveness has the
   same length each time.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import attrs

from conformance.specs import Registry, Row
from conformance.tla.config import parse_config
from conformance.tla.model import Model
from conformance.tla.tlc import Coverage, Progress, Verdict, run

__all__ = ["Report", "Result", "actions_of", "as_recorded", "coverage_problems", "differences", "run_rows"]

TIMEOUT_S = 1200.0
SHORT_STATES = 10_000
"""A model that has no more states than these, or a counterexample, is over in a few seconds."""


@attrs.frozen
class Result:
    """One row, what TLC said, and where that differs from the record."""

    row: Row
    verdict: Verdict
    differences: tuple[str, ...]


@attrs.frozen
class Report:
    """All results, and what is wrong that no single row shows."""

    results: tuple[Result, ...]
    problems: tuple[str, ...]

    @property
    def as_recorded(self) -> bool:
        return not self.problems and not any(result.differences for result in self.results)

    def first_difference(self) -> str | None:
        for result in self.results:
            if result.differences:
                return f"{result.row.name}: {result.differences[0]}"
        return self.problems[0] if self.problems else None

    def coverage(self) -> dict[str, dict[str, int]]:
        """For each model module, how often each action was taken in all its runs with coverage."""
        table: dict[str, dict[str, int]] = {}
        for result in self.results:
            if result.row.coverage:
                counts = table.setdefault(result.row.module, {})
                for action, count in result.verdict.coverage.items():
                    counts[action] = counts.get(action, 0) + count.total
        return table


def run_rows(
    registry: Registry,
    rows: Sequence[Row],
    *,
    jobs: int = 2,
    on_progress: Callable[[Row, Progress], None] = lambda row, progress: None,
    on_result: Callable[[Result], None] = lambda result: None,
) -> Report:
    """Run the rows, ``jobs`` at once, and compare; results keep the order of the rows."""
    stopped = threading.Event()

    def one(row: Row) -> Result:
        verdict = run(
            registry.module_path(row),
            registry.config_path(row),
            check_deadlock=row.deadlock,
            coverage=row.coverage,
            timeout_s=TIMEOUT_S,
            short=row.verdict != "ok" or (row.distinct or SHORT_STATES) < SHORT_STATES,
            progress=lambda progress: on_progress(row, progress),
            arguments=["-fp", "0"],
            stop=stopped.is_set,
        )
        result = Result(row, verdict, tuple(differences(row, verdict)))
        on_result(result)
        return result

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        # The longest first, so that no long one is left to run alone at the end.
        order = sorted(rows, key=lambda row: -(row.distinct or 0))
        running = {row.config: pool.submit(one, row) for row in order}
        try:
            results = tuple(running[row.config].result() for row in rows)
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            raise
    return Report(results, tuple(_coverage_of(registry, results)))


def differences(row: Row, verdict: Verdict) -> list[str]:
    """Where the verdict is not what the row records, a phrase each, the gravest first."""
    if verdict.verdict != row.verdict:
        found = verdict.violated or (str(verdict.errors[0]) if verdict.errors else "")
        return [f"{row.verdict} is recorded, {verdict.verdict} is found" + (f" ({found})" if found else "")]
    if verdict.vacuous:
        return [f"the run proves nothing: {verdict.warnings[-1]}"]
    pairs: list[tuple[str, object, object]]
    if row.verdict == "ok":
        pairs = [("distinct states", row.distinct, verdict.distinct), ("depth", row.depth, verdict.depth)]
    elif row.verdict in ("safety", "liveness", "deadlock"):
        pairs = [("property", row.violated, verdict.violated), ("length", row.length, len(verdict.counterexample))]
    else:
        pairs = []
    if row.verdict == "liveness" and row.violated is not None and verdict.violated is None:
        # TLC names no temporal property; a cfg with several cannot be held to one of them.
        return [f"the cfg has several properties, so nothing shows that {row.violated} is the one that is violated"]
    return [f"{what}: {recorded} recorded, {found} found" for what, recorded, found in pairs if recorded != found]


def as_recorded(row: Row, verdict: Verdict) -> Row:
    """The row with the counts of this verdict."""
    completed = verdict.completed
    return attrs.evolve(
        row,
        verdict=verdict.verdict,
        distinct=verdict.distinct if completed else None,
        depth=verdict.depth if completed else None,
        violated=None if completed else verdict.violated,
        length=len(verdict.counterexample) or None if not completed else None,
    )


def actions_of(registry: Registry, row: Row) -> frozenset[str]:
    """The actions of the module's own Next, also where the row's cfg takes but a part of it."""
    config = attrs.evolve(parse_config(registry.config_path(row)), specification=None, init=None, next="Next")
    return frozenset(Model.load(registry.module_path(row), config).actions)


def coverage_problems(module: str, expected: Iterable[str], runs: Iterable[Mapping[str, Coverage]]) -> list[str]:
    """What the coverage of a module's runs leaves to be desired, a sentence each."""
    total: dict[str, int] = {}
    for table in runs:
        for action, count in table.items():
            total[action] = total.get(action, 0) + count.total
    if not total:
        return [f"{module}: no row of TLC's coverage was recognised, so no action is known to be taken"]
    expected = set(expected)
    found = []
    if never := sorted(action for action in expected if total.get(action, 0) == 0):
        found.append(f"{module}: never taken in any run: {', '.join(never)}")
    if strange := sorted(total.keys() - expected):
        found.append(f"{module}: TLC covers {', '.join(strange)}, which Next does not name")
    return found


def _coverage_of(registry: Registry, results: Sequence[Result]) -> list[str]:
    """The gate for each module whose covering runs were all made, or whose one run must do alone."""
    problems: list[str] = []
    made = [result for result in results if result.row.coverage and result.verdict.completed]
    for module in dict.fromkeys(result.row.module for result in results):
        mine = [result for result in made if result.row.module == module]
        needed = {row.config for row in registry.rows if row.module == module and row.coverage}
        rows_run = {result.row.config for result in results if result.row.module == module}
        whole_module = {row.config for row in registry.rows if row.module == module} <= rows_run
        if not needed and whole_module:
            problems.append(f"{module}: no row has `coverage: true`, so no action is known to be taken")
        elif mine and ({result.row.config for result in mine} == needed or any(result.row.edges for result in mine)):
            actions = actions_of(registry, mine[0].row)
            problems += coverage_problems(module, actions, [result.verdict.coverage for result in mine])
    return problems
