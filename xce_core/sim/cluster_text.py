"""The cluster as an object to be written: the inverse of reading one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from xce_core.model.amounts import AmountKind, to_text
from xce_core.model.cluster import Cluster, Host, HostState, Order, Queue
from xce_core.model.limits import Dimension, Limit
from xce_core.model.resources import JOBS, SLOTS, Counted, Resource
from xce_core.sim.host_lists import fold_in_order

_FILTERS = {Dimension.USER: "users", Dimension.QUEUE: "queues", Dimension.PROJECT: "projects"}
_UNITS = "KMGTPE"


def cluster_object(cluster: Cluster) -> dict[str, Any]:
    """*cluster* as :func:`xce_core.sim.cluster_object.cluster_of` reads it; no defaults."""
    resources = [
        _resource(resource, cluster.shared)
        for resource in cluster.resources.values()
        if resource != SLOTS
    ]
    limits = [_limit(limit, cluster) for limit in cluster.limits]
    return {
        **({"resources": resources} if resources else {}),
        "hosts": list(_hosts(cluster)),
        "queues": [_queue(queue, cluster.resources) for queue in cluster.queues.values()],
        **({"limits": limits} if limits else {}),
    }


def amount_text(amount: int, resource: Resource) -> int | str:
    """The exact form of *amount*; bytes in the largest unit that says them whole."""
    if resource.kind is not AmountKind.BYTES or amount == 0:
        return to_text(amount, resource.kind, resource.decimals)
    power = 0
    while power < len(_UNITS) and amount % 1024 == 0:
        amount //= 1024
        power += 1
    return f"{amount}{_UNITS[power - 1]}" if power else amount


def request_object(
    amounts: Iterable[tuple[str, int]], resources: Mapping[str, Resource]
) -> dict[str, int | str]:
    """The amounts of a request."""
    return {name: amount_text(amount, resources[name]) for name, amount in amounts}


def _resource(resource: Resource, shared: Mapping[str, int]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": resource.name}
    if resource.shared:
        found["shared"] = True
    if resource.counted is not Counted.TASK:
        found["counted"] = resource.counted.value
    if resource.kind is not AmountKind.NUMBER:
        found["kind"] = resource.kind.value
    elif resource.decimals:
        found["decimals"] = resource.decimals
    if resource.shared:
        found["total"] = amount_text(shared.get(resource.name, 0), resource)
    return found


def _hosts(cluster: Cluster) -> Iterator[dict[str, Any]]:
    """The hosts in order; neighbours that are alike make one entry."""
    for _, alike in groupby(cluster.hosts, _likeness):
        host, *others = alike
        names = [host.name, *(other.name for other in others)]
        found: dict[str, Any] = {"name": fold_in_order(names)}
        if host.capacity:
            found["capacity"] = request_object(host.capacity.items(), cluster.resources)
        if host.attributes:
            found["attributes"] = dict(host.attributes)
        if host.state is not HostState.OPEN:
            found["state"] = host.state.value
        yield found


def _likeness(host: Host) -> tuple[object, ...]:
    """Equal for hosts that are alike; 1 and true are not."""
    kinds = {name: value.__class__ for name, value in host.attributes.items()}
    return host.capacity, host.attributes, host.state, kinds


def _queue(queue: Queue, resources: Mapping[str, Resource]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": queue.name}
    if queue.priority:
        found["priority"] = queue.priority
    if queue.order is not Order.GREEDY:
        found["order"] = queue.order.value
    if not queue.is_open:
        found["open"] = False
    if queue.users is not None:
        found["users"] = sorted(queue.users)
    if queue.default is not None:
        found["default"] = {}
        if queue.default.amounts:
            found["default"]["request"] = request_object(queue.default.amounts, resources)
        if queue.default.select is not None:
            found["default"]["select"] = queue.default.select.text
    return found


def _limit(limit: Limit, cluster: Cluster) -> dict[str, Any]:
    resource = JOBS if limit.resource == JOBS.name else cluster.resources[limit.resource]
    found: dict[str, Any] = {
        "name": limit.name,
        "resource": limit.resource,
        "value": amount_text(limit.value, resource),
    }
    per = []
    for scope in limit.scopes:
        name = scope.dimension.name.lower()
        if scope.names is not None and scope.dimension is Dimension.HOST:
            found["hosts"] = fold_in_order(list(scope.names))
        elif scope.names is not None:
            found[_FILTERS[scope.dimension]] = list(scope.names)
        if scope.each and (scope.dimension is not Dimension.HOST or scope.names is None):
            per.append(name)
    return {**found, "per": per} if per else found
