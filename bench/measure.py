"""A measurement: two things timed side by side, their ratio, and the bound that it must keep."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

import attrs

__all__ = ["Measurement", "seconds", "table"]


@attrs.frozen(kw_only=True)
class Measurement:
    """One row: how long ours and theirs took, and what their ratio must be."""

    name: str
    ours: str
    ours_seconds: float
    theirs: str
    theirs_seconds: float
    at_least: float | None = None
    at_most: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        """Theirs to ours where ours is to be faster, ours to theirs where it may cost more."""
        if self.at_most is not None:
            return self.ours_seconds / self.theirs_seconds
        return self.theirs_seconds / self.ours_seconds

    @property
    def kept(self) -> bool:
        """Tell whether the bound is kept."""
        return self.ratio <= self.at_most if self.at_most is not None else self.ratio >= (self.at_least or 0)


def seconds(work: Callable[[], object], *, times: int = 5) -> float:
    """The median of the time that the work takes."""
    taken = []
    for _ in range(times):
        started = perf_counter()
        work()
        taken.append(perf_counter() - started)
    return median(taken)


def table(rows: list[Measurement]) -> str:
    """The rows as a person reads them."""
    lines = [f"{'':34} {'ratio':>8}  {'gate':>8}"]
    for row in rows:
        gate = f"<= {row.at_most:g}" if row.at_most is not None else f">= {row.at_least:g}"
        lines.append(f"{row.name:34} {row.ratio:8.2f}  {gate:>8}  {'kept' if row.kept else 'MISSED'}")
        lines.append(f"    {row.ours}: {row.ours_seconds:.4f} s   {row.theirs}: {row.theirs_seconds:.4f} s")
        if row.note:
            lines.append(f"    {row.note}")
    return "\n".join(lines)
