"""What a search saw on the hosts: verdicts on demand, by the same check that a visit makes.

A headless run never visits a host that can't take a position. While somebody looks on,
the hosts that were passed over are explained here, at the instant of the scan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    """

    column: Column
    amount: int
    hosts: int


class Failing(NamedTuple):
    """Masks of the hosts that fail a check, whoever has claimed them.

    :param pre_filter: those that are not selected or not open; the others are not among them.
    """

    pre_filter: int
    shortfall: int
    limit: int


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
    :ivar explained: verdicts by host index, as far as they were asked for.
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
    _failing: Failing | None = field(default=None, init=False)
    explained: dict[int, Verdict] = field(default_factory=dict, init=False)
    _tables: _Tables | None = field(default=None, init=False)

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
                Lacking(column, amount, hosts)
                for column, amount in self.ask.needs(self.tasks, self.first)
                if (hosts := everywhere & ~column.at_least(amount))
            )
        return self._lacking

    def failing(self) -> Failing:
        """The hosts that fail, by kind of verdict."""
        if self._failing is None:
            eligible = self.ask.selected & self.ask.hosts.open
            short = over = 0
            for column, _, lacking in self.lacking():
                if column.limit is None:
                    short |= lacking
                else:
                    over |= lacking
            rest = self.ledger.cluster.all_hosts & ~eligible
            self._failing = Failing(rest, short & eligible, over & eligible)
        return self._failing

    def explain(self, index: int) -> Verdict:
        """What the checks say of the host of this index, whoever has claimed it."""
        host = self.ledger.cluster.hosts[index]
        try:
            verdict = self._check(host, index)
        except Exception as error:
            verdict = Verdict(host, _NOT_EVALUATED, None, (), describe(error))
        self.explained[index] = verdict
        return verdict

    def _check(self, host: Host, index: int) -> Verdict:
        tables = self._tables
        if tables is None:
            tables = self._tables = _Tables(self)
        if tables.selected[index] == "0":
            return Verdict(host, _SELECTION, Phase.PRE_FILTER)
        if tables.open[index] == "0":
            closed = self.ledger.state_of(index) is HostState.CLOSED
            detail = "host closed" if closed else "host down"
            return Verdict(host, _SELECTION, Phase.PRE_FILTER, (), detail)
        unmet: tuple[Row, ...] = ()
        short = over = False
        for each in tables.columns:
            if each.fails[index] == "1":
                unmet += each.rows(host, index)
                if each.limited:
                    over = True
                else:
                    short = True
        if not unmet:
            return Verdict(host, _ACCEPTED)
        kinds = _BOTH if short and over else _SHORTFALL if short else _LIMIT
        return Verdict(host, kinds, Phase.PER_HOST, unmet)


class _Tables:
    """A check spread out by host index, for a scan of which many hosts are explained.

    Looking up a bit of a wide mask costs by its width; a character of a text does not.

    :ivar selected: "1" at the index of each host that is selected; *open* likewise.
    """

    __slots__ = ("columns", "open", "selected")

    def __init__(self, scan: Scan) -> None:
        count = len(scan.ledger.cluster.hosts)
        self.selected = bits_of(scan.ask.selected, count)
        self.open = bits_of(scan.ask.hosts.open, count)
        self.columns = [_ColumnTable(lacking, scan.claims, count) for lacking in scan.lacking()]


class _ColumnTable:
    """One column of a check by host index.

    :ivar fails: "1" at the index of each host that fails it.
    """

    __slots__ = ("_alike", "_amount", "_claims", "_column", "_left", "fails", "limited")

    def __init__(self, lacking: Lacking, claims: Claims, count: int) -> None:
        self._column = column = lacking.column
        self._amount = lacking.amount
        self._claims = claims
        self.fails = bits_of(lacking.hosts, count)
        self.limited = column.limit is not None
        self._left = left = [0] * count
        for amount, members in column.classes.items():
            for index in indexes_of(members, count):
                left[index] = amount
        self._alike: dict[tuple[int, int], tuple[Row]] = {}

    def rows(self, host: Host, index: int) -> tuple[Row]:
        """The row of a host; hosts that are alike share one."""
        left = self._left[index]
        if self.limited or self._claims.made:
            return (host_row(self._column, self._amount, left, host, self._claims),)
        key = (left, self._column.totals[index])
        rows = self._alike.get(key)
        if rows is None:
            row = host_row(self._column, self._amount, left, host, self._claims)
            rows = self._alike[key] = (row,)
        return rows


