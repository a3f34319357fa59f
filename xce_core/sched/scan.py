"""What a search saw on the hosts: verdicts on demand, by the same check that a visit makes.

A headless run never visits a host that can't take a position. While somebody looks on,
the hosts that were passed over are explained here, at the instant of the scan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from xce_core.model.cluster import Host, HostState, indexes
from xce_core.model.limits import scope_label
from xce_core.model.rows import Row
from xce_core.sched.ask import Ask
from xce_core.sched.columns import Column, Counter
from xce_core.sched.ledger import Claims, Ledger


class VerdictKind(Enum):
    """What can come out of looking at a host. The names are stable."""

    ACCEPTED = "accepted"
    SELECTION = "selection mismatch"
    SHORTFALL = "resource shortfall"
    LIMIT = "limit exceeded"
    CLAIMED = "already claimed"
    NOT_EVALUATED = "not evaluated"


class Phase(Enum):
    """Where a host was turned away."""

    PRE_FILTER = "pre-filter"
    PER_HOST = "per-host check"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came out of looking at one host.

    :param kinds: shortfall and limit can stand together; every other kind stands alone.
    :param phase: None where no check turned it away.
    :param unmet: each resource and limit that fell short.
    :param detail: the host's state if it is closed or down; the error if it was not
        evaluated; else empty.
    """

    host: Host
    kinds: tuple[VerdictKind, ...]
    phase: Phase | None = None
    unmet: tuple[Row, ...] = ()
    detail: str = ""


def host_rows(ask: Ask, tasks: int, first: bool, host: Host, claims: Claims) -> tuple[Row, ...]:
    """The per-host check: one row for each resource and limit that *tasks* tasks need."""
    return tuple(
        _host_row(column, amount, host, claims)
        for column, amount in ask.needs(tasks, first)
        if column.concerns(host.index)
    )


def _host_row(column: Column, amount: int, host: Host, claims: Claims) -> Row:
    total = column.totals[host.index]
    reserved = claims.reserved_on(column, host.index)
    in_use = total - column.left(host.index) - reserved
    if column.limit is None:
        return Row(column.resource, total, in_use, reserved, amount)
    scope = scope_label(column.instance, host.name)
    return Row(column.resource, total, in_use, reserved, amount, column.limit.name, scope)


def cluster_rows(ask: Ask, claims: Claims) -> tuple[Row, ...]:
    """The cluster-wide check, for fewest tasks: resources, and if those suffice, limits."""
    return tuple(
        _cluster_row(claim.counter, claim.amount(ask.primary.tasks_min, 1), claims)
        for claim in ask.checked_claims()
    )


def _cluster_row(counter: Counter, amount: int, claims: Claims) -> Row:
    reserved = claims.reserved_of(counter)
    in_use = counter.used - reserved
    if counter.limit is None:
        return Row(counter.resource, counter.total, in_use, reserved, amount)
    scope = scope_label(counter.instance)
    return Row(
        counter.resource, counter.total, in_use, reserved, amount, counter.limit.name, scope
    )


@dataclass(frozen=True, slots=True)
class Scan:
    """The search for hosts for a run of like positions; valid only while it is announced.

    :param first: whether the run is the plan's first position with amounts per job.
    :param start: number of the run's first position, from 1.
    :param count: positions in the run.
    :param claimed: mask of the hosts taken by earlier positions of the plan.
    :param taken: indexes of the hosts found, in the order of the positions; fewer than
        *count* if the search failed.
    :param in_host_order: False if a plugin said which hosts go first; the hosts that can't
        take the position are then looked at before those that can.
    :param error: why the scan stopped; empty if it did not.
    """

    ledger: Ledger
    claims: Claims
    ask: Ask
    tasks: int
    first: bool
    start: int
    count: int
    claimed: int
    taken: tuple[int, ...]
    in_host_order: bool = True
    error: str = ""

    def positions(self) -> Iterator[PositionScan]:
        """What each position saw, up to the first that found no host."""
        claimed = self.claimed
        for offset, index in enumerate(self.taken):
            yield PositionScan(self, self.start + offset, claimed, index)
            claimed |= 1 << index
        if len(self.taken) < self.count:
            yield PositionScan(self, self.start + len(self.taken), claimed, None)


