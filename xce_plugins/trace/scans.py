"""What was seen on the hosts, written down: host by host, or in counts."""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from itertools import accumulate
from operator import add

from xce_core.sched.scan import PositionScan, Scan
from xce_core.sched.verdicts import Verdict, VerdictKind
from xce_plugins.trace.draft import NO_HOSTS, Draft
from xce_plugins.trace.model import KINDS, PositionBegun, PositionEnded
from xce_plugins.trace.packed import Finding, HostsSeen, PositionsSeen, Seen


def add_positions(draft: Draft, scan: Scan) -> None:
    """One line for each host, one for each resource or limit in which it falls short."""
    findings = _Findings()
    for position in scan.positions():
        _add_position(draft, position, findings, scan.error)


def _add_position(draft: Draft, position: PositionScan, findings: _Findings, error: str) -> None:
    draft.add(PositionBegun(position.number, position.tasks))
    lines = 0
    if draft.room and (position.looked_at or position.host):
        seen = _hosts(position, findings, draft.room)
        lines = seen.lines
    counts = position.counts()
    draft.count_hosts(counts)
    left_out = 0
    if lines == draft.room:
        hosts = position.looked_at.bit_count() + (position.accepted is not None)
        left_out = hosts + position.unmet() - lines
    if lines:
        draft.add_lines(seen, lines)
    draft.leave_out(left_out)
    draft.add(PositionEnded(position.number, position.host, error))


def _hosts(position: PositionScan, findings: _Findings, room: int) -> HostsSeen:
    """The hosts, as many as there is room for."""
    hosts, verdicts = position.verdicts(room)
    places = findings.places(verdicts)
    ends = list(accumulate(map(findings.lines.__getitem__, places)))
    if ends[-1] > room:
        within = bisect_left(ends, room) + 1
        hosts, places = hosts[:within], places[:within]
    names = tuple([host.name for host in hosts])
    return HostsSeen(names, places, tuple(findings.all), min(ends[-1], room))


class _Findings:
    """The verdicts of a scan that differ, as a record has them.

    :ivar lines: how many entries a host of each stands for.
    """

    def __init__(self) -> None:
        self.all: list[Finding] = []
        self.lines: list[int] = []
        self._places: dict[int, int] = {}

    def places(self, verdicts: list[Verdict]) -> tuple[int, ...]:
        """For each verdict its place in *all*."""
        ids = list(map(id, verdicts))  # a verdict lives as long as its scan, and so does its id
        for key, verdict in dict(zip(ids, verdicts, strict=True)).items():
            if key not in self._places:
                self._places[key] = len(self.all)
                self._add(verdict)
        return tuple(map(self._places.__getitem__, ids))

    def _add(self, verdict: Verdict) -> None:
        kinds, phase, unmet, detail = verdict
        rows = tuple([row[:] for row in unmet])  # a slice is a plain tuple, as bytes need it
        self.all.append((_bits_of(kinds), "" if phase is None else phase.value, detail, rows))
        self.lines.append(1 + len(rows))


@cache
def _bits_of(kinds: tuple[VerdictKind, ...]) -> int:
    """The bits that stand for *kinds* in a record."""
    return sum(1 << KINDS.index(kind) for kind in kinds)


def add_summary(draft: Draft, part: PositionsSeen, counts: tuple[int, ...]) -> None:
    """Add what :func:`summary` found: one line for each position."""
    draft.count_hosts(counts)
    lines = min(draft.room, part.lines)
    draft.leave_out(part.lines - lines)
    if lines:
        draft.add_lines(part.first_lines(lines) if lines < part.lines else part, lines)


def summary(scan: Scan) -> tuple[PositionsSeen, tuple[int, ...]]:
    """What the positions saw: of each the host found, and how many hosts got each verdict.

    :returns: that, and how often each kind of verdict stands in it.
    """
    if scan.error or not scan.in_host_order:
        return _one_by_one(scan)
    # The hosts found pass the checks and are claimed by nobody before, so that positions whose
    # hosts are neighbours see the same but for what these take themselves. What is passed over
    # and is nothing else is short of a resource.
    names, alike = _found(scan)
    claimed = scan.claimed
    pre_filter, short, over = [hosts & ~claimed for hosts in scan.failing()]
    seen: list[Seen] = []
    before = mismatches = shorts = overs = claims = 0
    for first, positions in alike:
        looked_at = (1 << first) - 1
        taken = before + (looked_at & claimed).bit_count() if claimed else before
        mismatched = (looked_at & pre_filter).bit_count() if pre_filter else 0
        if over:
            lacking, exceeding = (looked_at & short).bit_count(), looked_at & over
            limits, exceeded = _limits(scan.limits_in(exceeding)), exceeding.bit_count()
            seen.append((positions, mismatched, lacking, exceeded, taken, limits))
            overs += positions * exceeded
        else:
            lacking = first - mismatched - taken
            seen.append((positions, mismatched, lacking, 0, taken, ()))
        mismatches += positions * mismatched
        shorts += positions * lacking
        claims += positions * taken + positions * (positions - 1) // 2
        before += positions
    part = PositionsSeen(scan.start, scan.tasks, tuple(names), tuple(seen), "")
    return part, (scan.found.bit_count(), mismatches, shorts, overs, claims, 0)


def _found(scan: Scan) -> tuple[list[str], list[tuple[int, int]]]:
    """The hosts found; and for each run of neighbours the first index, and how many they are.

    A position that found none stands for itself, behind the last host.
    """
    names_of_all = scan.ledger.cluster.host_names
    names: list[str] = []
    alike: list[tuple[int, int]] = []
    for run in scan.runs:
        first, behind = run.start, run.stop
        names += names_of_all[first:behind]
        alike.append((first, behind - first))
    if scan.failed:
        names.append("")
        alike.append((len(names_of_all), 1))
    return names, alike


def _limits(exceeded: dict[tuple[str, str], int]) -> tuple[tuple[str, str, int], ...]:
    """How many hosts exceed each limit, as a record has it."""
    return tuple([(*of, hosts) for of, hosts in exceeded.items()])


def _one_by_one(scan: Scan) -> tuple[PositionsSeen, tuple[int, ...]]:
    """:func:`summary` of positions that have little in common."""
    names: list[str] = []
    seen: list[Seen] = []
    counts: tuple[int, ...] = NO_HOSTS
    for position in scan.positions():
        names.append(position.host)
        numbers = position.counts()
        _, mismatched, short, over, claimed, _ = numbers
        seen.append((1, mismatched, short, over, claimed, _limits(position.limits())))
        counts = tuple(map(add, counts, numbers))
    return PositionsSeen(scan.start, scan.tasks, tuple(names), tuple(seen), scan.error), counts
