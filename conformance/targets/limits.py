"""How much a simulated service does at once, and when it gives up what it holds: little, and soon."""

from __future__ import annotations

import attrs

from matching.backlog import BacklogLimits
from matching.lifetime import LifetimeOptions

__all__ = ["LIVELY_OPTIONS", "LONG_OPTIONS", "NARROW_LIMITS", "SLACK_SECONDS", "SMALL_LIMITS"]

SLACK_SECONDS = 0.001
"""How much earlier than it should a timer may fire, for times are rounded."""

SMALL_LIMITS = BacklogLimits(block_size=3)
"""Three ids to a block, as the judge's configuration says, so that blocks run out."""

NARROW_LIMITS = attrs.evolve(SMALL_LIMITS, most_written=2, most_read=2)
"""Fewer at once than the world has tasks, so that batches end before what there is."""

LONG_OPTIONS = LifetimeOptions(idle_seconds=None, emit_seconds=None)
"""Managers stay loaded, and show no gauge but how many are loaded."""

LIVELY_OPTIONS = LifetimeOptions(idle_seconds=10.0, emit_seconds=1.0, dead_series_seconds=15.0)
"""Managers idle out, and show their gauges, within the time of a run."""
