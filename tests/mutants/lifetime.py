"""Faults of loads and unloads, and of what hosts hear; those of gauges are in ``gauges.py``.

The rules are those of ``delivery.py``; each shows where two hosts hear of namespace and membership at their own time.
"""

from __future__ import annotations

from typing import Final

from tests.mutants.gauges import GAUGES
from tests.mutants.mutant import Mutant

__all__ = ["LIFETIME"]

REGISTRY: Final = "matching.registry:ManagerRegistry"
LIFE: Final = "matching.lifetime:Lifetime"
MANAGER: Final = "matching.manager:PartitionManager"

LOADS: Final = (
    Mutant(
        name="late-part-fills-the-caches-of-a-stopped-manager",
        source="own",
        breaks="a generation that has been unloaded has no caches, also when an answer comes late",
        target=f"{LIFE}._fetch",
        find="    if self.phase is Phase.LOADING:\n        self.fetched[part] = found\n",
        replace="    if self.phase is not Phase.STOPPED:\n        self.fetched[part] = found\n",
    ),
    Mutant(
        name="failed-part-counts-as-there",
        source="own",
        breaks="a part of a load that the store did not give is not there",
        target=f"{LIFE}._fetch",
        find="    except Exception as error:\n        self._probe(",
        replace="    except StoreError:\n        found = 0\n    except Exception as error:\n        self._probe(",
    ),
    Mutant(
        name="start-after-the-stop",
        source="own",
        breaks="a queue that was stopped since it was published does not start",
        target=f"{LIFE}._start",
        find="if self.phase is not Phase.PUBLISHING:",
        replace="if self.phase is Phase.RUNNING:",
    ),
    Mutant(
        name="stop-before-the-start-does-nothing",
        source="FAULTS H1",
        breaks="an unload between publish and start stops the queue",
        target=f"{LIFE}.stop",
        find="    self.phase = Phase.STOPPING\n",
        replace="    if self.phase is not Phase.PUBLISHING:\n        self.phase = Phase.STOPPING\n",
    ),
    Mutant(
        name="always-tagged-as-active",
        source="FAULTS Z27",
        breaks="a manager is tagged with the state that its host knows",
        target=f"{REGISTRY}._begin",
        find="self._make(owner, self._namespace.state)",
        replace="self._make(owner, NamespaceState.ACTIVE)",
    ),
    Mutant(
        name="closing-host-loads",
        source="FAULTS H7",
        breaks="a host that shuts down loads nothing any more",
        target=f"{REGISTRY}.until_ready",
        find="if self.process is not Process.UP:",
        replace="if self.process is Process.ENDED:",
    ),
    Mutant(
        name="closing-host-obeys-an-order",
        source="FAULTS H7",
        breaks="a host that shuts down refuses an order to load",
        target=f"{REGISTRY}.load",
        find="if self.process is not Process.UP:",
        replace="if self.process is Process.ENDED:",
    ),
    Mutant(
        name="second-call-loads-beside-the-first",
        source="FAULTS Z06",
        breaks="of two calls that need one manager one begins its load, and the other waits for it",
        target=f"{REGISTRY}._seek",
        find="if partition not in self._managers:",
        replace="if self.ready(partition) is None:",
    ),
    Mutant(
        name="failing-load-waits-for-itself",
        source="FAULTS Z12",
        breaks="a load that fails calls for its own unload, and waits for nothing that waits for it",
        target=f"{LIFE}._fetch",
        find="        self._failed()\n",
        replace="        await self.stopped()\n        self._failed()\n",
    ),
    Mutant(
        name="who-waited-is-sent-away-from-the-owner",
        source="own",
        breaks="who waited for a manager is sent away only from a host that does not own the partition",
        target=f"{REGISTRY}.until_ready",
        find=" and not self._holds_or_owns(partition)",
        replace="",
    ),
    Mutant(
        name="who-waited-is-sent-away-from-what-is-loaded-again",
        source="own",
        breaks="who waited is refused only where no manager is found: an order may load again what has moved away",
        target=f"{REGISTRY}._holds_or_owns",
        find="partition in self._managers or ",
        replace="",
    ),
    Mutant(
        name="who-waits-for-a-load-is-not-told",
        source="own",
        breaks="who waits for a manager goes on when it serves",
        target=f"{REGISTRY}.started",
        find="    self._settle(manager.owner.partition)\n",
        replace="",
    ),
)

