"""Which hosts there are, which of them owns a partition, and who wants to know when that changes.

Three rules:

1. The owner of a partition follows from the hosts alone: everybody who knows the
   same hosts, in whatever process, finds the same owner.  A host that leaves
   moves only what it owned, a host that joins only what it then owns.
2. News may come in any order, old news and the same again included.  Only a
   higher ownership generation counts.
3. An ownership generation says nothing about a namespace, and no revision of a
   namespace says anything about hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import attrs
from uhashring import HashRing

from matching.errors import Unavailable
from matching.identity import Host, OwnershipGeneration, PartitionKey
from matching.probe import Probe, silent

__all__ = ["Membership", "MembershipView"]

FIRST = OwnershipGeneration(1)


def _in_order(hosts: Iterable[Host]) -> tuple[Host, ...]:
    return tuple(sorted(set(hosts)))


@attrs.frozen
class Membership:
    """The hosts as of one ownership generation, which counts their changes from 1."""

    hosts: tuple[Host, ...] = attrs.field(converter=_in_order)
    generation: OwnershipGeneration = attrs.field(default=FIRST, validator=attrs.validators.ge(FIRST))

    @cached_property
    def _ring(self) -> HashRing:
        return HashRing(nodes=list(self.hosts))

    def change(self, hosts: Iterable[Host]) -> Membership:
        """Give the next generation: these hosts and no others."""
        return Membership(hosts, OwnershipGeneration(self.generation + 1))

    def route(self, partition: PartitionKey) -> Host:
        """Find the host that owns a partition.

        Raises:
            Unavailable: there is no host.
        """
        if not self.hosts:
            raise Unavailable(f"no host serves {partition}; try again when one has joined")
        return Host(self._ring.get_node(_routing_key(partition)))


class MembershipView:
    """What one host knows of the membership."""

    def __init__(self, host: Host, known: Membership, *, probe: Probe = silent) -> None:
        self.known = known
        self._host = host
        self._probe = probe
        self._subscribers: list[Callable[[], None]] = []

    def owns(self, partition: PartitionKey) -> bool:
        """Tell whether this host believes to own a partition."""
        return bool(self.known.hosts) and self.known.route(partition) == self._host

    def subscribe(self, subscriber: Callable[[], None]) -> None:
        """Call back after each change of what is known."""
        self._subscribers.append(subscriber)

    def hear(self, news: Membership) -> None:
        """Take in who the hosts are as of some generation; what is not news changes nothing. (HearOwners)"""
        before = self.known.generation
        if news.generation > before:
            self.known = news
        self._probe("HearOwners", self._host, news.generation)
        if self.known.generation == before:
            return
        for subscriber in self._subscribers:
            subscriber()


def _routing_key(partition: PartitionKey) -> str:
    """What is hashed: partitions of one queue are placed apart, and the root as if its queue had no others."""
    # temporal: common/tqid, the name by which a partition other than the root is called
    family = f"/_sys/{partition.family}/{partition.partition}" if partition.partition else partition.family
    return f"{partition.namespace}:{family}:{partition.task_type.value}"
