"""What was seen on the hosts, written down: host by host, or in counts."""

from __future__ import annotations

from xce_core.sched.scan import PositionScan, Scan, Verdict
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
    if draft.room:
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
    place_of = findings.places.get
    names, places, lines = [], [], 0
    for host, verdict in position.verdicts():
        place = place_of(id(verdict))
        if place is None:
            place = findings.add(verdict)
        names.append(host.name)
        places.append(place)
        lines += 1 + len(verdict.unmet)
        if lines >= room:
            break
    return HostsSeen(tuple(names), tuple(places), tuple(findings.all), min(lines, room))


class _Findings:
    """The verdicts of a scan that differ, as a record has them.

    :ivar places: the place in *all* by the id of a verdict, which lives as long as its scan.
    """

    def __init__(self) -> None:
        self.all: list[Finding] = []
        self.places: dict[int, int] = {}

    def add(self, verdict: Verdict) -> int:
        """Its place, the next one."""
        place = self.places[id(verdict)] = len(self.all)
        kinds, phase, unmet, detail = verdict
        bits = sum(1 << KINDS.index(kind) for kind in kinds)
        rows = tuple(row[:] for row in unmet)  # a slice is a plain tuple, as bytes need it
        self.all.append((bits, "" if phase is None else phase.value, detail, rows))
        return place


def add_position_summaries(draft: Draft, scan: Scan) -> None:
    """One line for each position: the host found, and a count for each kind of verdict."""
    hosts = scan.ledger.cluster.hosts
    names = [hosts[index].name for index in scan.taken]
    if len(names) < scan.count:
        names.append("")
    counts = scan.counts()
    draft.count_hosts([sum(column) for column in counts])
    limits = [_limits(each) for each in scan.positions()] if scan.failing().limit else []
    _, mismatched, short, over, claimed, _ = map(tuple, counts)
    seen = PositionsSeen(
        scan.start,
        scan.tasks,
        tuple(names),
        mismatched,
        short,
        over,
        claimed,
        tuple(limits),
        scan.error,
    )
    lines = min(draft.room, seen.lines)
    draft.leave_out(seen.lines - lines)
    if lines:
        draft.add_lines(seen.first_lines(lines) if lines < seen.lines else seen, lines)


def _limits(position: PositionScan) -> tuple[tuple[str, str, int], ...]:
    return tuple((name, scope, count) for (name, scope), count in position.limits().items())
