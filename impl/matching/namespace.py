"""In which cluster a namespace is active, what a host knows of that, and who wants to know when it changes.

Three rules:

1. News may come in any order, old news and the same again included.  Only a
   higher revision counts.
2. Subscribers are told of a change of the state on this cluster.  A failover
   between two other clusters is a new revision and no such change.
3. The state is read at each match, never remembered by a poll.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

import attrs

from matching.identity import Cluster, Host, Revision
from matching.probe import Probe, silent

__all__ = ["HERE", "THERE", "Namespace", "NamespaceState", "NamespaceView"]

HERE, THERE = Cluster("here"), Cluster("there")
"""What this cluster and another are called where nobody names them."""

FIRST = Revision(1)


class NamespaceState(enum.Enum):
    """What a namespace is on one cluster, as the label ``namespace_state`` has it."""

    ACTIVE = "active"
    PASSIVE = "passive"


@attrs.frozen
class Namespace:
    """A namespace as of one revision, which counts its changes from 1."""

    active_cluster: Cluster
    revision: Revision = attrs.field(default=FIRST, validator=attrs.validators.ge(FIRST))

    def failover(self, to: Cluster) -> Namespace:
        """Give the next revision, active in another cluster or, as any change may be, still in the same."""
        return Namespace(to, Revision(self.revision + 1))

    def state_on(self, cluster: Cluster) -> NamespaceState:
        """Tell whether the namespace is active or passive on a cluster."""
        return NamespaceState.ACTIVE if self.active_cluster == cluster else NamespaceState.PASSIVE


StateChanged = Callable[[NamespaceState, NamespaceState], None]


class NamespaceView:
    """What one host knows of one namespace; until there is news, that it is active on the host's cluster."""

    def __init__(
        self, host: Host, known: Namespace | None = None, *, here: Cluster = HERE, probe: Probe = silent
    ) -> None:
        self.known = known or Namespace(here)
        self._host = host
        self._here = here
        self._probe = probe
        self._subscribers: list[StateChanged] = []

    @property
    def state(self) -> NamespaceState:
        """Active or passive on this cluster."""
        return self.known.state_on(self._here)

    @property
    def active(self) -> bool:
        """Tell whether tasks may be handed to workers of this cluster."""
        return self.state is NamespaceState.ACTIVE

    def subscribe(self, subscriber: StateChanged) -> None:
        """Call back with the old and the new state, after each change of the state on this cluster."""
        self._subscribers.append(subscriber)

    def hear(self, news: Namespace) -> None:
        """Take in what the namespace is as of some revision; what is not news changes nothing. (HearNamespace)"""
        before = self.state
        if news.revision > self.known.revision:
            self.known = news
        self._probe("HearNamespace", self._host, news.revision)
        if self.state is before:
            return
        for subscriber in self._subscribers:
            subscriber(before, self.state)