@dataclass(frozen=True, slots=True)
class PositionScan:
    """What one position saw.

    :param claimed: mask of the hosts taken by the positions before it.
    :param accepted: index of the host found; None if there was none.
    """

    scan: Scan
    number: int
    claimed: int
    accepted: int | None

    @property
    def tasks(self) -> int:
        """The tasks of the position."""
        return self.scan.tasks

    @property
    def host(self) -> Host | None:
        """The host found."""
        return None if self.accepted is None else self._cluster_host(self.accepted)

    def _cluster_host(self, index: int) -> Host:
        return self.scan.ledger.cluster.hosts[index]

    def _looked_at(self) -> int:
        """Mask of the hosts looked at before the one accepted."""
        scan = self.scan
        everywhere = scan.ledger.cluster.all_hosts
        if scan.error:
            return 0
        if self.accepted is None:
            return everywhere
        if scan.in_host_order:
            return (1 << self.accepted) - 1
        return everywhere & ~(scan.ask.fitting(scan.tasks, scan.first) & ~self.claimed)

    def verdicts(self) -> Iterator[Verdict]:
        """One verdict for each host looked at, in order, the accepted one last."""
        for index in indexes(self._looked_at()):
            yield self._explain(self._cluster_host(index))
        if self.accepted is not None:
            yield Verdict(self._cluster_host(self.accepted), (VerdictKind.ACCEPTED,))

    def _explain(self, host: Host) -> Verdict:
        """Why *host* was turned away."""
        ask, bit = self.scan.ask, 1 << host.index
        if self.claimed & bit:
            return Verdict(host, (VerdictKind.CLAIMED,))
        if not ask.selected & bit:
            return Verdict(host, (VerdictKind.SELECTION,), Phase.PRE_FILTER)
        state = self.scan.ledger.state_of(host.index)
        if state is not HostState.OPEN:
            detail = f"host {state.value}"
            return Verdict(host, (VerdictKind.SELECTION,), Phase.PRE_FILTER, (), detail)
        rows = host_rows(ask, self.scan.tasks, self.scan.first, host, self.scan.claims)
        unmet = tuple(row for row in rows if not row.met)
        kinds = []
        if any(not row.limit for row in unmet):
            kinds.append(VerdictKind.SHORTFALL)
        if any(row.limit for row in unmet):
            kinds.append(VerdictKind.LIMIT)
        return Verdict(host, tuple(kinds) or (VerdictKind.ACCEPTED,), Phase.PER_HOST, unmet)

    def counts(self) -> dict[VerdictKind, int]:
        """How many hosts looked at got each kind of verdict; exact, without looking at each.

        A host with a shortfall and an exceeded limit counts once in each.
        """
        masks, _ = self._kinds()
        return {kind: mask.bit_count() for kind, mask in masks.items()}

    def limits(self) -> dict[tuple[str, str], int]:
        """How many hosts looked at exceeded each limit: (limit, scope without host) to number."""
        _, limits = self._kinds()
        return {name: mask.bit_count() for name, mask in limits.items() if mask}

    def _kinds(self) -> tuple[dict[VerdictKind, int], dict[tuple[str, str], int]]:
        ask, looked_at = self.scan.ask, self._looked_at()
        claimed = looked_at & self.claimed
        rest = looked_at & ~claimed
        eligible = rest & ask.selected & ask.hosts.open
        short = over = 0
        limits: dict[tuple[str, str], int] = {}
        for column, amount in ask.needs(self.scan.tasks, self.scan.first):
            lacking = eligible & ~column.at_least(amount)
            if column.limit is None:
                short |= lacking
            else:
                over |= lacking
                limits[column.limit.name, column.instance] = lacking
        accepted = 0 if self.accepted is None else 1 << self.accepted
        masks = {
            VerdictKind.ACCEPTED: accepted,
            VerdictKind.SELECTION: rest & ~eligible,
            VerdictKind.SHORTFALL: short,
            VerdictKind.LIMIT: over,
            VerdictKind.CLAIMED: claimed,
            VerdictKind.NOT_EVALUATED: 0,
        }
        return masks, limits
