"""The machine: hosts, resources, queues and limits, as configured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import chain

from xce_core.model.expressions import Value
from xce_core.model.limits import Limit
from xce_core.model.requests import Primary
from xce_core.model.resources import SLOTS, Resource


class HostState(Enum):
    """Whether a host takes new jobs, and whether its jobs can go on."""

    OPEN = "open"
    CLOSED = "closed"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Host:
    """One machine.

    :param index: its place in the cluster, which is the order in which hosts are tried and
        its bit in a host mask.
    :param capacity: total amount of each host resource it has; 0 for one it does not name.
    :param attributes: facts for selection expressions.
    :param state: its state when the replay starts.
    """

    name: str
    index: int
    capacity: Mapping[str, int]
    attributes: Mapping[str, Value] = field(default_factory=dict)
    state: HostState = HostState.OPEN


class Order(Enum):
    """What a job that can't start means for those behind it in its queue."""

    STRICT = "strict"
    GREEDY = "greedy"


@dataclass(frozen=True, slots=True)
class Queue:
    """A line of jobs.

    :param priority: larger goes first.
    :param is_open: whether jobs of it may start now.
    :param users: who may submit to it; None for everybody.
    :param default: amounts and selection for what a job in it leaves out; None for none.
    """

    name: str
    priority: int = 0
    order: Order = Order.GREEDY
    is_open: bool = True
    users: frozenset[str] | None = None
    default: Primary | None = None


@dataclass(frozen=True)
class Cluster:
    """All that jobs compete for.

    :param shared: total of each shared resource.
    """

    hosts: tuple[Host, ...]
    resources: Mapping[str, Resource]
    shared: Mapping[str, int]
    queues: Mapping[str, Queue]
    limits: tuple[Limit, ...] = ()

    @cached_property
    def index_of(self) -> Mapping[str, int]:
        """Host name to host index."""
        return {host.name: host.index for host in self.hosts}

    @cached_property
    def host_names(self) -> tuple[str, ...]:
        """The names of the hosts, by host index."""
        return tuple([host.name for host in self.hosts])

    @cached_property
    def all_hosts(self) -> int:
        """The mask of every host."""
        return (1 << len(self.hosts)) - 1

    def mask_of(self, names: Iterable[str]) -> int:
        """The mask of the named hosts.

        :raises KeyError: for a name that is no host.
        """
        mask = 0
        for name in names:
            mask |= 1 << self.index_of[name]
        return mask

    def names_of(self, mask: int) -> list[str]:
        """The names of the hosts in *mask*, in host order."""
        names = self.host_names
        return [name for run in runs_of(mask) for name in names[run.start : run.stop]]


def runs_of(mask: int) -> Iterator[range]:
    """The host indexes in *mask*, lowest first, neighbours together."""
    at = 0
    while mask:
        gap = (mask & -mask).bit_length() - 1
        mask >>= gap
        length = (~mask & (mask + 1)).bit_length() - 1
        mask >>= length
        first = at + gap
        at = first + length
        yield range(first, at)


def indexes(mask: int) -> list[int]:
    """The host indexes in *mask*, lowest first."""
    return list(chain.from_iterable(runs_of(mask)))


def uniform_cluster(
    count: int, slots: int, queue: Queue, name: str = "n"
) -> Cluster:
    """A cluster of *count* like hosts with *slots* slots each, and one queue."""
    width = len(str(count))
    hosts = tuple(
        Host(f"{name}{index + 1:0{width}}", index, {SLOTS.name: slots}) for index in range(count)
    )
    return Cluster(hosts, {SLOTS.name: SLOTS}, {}, {queue.name: queue})
