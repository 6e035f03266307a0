"""``conform check``: is this run allowed?"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from conformance.judge import Leeway
    from conformance.judging.coverage import Coverage
    from conformance.judging.profile import Profile
    from conformance.judging.verdict import TraceVerdict

__all__ = ["check"]

_WORST_FIRST = (1, 2, 3, 4)
LONG_BYTES = 1_000_000


@click.command(short_help="Is this run allowed?")
@click.argument("traces", nargs=-1, required=True, metavar="TRACE…", type=click.Path(path_type=Path))
@click.option(
    "--with",
    "judges",
    type=click.Choice(["python", "tlc", "both"]),
    default="python",
    show_default=True,
    help="Who judges: the evaluator, TLC, or both, which must then agree at the same step.",
)
@click.option(
    "--coverage", "shows_coverage", is_flag=True, help="Say what all the traces together take and put at stake."
)
@click.option("--require-coverage", is_flag=True, help="Undecided where that leaves anything out.")
@click.option("--spec", type=click.Path(path_type=Path), help="Judge by this module (default: Matching).")
@click.option("--config", type=click.Path(path_type=Path), help="The constants and properties to judge by.")
@click.option(
    "--silent",
    type=click.IntRange(min=0, max=100),
    default=0,
    show_default=True,
    help="How many steps may lie unseen between two.",
)
@click.option("--silent-action", "silent_actions", multiple=True, help="Only these may (several times; default: any).")
@click.option(
    "--most-candidates",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="A run that more states than this fit is undecided.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of text.")
def check(
    traces: tuple[Path, ...],
    judges: str,
    shows_coverage: bool,
    require_coverage: bool,
    spec: Path | None,
    config: Path | None,
    silent: int,
    silent_actions: tuple[str, ...],
    most_candidates: int,
    as_json: bool,
) -> int:
    """Is this run allowed by the specification?

    A run that leaves out arguments, actions, moments or variables is accepted if
    something fits that the specification allows.  A run brings its ids; every
    other constant comes from the configuration, and the verdict prints them.

    Coverage counts actions and their disjuncts, and says which invariants were
    never at stake: the left side of an implication never true, the set of a \\A
    always empty, an arm of an IF or CASE never come to, what a step property is
    about never changed.  Traces that are required to cover all and do not are
    undecided.

    Exit 0 when every run is accepted, 1 when one is rejected, 2 when one cannot
    be read, 3 when a tool is missing, 4 when one is vacuous (it takes no action)
    or undecided (it was cut short, it failed, more states fit than are followed,
    or the two judges disagree) or the traces cover too little.  Where several
    hold, the first of 1, 2, 3, 4 is given.
    """
    from conformance.cli import complain
    from conformance.cli.modules import find_profile
    from conformance.cli.traces import readable
    from conformance.judge import Leeway

    if silent_actions and not silent:
        raise click.UsageError("--silent-action needs --silent, which says how many steps may lie unseen")
    if silent and judges != "python":
        raise click.UsageError("steps that lie unseen are searched by --with python alone")
    if (shows_coverage or require_coverage) and judges == "tlc":
        raise click.UsageError("coverage is seen by the evaluator alone; leave --with tlc out, or ask both")
    leeway = Leeway(silent=silent, silent_actions=silent_actions or None, most_candidates=most_candidates)
    profile = find_profile(spec, config)
    documents: list[dict[str, Any]] = []
    statuses: set[int] = set()
    coverage = _coverage(profile) if shows_coverage or require_coverage else None
    for path in traces:
        try:
            with readable(path) as file:
                verdicts = _verdicts(file, judges, profile, leeway, coverage)
                if not as_json:
                    for verdict in verdicts:
                        _print(path, file, verdict)
        except Exception as error:
            status = getattr(error, "exit_status", None)
            if not isinstance(status, int):
                raise
            statuses.add(status)
            documents.append({"trace": str(path), "verdict": "error", "exit_status": status, "message": str(error)})
            complain("conform", str(error))
            continue
        for verdict in verdicts:
            statuses.add(verdict.exit_status)
            documents.append({"trace": str(path), "exit_status": verdict.exit_status, **verdict.as_json()})
        if len(verdicts) == 2 and _difference(verdicts) is None and not as_json:
            click.echo("           both judges say the same, at the same step")
        if (difference := _difference(verdicts)) is not None:
            statuses.add(4)
            documents.append({"trace": str(path), "verdict": "undecided", "exit_status": 4, "reason": difference})
            click.echo(f"undecided  {path}   {difference}", err=as_json)
    if coverage is not None and not as_json:
        click.echo("\n".join(coverage.lines()))
    if require_coverage and coverage is not None and (missing := coverage.weaknesses()):
        statuses.add(4)
        weak = {"verdict": "undecided", "exit_status": 4, "reason": "the traces together are weak"}
        documents.append(weak | {"missing": missing})
        for weakness in missing if not as_json else ():
            click.echo(f"undecided  {weakness}")
    if as_json:
        import json

        document = {"traces": documents} | ({} if coverage is None else {"coverage": coverage.as_json()})
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    return next((status for status in _WORST_FIRST if status in statuses), 0)


def _coverage(profile: Profile) -> Coverage:
    from conformance.judging.coverage import Coverage

    return Coverage(profile.model({}))


def _verdicts(
    path: Path, judges: str, profile: Profile, leeway: Leeway, coverage: Coverage | None
) -> list[TraceVerdict]:
    found: list[TraceVerdict] = []
    if judges in ("python", "both"):
        from conformance.judging.check import check_trace

        with _progress(path) as told:
            found.append(check_trace(path, profile, leeway, told, coverage))
        if coverage is not None:
            coverage.add(found[-1])
    if judges in ("tlc", "both"):
        from conformance.trace_spec import check_trace_with_tlc

        found.append(check_trace_with_tlc(path, profile))
    return found


@contextlib.contextmanager
def _progress(path: Path) -> Iterator[Callable[[int], None] | None]:
    """A progress bar on stderr for a long trace, where somebody looks at it."""
    if not sys.stderr.isatty() or not path.is_file() or path.stat().st_size < LONG_BYTES:
        yield None
        return
    from tqdm import tqdm

    with tqdm(unit=" steps", leave=False, desc=path.name) as bar:

        def told(steps: int) -> None:
            bar.update(steps - bar.n)

        yield told


def _difference(verdicts: Sequence[TraceVerdict]) -> str | None:
    """What two judges say differently of one run."""
    if len(verdicts) < 2:
        return None
    said = [(each.word.value, each.divergence.step if each.divergence else None) for each in verdicts]
    if said[0] == said[1]:
        return None
    texts = [f"{word} at step {step}" if step is not None else word for word, step in said]
    return f"the judges disagree: {verdicts[0].judged_by} says {texts[0]}, {verdicts[1].judged_by} says {texts[1]}"


def _print(path: Path, file: Path, verdict: TraceVerdict) -> None:
    from conformance.judging.report import render_divergence, render_verdict

    has_page = verdict.divergence is not None and verdict.judged_by == "python"
    click.echo(render_verdict(verdict, str(path), has_page=has_page), nl=False)
    if has_page and verdict.divergence is not None:
        from conformance.trace.reader import read_trace

        header, steps, _ = read_trace(file)
        click.echo("\n" + render_divergence(header, steps, verdict.divergence), nl=False)
