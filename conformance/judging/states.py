"""The states of the specification along a run: what the run hides is there as well.

Two rules:

1. A state is told only where one alone fits; where several do, that is an error with its step.
2. The states end where the run parts from the specification.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from conformance.judge import Judge
from conformance.trace.errors import TraceError
from conformance.trace.step import TraceStep

__all__ = ["States"]


@attrs.define
class States:
    """Looks on while a run is judged, and keeps the state after each step, the beginning first."""

    found: list[dict[str, Any]] = attrs.field(factory=list)

    def watch(self, judge: Judge, told: Iterator[tuple[TraceStep, Any]]) -> Iterator[tuple[TraceStep, Any]]:
        """The same steps; the state after each is kept once the judge has judged it."""
        self._keep(judge)
        for step, values in told:
            yield step, values
            self._keep(judge)

    def _keep(self, judge: Judge) -> None:
        if judge.divergence is not None or judge.lost is not None:
            return
        fitting = judge.candidates
        if len(fitting) != 1:
            raise TraceError(
                f"{len(fitting)} states fit after step {len(self.found)}, so that none can be told as the one;"
                " show the run without --judged"
            )
        self.found.append(judge.model.as_mapping(fitting[0]))
