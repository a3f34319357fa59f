"""Limits: named caps on a resource for users, queues, projects, hosts or a mix of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Dimension(Enum):
    """What a limit can be scoped by; the value is the letter in a scope label (``u=alice``)."""

    USER = "u"
    QUEUE = "q"
    PROJECT = "p"
    HOST = "h"


@dataclass(frozen=True, slots=True)
class Scope:
    """One dimension of a limit.

    :param names: those it applies to; None for all.
    :param each: True if each name has a count of its own, False if they share one; hosts
        always count each by itself.
    :raises ValueError: for hosts that are to share a count.
    """

    dimension: Dimension
    names: tuple[str, ...] | None
    each: bool

    def __post_init__(self) -> None:
        if self.dimension is Dimension.HOST and not self.each:
            raise ValueError("hosts in the scope of a limit count each by itself")


@dataclass(frozen=True, slots=True)
class Limit:
    """A cap on what running jobs in its scope may use of one resource.

    A charge stands beside the resource that it limits and never replaces it: a job needs
    both the resource and room under each limit that matches it.

    :param resource: the limited resource; ``jobs`` counts running jobs.
    :param value: the cap, in the resource's own unit.
    :param scopes: at most one a dimension, in the order user, queue, project, host; none
        for a limit on everybody together.
    """

    name: str
    resource: str
    value: int
    scopes: tuple[Scope, ...] = ()

    @property
    def by_host(self) -> bool:
        """True if hosts are in its scope, so that each host is checked against it."""
        return any(scope.dimension is Dimension.HOST for scope in self.scopes)

    def instance(self, user: str, queue: str, project: str) -> str | None:
        """The count a job falls under, as a label without the host; None if it does not apply.

        ``u=alice,q=normal``: dimensions in fixed order. Names that share one count are
        joined by ``+``. The label is empty for a limit on everybody, or on hosts alone.
        Commas in names are doubled, so that different instances have different labels.
        """
        values = {Dimension.USER: user, Dimension.QUEUE: queue, Dimension.PROJECT: project}
        parts = []
        for scope in self.scopes:
            if scope.dimension is Dimension.HOST:
                continue
            value = values[scope.dimension]
            if scope.names is not None and value not in scope.names:
                return None
            if scope.each:
                parts.append(f"{scope.dimension.value}={_plain(value)}")
            elif scope.names is not None:
                parts.append(f"{scope.dimension.value}={'+'.join(map(_plain, scope.names))}")
        return ",".join(parts)


def _plain(name: str) -> str:
    return name.replace(",", ",,")


def scope_label(instance: str, host: str | None = None) -> str:
    """The scope as people read it: an instance label, with the host where one is meant."""
    if host is None:
        return instance or "all"
    return f"{instance},h={host}" if instance else f"h={host}"