WAITS: Final = (
    Mutant(
        name="who-waited-loads-what-has-moved",
        source="own",
        breaks="who has waited at a host that has lost the partition is refused, and does not load it again",
        target=f"{REGISTRY}.until_ready",
        find="(has_waited or is_braked)",
        replace="is_braked",
    ),
    Mutant(
        name="who-has-just-come-is-sent-away",
        source="own",
        breaks="who comes to a host that does not own the partition, and has not waited there yet, is served",
        target="matching.engine:Engine.poll",
        find="    has_waited = False\n",
        replace="    has_waited = True\n",
    ),
    Mutant(
        name="who-has-left-still-counts",
        source="own",
        breaks="where everybody has left who needed a manager, nobody needs it",
        target="matching.registry:_wait_among",
        find="        del waiters[waiter]\n",
        replace="        if not waiter.cancelled():\n            del waiters[waiter]\n",
    ),
    Mutant(
        name="add-that-waited-for-an-id-loads-what-has-moved",
        source="own",
        breaks="an add whose manager has gone, and whose partition has moved, is refused",
        target="matching.engine:Engine._hand_over_or_store",
        find="        has_waited = True\n",
        replace="",
    ),
    Mutant(
        name="failed-load-is-repeated-at-once",
        source="own",
        breaks="after a load that failed callers begin no other for a while",
        target=f"{REGISTRY}._arrive",
        find=" + self._options.load_retry_seconds",
        replace="",
    ),
    Mutant(
        name="failed-load-is-repeated-too-late",
        source="own",
        breaks="after a load that failed callers wait no longer than is stated",
        target=f"{REGISTRY}._arrive",
        find="self._options.load_retry_seconds",
        replace="10 * self._options.load_retry_seconds",
    ),
    Mutant(
        name="every-unload-counts-as-a-failure",
        source="own",
        breaks="only after a load that failed do callers wait before they load again",
        target=f"{REGISTRY}._arrive",
        find="if cause is UnloadCause.FAILURE:",
        replace="if True:",
    ),
    Mutant(
        name="who-pauses-is-not-told-of-the-start",
        source="own",
        breaks="who waits until another load may begin goes on when an ordered one serves",
        target=f"{REGISTRY}.started",
        find="    self._end_pause(manager.owner.partition)\n",
        replace="",
    ),
    Mutant(
        name="who-pauses-is-not-told-of-the-move",
        source="own",
        breaks="nobody waits for another load at a host that does not own the partition any more",
        target=f"{REGISTRY}._owners_changed",
        find="            self._end_pause(partition)\n",
        replace="            del partition\n",
    ),
    Mutant(
        name="who-pauses-overlooks-its-deadline",
        source="own",
        breaks="a poll that waits until another load may begin waits no longer than its deadline",
        target=f"{REGISTRY}.until_ready",
        find="brake if until is None else min(brake, until)",
        replace="brake",
    ),
    Mutant(
        name="who-pauses-does-so-until-its-deadline",
        source="own",
        breaks="who waits until another load may begin goes on when it may",
        target=f"{REGISTRY}.until_ready",
        find="brake if until is None else min(brake, until)",
        replace="brake if until is None else until",
    ),
    Mutant(
        name="stale-failure-is-told",
        source="own",
        breaks="why a load failed is told until another manager serves",
        target=f"{REGISTRY}.started",
        find="    self._failures.pop(manager.owner.partition, None)\n",
        replace="",
    ),
)

