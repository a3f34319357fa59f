"""What a trace says of hosts and positions, in words."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import chain, islice

from xce_core.model.rows import Row
from xce_core.sched.verdicts import Phase, VerdictKind
from xce_plugins.trace import model
from xce_plugins.trace.blocks import Plain
from xce_plugins.trace.model import KINDS
from xce_plugins.trace.packed import HostsSeen, PositionsSeen

Show = Callable[[str, int], str]

_BIT = {kind: 1 << place for place, kind in enumerate(KINDS)}
_ACCEPTED = _BIT[VerdictKind.ACCEPTED]
_CLAIMED = _BIT[VerdictKind.CLAIMED]
_NOT_EVALUATED = _BIT[VerdictKind.NOT_EVALUATED]


# Host by host.


def hosts_seen(
    part: HostsSeen, indent: str, row_indent: str, show: Show, plain: Plain
) -> list[str]:
    """A line each; what hosts that are alike have in common is put in words once."""
    words = [_host(*finding[:3]) for finding in part.findings]
    rows = [[f"{row_indent}{row(Row(*each), show)}" for each in f[3]] for f in part.findings]
    lines: list[str] = []
    add = lines.append
    for host, place in zip(part.hosts, part.places, strict=True):
        add(f"{indent}host {host} {words[place]}")
        lines += rows[place]
    names = {*part.hosts, *words}
    return plain.block(lines[: part.lines], names, [*chain.from_iterable(rows)])


def host_seen(entry: model.HostSeen, show: Show) -> str:
    """The line of a host."""
    return f"host {entry.host} {_host(entry.kinds, entry.phase, entry.detail)}"


@lru_cache(maxsize=256)
def _host(kinds: int, phase: str, detail: str) -> str:
    """What stands behind the name of a host."""
    if kinds == _ACCEPTED:
        return "accepted"
    if kinds == _CLAIMED:
        return "rejected: already claimed by an earlier position"
    if kinds == _NOT_EVALUATED:
        return f"not evaluated: internal error ({detail})"
    words = ", ".join(kind.value for kind in KINDS if kinds & _BIT[kind])
    if phase == Phase.PER_HOST.value:
        return f"rejected ({phase}): {words}"
    detail = f" ({detail})" if detail else ""
    return f"rejected ({phase}): {words}{detail}; per-host check not performed"


def row(of: Row | model.CheckRow, show: Show) -> str:
    """The line of a resource or limit."""
    name = of.resource
    if of.limit:
        return (
            f"limit {of.limit} ({of.scope}) on {name}: value {show(name, of.total)}"
            f" usage {show(name, of.in_use)} reserved {show(name, of.reserved)}"
            f" requested {show(name, of.requested)}"
        )
    return (
        f"{name} total {show(name, of.total)} in-use {show(name, of.in_use)}"
        f" reserved {show(name, of.reserved)} requested {show(name, of.requested)}"
    )


# Position by position.


def position_begun(entry: model.PositionBegun, show: Show) -> str:
    """The line before the hosts of a position."""
    return f"position {entry.number} ({_tasks(entry.tasks)})"


def position_ended(entry: model.PositionEnded, show: Show) -> str:
    """The line behind them."""
    if entry.error:
        return f"position {entry.number} not filled: host scan failed ({entry.error})"
    if not entry.host:
        return f"position {entry.number} not filled"
    return f"position {entry.number} filled by {entry.host}"


def positions_seen(part: PositionsSeen, indent: str, plain: Plain) -> list[str]:
    """A line each."""
    others = {part.error} if part.error else {_named(seen[-1]) for seen in part.seen if seen[-1]}
    return plain.block(_positions(part, indent), part.hosts, others)


def position_seen(entry: model.PositionSeen, show: Show) -> str:
    """The line of a position."""
    number, tasks, host, counts, limits, error = entry
    _, mismatched, short, over, claimed, _ = counts
    seen = (1, mismatched, short, over, claimed, limits)
    return _positions(PositionsSeen(number, tasks, (host,), (seen,), error), "")[0]


def _positions(part: PositionsSeen, indent: str) -> list[str]:
    """A line each; what positions have in common is put in words once."""
    number, tasks, hosts, all_seen, error = part
    words = f"({_tasks(tasks)})"
    if error:
        return [
            f"{indent}position {each} {words}: not filled, host scan failed ({error})"
            for each in range(number, number + len(hosts))
        ]
    lines: list[str] = []
    add = lines.append
    rest = iter(hosts)
    for positions, mismatched, short, over, claimed, limits in all_seen:
        rejected = (
            f"; rejected: selection mismatch {mismatched}, resource shortfall {short}, limit"
            f" exceeded {over}{_named(limits) if limits else ''}, already claimed "
        )
        for host in islice(rest, positions):
            add(
                f"{indent}position {number} {words}: accepted {host or 'none'}{rejected}{claimed},"
                " not evaluated 0"
            )
            number += 1
            claimed += 1
    return lines


def _named(limits: tuple[tuple[str, str, int], ...]) -> str:
    return f" ({', '.join(_exceeded(*each) for each in limits)})" if limits else ""


def _exceeded(limit: str, scope: str, hosts: int) -> str:
    return f"{limit} ({scope}) {hosts}" if scope else f"{limit} {hosts}"


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"
