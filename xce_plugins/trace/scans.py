"""What was seen on the hosts, written down: host by host, or in counts."""

from __future__ import annotations

from xce_core.sched.scan import PositionScan, Scan, VerdictKind
from xce_plugins.trace.draft import Draft
from xce_plugins.trace.model import (
    KINDS,
    Entry,
    HostSeen,
    PositionBegun,
    PositionEnded,
    PositionSeen,
)


def bits_of(kinds: tuple[VerdictKind, ...]) -> int:
    """The bits that stand for *kinds* in a record."""
    return sum(1 << KINDS.index(kind) for kind in kinds)


def add_positions(draft: Draft, scan: Scan) -> None:
    """One line for each host, one for each resource or limit in which it falls short."""
    for position in scan.positions():
        _add_position(draft, position, scan.error)


def _add_position(draft: Draft, position: PositionScan, error: str) -> None:
    draft.add(PositionBegun(position.number, position.tasks))
    entries = _hosts(position, draft.room)
    counts = position.counts()
    draft.count_hosts(counts)
    left_out = 0
    if len(entries) == draft.room:
        hosts = position.looked_at.bit_count() + (position.accepted is not None)
        left_out = hosts + position.unmet() - len(entries)
    draft.add_all(entries)
    draft.leave_out(left_out)
    draft.add(PositionEnded(position.number, position.host, error))


def _hosts(position: PositionScan, room: int) -> list[Entry]:
    """The entries for the hosts, as many as there is room for."""
    entries: list[Entry] = []
    if room <= 0:
        return entries
    add = entries.append
    last: object = None
    bits, phase_text = 0, ""
    for host, kinds, phase, unmet, detail in position.verdicts():
        if kinds is not last:  # hosts that are alike often stand side by side
            last, bits = kinds, bits_of(kinds)
            phase_text = "" if phase is None else phase.value
        add(HostSeen(host.name, bits, phase_text, detail))
        if unmet:
            entries += unmet
        if len(entries) >= room:
            break
    del entries[room:]
    return entries


def add_position_summaries(draft: Draft, scan: Scan) -> None:
    """One line for each position: the host found, and a count for each kind of verdict."""
    error, tasks = scan.error, scan.tasks
    some_limit = scan.failing().limit
    entries: list[Entry] = []
    counted = []
    for position in scan.positions():
        counts = position.counts()
        counted.append(counts)
        limits = _limits(position) if some_limit else ()
        entries.append(
            PositionSeen(position.number, tasks, position.host, counts, limits, error)
        )
    draft.count_hosts(tuple(map(sum, zip(*counted, strict=True))))
    draft.add_all(entries)


def _limits(position: PositionScan) -> tuple[tuple[str, str, int], ...]:
    return tuple((name, scope, count) for (name, scope), count in position.limits().items())
