"""How soon is every state of PollRegistration explored from a cold process, beside TLC with one worker?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench.measure import Measurement, seconds
from conformance.paths import models_directory
from conformance.tla.tlc import run

__all__ = ["measure"]

AT_MOST = 2.0


def measure() -> list[Measurement]:
    """One row for the whole model, with its symmetry, and one for the small one."""
    return [_row("MCPollRegistrationSmall", times=3), _row("MCPollRegistration", times=1)]


def _row(config: str, *, times: int) -> Measurement:
    module, cfg = models_directory() / "MCPollRegistration.tla", models_directory() / f"{config}.cfg"
    conform = Path(sys.executable).parent / "conform"
    told: dict[str, object] = {}
    distinct = 0

    def ours() -> None:
        asked = [conform, "explore", str(module), "--config", str(cfg), "--json"]
        told.update(json.loads(subprocess.run(asked, check=True, capture_output=True, timeout=600).stdout))

    def tlc() -> None:
        nonlocal distinct
        distinct = run(module, cfg, workers=1).distinct or 0

    ours_seconds, tlc_seconds = seconds(ours, times=times), seconds(tlc, times=times)
    assert told["distinct"] == distinct > 0
    return Measurement(
        name=f"explore {config.removeprefix('MC')}",
        ours="conform explore",
        ours_seconds=ours_seconds,
        theirs="TLC, one worker",
        theirs_seconds=tlc_seconds,
        at_most=AT_MOST,
        note=f"{distinct:,} states; {distinct / ours_seconds:,.0f} distinct states a second, from a cold process",
    )
