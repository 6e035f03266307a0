"""How soon is a 100-step trace judged, with the model loaded and from a cold process, beside TLC from its start?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.measure import Measurement, seconds
from bench.runs import long_run, write_run
from conformance.judging.check import check_trace
from conformance.judging.profile import seed_profile
from conformance.trace_spec import check_trace_with_tlc

__all__ = ["measure"]

STEPS = 100
WARM_AT_LEAST = 100.0
COLD_AT_LEAST = 4.0


def measure(folder: Path) -> list[Measurement]:
    """Two rows; ``folder`` is for the trace."""
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
            note="the cache of syntax trees is warm",
        ),
    ]
