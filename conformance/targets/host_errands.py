"""What each request of a driver does to managers, to processes of hosts, and to the cluster.

One rule: a change of the cluster and its news are two requests, but for a failover that every host hears of at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.targets.requests import RequestError, one_of
from conformance.targets.work import Errand, Request, Work, host_of, later, partition_of
from matching.adapters.metrics import HostMetrics
from matching.engine import Engine
from matching.errors import Unavailable
from matching.identity import Cluster, Host, PartitionKey, PollId, TaskId
from matching.namespace import HERE, THERE
from matching.registry import Process

if TYPE_CHECKING:
    from conformance.targets.simulation import Simulation

__all__ = ["OF_HOSTS"]


def _load(run: Simulation, request: Request) -> Work:
    return later(run, _order_load, run, host_of(run, request), partition_of(run, request))


def _order_load(run: Simulation, engine: Engine, partition: PartitionKey) -> None:
    """An operator asks; a host that shuts down refuses, and one that has ended does not hear."""
    if engine.registry.process is not Process.ENDED:
        with suppress(Unavailable):
            run.caller.order_load(engine, partition)


def _unload(run: Simulation, request: Request) -> Work:
    return later(run, run.caller.order_unload, host_of(run, request), partition_of(run, request))


def _crash(run: Simulation, request: Request) -> Work:
    engine = host_of(run, request)
    if engine.registry.process is Process.ENDED:
        raise RequestError(f"{engine.host} has ended; it can be booted")
    return partial(_lose_host, run, engine, bool(request.get("down")))


def _lose_host(run: Simulation, engine: Engine, down: bool) -> None:
    """A process ends, and everybody who talks to it loses it; unless the host stays down, another begins at once."""
    engine.gauges = HostMetrics(engine.host)
    engine.registry.crash()
    run.network.lose_host(engine.host)
    if not down:
        _begin_anew(run, engine)
    for poll_id in [poll_id for poll_id in run.open_polls() if run.caller.polls[PollId(poll_id)].host == engine.host]:
        run.caller.leave(PollId(poll_id))
    for task_id in [task for task in run.open_adds() if run.caller.adds[TaskId(task)].host == engine.host]:
        run.caller.lose_add(TaskId(task_id), interrupt=True)


def _boot(run: Simulation, request: Request) -> Work:
    engine = _in_state(host_of(run, request), Process.ENDED, "is booted")
    return partial(_begin_anew, run, engine)


def _begin_anew(run: Simulation, engine: Engine) -> None:
    run.cluster.learn_everything(engine.host)
    engine.registry.restart()


def _shutdown(run: Simulation, request: Request) -> Work:
    return partial(_shut_down, run, _in_state(host_of(run, request), Process.UP, "shuts down"))


def _shut_down(run: Simulation, engine: Engine) -> None:
    task = run.loop.create_task(engine.shutdown())
    task.set_name(f"shut down {engine.host}")
    run.watch.shutdowns.follow(engine.host, task)


def _in_state(engine: Engine, process: Process, what: str) -> Engine:
    if engine.registry.process is not process:
        raise RequestError(f"{engine.host} {what} only where its process is {process.value}")
    return engine


def _arrive(run: Simulation, request: Request) -> Work:
    name = one_of(request["callback"], list(run.loop.held), "a callback that is held back")
    return partial(run.loop.release, name, again=bool(request.get("again")))


def _route(run: Simulation, request: Request) -> Work:
    return partial(_move_home, run, host_of(run, request))


def _move_home(run: Simulation, engine: Engine) -> None:
    run.home = engine


def _failover(run: Simulation, request: Request) -> Work:
    active = request["active"]
    if not isinstance(active, bool):
        raise RequestError("a failover says whether the namespace is active, with true or false")
    cluster = Cluster(one_of(HERE if active else THERE, run.world.clusters, "a cluster"))
    return later(run, _fail_over, run, cluster)


def _fail_over(run: Simulation, cluster: Cluster) -> None:
    """The namespace changes, and every host that runs hears of it at once; the same state again is no change."""
    if run.cluster.namespaces[-1].active_cluster == cluster:
        return
    run.cluster.change_namespace(cluster)
    for engine in run.engines:
        if engine.registry.process is not Process.ENDED:
            run.cluster.tell_namespace(engine.host, len(run.cluster.namespaces))


def _change(run: Simulation, request: Request) -> Work:
    """The namespace gets a new revision, or the partitions new owners, and nobody hears of it yet."""
    if "cluster" in request:
        cluster = Cluster(one_of(request["cluster"], run.world.clusters, "a cluster"))
        return later(run, run.cluster.change_namespace, cluster)
    hosts = request["hosts"]
    if not isinstance(hosts, list) or not hosts or any(host not in run.world.hosts for host in hosts):
        raise RequestError(f"hosts is {hosts!r}; it is a list of one or more of {', '.join(run.world.hosts)}")
    return later(run, run.cluster.change_hosts, [Host(host) for host in hosts])


def _news(run: Simulation, request: Request) -> Work:
    """A host hears of one revision of the namespace, or of one ownership generation, new or old."""
    engine = host_of(run, request)
    if engine.registry.process is Process.ENDED:
        raise RequestError(f"{engine.host} has ended, and hears nothing")
    if "revision" in request:
        revision = _numbered(request["revision"], len(run.cluster.namespaces), "revision")
        return later(run, _tell, run.cluster.tell_namespace, engine, revision)
    generation = _numbered(request["ownership"], len(run.cluster.memberships), "ownership")
    return later(run, _tell, run.cluster.tell_owners, engine, generation)


def _tell(how: Callable[[Host, int], None], engine: Engine, number: int) -> None:
    """Tell a host some news, if its process has not ended meanwhile."""
    if engine.registry.process is not Process.ENDED:
        how(engine.host, number)


def _numbered(value: Any, most: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise RequestError(f"{what} is {value!r}; it is a number from 1 to {most}")
    return value


OF_HOSTS: Mapping[str, Errand] = {
    "load": _load,
    "unload": _unload,
    "crash": _crash,
    "boot": _boot,
    "shutdown": _shutdown,
    "arrive": _arrive,
    "change": _change,
    "news": _news,
    "route": _route,
    "failover": _failover,
}
