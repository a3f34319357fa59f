"""Feasibility: whether a job could run at all, were the whole cluster free and open."""

from __future__ import annotations

from xce_core.model.cluster import Cluster, HostState
from xce_core.model.jobs import Job
from xce_core.model.reasons import Reasons
from xce_core.sched.allocator import Allocator
from xce_core.sched.ledger import Ledger
from xce_core.sched.refusal import refusal_reasons
from xce_core.sched.resolve import Resolver, by_member


class FeasibilityCheck:
    """Tries jobs on an empty cluster, in the way in which *allocator* would place them."""

    def __init__(self, cluster: Cluster, allocator: Allocator) -> None:
        ledger = Ledger(cluster)
        ledger.set_hosts(cluster.all_hosts, HostState.OPEN)
        self._resolver = Resolver(cluster, ledger)
        self._allocator = allocator.on(ledger)

    def passes(self, job: Job) -> bool:
        """Whether *job* fits when nothing else is there.

        :raises ResolveError: if it asks for something unknown.
        """
        wanted = self._resolver.resolve(job)
        allocation = self._allocator.allocate(wanted)
        if allocation is None:
            return False
        for ask, placements in by_member(wanted, allocation):
            self._allocator.ledger.release(ask, placements)
        return True

    def reasons(self, job: Job) -> Reasons:
        """Why *job*, which does not pass, does not.

        :raises ResolveError: if it asks for something unknown.
        """
        return refusal_reasons(self._resolver.resolve(job), self._allocator)
