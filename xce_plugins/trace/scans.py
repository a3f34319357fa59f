"""What was seen on the hosts, written down: host by host, or in counts."""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from itertools import accumulate

from xce_core.sched.scan import PositionScan, Scan
from xce_core.sched.verdicts import Verdict, VerdictKind
from xce_plugins.trace.draft import Draft
from xce_plugins.trace.model import KINDS, PositionBegun, PositionEnded
from xce_plugins.trace.packed import Finding, HostsSeen, PositionsSeen


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
    draft.count_hosts(*counts)
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


def add_position_summaries(draft: Draft, scan: Scan) -> None:
    """One line for each position: the host found, and a count for each kind of verdict."""
    hosts = scan.ledger.cluster.hosts
    names = [hosts[index].name for index in scan.taken]
    if scan.failed:
        names.append("")
    seen = []
    of_all = [0] * len(KINDS)
    for positions, accepted, mismatched, short, over, claimed, limits in scan.alike():
        of_all[0] += positions * accepted
        of_all[1] += positions * mismatched
        of_all[2] += positions * short
        of_all[3] += positions * over
        of_all[4] += positions * claimed + positions * (positions - 1) // 2
        exceeded = tuple([(*of, count) for of, count in limits.items()]) if limits else ()
        seen.append((positions, mismatched, short, over, claimed, exceeded))
    draft.count_hosts(*of_all)
    part = PositionsSeen(scan.start, scan.tasks, tuple(names), tuple(seen), scan.error)
    lines = min(draft.room, part.lines)
    draft.leave_out(part.lines - lines)
    if lines:
        draft.add_lines(part.first_lines(lines) if lines < part.lines else part, lines)
