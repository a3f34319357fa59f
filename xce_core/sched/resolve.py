"""Scheduling objects: what is derived from a job before it is decided."""

from __future__ import annotations

from collections.abc import Sequence

from xce_core.model.cluster import Cluster, Host
from xce_core.model.decisions import Allocation, Placement
from xce_core.model.expressions import Value
from xce_core.model.jobs import Job, Resolution
from xce_core.model.limits import Dimension, Limit
from xce_core.model.reasons import Reasons
from xce_core.model.requests import Primary, Requirement, SpanKind
from xce_core.model.resources import JOBS, SLOTS, Counted
from xce_core.sched.ask import Ask, HostClaim, SharedClaim
from xce_core.sched.ledger import Ledger

KEPT = 20_000
"""How many kinds of jobs are remembered, so that jobs alike share what is derived from them."""


class ResolveError(Exception):
    """A job asks for something that the cluster does not know."""


class SchedulingObject(Resolution):
    """A resolved requirement with its matched limits, shared by all jobs that are alike.

    :param limits: each matching limit with the instance the jobs fall under.
    :param alternatives: the asks of each alternative's members.
    :param complete: True if the core's own plans find a placement whenever there is one, so
        that a refusal stands until something is released.
    :param slots_only: if all that it asks for is that many slots, one a task, on any hosts: it
        then fits whenever the open hosts have so many left. Else 0.
    :ivar refused_at: the ledger's ``releases`` when the requirement was last refused.
    :ivar refusal: the reasons worked out last, with the ledger's count of changes at that time.
    :ivar possible: whether an empty cluster could take it; None if nobody has asked yet.
    """

    __slots__ = (
        "alternatives",
        "complete",
        "limits",
        "possible",
        "queue",
        "refusal",
        "requirement",
        "slots_only",
    )

    def __init__(
        self,
        requirement: Requirement,
        queue: str,
        limits: tuple[tuple[Limit, str], ...],
        alternatives: tuple[tuple[Ask, ...], ...],
    ) -> None:
        super().__init__()
        self.requirement = requirement
        self.queue = queue
        self.limits = limits
        self.alternatives = alternatives
        self.complete = all(
            len(members) <= 1 and not any(ask.has_first or ask.by_hosts for ask in members)
            for members in alternatives
        )
        self.slots_only = _slots_only(alternatives)
        self.possible: bool | None = None
        self.refusal: tuple[int, Reasons] | None = None


def _slots_only(alternatives: tuple[tuple[Ask, ...], ...]) -> int:
    if len(alternatives) != 1 or len(alternatives[0]) != 1:
        return 0
    ask = alternatives[0][0]
    primary, hosts = ask.primary, ask.hosts
    if (
        ask.shared_claims
        or len(ask.host_claims) != 1
        or primary.span.kind is not SpanKind.FREE
        or primary.tasks_min != primary.tasks_max
        or ask.selected != hosts.open | hosts.closed | hosts.down
    ):
        return 0
    column, *counts = ask.host_claims[0]
    plain = column.limit is None and column.resource == SLOTS.name and counts == [1, 0, 0]
    return primary.tasks_min if plain else 0


def by_member(
    wanted: SchedulingObject, allocation: Allocation
) -> Sequence[tuple[Ask, tuple[Placement, ...]]]:
    """The asks of the chosen alternative, each with its placements."""
    members = wanted.alternatives[allocation.alternative]
    if len(members) == 1:
        return ((members[0], allocation.placements),)
    return [
        (ask, placements)
        for number, ask in enumerate(members)
        if (placements := tuple(p for p in allocation.placements if p.member == number))
    ]


def slots_held(job: Job) -> int:
    """How many slots the allocation of *job* takes."""
    wanted, allocation = job.sched, job.allocation
    assert isinstance(wanted, SchedulingObject)
    assert allocation is not None
    if wanted.slots_only and not job.reconstructed:
        return wanted.slots_only
    members = wanted.alternatives[allocation.alternative]
    return sum(
        members[member].slots(tasks) * hosts.bit_count()
        for hosts, tasks, member, _ in allocation.placements
    )


def slots_wanted(job: Job) -> int:
    """How many slots *job* asks for, at the fewest tasks, by the first of its alternatives."""
    wanted = job.sched
    if not isinstance(wanted, SchedulingObject) or not wanted.alternatives:
        return 0
    return sum(ask.slots(ask.primary.tasks_min) for ask in wanted.alternatives[0])


