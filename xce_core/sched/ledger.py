"""The ledger: the only place that knows what is free, and that claims and releases it."""

from __future__ import annotations

from types import TracebackType

from xce_core.model.cluster import Cluster, HostState
from xce_core.model.decisions import Placement
from xce_core.model.limits import Dimension, Limit
from xce_core.model.resources import JOBS, SLOTS
from xce_core.sched.ask import UNLIMITED, Ask, Hosts
from xce_core.sched.columns import Column, Counter, Same


class Ledger:
    """Accounts of one cluster.

    :attr:`releases` counts everything that can make a refused job fit: as long as it stands
    still, room can only have become less.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.releases = 0
        self.columns: dict[str, Column] = {}
        self.counters: dict[str, Counter] = {JOBS.name: Counter(JOBS.name, UNLIMITED)}
        self.limit_columns: dict[tuple[str, str], Column] = {}
        self.limit_counters: dict[tuple[str, str], Counter] = {}
        for resource in cluster.resources.values():
            if resource.shared:
                total = cluster.shared.get(resource.name, 0)
                self.counters[resource.name] = Counter(resource.name, total)
            else:
                totals = [host.capacity.get(resource.name, 0) for host in cluster.hosts]
                self.columns[resource.name] = Column(resource.name, totals)
        state = dict.fromkeys(HostState, 0)
        for host in cluster.hosts:
            state[host.state] |= 1 << host.index
        self.hosts = Hosts(*(state[s] for s in (HostState.OPEN, HostState.CLOSED, HostState.DOWN)))

    def limit_column(self, limit: Limit, instance: str) -> Column:
        """The column of a limit that counts by host, made when first needed."""
        column = self.limit_columns.get((limit.name, instance))
        if column is None:
            exempt = self._exempt(limit)
            totals = Same(limit.value, len(self.cluster.hosts))
            column = Column(limit.resource, totals, limit, instance, exempt)
            self.limit_columns[limit.name, instance] = column
        return column

    def limit_counter(self, limit: Limit, instance: str) -> Counter:
        """The counter of a cluster-wide limit, made when first needed."""
        counter = self.limit_counters.get((limit.name, instance))
        if counter is None:
            counter = Counter(limit.resource, limit.value, limit, instance)
            self.limit_counters[limit.name, instance] = counter
        return counter

    def _exempt(self, limit: Limit) -> int:
        for scope in limit.scopes:
            if scope.dimension is Dimension.HOST and scope.names is not None:
                return self.cluster.all_hosts & ~self.cluster.mask_of(scope.names)
        return 0

    def claim(self, ask: Ask, placements: tuple[Placement, ...]) -> None:
        """Take what *placements* of *ask* need."""
        self._book(ask, placements, 1)

    def release(self, ask: Ask, placements: tuple[Placement, ...]) -> None:
        """Give back what *placements* of *ask* took."""
        self._book(ask, placements, -1)
        self.releases += 1

    def undo(self, ask: Ask, placements: tuple[Placement, ...]) -> None:
        """Take back a claim as if it had never been: nobody fits now who did not before it."""
        self._book(ask, placements, -1)

    def _book(self, ask: Ask, placements: tuple[Placement, ...], sign: int) -> None:
        self.hosts.changes += 1
        for hosts, tasks, _, first in placements:
            for column, amount in ask.needs(tasks, first):
                if amount:
                    column.take(hosts, sign * amount)
        if ask.shared_claims:
            tasks = sum(p.tasks * p.hosts.bit_count() for p in placements)
            count = sum(p.hosts.bit_count() for p in placements)
            for claim in ask.shared_claims:
                claim.counter.used += sign * claim.amount(tasks, count)

    def set_hosts(self, hosts: int, state: HostState) -> None:
        """Put *hosts* (a mask) into *state*."""
        now = self.hosts
        now.changes += 1
        now.open = now.open & ~hosts | (hosts if state is HostState.OPEN else 0)
        now.closed = now.closed & ~hosts | (hosts if state is HostState.CLOSED else 0)
        now.down = now.down & ~hosts | (hosts if state is HostState.DOWN else 0)
        self.releases += 1

    def state_of(self, index: int) -> HostState:
        """The state of the host of this index."""
        if self.hosts.open >> index & 1:
            return HostState.OPEN
        return HostState.CLOSED if self.hosts.closed >> index & 1 else HostState.DOWN

    def all_or_nothing(self) -> Claims:
        """Claims that are given back unless they are kept."""
        return Claims(self)

    def free_slots(self) -> int:
        """How many slots are left; -1 where their number alone does not tell what fits.

        That is so where a host is not open, or was given more than it has.
        """
        column = self.columns.get(SLOTS.name)
        if column is None or self.hosts.open != self.cluster.all_hosts:
            return -1
        free = 0
        for left, hosts in column.classes.items():
            if left < 0:
                return -1
            free += left * hosts.bit_count()
        return free


class Claims:
    """The claims of one allocation in the making; a ``with`` block that forgets nothing.

    What was claimed and is not yet kept counts as *reserved* in every check.
    """

    __slots__ = ("_kept", "_ledger", "made")

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._kept = False
        self.made: list[tuple[Ask, tuple[Placement, ...]]] = []

    def __enter__(self) -> Claims:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._kept:
            for ask, placements in reversed(self.made):
                self._ledger._book(ask, placements, -1)

    def take(self, ask: Ask, placements: tuple[Placement, ...]) -> None:
        """Claim *placements* of *ask*."""
        self._ledger.claim(ask, placements)
        self.made.append((ask, placements))

    def keep(self) -> None:
        """The allocation is complete."""
        self._kept = True

    def reserved_on(self, column: Column, index: int) -> int:
        """What these claims took of *column* on the host of this index."""
        return sum(
            amount
            for ask, placements in self.made
            for placement in placements
            if placement.hosts >> index & 1
            for needed, amount in ask.needs(placement.tasks, placement.first)
            if needed is column
        )

    def reserved_of(self, counter: Counter) -> int:
        """What these claims took of *counter*."""
        total = 0
        for ask, placements in self.made:
            tasks = sum(p.tasks * p.hosts.bit_count() for p in placements)
            count = sum(p.hosts.bit_count() for p in placements)
            total += sum(
                claim.amount(tasks, count)
                for claim in ask.shared_claims
                if claim.counter is counter
            )
        return total


class _NoClaims(Claims):
    """Of an allocation with a single member, before which nothing is claimed."""

    __slots__ = ()

    def __init__(self) -> None:
        self._kept = True
        self.made = []


NO_CLAIMS: Claims = _NoClaims()
"""The claims before the first member: none, and none can be added."""
