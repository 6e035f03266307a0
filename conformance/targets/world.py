"""The small world in which simulated runs take place: how many of each thing there are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import attrs

from conformance.refinement.books import Ids
from conformance.trace.errors import TraceError
from matching.errors import InvalidArgument
from matching.hops import parent_of
from matching.identity import PartitionKey
from matching.namespace import HERE, THERE

__all__ = ["World"]

PARTITIONS = ("shop/orders/workflow/0", "shop/orders/activity/0")
CLUSTERS = (HERE, THERE)


def _ids(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not value or not all(isinstance(each, str) and each for each in value):
        raise TraceError(f"the setup has {value!r} where a list of ids belongs")
    if len(set(value)) != len(value):
        raise TraceError(f"the setup has {value!r} where each id stands once")
    return tuple(value)


def _some_ids(value: Any) -> tuple[str, ...]:
    return () if value in ([], ()) else _ids(value)


def _some_partitions(value: Any) -> tuple[str, ...]:
    return () if value in ([], ()) else _partitions(value)


def _partitions(value: Any) -> tuple[str, ...]:
    for each in (found := _ids(value)):
        try:
            PartitionKey.parse(each)
        except InvalidArgument as error:
            raise TraceError(f"the setup: {error}") from error
    return found


@attrs.frozen(kw_only=True)
class World:
    """The ids of a run, and whether its namespace is active when it begins.

    In a ``prompt`` world the store decides about leases, savings and deletes at once and well.
    In a ``narrow`` world a backlog writes and reads two records at once at most.  In a ``lively`` one what a load
    asks for is the driver's to decide, and hosts show their gauges, idle out, and hear of what they are told
    as late as the driver likes; ``flags`` names the hosts that unload where the namespace's state changes.
    Where there are ``children``, hops have ids of their own.
    """

    active: bool = attrs.field(default=True, validator=attrs.validators.instance_of(bool))
    hosts: tuple[str, ...] = attrs.field(default=("h1",), converter=_ids)
    partitions: tuple[str, ...] = attrs.field(default=PARTITIONS, converter=_partitions)
    versions: tuple[str, ...] = attrs.field(default=("unversioned", "v2"), converter=_ids)
    workers: tuple[str, ...] = attrs.field(default=("w1", "w2"), converter=_ids)
    polls: tuple[str, ...] = attrs.field(default=("p1", "p2", "p3", "p4"), converter=_ids)
    tasks: tuple[str, ...] = attrs.field(default=("t1", "t2", "t3", "t4"), converter=_ids)
    events: tuple[str, ...] = attrs.field(default=("r1/1",), converter=_ids)
    prompt: bool = attrs.field(default=True, validator=attrs.validators.instance_of(bool))
    narrow: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    lively: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    clusters: tuple[str, ...] = attrs.field(default=CLUSTERS, converter=_ids)
    """This cluster, the one where a namespace is active that is passive here, and any others."""
    flags: tuple[str, ...] = attrs.field(default=(), converter=_some_ids)
    children: tuple[str, ...] = attrs.field(default=(), converter=_some_partitions)
    """The partitions that send polls and tasks on to their parents."""
    sticky: tuple[str, ...] = attrs.field(default=(), converter=_some_partitions)
    hop_polls: tuple[str, ...] = attrs.field(default=(), converter=_some_ids)
    """Ids of polls that no client uses: those of hops."""
    hop_tasks: tuple[str, ...] = attrs.field(default=(), converter=_some_ids)

    @clusters.validator
    def _has_what_it_begins_with(self, attribute: object, clusters: tuple[str, ...]) -> None:
        for needed, why in ((HERE, "this one"), *(() if self.active else ((THERE, "where the namespace is active"),))):
            if needed not in clusters:
                raise TraceError(f"the setup has the clusters {', '.join(clusters)} and not {needed!r}, {why}")

    @children.validator
    def _have_parents(self, attribute: object, children: tuple[str, ...]) -> None:
        for child in children:
            parent = parent_of(PartitionKey.parse(child))
            if child not in self.partitions or str(parent) not in self.partitions:
                missing = child if child not in self.partitions else "a parent" if parent is None else parent
                raise TraceError(f"the setup has the child {child}, and not {missing} among its partitions")

    @hop_polls.validator
    @hop_tasks.validator
    def _are_nobodys(self, attribute: object, hops: tuple[str, ...]) -> None:
        for each in hops:
            if each in (*self.polls, *self.tasks):
                raise TraceError(f"the setup has {each} as the id of a hop, and clients use it")

    @sticky.validator
    def _are_sticky(self, attribute: object, sticky: tuple[str, ...]) -> None:
        for each in self.partitions:
            if PartitionKey.parse(each).sticky != (each in sticky):
                said = "not among those that are sticky" if each not in sticky else "among those that are sticky"
                raise TraceError(f"the setup has {each} {said}")
        for each in sticky:
            if each not in self.partitions:
                raise TraceError(f"the setup has {each} among those that are sticky, and not among its partitions")

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs to which the events belong."""
        return tuple(dict.fromkeys(event.rpartition("/")[0] for event in self.events))

    @property
    def constants(self) -> dict[str, tuple[str, ...]]:
        """The ids by constant of the specification."""
        return {
            "Host": self.hosts,
            "Partition": self.partitions,
            "Version": self.versions,
            "Worker": self.workers,
            "Poll": self.polls + self.hop_polls,
            "Task": self.tasks + self.hop_tasks,
            "Event": self.events,
            "Cluster": self.clusters,
            "UnloadOnNamespaceStateChange": self.flags,
            **({"Child": self.children} if self.children else {}),
            **({"Sticky": self.sticky} if self.sticky else {}),
        }

    @property
    def ids(self) -> Ids:
        """The ids over which observed functions are written."""
        return _ids_of(
            self.hosts, self.partitions, self.polls + self.hop_polls, self.tasks + self.hop_tasks, self.events
        )

    @classmethod
    def from_setup(cls, setup: Mapping[str, Any]) -> World:
        """Read the header's ``setup`` back.

        Raises:
            TraceError: it names something else, or ids that are none.
        """
        names = {field.name for field in attrs.fields(cls)}
        others = sorted(set(setup) - names)
        if others:
            known = ", ".join(sorted(names))
            raise TraceError(f"the setup has {', '.join(others)}; this target knows {known}")
        for name in ("active", "prompt", "narrow", "lively"):
            if not isinstance(setup.get(name, True), bool):
                raise TraceError(f"the setup says {name!r} with true or false")
        return cls(**setup)

    def as_setup(self) -> dict[str, Any]:
        """The header's ``setup`` from which this world can be built again; what few worlds are only those say."""
        setup = {name: list(value) if isinstance(value, tuple) else value for name, value in attrs.asdict(self).items()}
        usual: dict[str, Any] = {"narrow": False, "lively": False, "clusters": list(CLUSTERS), "flags": []}
        usual |= {"children": [], "sticky": [], "hop_polls": [], "hop_tasks": []}
        return {name: value for name, value in setup.items() if name not in usual or value != usual[name]}


@lru_cache(maxsize=64)
def _ids_of(*ids: tuple[str, ...]) -> Ids:
    return Ids(*ids)