class Resolver:
    """Makes scheduling objects against one ledger, and finds those already made."""

    def __init__(self, cluster: Cluster, ledger: Ledger) -> None:
        self._cluster = cluster
        self._ledger = ledger
        self._selected: dict[str, int] = {}
        self._objects: dict[object, SchedulingObject] = {}
        self._by_instances: dict[object, SchedulingObject] = {}
        scoped = {scope.dimension for limit in cluster.limits for scope in limit.scopes}
        self._by_user = Dimension.USER in scoped
        self._by_project = Dimension.PROJECT in scoped

    def resolve(self, job: Job) -> SchedulingObject:
        """The scheduling object of *job*.

        :raises ResolveError: for an unknown queue or resource.
        """
        key = (
            job.requirement,
            job.queue,
            job.user if self._by_user else None,
            job.project if self._by_project else None,
        )
        found = self._objects.get(key)
        if found is None:
            if len(self._objects) >= KEPT:
                self._forget()
            found = self._objects[key] = self._by_limits(job)
        return found

    def _forget(self) -> None:
        """Start anew: jobs keep what they have, and jobs like them are less quickly alike."""
        self._objects.clear()
        self._by_instances.clear()

    def _by_limits(self, job: Job) -> SchedulingObject:
        if job.queue not in self._cluster.queues:
            raise ResolveError(f"queue {job.queue} is not known")
        limits = tuple(
            (limit, instance)
            for limit in self._cluster.limits
            if (instance := limit.instance(job.user, job.queue, job.project)) is not None
        )
        instances = tuple((limit.name, instance) for limit, instance in limits)
        key = (job.requirement, job.queue, instances)
        found = self._by_instances.get(key)
        if found is None:
            alternatives = tuple(
                tuple(self._ask(primary, limits, n) for n, primary in enumerate(compound.members))
                for compound in job.requirement.alternatives
            )
            found = SchedulingObject(job.requirement, job.queue, limits, alternatives)
            self._by_instances[key] = found
        return found

    def _ask(self, primary: Primary, limits: tuple[tuple[Limit, str], ...], member: int) -> Ask:
        host_claims: list[HostClaim] = []
        shared_claims: list[SharedClaim] = []
        amounts = dict(primary.amounts)
        for name, amount in primary.amounts:
            counts = self._counts(name, amount)
            if self._cluster.resources[name].shared:
                shared_claims.append(SharedClaim(self._ledger.counters[name], *counts))
            else:
                host_claims.append(HostClaim(self._ledger.columns[name], *counts))
        for limit, instance in limits:
            if limit.resource == JOBS.name:
                counts = (0, 1, 0) if limit.by_host else (0, 0, 1 if member == 0 else 0)
            else:
                counts = self._counts(limit.resource, amounts.get(limit.resource, 0))
            if not any(counts):
                continue
            if limit.by_host:
                column = self._ledger.limit_column(limit, instance)
                host_claims.append(HostClaim(column, *counts))
            else:
                counter = self._ledger.limit_counter(limit, instance)
                shared_claims.append(SharedClaim(counter, *counts))
        return Ask(
            primary,
            tuple(host_claims),
            tuple(shared_claims),
            self._selection(primary),
            self._ledger.hosts,
        )

    def _counts(self, name: str, amount: int) -> tuple[int, int, int]:
        """*amount* as (per task, per host, per job)."""
        resource = self._cluster.resources.get(name)
        if resource is None:
            raise ResolveError(f"resource {name} is not known")
        counted = resource.counted
        return (
            amount if counted is Counted.TASK else 0,
            amount if counted is Counted.HOST else 0,
            amount if counted is Counted.JOB else 0,
        )

    def _selection(self, primary: Primary) -> int:
        if primary.select is None:
            return self._cluster.all_hosts
        text = primary.select.text
        mask = self._selected.get(text)
        if mask is None:
            mask = 0
            for host in self._cluster.hosts:
                if primary.select.matches(host_facts(host)):
                    mask |= 1 << host.index
            self._selected[text] = mask
        return mask


def host_facts(host: Host) -> dict[str, Value]:
    """What a selection expression may ask of *host*: its name, capacities and attributes."""
    return {"name": host.name, **host.capacity, **host.attributes}
