"""Why a job pends: reasons as codes, names and host masks, turned into words only when shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ReasonCode(Enum):
    """What stands in the way. The names are stable: they appear in recordings and traces."""

    __hash__ = object.__hash__  # there is one object for each; that of Enum is many times slower

    HELD = "held by the user or an operator"
    DEPENDENCY = "waits for another job"
    DEPENDENCY_NEVER = "waits for another job that can no longer get there"
    BEGIN_TIME = "its begin time has not come"
    QUEUE_CLOSED = "its queue is closed"
    NO_SCHEDULING_OBJECT = "what it asks for can't be resolved"
    NO_RESOURCE = "a resource falls short"
    LIMIT = "a limit is reached"
    SELECTION = "hosts do not match its selection"
    HOST_CLOSED = "hosts are closed"
    HOST_DOWN = "hosts are down"
    TOO_FEW_HOSTS = "single hosts would do, but not enough of them at once"
    NO_PLAN = "no placement plan could be made"
    POLICY = "the policy holds it back"
    INTERNAL = "an internal error"


CODE_NAMES = {code: code.name for code in ReasonCode}
"""The names of the codes, looked up faster than by the attribute."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing in the way.

    :param name: the resource or limit it is about (a limit as ``name (scope)``), or a
        remark; empty where the code says all.
    :param hosts: the mask of hosts it is about; 0 if it is about no host in particular.
    """

    code: ReasonCode
    name: str = ""
    hosts: int = 0


@dataclass(frozen=True, slots=True)
class Reasons:
    """All that stands in the way of a job, the main reason apart.

    Equal sets are equal values: entries are unique by code and name, in a fixed order.
    """

    main: ReasonCode
    entries: tuple[Reason, ...]


_RANK = {code: rank for rank, code in enumerate(ReasonCode)}


def reason_set(main: ReasonCode, found: list[Reason]) -> Reasons:
    """*found* as a set: hosts of like reasons joined, entries without a host first."""
    hosts: dict[tuple[ReasonCode, str, bool], int] = {}
    for reason in found:
        key = (reason.code, reason.name, reason.hosts != 0)
        hosts[key] = hosts.get(key, 0) | reason.hosts
    ordered = sorted(hosts, key=lambda key: (key[2], _RANK[key[0]], key[1]))
    entries = (Reason(code, name, hosts[code, name, on]) for code, name, on in ordered)
    return Reasons(main, tuple(entries))
