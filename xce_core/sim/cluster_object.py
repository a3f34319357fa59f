"""The cluster as an object, from JSON or TOML: read and checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from xce_core.model.amounts import DECIMALS_LIMIT, AmountKind
from xce_core.model.cluster import Cluster, Host, HostState, Order, Queue
from xce_core.model.limits import Dimension, Limit, Scope
from xce_core.model.ranges import NAMES_LIMIT
from xce_core.model.requests import Primary
from xce_core.model.resources import JOBS, SLOTS, Counted, Resource
from xce_core.sim import fields
from xce_core.sim.fields import FieldError, Table, list_of, unknown
from xce_core.sim.host_lists import host_names

DEFAULT_QUEUE = Queue("default")
"""The queue of a cluster that names none."""

CLUSTER_LIMIT = 64 * 2**20
"""How many bytes the text of a cluster may have."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_DIMENSIONS = {
    "user": Dimension.USER,
    "queue": Dimension.QUEUE,
    "project": Dimension.PROJECT,
    "host": Dimension.HOST,
}


def cluster_of(value: object) -> Cluster:
    """The cluster that an object describes.

    :raises FieldError: naming the field that is wrong.
    """
    found = _CLUSTER(value)
    resources = {SLOTS.name: SLOTS}
    shared: dict[str, int] = {}
    for place, entry in enumerate(found.get("resources", ()), 1):
        _with_place("resources", place, _add_resource, entry, resources, shared)
    queues: dict[str, Queue] = {}
    hosts = _Hosts(resources)
    for place, entry in enumerate(found["hosts"], 1):
        _with_place("hosts", place, hosts.add, entry)
    for place, entry in enumerate(found.get("queues", ()), 1):
        _with_place("queues", place, _add_queue, entry, resources, queues)
    cluster = Cluster(
        tuple(hosts.found), resources, shared, queues or {DEFAULT_QUEUE.name: DEFAULT_QUEUE}
    )
    limits: dict[str, Limit] = {}
    for place, entry in enumerate(found.get("limits", ()), 1):
        _with_place("limits", place, _add_limit, entry, cluster, limits)
    return Cluster(cluster.hosts, resources, shared, cluster.queues, tuple(limits.values()))


def _with_place(name: str, place: int, step: Any, *arguments: Any) -> None:
    """Call *step*; its errors are told as of item *place* of the list *name*."""
    try:
        step(*arguments)
    except FieldError as error:
        raise error.inside(place).inside(name) from None


# The tables.


def _word(value: object) -> str:
    """A name that selection expressions can speak of."""
    found = fields.name(value)
    if not _WORD.fullmatch(found):
        raise fields.mismatch("a letter or '_', then letters, digits, '_', '.' and '-'", value)
    return found


def _dimension(value: object) -> Dimension:
    found = _DIMENSIONS.get(value) if isinstance(value, str) else None
    if found is None:
        raise fields.mismatch(f"one of {', '.join(_DIMENSIONS)}", value)
    return found


def _host_filter(value: object) -> list[str]:
    """Hosts as a host list, or as a list of host lists."""
    listed = ",".join(list_of(fields.text)(value)) if isinstance(value, list) else value
    return host_names(fields.text(listed), None)


_CLUSTER = Table(
    {name: list_of(fields.as_object) for name in ("resources", "queues", "limits")}
    | {"hosts": list_of(fields.as_object, least=1)},
    ["hosts"],
)
_RESOURCE = Table(
    {
        "name": _word,
        "shared": fields.flag,
        "counted": fields.choice(Counted),
        "kind": fields.choice(AmountKind),
        "decimals": fields.integer(0, DECIMALS_LIMIT),
        "total": fields.anything,
    },
    ["name"],
)
_HOST = Table(
    {
        "name": fields.text,
        "capacity": fields.as_object,
        "attributes": fields.as_object,
        "state": fields.choice(HostState),
    },
    ["name"],
)
_QUEUE = Table(
    {
        "name": fields.name,
        "priority": fields.integer(),
        "order": fields.choice(Order),
        "open": fields.flag,
        "users": list_of(fields.maybe_name),
        "default": fields.as_object,
    },
    ["name"],
)
_DEFAULT = Table({"request": fields.as_object, "select": fields.expression})
_LIMIT = Table(
    {
        "name": fields.name,
        "resource": fields.text,
        "value": fields.anything,
        "users": fields.names,
        "queues": fields.names,
        "projects": fields.names,
        "hosts": _host_filter,
        "per": list_of(_dimension),
    },
    ["name", "resource", "value"],
)


# From tables to the model.


def _add_resource(
    entry: object, resources: dict[str, Resource], shared: dict[str, int]
) -> None:
    found = _RESOURCE(entry)
    name = found["name"]
    resource = Resource(
        name,
        found.get("shared", False),
        found.get("counted", Counted.TASK),
        found.get("kind", AmountKind.NUMBER),
        found.get("decimals", 0),
    )
    if name == JOBS.name:
        raise FieldError(f"{name} is a word for limits and no resource", "name")
    if name in resources and resources[name] is not SLOTS:
        raise FieldError(f"resource {fields.shown(name)} stands twice", "name")
    if name == SLOTS.name and (resource.shared or resource.kind is AmountKind.BYTES):
        raise FieldError(f"{name} must be a number of each host", "name")
    if name == SLOTS.name and resource.counted is not Counted.TASK:
        raise FieldError(f"{name} are counted per task, and not otherwise", "counted")
    if resource.kind is AmountKind.BYTES and "decimals" in found:
        raise FieldError("bytes have no decimals", "decimals")
    if resource.shared != ("total" in found):
        what = "missing" if resource.shared else "only a shared resource has a total"
        raise FieldError(what, "total")
    if resource.shared:
        shared[name] = _amount(resource, found["total"], "total")
    resources[name] = resource


