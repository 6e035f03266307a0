"""``conform fuzz forwarding --target grpc``: runs of two real hosts, each recorded and judged.

Four rules:

1. The seed decides what clients ask for, and nothing else: hosts and messages are as fast as they are.
   The first run has the seed, each other the next number, so that any of them can be asked for again.
2. The first run that does not hold is kept, and ends the hunt.  It is not made smaller: the same requests need not
   fail again.
3. A signal ends the hunt after the run under way.
4. Runs in which no hop was made say nothing, and that is told by the exit status.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import attrs
import click

from conformance.cli.stopping import asked_to_stop
from conformance.paths import shown_path

if TYPE_CHECKING:
    from conformance.targets.grpc.judged import Judged

__all__ = ["HostHunt", "fuzz_hosts", "hunt_hosts"]

VACUOUS = 4


@attrs.frozen(kw_only=True)
class HostHunt:
    """How a hunt went; ``last_seed`` is that of the run that does not hold, where there is one."""

    seed: int
    examples: int
    requests: int
    steps: int
    actions: dict[str, int]
    seconds: float
    last_seed: int
    failure: str | None


def hunt_hosts(
    *,
    seed: int,
    seconds: float | None = None,
    examples: int | None = None,
    progress: Callable[[int], object] = lambda runs: None,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[HostHunt, Judged]:
    """Make runs until one does not hold or the budget is spent, one at least; give the last of them as well."""
    from conformance.targets.grpc.judged import judged_run

    started = monotonic()
    actions: Counter[str] = Counter()
    drawn = requests = steps = 0
    while True:
        run = judged_run(seed + drawn)
        drawn += 1
        requests += len(run.requests)
        steps += run.verdict.steps
        actions.update(run.verdict.actions)
        progress(1)
        late = seconds is not None and monotonic() - started >= seconds
        if not run.holds or late or stop() or (examples is not None and drawn >= examples):
            break
    found = HostHunt(
        seed=seed,
        examples=drawn,
        requests=requests,
        steps=steps,
        actions=dict(sorted(actions.items())),
        seconds=monotonic() - started,
        last_seed=seed + drawn - 1,
        failure=None if run.holds else run.reason,
    )
    return found, run


def fuzz_hosts(seed: int, seconds: float | None, examples: int | None, keep: Path, *, as_json: bool) -> int:
    """Hunt, tell how it went, and give the exit status."""
    from tqdm import tqdm

    from conformance.targets.grpc.judged import HOP_ACTIONS
    from conformance.trace.writer import keep_trace

    with asked_to_stop() as stop, tqdm(total=examples, unit=" runs", disable=None, leave=False) as bar:
        found, run = hunt_hosts(seed=seed, seconds=seconds, examples=examples, progress=bar.update, stop=stop)
    if found.failure is None:
        stop.act()
    kept = None if run.holds else keep_trace(keep, *run.trace)
    hops = {name: found.actions.get(name, 0) for name in HOP_ACTIONS}
    if as_json:
        document: dict[str, Any] = {"machine": "forwarding", "target": "grpc", **attrs.asdict(found)}
        click.echo(json.dumps(document | {"trace": None if kept is None else str(kept)}, indent=2))
    elif kept is None:
        click.echo(
            f"ok: {found.examples} runs of two hosts, {found.requests} requests, {found.steps} judged steps"
            f" in {found.seconds:.0f} s, every one allowed and every cancel heard"
        )
        click.echo(", ".join(f"{name} {count}" for name, count in hops.items()))
    else:
        click.echo(_failed(found, run, kept))
    if run.holds:
        return 0 if hops["Forward"] + hops["Offer"] else VACUOUS
    return run.exit_status


def _failed(found: HostHunt, run: Judged, kept: Path) -> str:
    from conformance.judging.report import render_divergence

    header, steps, _ = run.trace
    divergence = run.verdict.divergence
    said = f"the hosts made a mistake: {run.mistake}\n" if run.mistake is not None else ""
    if divergence is not None:
        said += render_divergence(header, steps, divergence)
    elif run.mistake is None:
        said = f"{run.reason}\n"
    shown = shown_path(kept)
    return (
        f"{said}\nkept as {shown}      judge it: conform check {shown}\n"
        f"found after {found.examples} runs, {found.seconds:.1f} s      the same requests:"
        f" conform fuzz forwarding --target grpc --seed {found.last_seed} --examples 1"
    )
