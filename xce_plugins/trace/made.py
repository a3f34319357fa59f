"""What comes again and again in the traces of a log: one of each is made."""

from __future__ import annotations

from functools import lru_cache

from xce_core.model.amounts import AmountKind
from xce_core.model.cluster import Cluster
from xce_core.model.reasons import CODE_NAMES, Reason
from xce_core.model.requests import Primary, SpanKind
from xce_core.sched.facts import Path
from xce_core.sim.host_lists import host_lists
from xce_plugins.trace.endings import Endings
from xce_plugins.trace.model import (
    AttemptFailed,
    CheckEnded,
    PlanBegun,
    PlanCommitted,
    PlanEnded,
    RequirementBegun,
    RequirementEnded,
    SearchEnded,
    Unit,
)
from xce_plugins.trace.scans import summary

_SCANS_KEPT = 16
"""How many scans are remembered, should they be announced again."""

_REASONS_KEPT = 64
"""Of how many sets of reasons it is remembered what comes of them."""

NO_CLUSTER = Cluster((), {}, {}, {})
"""Stands for the cluster as long as there is none."""


class Made:
    """Makes entries, endings and the like of one cluster.

    :ivar fold: gives a mask of hosts as a host list.
    :ivar units: of the resources that do not simply count whole things.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.fold = host_lists(cluster).fold
        self.units = tuple(
            Unit(resource.name, resource.kind.value, resource.decimals)
            for resource in cluster.resources.values()
            if resource.kind is AmountKind.BYTES or resource.decimals
        )
        self.ending = Endings(cluster, self.fold).of
        like = lru_cache(maxsize=1024)
        self.step = like(_step)
        self.whole_begun = like(_whole_begun)
        self.member_begun = like(_member_begun)
        self.requirement_ended = like(_requirement_ended)
        self.attempt_failed = like(AttemptFailed)
        self.check_ended = like(CheckEnded)
        self.plan_begun = like(PlanBegun)
        self.plan_ended = like(PlanEnded)
        self.plan_committed = like(PlanCommitted)
        self.search_ended = like(SearchEnded)
        self.by_code = lru_cache(maxsize=_REASONS_KEPT)(_by_code)
        self.summary = lru_cache(maxsize=_SCANS_KEPT)(summary)


def _step(path: Path) -> tuple[str, int, int, int, int]:
    shape, alternative, alternatives, member, members = path
    return (shape.value, alternative, alternatives, member, members)


def _whole_begun(path: Path) -> RequirementBegun:
    return RequirementBegun(_step(path))


def _member_begun(path: Path, primary: Primary) -> RequirementBegun:
    span = primary.span
    return RequirementBegun(
        _step(path),
        primary.tasks_min,
        primary.tasks_max,
        primary.amounts,
        primary.select.text if primary.select is not None else "",
        span.kind.value,
        span.tasks_per_host if span.kind is SpanKind.PER_HOST else 0,
    )


def _requirement_ended(path: Path, satisfied: bool, error: str) -> RequirementEnded:
    return RequirementEnded(_step(path), satisfied, error)


def _by_code(reasons: tuple[Reason, ...]) -> tuple[tuple[str, int, tuple[str, ...]], ...]:
    """Reasons by code: how many (each host counts, else one), and the names they give."""
    counts: dict[str, int] = {}
    names: dict[str, dict[str, None]] = {}
    for reason in reasons:
        code = CODE_NAMES[reason.code]
        counts[code] = counts.get(code, 0) + max(1, reason.hosts.bit_count())
        named = names.setdefault(code, {})
        if reason.name:
            named[reason.name] = None
    return tuple((code, count, tuple(names[code])) for code, count in counts.items())