class _Hosts:
    """The hosts found so far, in order."""

    def __init__(self, resources: Mapping[str, Resource]) -> None:
        self.found: list[Host] = []
        self._names: set[str] = set()
        self._resources = resources

    def add(self, entry: object) -> None:
        """Take in the hosts of one entry, which are alike."""
        found = _HOST(entry)
        capacity = amounts(found.get("capacity", {}), self._resources, "capacity", shared=False)
        attributes = dict(self._attributes(found.get("attributes", {})))
        for host in self._new_names(found["name"]):
            self._names.add(host)
            self.found.append(
                Host(
                    host,
                    len(self.found),
                    capacity,
                    attributes,
                    found.get("state", HostState.OPEN),
                )
            )

    def _new_names(self, listed: str) -> list[str]:
        try:
            names = host_names(listed, None)
            for host in names:
                fields.name(host)
                if host in self._names:
                    raise FieldError(f"host {fields.shown(host)} stands twice")
            if len(self.found) + len(names) > NAMES_LIMIT:
                raise FieldError(f"expected at most {NAMES_LIMIT} hosts in all")
        except FieldError as error:
            raise error.inside("name") from None
        return names

    def _attributes(self, value: Mapping[str, object]) -> Iterator[tuple[str, Any]]:
        for name, item in value.items():
            try:
                if name == "name" or name in self._resources:
                    raise FieldError("is the name or a capacity of every host")
                yield _word(name), fields.attribute(item)
            except FieldError as error:
                raise error.inside(name).inside("attributes") from None


def _add_queue(
    entry: object, resources: Mapping[str, Resource], queues: dict[str, Queue]
) -> None:
    found = _QUEUE(entry)
    name = found["name"]
    if name in queues:
        raise FieldError(f"queue {fields.shown(name)} stands twice", "name")
    users = found.get("users")
    queues[name] = Queue(
        name,
        found.get("priority", 0),
        found.get("order", Order.GREEDY),
        found.get("open", True),
        None if users is None else frozenset(users),
        _default(found["default"], resources) if "default" in found else None,
    )


def _default(entry: object, resources: Mapping[str, Resource]) -> Primary:
    try:
        found = _DEFAULT(entry)
        request = amounts(found.get("request", {}), resources, "request")
    except FieldError as error:
        raise error.inside("default") from None
    return Primary(1, 1, tuple(request.items()), found.get("select"))


def _add_limit(entry: object, cluster: Cluster, limits: dict[str, Limit]) -> None:
    found = _LIMIT(entry)
    name, resource = found["name"], found["resource"]
    known = {**cluster.resources, JOBS.name: JOBS}
    if name in limits:
        raise FieldError(f"limit {fields.shown(name)} stands twice", "name")
    if resource not in known:
        raise unknown("resource", resource, known).inside("resource")
    value = _amount(known[resource], found["value"], "value")
    limits[name] = Limit(name, resource, value, tuple(_scopes(found, cluster)))


def _scopes(found: Mapping[str, Any], cluster: Cluster) -> Iterator[Scope]:
    per = found.get("per", ())
    for queue in found.get("queues", ()):
        if queue not in cluster.queues:
            raise unknown("queue", queue, cluster.queues).inside("queues")
    for key, dimension in _DIMENSIONS.items():
        names = found.get(f"{key}s")
        if names is not None and dimension is Dimension.HOST:
            names = _in_host_order(names, cluster)
        each = dimension in per or dimension is Dimension.HOST
        if names is not None or dimension in per:
            yield Scope(dimension, None if names is None else tuple(names), each)


def _in_host_order(names: list[str], cluster: Cluster) -> list[str]:
    for host in names:
        if host not in cluster.index_of:
            raise unknown("host", host, list(cluster.index_of)[:1000]).inside("hosts")
    return sorted(names, key=cluster.index_of.__getitem__)


def amounts(
    value: Mapping[str, object],
    resources: Mapping[str, Resource],
    field: str,
    shared: bool = True,
) -> dict[str, int]:
    """The amount of each resource named in the field *field*.

    :param shared: whether shared resources may be among them.
    """
    found: dict[str, int] = {}
    for name, item in value.items():
        resource = resources.get(name)
        if resource is None:
            raise unknown("resource", name, resources).inside(field)
        if resource.shared and not shared:
            raise FieldError("is shared, and has a total in resources", field, name)
        try:
            found[name] = fields.amount_of(resource)(item)
        except FieldError as error:
            raise error.inside(name).inside(field) from None
    return found


def _amount(resource: Resource, value: object, field: str) -> int:
    try:
        return fields.amount_of(resource)(value)
    except FieldError as error:
        raise error.inside(field) from None
