"""``conform all``: the main job, which is the other verbs one after another and one table at the end.

Three rules:

1. Each part is a program of its own, ``conform VERB``: what it says and how it ends is
   what a person would see who runs that verb alone.
2. A recorded run of ``traces/corpus`` is a question with a known answer: what lies in
   ``accepted/`` must be accepted, and what lies in ``rejected/`` must not.
3. The parts run to the end whatever the first one finds, and the worst of them is the
   exit status.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import attrs
import click

from conformance.cli.fuzz import MACHINES
from conformance.cli.options import SECONDS
from conformance.paths import shown_path, traces_directory

__all__ = ["Part", "all_parts", "format_table"]

# Worst first.  A missing tool or a wrong question says nothing about conformance, but nobody may overlook it.
SEVERITY = (1, 3, 2, 4, 0)
MEANING = {0: "conforms", 1: "diverged", 2: "asked wrongly", 3: "a tool is missing", 4: "undecided"}
TRACE_VERDICTS = {
    0: "accepted",
    1: "rejected",
    2: "refused",
    3: "not judged, for want of a tool",
    4: "undecided or vacuous",
}
ACCEPTED = frozenset({0})
REJECTED = frozenset({1, 2, 4})
# Python leaves with 1 when it crashes, which would read as "rejected"; a crash is to have a status of its own.
PROGRAM = """
import sys, traceback
from conformance.cli import main
try:
    main()
except Exception:
    traceback.print_exc()
    sys.exit(70)
"""


@attrs.frozen(kw_only=True)
class Part:
    """One part of the job: what was asked, how it ended, and how long that took."""

    name: str
    status: int
    answer: str
    seconds: float
    output: str = ""


@click.command("all")
@click.option("--seconds", type=SECONDS, default=15, show_default=True, help="How long to fuzz each capability.")
@click.option("--seed", type=click.IntRange(min=0), default=None, help="The seed of the fuzz; a fresh one otherwise.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, the output of each part in it.")
def all_parts(seconds: float, seed: int | None, as_json: bool) -> int:
    """Model-check the specification, fuzz the service, judge the recorded runs, and print one table."""
    fuzzing = ["--seconds", f"{seconds:g}", *([] if seed is None else ["--seed", str(seed)])]
    corpus = traces_directory() / "corpus"
    parts = [
        _verb("model-check", ["check-spec", "--quick"], show=not as_json),
        *(_verb(f"fuzz {name}", ["fuzz", name, *fuzzing], show=not as_json) for name in MACHINES),
        _corpus("must be accepted", corpus / "accepted", ACCEPTED),
        _corpus("must be rejected", corpus / "rejected", REJECTED),
    ]
    status = min((part.status for part in parts), key=SEVERITY.index)
    if as_json:
        found = [attrs.asdict(part) | {"output": _parsed(part.output)} for part in parts]
        click.echo(json.dumps({"parts": found, "status": status}, indent=2))
    else:
        click.echo(format_table(parts, status))
    return status


def format_table(parts: Sequence[Part], status: int) -> str:
    """The parts, a line each, and what they come to."""
    width = max(len(part.name) for part in parts) + 2
    lines = [f"{part.name:<{width}}{part.answer:<44}{part.seconds:>5.0f} s" for part in parts]
    total = sum(part.seconds for part in parts)
    return "\n".join(["", *lines, f"{'':<{width}}{MEANING.get(status, 'failed'):<44}{total:>5.0f} s"])


def _verb(name: str, arguments: list[str], *, show: bool) -> Part:
    """Run one verb; show what it says as it says it, or keep its JSON."""
    click.echo(f"--- conform {' '.join(arguments)}", err=True)
    began = monotonic()
    with subprocess.Popen(
        _program(arguments if show else [*arguments, "--json"]),
        stdout=None if show else subprocess.PIPE,
        encoding="utf-8",
    ) as ran:
        try:
            output, _ = ran.communicate()
        except BaseException:
            ran.terminate()  # and not killed: it has a TLC to end
            raise
    return Part(
        name=name,
        status=_status(ran.returncode),
        answer=MEANING.get(ran.returncode, f"failed with exit status {ran.returncode}"),
        seconds=monotonic() - began,
        output=output or "",
    )


def _corpus(name: str, folder: Path, wanted: frozenset[int]) -> Part:
    """Judge each recorded run by itself; tell of those whose verdict is not the recorded one."""
    traces = sorted(folder.glob("*.ndjson"))
    click.echo(f"--- conform check {folder.parent.name}/{folder.name}/*.ndjson, {len(traces)} traces", err=True)
    began = monotonic()
    halves = [half for half in (traces[::2], traces[1::2]) if half]
    with ThreadPoolExecutor(max_workers=2) as judges:
        statuses = {trace: status for judged in judges.map(_judge, halves) for trace, status in judged.items()}
    wrong = [(trace, status) for trace, status in sorted(statuses.items()) if status not in wanted]
    for trace, status in wrong:
        verdict = TRACE_VERDICTS.get(status, f"failed with exit status {status}")
        click.echo(f"{trace.name} {name}, and is {verdict}; see: conform check {shown_path(trace)}", err=True)
    # Nothing judged would look like nothing wrong.
    status = 4 if not traces else 3 if any(each == 3 for _, each in wrong) else 1 if wrong else 0
    answer = f"{len(traces) - len(wrong)} of {len(traces)} traces" if traces else "no traces: nothing was judged"
    return Part(name=f"corpus, {name}", status=status, answer=answer, seconds=monotonic() - began)


def _judge(traces: Sequence[Path]) -> dict[Path, int]:
    """Judge many traces in one program, and each by itself where that program has no answer for all of them."""
    ran = subprocess.run(
        _program(["check", "--json", *map(str, traces)]), capture_output=True, encoding="utf-8", check=False
    )
    if len(traces) == 1:
        return {traces[0]: ran.returncode}
    if ran.returncode in TRACE_VERDICTS and ran.stdout:
        statuses = [each["exit_status"] for each in json.loads(ran.stdout)["traces"]]
        return dict(zip(traces, statuses, strict=True))
    return {trace: status for each in traces for trace, status in _judge([each]).items()}


def _program(arguments: list[str]) -> list[str]:
    return [sys.executable, "-c", PROGRAM, *arguments]


def _status(returncode: int) -> int:
    """A program that was killed or that crashed has diverged from what we promise."""
    return returncode if returncode in MEANING else 1


def _parsed(output: str) -> object:
    try:
        return json.loads(output)
    except ValueError:
        return output or None
