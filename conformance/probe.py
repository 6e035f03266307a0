"""The probe that the service finds when it is to keep a trace of a real run.

Two rules:

1. A real run is recorded, not judged: ``conform check`` judges the file.
2. What stores commit is told, and what they hold is not read on the way: ``backlog``, the
   leases and History's events are not observed, and the specification says what they must be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from conformance.recorder import Recorder
from conformance.refinement.backlog import STORE_PART, BacklogView
from conformance.refinement.delivery import HISTORY_PART, DeliveryView, Held
from conformance.refinement.forwarding import ForwardingView
from conformance.refinement.matching import MatchingView
from conformance.refinement.partition_lifetime import PartitionLifetimeView
from conformance.refinement.poll_registration import PollRegistrationView
from conformance.trace.writer import trace_text, write_trace
from matching.adapters.metrics import HostMetrics
from matching.engine import Engine
from matching.namespace import HERE

__all__ = ["RunRecorder", "recorder"]

UNOBSERVED: Final = frozenset({"backlog", *STORE_PART, *HISTORY_PART})
GAUGES: Final = frozenset({"tally", "gauges"})
"""What is not observed either of engines that show no metrics."""

FLAG: Final = "UnloadOnNamespaceStateChange"
"""The constant that has the hosts of which the flag is on."""

_NAMED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "StartPoll": ("Poll", "Worker", "Partition", "Version"),
    "AddTask": ("Task", "Host", "Partition", "Version"),
    "Transfer": ("Task", "Host", "Partition", "Version", "Event"),
    "Seek": ("Host", "Partition"),
    "Schedule": ("Event",),
}
"""The actions by which ids come into a run, and what the first arguments are ids of."""


class RunRecorder:
    """Records the run of engines on the loop that is running; they begin with the same news of namespace and hosts."""

    def __init__(self, *engines: Engine) -> None:
        assert len({(engine.namespace.known, engine.membership.known) for engine in engines}) == 1
        loop = asyncio.get_running_loop()
        began = loop.time()
        first = engines[0]
        self._hosts = {str(engine.host): engine.options.unload_on_namespace_state_change for engine in engines}
        shown = all(isinstance(engine.gauges, HostMetrics) for engine in engines)
        self._recorder = Recorder(lambda: loop.time() - began, hidden=UNOBSERVED if shown else UNOBSERVED | GAUGES)
        self._recorder.books.clusters.append(first.namespace.known.active_cluster)
        self._recorder.books.owners.append(first.membership.known)
        self._recorder.begin(self._view(engines), str(first.host) if len(engines) == 1 else None)

    def _view(self, engines: Sequence[Engine]) -> MatchingView:
        books = self._recorder.books
        return MatchingView(
            lives=PartitionLifetimeView(engines, books),
            polls=PollRegistrationView(engines, tuple, books),
            hops=ForwardingView(books),
            store=BacklogView(engines, tuple),
            events=DeliveryView(Held, books),
        )

    def __call__(self, action: str, *args: str | int | tuple[str, ...]) -> None:
        self._recorder(action, *args)

    def write(self, path: Path, *, at_rest: bool) -> None:
        """Write the run so far as a trace, whole or not at all."""
        end = "quiescent" if at_rest else "stopped"
        header, steps, footer = self._recorder.trace(end=end, ids=self._ids(), target="matching")
        write_trace(path, trace_text(header, steps, footer))

    def _ids(self) -> dict[str, tuple[str, ...]]:
        """Every id that the run named, in the order of its first use; without an event the judge's own stand."""
        constants = ("Host", "Partition", "Version", "Worker", "Poll", "Task", "Event", "Cluster")
        found: dict[str, dict[str, None]] = {name: {} for name in constants}
        found["Host"].update(dict.fromkeys(self._hosts))
        found["Cluster"].update(dict.fromkeys((HERE, *self._recorder.books.clusters)))
        for step in self._recorder.steps:
            for name, value in zip(_NAMED_BY.get(step.action or "", ()), step.args, strict=False):
                found[name].setdefault(value)
        ids = {name: tuple(values) for name, values in found.items() if values or name != "Event"}
        return ids | {FLAG: tuple(host for host, unloads in self._hosts.items() if unloads)}


def recorder(*engines: Engine) -> RunRecorder:
    """The factory behind the entry point ``matching.probe``."""
    return RunRecorder(*engines)
