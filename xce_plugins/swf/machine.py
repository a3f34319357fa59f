"""The cluster that a log's jobs run on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from xce_core.model.cluster import Cluster, Order, Queue, uniform_cluster
from xce_core.model.resources import SLOTS
from xce_core.sim.workload import InputError
from xce_plugins.swf.header import Header

HOSTS_LIMIT = 1_000_000
"""How many hosts a header, or the option, may make."""

NO_MACHINE = (
    "the header has no MaxProcs and no MaxNodes: give --cluster FILE.toml or the option procs=N"
)

DEFAULT_QUEUE = "default"


@dataclass(frozen=True, slots=True)
class Machine:
    """Like hosts, and where their number comes from."""

    hosts: int
    slots: int
    origin: str


def machine_of(header: Header, procs: int | None) -> Machine | None:
    """The machine as the option or else the header says; None if neither does."""
    max_procs, max_nodes = header.positive("MaxProcs"), header.positive("MaxNodes")
    if procs is not None:
        return Machine(procs, 1, "option procs")
    if max_procs and max_nodes and max_procs % max_nodes == 0:
        return Machine(max_nodes, max_procs // max_nodes, "header MaxNodes and MaxProcs")
    if max_procs:
        return Machine(max_procs, 1, "header MaxProcs")
    if max_nodes:
        return Machine(max_nodes, 1, "header MaxNodes")
    return None


def machine_fault(machine: Machine | None) -> str:
    """Why no cluster can be made of *machine*; empty if one can."""
    if machine is None:
        return NO_MACHINE
    if machine.hosts > HOSTS_LIMIT:
        what = f"{machine.origin}: expected at most {HOSTS_LIMIT} hosts, found {machine.hosts}"
        return f"{what}: give --cluster FILE.toml"
    return ""


def cluster_of(machine: Machine | None, path: str) -> Cluster:
    """A cluster of the machine's hosts, with the default queue.

    :raises InputError: if there is no machine, or one too large.
    """
    if machine is None or machine_fault(machine):
        raise InputError(path, 0, machine_fault(machine))
    return uniform_cluster(machine.hosts, machine.slots, _strict(DEFAULT_QUEUE))


def with_queues(cluster: Cluster, names: Iterable[str]) -> Cluster:
    """*cluster* with the named queues: its own where it has them, else strict ones."""
    missing = {name: _strict(name) for name in names if name not in cluster.queues}
    return replace(cluster, queues={**cluster.queues, **missing}) if missing else cluster


def with_only_queues(cluster: Cluster, names: Iterable[str]) -> Cluster:
    """*cluster* with the named queues, all strict, and no other."""
    return replace(cluster, queues={name: _strict(name) for name in names})


def slots_of(cluster: Cluster) -> int:
    """All slots of *cluster*, whatever the states of its hosts."""
    return sum(host.capacity.get(SLOTS.name, 0) for host in cluster.hosts)


def _strict(name: str) -> Queue:
    return Queue(name, order=Order.STRICT)
