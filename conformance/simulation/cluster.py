"""What operators change in the cluster, and who hears of it when: two histories, of which each host learns apart.

Three rules:

1. A change is one step of the world, and says nothing to anybody.
2. News of any revision may be told to any host, old news and the same again included.
3. Namespace and membership have nothing to do with one another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from matching.identity import Cluster, Host
from matching.membership import Membership, MembershipView
from matching.namespace import Namespace, NamespaceView
from matching.probe import Probe

__all__ = ["SimulatedCluster"]


class SimulatedCluster:
    """One namespace and its hosts; ``tell_change`` is told what was changed, ``probe`` what a host hears."""

    def __init__(
        self,
        hosts: Sequence[Host],
        namespace: Namespace,
        *,
        here: Cluster,
        probe: Probe,
        tell_change: Callable[[str, Cluster | Membership], None],
    ) -> None:
        self.namespaces = [namespace]
        self.memberships = [Membership(hosts)]
        self.namespace_views = {host: NamespaceView(host, namespace, here=here, probe=probe) for host in hosts}
        self.membership_views = {host: MembershipView(host, self.memberships[0], probe=probe) for host in hosts}
        self._tell_change = tell_change

    @property
    def known(self) -> Mapping[Host, tuple[int, int]]:
        """The revision and the ownership generation that each host knows."""
        return {
            host: (view.known.revision, self.membership_views[host].known.generation)
            for host, view in self.namespace_views.items()
        }

    def change_namespace(self, cluster: Cluster) -> None:
        """Give the namespace a new revision, active in this cluster. (ChangeNamespace)"""
        self.namespaces.append(self.namespaces[-1].failover(cluster))
        self._tell_change("ChangeNamespace", cluster)

    def change_hosts(self, hosts: Sequence[Host]) -> None:
        """Give the partitions to these hosts. (ChangeOwners)"""
        self.memberships.append(self.memberships[-1].change(hosts))
        self._tell_change("ChangeOwners", self.memberships[-1])

    def tell_namespace(self, host: Host, revision: int) -> None:
        """Tell a host what the namespace was as of a revision, counted from 1."""
        self.namespace_views[host].hear(self.namespaces[revision - 1])

    def tell_owners(self, host: Host, generation: int) -> None:
        """Tell a host who the hosts were as of an ownership generation, counted from 1."""
        self.membership_views[host].hear(self.memberships[generation - 1])

    def learn_everything(self, host: Host) -> None:
        """Let the process of a host that begins anew know the newest of both."""
        self.namespace_views[host].known = self.namespaces[-1]
        self.membership_views[host].known = self.memberships[-1]
