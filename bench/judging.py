"""How soon is a 100-step trace judged, with the model loaded and from a cold process, beside TLC from its start?"""

from __future__ import annotations

import subprocess
import sys
from compileall import compile_dir
from pathlib import Path
from time import process_time

import conformance
from bench.measure import Measurement, seconds
from bench.runs import long_run, write_run
from conformance.judging.check import check_trace
from conformance.judging.profile import seed_profile
from conformance.targets.simulation import judge_for
from conformance.targets.world import World
from conformance.trace_spec import check_trace_with_tlc

__all__ = ["measure"]

STEPS = 100
WARM_AT_LEAST = 100.0
COLD_AT_LEAST = 4.0
LONG = 5_000
"""How many steps TLC is given unless asked otherwise: its time grows faster than the trace, 100,000 take hours."""
LONG_AT_LEAST = 3.0
LONGEST = 100_000
SECOND_HALF_AT_MOST = 1.25


def measure(folder: Path, long: int = LONG) -> list[Measurement]:
    """Four rows; ``folder`` is for the traces, TLC is given one of ``long`` steps."""
    return [*_short(folder), _long(folder, long), _linear()]


def _long(folder: Path, long: int) -> Measurement:
    """A long trace beside TLC, which is asked once: it takes its time, and more than its share as traces grow."""
    path = write_run(folder / "long.ndjson", long_run(long))
    profile = seed_profile()

    def ours() -> None:
        assert check_trace(path, profile).word.value == "accepted"

    def tlc() -> None:
        assert check_trace_with_tlc(path, profile).word.value == "accepted"

    ours_seconds, tlc_seconds = seconds(ours, times=3), seconds(tlc, times=1)
    return Measurement(
        name=f"judge {long:,} steps",
        ours="in process",
        ours_seconds=ours_seconds,
        theirs="TLC",
        theirs_seconds=tlc_seconds,
        at_least=LONG_AT_LEAST,
        note=f"{long / ours_seconds:,.0f} steps a second, TLC {long / tlc_seconds:,.0f}, and fewer as traces grow",
    )


def _linear() -> Measurement:
    """The halves of one very long run, in memory."""
    run = long_run(LONGEST)
    judge = judge_for(World())
    half = len(run.steps) // 2
    judge.begin(run.steps[0].values)
    started = process_time()
    for step in run.steps[1:half]:
        judge.step(step.action, step.args, step.values)
    first = process_time() - started
    started = process_time()
    for step in run.steps[half:]:
        judge.step(step.action, step.args, step.values)
    second = process_time() - started
    assert judge.divergence is None
    return Measurement(
        name=f"the second half of {LONGEST:,} steps",
        ours="second half",
        ours_seconds=second,
        theirs="first half",
        theirs_seconds=first,
        at_most=SECOND_HALF_AT_MOST,
        note=f"{LONGEST / (first + second):,.0f} judged steps a second",
    )


def _short(folder: Path) -> list[Measurement]:
    path = write_run(folder / "hundred.ndjson", long_run(STEPS))
    profile = seed_profile()
    conform = Path(sys.executable).parent / "conform"

    def warm() -> None:
        assert check_trace(path, profile).word.value == "accepted"

    def cold() -> None:
        subprocess.run([conform, "check", str(path)], check=True, stdout=subprocess.DEVNULL, timeout=60)

    def tlc() -> None:
        assert check_trace_with_tlc(path, profile).word.value == "accepted"

    warm()
    compile_dir(conformance.__path__[0], quiet=1)
    cold()
    warm_seconds, cold_seconds, tlc_seconds = seconds(warm, times=9), seconds(cold, times=7), seconds(tlc, times=3)
    rate = f"{STEPS / warm_seconds:,.0f} steps a second, the file read and its lines decoded"
    return [
        Measurement(
            name=f"judge {STEPS} steps, model loaded",
            ours="in process",
            ours_seconds=warm_seconds,
            theirs="TLC",
            theirs_seconds=tlc_seconds,
            at_least=WARM_AT_LEAST,
            note=rate,
        ),
        Measurement(
            name=f"judge {STEPS} steps, cold process",
            ours="conform check",
            ours_seconds=cold_seconds,
            theirs="TLC",
            theirs_seconds=tlc_seconds,
            at_least=COLD_AT_LEAST,
            note="the caches of syntax trees and of bytecode are warm",
        ),
    ]
