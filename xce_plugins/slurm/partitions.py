"""Partitions: as queues, and as attributes of the hosts that are in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from xce_core.model.cluster import Cluster, Order, Queue
from xce_core.model.expressions import Expression, parse_expression

ONE_QUEUE = "default"

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*", re.ASCII)
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]", re.ASCII)


def is_word(name: str) -> bool:
    """Whether selection expressions can speak of *name*."""
    return _WORD.fullmatch(name) is not None


def attribute_of(partition: str) -> str:
    """The attribute that a host has if it is in *partition*: ``partition.debug``."""
    return f"partition.{_UNFIT.sub('_', partition)}"


def partition_attributes(partitions: Sequence[Iterable[str]]) -> list[dict[str, bool]]:
    """The attributes of each host, given the partitions that it is in."""
    return [{attribute_of(name): True for name in sorted(names)} for names in partitions]


class Selections:
    """Which hosts the jobs of each partition may use."""

    def __init__(self, cluster: Cluster) -> None:
        counts: dict[str, int] = {}
        for host in cluster.hosts:
            for name, value in host.attributes.items():
                counts[name] = counts.get(name, 0) + (value is True)
        self._some = {name for name, count in counts.items() if 0 < count < len(cluster.hosts)}
        self._parsed: dict[str, Expression] = {}

    def of(self, partition: str) -> Expression | None:
        """None if all hosts are in it, or none says so."""
        name = attribute_of(partition)
        if name not in self._some:
            return None
        if name not in self._parsed:
            self._parsed[name] = parse_expression(name)
        return self._parsed[name]


def with_queues(cluster: Cluster, names: Iterable[str]) -> Cluster:
    """*cluster* with the named queues: its own where it has them, else strict ones."""
    missing = {
        name: Queue(name, order=Order.STRICT) for name in names if name not in cluster.queues
    }
    return replace(cluster, queues={**cluster.queues, **missing}) if missing else cluster
