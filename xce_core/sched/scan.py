"""What a search saw on the hosts: verdicts on demand, by the same check that a visit makes.

A headless run never visits a host that can't take a position. While somebody looks on,
the hosts that were passed over are explained here, at the instant of the scan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import compress, islice
from typing import Any, NamedTuple

from xce_core.model.cluster import Host
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
    """What came out of looking at a host; hosts that are alike share one.

    :param kinds: shortfall and limit can stand together; every other kind stands alone.
    :param phase: None where no check turned it away.
    :param unmet: each resource and limit that fell short.
    :param detail: the host's state if it is closed or down; the error if it was not
        evaluated; else empty.
    """

    kinds: tuple[VerdictKind, ...]
    phase: Phase | None = None
    unmet: tuple[Row, ...] = ()
    detail: str = ""


_ACCEPTED = Verdict((VerdictKind.ACCEPTED,))
_CLAIMED = Verdict((VerdictKind.CLAIMED,))
_NOT_SELECTED = Verdict((VerdictKind.SELECTION,), Phase.PRE_FILTER)
_CLOSED = Verdict((VerdictKind.SELECTION,), Phase.PRE_FILTER, (), "host closed")
_DOWN = Verdict((VerdictKind.SELECTION,), Phase.PRE_FILTER, (), "host down")
_SHORTFALL = (VerdictKind.SHORTFALL,)
_LIMIT = (VerdictKind.LIMIT,)
_BOTH = (VerdictKind.SHORTFALL, VerdictKind.LIMIT)
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
    :ivar known: the verdict of the hosts of each key, as far as it was asked for.
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
    _keys: list[Key] | None = field(default=None, init=False)
    known: dict[Key, Verdict] = field(
        default_factory=lambda: {_CLAIMED_KEY: _CLAIMED}, init=False
    )
    _not_evaluated: dict[int, Verdict] = field(default_factory=dict, init=False)

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

    def keys(self) -> list[Key]:
        """For each host, by index, what its verdict depends on: equal for hosts that are alike."""
        if self._keys is None:
            count = len(self.ledger.cluster.hosts)
            hosts = self.ask.hosts
            masks = (self.ask.selected, hosts.open, hosts.closed)
            flags = [flags_of(mask, count) for mask in masks]
            claims = bool(self.claims.made)
            lacks = [
                lack_by_host(each, claims or each.column.limit is not None, count)
                for each in self.lacking()
            ]
            totals = [each.column.totals for each in self.lacking()]
            self._keys = list(zip(*flags, *lacks, *totals, strict=True))
        return self._keys

    def explain(self, host: Host, key: Key) -> Verdict:
        """What the checks say of a host with this key, whoever has claimed it."""
        verdict = self._not_evaluated.get(host.index)
        if verdict is None:
            try:
                verdict = self.known[key] = self._check(host, key)
            except Exception as error:
                verdict = Verdict(_NOT_EVALUATED, None, (), describe(error))
                self._not_evaluated[host.index] = verdict
        return verdict

    def _check(self, host: Host, key: Key) -> Verdict:
        selected, is_open, is_closed, *lacks = key
        if not selected:
            return _NOT_SELECTED
        if not is_open:
            return _CLOSED if is_closed else _DOWN
        unmet = tuple(
            [
                host_row(column, amount, lack[0], host, self.claims)
                for (column, amount, _), lack in zip(self.lacking(), lacks, strict=False)
                if lack is not None
            ]
        )
        if not unmet:
            return _ACCEPTED
        over = [bool(row.limit) for row in unmet]
        kinds = _SHORTFALL if not any(over) else _LIMIT if all(over) else _BOTH
        return Verdict(kinds, Phase.PER_HOST, unmet)

    def counts(self) -> list[Sequence[int]]:
        """:meth:`PositionScan.counts` of all positions at once, a column for each kind."""
        if self.error or not self.in_host_order:
            return list(zip(*[each.counts() for each in self.positions()], strict=True))
        looked_at = [(1 << index) - 1 for index in self.taken]
        found = [1] * len(looked_at)
        if len(found) < self.count:
            looked_at.append(self.ledger.cluster.all_hosts)
            found.append(0)
        # What the run itself takes passes the checks, and lies in the order of the positions.
        columns = [_counts(hosts & ~self.claimed, looked_at) for hosts in self.failing()]
        earlier = _counts(self.claimed, looked_at)
        claimed = [n + place for place, n in enumerate(earlier)]
        return [found, *columns, claimed, [0] * len(found)]


def _counts(hosts: int, looked_at: list[int]) -> list[int]:
    """How many of *hosts* are in each mask."""
    if not hosts:
        return [0] * len(looked_at)
    return [(hosts & mask).bit_count() for mask in looked_at]


Key = tuple[Any, ...]
"""Selected, open, closed; for each column of the check that any host fails, None if this host
passes it, else what it has left (and its index if its row is its own); for each its total."""


_CLAIMED_KEY: Key = ()
"""Stands for the key of a host that an earlier position has claimed."""


def lack_by_host(lacking: Lacking, own: bool, count: int) -> list[tuple[int, ...] | None]:
    """By host index what a host that fails has left; None for others.

    :param own: whether the row of each host is its own, so that its index is added.
    """
    column, _, hosts = lacking
    found: list[tuple[int, ...] | None] = [None] * count
    for left, members in column.classes.items():
        alike = (left,)
        if failing := members & hosts:
            for index in compress(range(count), flags_of(failing, count)):
                found[index] = (left, index) if own else alike
    return found


def flags_of(mask: int, count: int) -> bytes:
    """The lowest *count* bits of *mask*, lowest first, as a byte 0 or 1 each.

    Looking up a bit of a wide mask costs by its width; a byte does not.
    """
    return f"{mask:0{count}b}"[::-1].encode().translate(_FLAGS)


_FLAGS = bytes.maketrans(b"01", b"\0\1")


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

    def verdicts(self, most: int) -> tuple[list[Host], list[Verdict]]:
        """The hosts looked at, in order, the accepted one last; and the verdict on each.

        :param most: only so many of them.
        """
        all_hosts = self.scan.ledger.cluster.hosts
        hosts: list[Host] = []
        verdicts: list[Verdict] = []
        if self.looked_at:
            count = len(all_hosts)
            looked_at = flags_of(self.looked_at, count)
            hosts += islice(compress(all_hosts, looked_at), most)
            keys = list(islice(compress(self.scan.keys(), looked_at), most))
            if self.claimed & self.looked_at:
                claimed = compress(flags_of(self.claimed, count), looked_at)
                for place, is_claimed in zip(range(len(keys)), claimed, strict=False):
                    if is_claimed:
                        keys[place] = _CLAIMED_KEY
            verdicts += self._explained(hosts, keys)
        if self.accepted is not None and len(hosts) < most:
            hosts.append(all_hosts[self.accepted])
            verdicts.append(_ACCEPTED)
        return hosts, verdicts

    def _explained(self, hosts: list[Host], keys: list[Key]) -> Iterator[Verdict]:
        """The verdict on each host; one host is checked for all that are alike."""
        scan = self.scan
        known = scan.known
        for key, host in dict(zip(reversed(keys), reversed(hosts), strict=True)).items():
            if key not in known:
                scan.explain(host, key)
        if known.keys() >= set(keys):
            return map(known.__getitem__, keys)
        return (self._each(host, key) for host, key in zip(hosts, keys, strict=True))

    def _each(self, host: Host, key: Key) -> Verdict:
        """The verdict on a host where some check failed, which may be that of this host alone."""
        verdict = self.scan.known.get(key) or self.scan.explain(host, key)
        if verdict.kinds is _NOT_EVALUATED:
            self._failed |= 1 << host.index
        return verdict

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
