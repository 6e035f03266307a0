"""The probe that the service finds when it is to keep a trace of a real run.

Two rules:

1. A real run is recorded, not judged: ``conform check`` judges the file.
2. What stores commit is told, and what they hold is not read on the way: ``backlog``, the
   leases and History's events are not observed, and the specification says what they must be.
   So are hops: what is on its way between hosts nobody sees.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from conformance.recorder import Recorder
from conformance.refinement.backlog import STORE_PART, BacklogView
from conformance.refinement.delivery import HISTORY_PART, DeliveryView, Held
from conformance.refinement.ends import Ends
from conformance.refinement.forwarding import ForwardingView
from conformance.refinement.matching import MatchingView
from conformance.refinement.partition_lifetime import PartitionLifetimeView
from conformance.refinement.poll_registration import PollRegistrationView
from conformance.trace.writer import trace_text, write_trace
from matching.adapters.metrics import HostMetrics
from matching.engine import Engine
from matching.hops import parent_of
from matching.identity import PartitionKey
from matching.namespace import HERE

__all__ = ["RunRecorder", "ids_of", "recorder"]

UNOBSERVED: Final = frozenset({"backlog", "hop", *STORE_PART, *HISTORY_PART})
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
    "Forward": ("Poll", "Poll", "Host"),
    "Offer": ("Task", "Task", "Host"),
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
        self._ends = Ends(self._recorder.books)
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
        self._ends.hear(action, args)
        self._recorder(action, *args)

    def write(self, path: Path, *, at_rest: bool) -> None:
        """Write the run so far as a trace, whole or not at all."""
        end = "quiescent" if at_rest else "stopped"
        header, steps, footer = self._recorder.trace(end=end, ids=self._ids(), target="matching")
        write_trace(path, trace_text(header, steps, footer))

    def _ids(self) -> dict[str, tuple[str, ...]]:
        told = [(step.action or "", step.args) for step in self._recorder.steps]
        return ids_of(told, hosts=self._hosts, clusters=self._recorder.books.clusters)


def ids_of(
    told: Sequence[tuple[str, tuple[Any, ...]]], *, hosts: Mapping[str, bool], clusters: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Every id that the steps name, in the order of its first use; without an event the judge's own stand.

    Of each host it is given whether it unloads what it holds when the namespace's state changes.
    """
    constants = ("Host", "Partition", "Version", "Worker", "Poll", "Task", "Event", "Cluster")
    found: dict[str, dict[str, None]] = {name: {} for name in constants}
    found["Host"].update(dict.fromkeys(hosts))
    found["Cluster"].update(dict.fromkeys((HERE, *clusters)))
    for action, args in told:
        for name, value in zip(_NAMED_BY.get(action, ()), args, strict=False):
            found[name].setdefault(value)
    sticky, children = _kinds(found["Partition"], any(action in ("Forward", "Offer") for action, _ in told))
    ids = {name: tuple(values) for name, values in found.items() if values or name != "Event"}
    ids |= {name: values for name, values in (("Sticky", sticky), ("Child", children)) if values}
    return ids | {FLAG: tuple(host for host, unloads in hosts.items() if unloads)}


def _kinds(partitions: dict[str, None], has_hops: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those partitions that are sticky and those that have parents, which become partitions of the run as well.

    Where no hop was made no partition has one: a host that reaches no other asks nobody.
    """
    keys = list(map(PartitionKey.parse, partitions))
    sticky = tuple(str(key) for key in keys if key.sticky)
    if not has_hops:
        return sticky, ()
    children: dict[str, None] = {}
    for key in keys:
        while (parent := parent_of(key)) is not None:
            children.setdefault(str(key))
            partitions.setdefault(str(parent))
            key = parent
    return sticky, tuple(children)


def recorder(*engines: Engine) -> RunRecorder:
    """The factory behind the entry point ``matching.probe``."""
    return RunRecorder(*engines)
