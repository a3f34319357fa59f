"""What a search saw on the hosts: verdicts on demand, by the same check that a visit makes.

A headless run never visits a host that can't take a position. While somebody looks on,
the hosts that were passed over are explained here, at the instant of the scan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, compress, islice
from typing import NamedTuple

from xce_core.model.cluster import Host, runs_of
from xce_core.sched.ask import Ask
from xce_core.sched.ledger import Claims, Ledger
from xce_core.sched.verdicts import (
    ACCEPTED,
    CLAIMED_KEY,
    NOT_EVALUATED,
    HostChecks,
    Key,
    Lacking,
    Verdict,
    flags_of,
)


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

    What is asked of it as a whole is worked out once; what :meth:`positions` works out host by
    host is kept no longer than they are. It may be announced again, as long as nothing has
    changed.

    :param first: whether the run is the plan's first position with amounts per job.
    :param start: number of the run's first position, from 1.
    :param count: positions in the run.
    :param claimed: mask of the hosts taken by earlier positions of the plan.
    :param found: mask of the hosts found, lowest first in the order of the positions; fewer
        than *count* if the search failed.
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
    found: int
    in_host_order: bool = True
    error: str = ""
    _runs: list[range] | None = field(default=None, init=False)
    _lacking: tuple[Lacking, ...] | None = field(default=None, init=False)
    _failing: Failing | None = field(default=None, init=False)

    @property
    def runs(self) -> list[range]:
        """The indexes of the hosts found, in the order of the positions, neighbours together."""
        if self._runs is None:
            self._runs = list(runs_of(self.found))
        return self._runs

    @property
    def taken(self) -> Iterator[int]:
        """The same, one by one."""
        return chain.from_iterable(self.runs)

    @property
    def failed(self) -> bool:
        """Whether the last position looked for a host in vain."""
        return self.found.bit_count() < self.count

    def positions(self) -> Iterator[PositionScan]:
        """What each position saw, up to the first that found no host."""
        checks = HostChecks(
            self.ask, self.claims, self.lacking(), len(self.ledger.cluster.hosts)
        )
        claimed, number = self.claimed, self.start
        for index in self.taken:
            yield PositionScan(self, number, claimed, index, checks)
            claimed |= 1 << index
            number += 1
        if self.failed:
            yield PositionScan(self, number, claimed, None, checks)

    def lacking(self) -> tuple[Lacking, ...]:
        """The columns of the per-host check that any host fails, each with those hosts."""
        if self._lacking is None:
            everywhere = self.ledger.cluster.all_hosts
            self._lacking = tuple(
                [
                    Lacking(column, amount, hosts)
                    for column, amount in self.ask.needs(self.tasks, self.first)
                    if (hosts := everywhere & ~column.at_least(amount))
                ]
            )
        return self._lacking

    def failing(self) -> Failing:
        """The hosts that fail, by kind of verdict."""
        if self._failing is None:
            eligible = self.eligible
            rest = self.ledger.cluster.all_hosts & ~eligible
            if self.first or self.ask.limited or self.error:
                self._failing = Failing(rest, *self._short_and_over(eligible))
            else:  # what keeps them from fitting can only be resources
                self._failing = Failing(rest, eligible & ~self.ask.fitting(self.tasks), 0)
        return self._failing

    def _short_and_over(self, eligible: int) -> tuple[int, int]:
        short = over = 0
        for column, _, lacking in self.lacking():
            if column.limit is None:
                short |= lacking
            else:
                over |= lacking
        return short & eligible, over & eligible

    @property
    def eligible(self) -> int:
        """Mask of the hosts that are selected and open."""
        return self.ask.selected & self.ask.hosts.open

    def limits_in(self, hosts: int) -> dict[tuple[str, str], int]:
        """How many of *hosts* exceed each limit: (limit, scope without host) to number."""
        return {
            (column.limit.name, column.instance): count
            for column, _, lacking in self.lacking()
            if column.limit is not None and (count := (lacking & hosts).bit_count())
        }


class PositionScan:
    """What one position saw.

    :ivar number: its number in the plan, from 1.
    :ivar claimed: mask of the hosts taken by the positions before it.
    :ivar accepted: index of the host found; None if there was none.
    :ivar looked_at: mask of the hosts looked at before the one accepted.
    """

    __slots__ = ("_checks", "_failed", "accepted", "claimed", "looked_at", "number", "scan")

    def __init__(
        self, scan: Scan, number: int, claimed: int, accepted: int | None, checks: HostChecks
    ) -> None:
        self.scan = scan
        self._checks = checks
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
            keys = list(islice(compress(self._checks.keys(), looked_at), most))
            if self.claimed & self.looked_at:
                claimed = compress(flags_of(self.claimed, count), looked_at)
                for place, is_claimed in zip(range(len(keys)), claimed, strict=False):
                    if is_claimed:
                        keys[place] = CLAIMED_KEY
            verdicts += self._explained(hosts, keys)
        if self.accepted is not None and len(hosts) < most:
            hosts.append(all_hosts[self.accepted])
            verdicts.append(ACCEPTED)
        return hosts, verdicts

    def _explained(self, hosts: list[Host], keys: list[Key]) -> Iterator[Verdict]:
        """The verdict on each host; one host is checked for all that are alike."""
        checks = self._checks
        known = checks.known
        first = dict(zip(reversed(keys), reversed(hosts), strict=True))
        failed = False
        for key, host in first.items():
            if key not in known:
                checks.explain(host, key)
                failed = failed or key not in known
        if not failed:
            return map(known.__getitem__, keys)
        return (self._each(host, key) for host, key in zip(hosts, keys, strict=True))

    def _each(self, host: Host, key: Key) -> Verdict:
        """The verdict on a host where some check failed, which may be that of this host alone."""
        checks = self._checks
        verdict = checks.known.get(key) or checks.explain(host, key)
        if verdict.kinds is NOT_EVALUATED:
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
        return self.scan.limits_in(self._eligible()) if self.scan.failing().limit else {}

    def unmet(self) -> int:
        """How many rows the verdicts have together; exact, without looking at each."""
        eligible = self._eligible()
        return sum((each.hosts & eligible).bit_count() for each in self.scan.lacking())

    def _eligible(self) -> int:
        return self.looked_at & ~self.claimed & ~self._failed & self.scan.eligible