def bits_of(mask: int, count: int) -> str:
    """The lowest *count* bits of *mask*, lowest first, as "0" and "1"."""
    return f"{mask:0{count}b}"[::-1]


def indexes_of(mask: int, count: int) -> Iterable[int]:
    """The indexes in *mask*, lowest first, at a cost by *count* where there are many."""
    if mask.bit_count() < _MANY:
        return indexes(mask)
    return [index for index, bit in enumerate(bits_of(mask, count)) if bit == "1"]


_MANY = 32


class PositionScan:
    """What one position saw.

    :ivar number: its number in the plan, from 1.
    :ivar claimed: mask of the hosts taken by the positions before it.
    :ivar accepted: index of the host found; None if there was none.
    :ivar looked_at: mask of the hosts looked at before the one accepted.
    """

    __slots__ = ("_failed", "accepted", "claimed", "looked_at", "number", "scan")

    def __init__(self, scan: Scan, number: int, claimed: int, accepted: int | None) -> None:
        self.scan = scan
        self.number = number
        self.claimed = claimed
        self.accepted = accepted
        self._failed = 0
        if scan.error:
            self.looked_at = 0
        elif accepted is None:
            self.looked_at = scan.ledger.cluster.all_hosts
        elif scan.in_host_order:
            self.looked_at = (1 << accepted) - 1
        else:
            fine = scan.ask.fitting(scan.tasks, scan.first) & ~claimed
            self.looked_at = scan.ledger.cluster.all_hosts & ~fine

    @property
    def tasks(self) -> int:
        """The tasks of the position."""
        return self.scan.tasks

    @property
    def host(self) -> str:
        """The name of the host found; empty if there was none."""
        return "" if self.accepted is None else self.scan.ledger.cluster.hosts[self.accepted].name

    def verdicts(self) -> Iterator[Verdict]:
        """One verdict for each host looked at, in order, the accepted one last."""
        scan = self.scan
        count = len(scan.ledger.cluster.hosts)
        explained, claimed = scan.explained, bits_of(self.claimed, count)
        for index in indexes_of(self.looked_at, count):
            if claimed[index] == "1":
                yield Verdict(scan.ledger.cluster.hosts[index], _CLAIMED)
                continue
            verdict = explained.get(index) or scan.explain(index)
            if verdict.kinds is _NOT_EVALUATED:
                self._failed |= 1 << index
            yield verdict
        if self.accepted is not None:
            yield Verdict(scan.ledger.cluster.hosts[self.accepted], _ACCEPTED)

    def counts(self) -> tuple[int, int, int, int, int, int]:
        """How many hosts looked at got each kind of verdict; exact, without looking at each.

        In the order of :class:`VerdictKind`. A host with a shortfall and an exceeded limit
        counts once in each. One that could not be evaluated counts as such once
        :meth:`verdicts` has come to it.
        """
        looked_at, failed = self.looked_at, self._failed
        rest = looked_at & ~(self.claimed | failed)
        pre_filter, short, over = self.scan.failing()
        return (
            0 if self.accepted is None else 1,
            (rest & pre_filter).bit_count(),
            (rest & short).bit_count(),
            (rest & over).bit_count(),
            (looked_at & self.claimed).bit_count(),
            failed.bit_count(),
        )

    def limits(self) -> dict[tuple[str, str], int]:
        """How many hosts looked at exceeded each limit: (limit, scope without host) to number."""
        if not self.scan.failing().limit:
            return {}
        eligible = self._eligible()
        return {
            (column.limit.name, column.instance): count
            for column, _, lacking in self.scan.lacking()
            if column.limit is not None and (count := (lacking & eligible).bit_count())
        }

    def unmet(self) -> int:
        """How many rows the verdicts have together; exact, without looking at each."""
        eligible = self._eligible()
        return sum((each.hosts & eligible).bit_count() for each in self.scan.lacking())

    def _eligible(self) -> int:
        ask = self.scan.ask
        return self.looked_at & ~self.claimed & ~self._failed & ask.selected & ask.hosts.open
