"""What a search saw on the hosts: verdicts on demand, by the same check that a visit makes.

A headless run never visits a host that can't take a position. While somebody looks on,
the hosts that were passed over are explained here, at the instant of the scan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from xce_core.model.cluster import Host, HostState, indexes
from xce_core.model.limits import scope_label
from xce_core.model.rows import Row
from xce_core.sched.allocator import describe
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


class Verdict(NamedTuple):
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


_ACCEPTED = (VerdictKind.ACCEPTED,)
_SELECTION = (VerdictKind.SELECTION,)
_SHORTFALL = (VerdictKind.SHORTFALL,)
_LIMIT = (VerdictKind.LIMIT,)
_BOTH = (VerdictKind.SHORTFALL, VerdictKind.LIMIT)
_CLAIMED = (VerdictKind.CLAIMED,)
_NOT_EVALUATED = (VerdictKind.NOT_EVALUATED,)

_FEW_CLASSES = 16


def host_row(column: Column, amount: int, left: int, host: Host, claims: Claims) -> Row:
    """The per-host check of one resource or limit, of which *host* has *left* left."""
    total = column.totals[host.index]
    reserved = claims.reserved_on(column, host.index) if claims.made else 0
    in_use = total - left - reserved
    if column.limit is None:
        return Row(column.resource, total, in_use, reserved, amount)
    scope = scope_label(column.instance, host.name)
    return Row(column.resource, total, in_use, reserved, amount, column.limit.name, scope)


def cluster_rows(ask: Ask, claims: Claims, tasks: int, hosts: int) -> tuple[Row, ...]:
    """The cluster-wide check: a row for each shared resource and limit.

    :param tasks: measured by that many tasks, on *hosts* hosts.
    """
    return tuple(
        _cluster_row(claim.counter, claim.amount(tasks, hosts), claims)
        for claim in ask.shared_claims
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


class Lacking(NamedTuple):
    """One column of a check, and who fails it.

    :param hosts: mask of the hosts that have less left than *amount*.
    :param bit: tells the column from the others of the check.
    """

    column: Column
    amount: int
    hosts: int
    bit: int


@dataclass(slots=True, eq=False)
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
    _lacking: tuple[Lacking, ...] | None = field(default=None, init=False)
    _explained: dict[int, Verdict] = field(default_factory=dict, init=False)
    _left: dict[int, list[int]] = field(default_factory=dict, init=False)

    def positions(self) -> Iterator[PositionScan]:
        """What each position saw, up to the first that found no host."""
        claimed = self.claimed
        for offset, index in enumerate(self.taken):
            yield PositionScan(self, self.start + offset, claimed, index)
            claimed |= 1 << index
        if len(self.taken) < self.count:
            yield PositionScan(self, self.start + len(self.taken), claimed, None)

    def lacking(self) -> tuple[Lacking, ...]:
        """The columns of the per-host check that any host fails, each with those hosts."""
        if self._lacking is None:
            everywhere = self.ledger.cluster.all_hosts
            self._lacking = tuple(
                Lacking(column, amount, hosts, 1 << number)
                for number, (column, amount) in enumerate(self.ask.needs(self.tasks, self.first))
                if (hosts := everywhere & ~column.at_least(amount))
            )
        return self._lacking

    def explain(self, index: int) -> Verdict:
        """What the checks say of the host of this index, whoever has claimed it."""
        verdict = self._explained.get(index)
        if verdict is None:
            host = self.ledger.cluster.hosts[index]
            try:
                verdict = self._check(host)
            except Exception as error:
                verdict = Verdict(host, _NOT_EVALUATED, None, (), describe(error))
            self._explained[index] = verdict
        return verdict

    def _check(self, host: Host) -> Verdict:
        index = host.index
        if not self.ask.selected >> index & 1:
            return Verdict(host, _SELECTION, Phase.PRE_FILTER)
        if not self.ask.hosts.open >> index & 1:
            closed = self.ledger.state_of(index) is HostState.CLOSED
            detail = "host closed" if closed else "host down"
            return Verdict(host, _SELECTION, Phase.PRE_FILTER, (), detail)
        short = over = False
        unmet = []
        for column, amount, hosts, bit in self.lacking():
            if hosts >> index & 1:
                unmet.append(host_row(column, amount, self._left_of(column, index, bit), host,
                                      self.claims))
                if column.limit is None:
                    short = True
                else:
                    over = True
        if not unmet:
            return Verdict(host, _ACCEPTED)
        kinds = _BOTH if short and over else _SHORTFALL if short else _LIMIT
        return Verdict(host, kinds, Phase.PER_HOST, tuple(unmet))

    def _left_of(self, column: Column, index: int, bit: int) -> int:
        """What the host has left; where there are many classes of hosts, from a table."""
        if len(column.classes) <= _FEW_CLASSES:
            return column.left(index)
        table = self._left.get(bit)
        if table is None:
            table = self._left[bit] = [0] * len(column.totals)
            for left, members in column.classes.items():
                for each in indexes(members):
                    table[each] = left
        return table[index]


class PositionScan:
    """What one position saw.

    :ivar number: its number in the plan, from 1.
    :ivar claimed: mask of the hosts taken by the positions before it.
    :ivar accepted: index of the host found; None if there was none.
    """

    __slots__ = ("_failed", "accepted", "claimed", "number", "scan")

    def __init__(self, scan: Scan, number: int, claimed: int, accepted: int | None) -> None:
        self.scan = scan
        self.number = number
        self.claimed = claimed
        self.accepted = accepted
        self._failed = 0

    @property
    def tasks(self) -> int:
        """The tasks of the position."""
        return self.scan.tasks

    @property
    def host(self) -> Host | None:
        """The host found."""
        return None if self.accepted is None else self.scan.ledger.cluster.hosts[self.accepted]

    def looked_at(self) -> int:
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
        scan, claimed = self.scan, self.claimed
        for index in indexes(self.looked_at()):
            if claimed >> index & 1:
                yield Verdict(scan.ledger.cluster.hosts[index], _CLAIMED)
                continue
            verdict = scan.explain(index)
            if verdict.kinds is _NOT_EVALUATED:
                self._failed |= 1 << index
            yield verdict
        if self.accepted is not None:
            yield Verdict(scan.ledger.cluster.hosts[self.accepted], _ACCEPTED)

    def counts(self) -> dict[VerdictKind, int]:
        """How many hosts looked at got each kind of verdict; exact, without looking at each.

        A host with a shortfall and an exceeded limit counts once in each. One that could
        not be evaluated counts as such once :meth:`verdicts` has come to it.
        """
        looked_at = self.looked_at()
        claimed = looked_at & self.claimed
        rest = looked_at & ~claimed & ~self._failed
        eligible = rest & self.scan.ask.selected & self.scan.ask.hosts.open
        short = over = 0
        for column, _, lacking, _ in self.scan.lacking():
            if column.limit is None:
                short |= lacking
            else:
                over |= lacking
        return {
            VerdictKind.ACCEPTED: 0 if self.accepted is None else 1,
            VerdictKind.SELECTION: (rest & ~eligible).bit_count(),
            VerdictKind.SHORTFALL: (short & eligible).bit_count(),
            VerdictKind.LIMIT: (over & eligible).bit_count(),
            VerdictKind.CLAIMED: claimed.bit_count(),
            VerdictKind.NOT_EVALUATED: self._failed.bit_count(),
        }

    def limits(self) -> dict[tuple[str, str], int]:
        """How many hosts looked at exceeded each limit: (limit, scope without host) to number."""
        eligible = self._eligible()
        return {
            (column.limit.name, column.instance): count
            for column, _, lacking, _ in self.scan.lacking()
            if column.limit is not None and (count := (lacking & eligible).bit_count())
        }

    def unmet(self) -> int:
        """How many rows the verdicts have together; exact, without looking at each."""
        eligible = self._eligible()
        return sum((each.hosts & eligible).bit_count() for each in self.scan.lacking())

    def _eligible(self) -> int:
        ask = self.scan.ask
        return self.looked_at() & ~self.claimed & ~self._failed & ask.selected & ask.hosts.open
