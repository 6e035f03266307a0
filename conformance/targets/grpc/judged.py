"""A run of two hosts, the judge's verdict of its trace, and whether the promises of the target were kept."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from conformance.judging.check import check_trace
from conformance.judging.verdict import TraceVerdict, Word
from conformance.targets.grpc.hosts import SERVE
from conformance.targets.grpc.merging import Trace, merged
from conformance.targets.grpc.requests import Request, draw
from conformance.targets.grpc.run import drive
from conformance.trace.writer import trace_text, write_trace

__all__ = ["HOP_ACTIONS", "Judged", "judged_run", "verdict_of"]

HOP_ACTIONS: Final = (
    *("Forward", "ArrivePoll", "Resume", "Break", "CancelHop"),
    *("Offer", "ArriveTask", "Decline", "Conclude", "Retract"),
)
"""What a run of hops is about."""


@attrs.frozen(kw_only=True)
class Judged:
    """A run that is over."""

    requests: Sequence[Request]
    trace: Trace
    verdict: TraceVerdict
    mistake: str | None

    @property
    def holds(self) -> bool:
        """Tell whether every step is allowed, and every promise was kept."""
        return self.mistake is None and self.verdict.word is Word.ACCEPTED

    @property
    def exit_status(self) -> int:
        """0, or 1 where the hosts were wrong, or 4 where nobody can tell."""
        return 1 if self.mistake is not None else self.verdict.exit_status

    @property
    def reason(self) -> str:
        """What was wrong, in a line."""
        return self.mistake or self.verdict.reason


def judged_run(seed: int, *, program: Sequence[str] = SERVE, requests: Sequence[Request] | None = None) -> Judged:
    """Make the run of that seed, or of that list.

    Raises:
        HostFailed: a host does not come up.
    """
    asked = draw(seed) if requests is None else requests
    record = asyncio.run(drive(asked, program))
    trace = merged(record, seed=seed)
    return Judged(requests=asked, trace=trace, verdict=verdict_of(trace), mistake=trace[2].note or None)


def verdict_of(trace: Trace) -> TraceVerdict:
    """What ``conform check`` says of the trace."""
    with tempfile.TemporaryDirectory(prefix="matching-") as folder:
        return check_trace(write_trace(Path(folder) / "run.ndjson", trace_text(*trace)))