UNLOADS: Final = (
    Mutant(
        name="unload-by-name",
        source="FAULTS Z01",
        breaks="a call to unload a generation leaves a later one alone",
        target=f"{REGISTRY}._arrive",
        find="    if self._managers.get(partition) is not manager:\n",
        replace="    manager = self._managers.get(partition, manager)\n    if partition not in self._managers:\n",
    ),
    Mutant(
        name="unload-of-what-has-gone",
        source="FAULTS Z10",
        breaks="a second call to unload a generation does nothing",
        target=f"{REGISTRY}._arrive",
        find="if self._managers.get(partition) is not manager:",
        replace="if False:",
    ),
    Mutant(
        name="new-owners-unload-what-is-kept",
        source="FAULTS Z03",
        breaks="a host that hears of new owners gives up what it has lost, and keeps the rest",
        target=f"{REGISTRY}._owners_changed",
        find="if not self._membership.owns(manager.",
        replace="if self._membership.owns(manager.",
    ),
    Mutant(
        name="first-that-is-kept-ends-the-look",
        source="FAULTS Z03",
        breaks="a host that hears of new owners looks at every partition that it holds",
        target=f"{REGISTRY}._owners_changed",
        find="            self.unload_soon(manager, UnloadCause.MEMBERSHIP)\n",
        replace="            self.unload_soon(manager, UnloadCause.MEMBERSHIP)\n        else:\n            return\n",
    ),
    Mutant(
        name="failover-unloads-what-is-right",
        source="FAULTS Z27",
        breaks="a failover unloads the managers whose tag does not tell the present any more",
        target=f"{REGISTRY}._namespace_changed",
        find="manager.life.tag is not after",
        replace="manager.life.tag is after",
    ),
    Mutant(
        name="flag-is-not-looked-at",
        source="own",
        breaks="with the flag off a failover unloads nothing",
        target=f"{REGISTRY}._namespace_changed",
        find="self._options.unload_on_namespace_state_change and ",
        replace="",
    ),
    Mutant(
        name="old-revision-counts",
        source="own",
        breaks="a host goes back in no history",
        target="matching.namespace:NamespaceView.hear",
        find="if news.revision > self.known.revision:",
        replace="if news.revision != self.known.revision:",
    ),
    Mutant(
        name="old-owners-count",
        source="own",
        breaks="a host goes back in no history",
        target="matching.membership:MembershipView.hear",
        find="if news.generation > before:",
        replace="if news.generation != before:",
    ),
    Mutant(
        name="any-failed-write-unloads",
        source="FAULTS Z15",
        breaks="a manager gives up when its lease was taken, and not because a write was not confirmed",
        target="matching.backlog:Backlog._write",
        find="        except StoreError as unknown:\n            error = unknown\n",
        replace="        except StoreError as unknown:\n            error = unknown\n            self._lose()\n",
    ),
    Mutant(
        name="tasks-do-not-keep-a-manager",
        source="FAULTS Z14",
        breaks="a partition to which a task has come is not idle before its time",
        target=f"{MANAGER}.sync_match",
        find="    self.use()\n",
        replace="",
    ),
    Mutant(
        name="waiting-polls-do-not-keep-a-manager",
        source="FAULTS Z14",
        breaks="a partition at which a poll waits is not idle",
        target=f"{MANAGER}._look_idle",
        find="    if self.polls:\n        self.use()\n",
        replace="",
    ),
    Mutant(
        name="idle-look-begins-anew-at-the-look",
        source="own",
        breaks="what nobody uses is given up as long after its last use as is stated",
        target=f"{MANAGER}._wind_idle_timer",
        find="when = self._used_at + self._idle_seconds",
        replace="when = asyncio.get_running_loop().time() + self._idle_seconds",
    ),
    Mutant(
        name="failover-lets-nothing-meet",
        source="own",
        breaks="a failover that unloads nothing lets tasks and polls meet that could not before",
        target=f"{REGISTRY}._namespace_changed",
        find="            manager.rematch()\n",
        replace="            pass\n",
    ),
    Mutant(
        name="shutdown-waits-for-the-first",
        source="own",
        breaks="a shutdown is over when nothing runs any more",
        target=f"{REGISTRY}.shutdown",
        find="    while self._stopped:\n",
        replace="    if self._stopped:\n",
    ),
)

LIFETIME: Final = (*LOADS, *WAITS, *UNLOADS, *GAUGES)
