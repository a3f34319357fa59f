"""What was seen on the hosts, written down: host by host, or in counts."""

from __future__ import annotations

from xce_core.sched.scan import PositionScan, VerdictKind
from xce_plugins.trace.draft import Draft
from xce_plugins.trace.model import (
    KINDS,
    Entry,
    HostRow,
    HostSeen,
    PositionBegun,
    PositionEnded,
    PositionSeen,
)

_BIT = {kind: 1 << place for place, kind in enumerate(KINDS)}
_ACCEPTED = _BIT[VerdictKind.ACCEPTED]


def add_position(draft: Draft, position: PositionScan, error: str) -> None:
    """One line for each host, one for each resource or limit in which it falls short."""
    draft.add(PositionBegun(position.number, position.tasks))
    entries = _hosts(position, draft.room)
    counts = position.counts()
    draft.count_hosts(tuple(counts.values()))
    left_out = 0
    if len(entries) == draft.room:
        hosts = position.looked_at().bit_count() + counts[VerdictKind.ACCEPTED]
        left_out = hosts + position.unmet() - len(entries)
    draft.add_all(entries, left_out)
    host = position.host
    draft.add(PositionEnded(position.number, "" if host is None else host.name, error))


def _hosts(position: PositionScan, room: int) -> list[Entry]:
    """The entries for the hosts, as many as there is room for."""
    entries: list[Entry] = []
    if room <= 0:
        return entries
    add = entries.append
    for host, kinds, phase, unmet, detail in position.verdicts():
        bits = _BIT[kinds[0]] if len(kinds) == 1 else _BIT[kinds[0]] | _BIT[kinds[1]]
        add(HostSeen(host.name, bits, "" if phase is None else phase.value, detail))
        for row in unmet:
            add(HostRow(*row))
        if len(entries) >= room:
            break
    del entries[room:]
    return entries


def add_position_summary(draft: Draft, position: PositionScan, error: str) -> None:
    """One line: the host found, and a count for each kind of verdict."""
    counts = tuple(position.counts().values())
    draft.count_hosts(counts)
    host = position.host
    limits = tuple((name, scope, count) for (name, scope), count in position.limits().items())
    draft.add(
        PositionSeen(
            position.number,
            position.tasks,
            "" if host is None else host.name,
            counts,
            limits,
            error,
        )
    )
