"""Faults of what operators are shown of loads and unloads: gauges that lie, stay or go.

The rules are those of ``delivery.py``.
"""

from __future__ import annotations

from typing import Final

from tests.mutants.mutant import Mutant

__all__ = ["GAUGES"]

LIFE: Final = "matching.lifetime:Lifetime"
SERIES: Final = "matching.adapters.metrics:GenerationSeries"

GAUGES: Final = (
    Mutant(
        name="stop-leaves-the-gauges",
        source="FAULTS Z24",
        breaks="every series of a generation that has stopped reads zero",
        target=f"{LIFE}._finish_stop",
        find="    self.gauges.stop()\n",
        replace="",
    ),
    Mutant(
        name="late-tick-is-told",
        source="FAULTS Z26",
        breaks="a tick that comes after the stop shows nothing",
        target=f"{LIFE}._tick",
        find="if self.phase is not Phase.RUNNING:",
        replace="if self.phase is Phase.LOADING:",
    ),
    Mutant(
        name="last-tick-after-the-zero",
        source="FAULTS H2",
        breaks="gauges are set to zero once their emitter has ended",
        target=f"{LIFE}._finish_stop",
        find="    self.gauges.stop()\n",
        replace=(
            "    self.gauges.stop()\n    self.gauges._stopped = False\n"
            "    self.gauges.show(UNVERSIONED, self._count() or 0)\n"
        ),
    ),
    Mutant(
        name="empty-backlog-is-not-shown",
        source="FAULTS Z28",
        breaks="a tick shows what it has read, also that there is nothing any more",
        target=f"{LIFE}._tick",
        find="    self.gauges.show(UNVERSIONED, count)\n",
        replace="    if count:\n        self.gauges.show(UNVERSIONED, count)\n",
    ),
    Mutant(
        name="emitter-ends-at-a-tick-without-the-lease",
        source="own",
        breaks="a manager that has the lease is counted as often as is stated, also where a tick came before it",
        target=f"{LIFE}._tick",
        find="    self._wind_emitter()\n    if (count := self._count()) is None:\n        return\n",
        replace="    if (count := self._count()) is None:\n        return\n    self._wind_emitter()\n",
    ),
    Mutant(
        name="late-tick-winds-the-emitter",
        source="own",
        breaks="a tick that comes after the stop begins no emitter anew",
        target=f"{LIFE}._tick",
        find="    if self.phase is not Phase.RUNNING:\n        return\n    self._wind_emitter()\n",
        replace="    self._wind_emitter()\n    if self.phase is not Phase.RUNNING:\n        return\n",
    ),
    Mutant(
        name="what-others-deleted-stays-counted",
        source="own",
        breaks="where everything has been read the count is certain, also of what another host has deleted meanwhile",
        target="matching.backlog:Backlog._bring_in",
        find="0 if batch.upto >= first - 1 else max(0, self._behind - brought)",
        replace="max(0, self._behind - brought)",
    ),
    Mutant(
        name="series-go-at-once",
        source="own",
        breaks="series read zero for as long as is stated, so that a scrape sees it",
        target=f"{LIFE}._finish_stop",
        find="loop.call_later(self._options.dead_series_seconds, self._remove)",
        replace="loop.call_soon(self._remove)",
    ),
    Mutant(
        name="series-go-too-late",
        source="own",
        breaks="a scrape sees series of generations that have stopped no longer than is stated",
        target=f"{LIFE}._finish_stop",
        find="call_later(self._options.dead_series_seconds, ",
        replace="call_later(10 * self._options.dead_series_seconds, ",
    ),
    Mutant(
        name="series-that-are-removed-stay",
        source="own",
        breaks="series of generations that have stopped are removed, and a scrape tells if they are not",
        target=f"{SERIES}.remove",
        find="        self._readings.remove(labels)\n",
        replace="        del labels\n",
    ),
    Mutant(
        name="series-never-go",
        source="own",
        breaks="series of generations that have stopped are removed, so that they stay bounded",
        target=f"{LIFE}._finish_stop",
        find="        loop.call_later(self._options.dead_series_seconds, self._remove)\n",
        replace="        del loop\n",
    ),
    Mutant(
        name="stop-counts-twice",
        source="FAULTS Z09",
        breaks="a manager that goes is counted once",
        target=f"{SERIES}.unload",
        find="if self._loaded:",
        replace="if True:",
    ),
    Mutant(
        name="series-are-gone-before-their-stop",
        source="FAULTS Z08",
        breaks="series are removed after they were set to zero",
        target=f"{LIFE}._finish_stop",
        find="    self.gauges.stop()\n",
        replace="    self._remove()\n",
    ),
    Mutant(
        name="every-partition-is-labeled-as-the-root",
        source="own",
        breaks="a series bears the labels of its own partition",
        target="matching.gauges:SeriesLabels.of",
        find="str(partition.partition)",
        replace='"0"',
    ),
)
