"""A second set of accounts of the cluster, on which to plan what is not so but could be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xce_core.model.decisions import Allocation
from xce_core.model.jobs import Job
from xce_core.sched.allocator import Allocator
from xce_core.sched.ledger import Ledger
from xce_core.sched.resolve import ResolveError, Resolver, by_member

if TYPE_CHECKING:
    from xce_core.sched.forecast import Forecast


class ShadowCluster:
    """A second ledger of the same cluster, for what is not so but could be.

    It places jobs as the scheduler would, by the same plans and in the same host order.

    :ivar owner: the forecast that it stands as.
    """

    def __init__(self, live: Ledger, allocator: Allocator) -> None:
        self.owner: Forecast | None = None
        self._live = live
        self.ledger = Ledger(live.cluster)
        self._resolver = Resolver(live.cluster, self.ledger)
        self._allocator = allocator.on(self.ledger)

    def sync(self) -> None:
        """Become like the live ledger."""
        live, shadow = self._live, self.ledger
        for name, column in live.columns.items():
            shadow.columns[name].classes = dict(column.classes)
        for name, counter in live.counters.items():
            shadow.counters[name].used = counter.used
        for by_host in live.limit_columns.values():
            assert by_host.limit is not None
            copy = shadow.limit_column(by_host.limit, by_host.instance)
            copy.classes = dict(by_host.classes)
        for shared in live.limit_counters.values():
            assert shared.limit is not None
            shadow.limit_counter(shared.limit, shared.instance).used = shared.used
        hosts, now = shadow.hosts, live.hosts
        hosts.open, hosts.closed, hosts.down = now.open, now.closed, now.down
        hosts.changes += 1

    def book(self, job: Job, allocation: Allocation) -> None:
        """*job* holds *allocation*, whether it fits or not."""
        for ask, placements in by_member(self._resolver.resolve(job), allocation):
            self.ledger.claim(ask, placements)

    def release(self, job: Job, allocation: Allocation) -> None:
        """*job* gives *allocation* back."""
        for ask, placements in by_member(self._resolver.resolve(job), allocation):
            self.ledger.release(ask, placements)

    def place(self, job: Job) -> Allocation | None:
        """Claim a place for *job*; None, and nothing claimed, if there is none."""
        try:
            wanted = self._resolver.resolve(job)
        except ResolveError:
            return None
        return self._allocator.allocate(wanted)
