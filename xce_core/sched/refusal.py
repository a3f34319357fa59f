"""Why a requirement can't be placed now: the reasons of a refusal, worked out when asked for."""

from __future__ import annotations

from xce_core.model.limits import scope_label
from xce_core.model.reasons import Reason, ReasonCode, Reasons, reason_set
from xce_core.model.requests import SpanKind
from xce_core.sched.allocator import Allocator
from xce_core.sched.ask import Ask
from xce_core.sched.columns import Column, Counter
from xce_core.sched.generators import pack
from xce_core.sched.resolve import SchedulingObject

_MAIN_FIRST = (
    ReasonCode.NO_RESOURCE,
    ReasonCode.LIMIT,
    ReasonCode.TOO_FEW_HOSTS,
    ReasonCode.NO_PLAN,
    ReasonCode.HOST_DOWN,
    ReasonCode.HOST_CLOSED,
    ReasonCode.SELECTION,
)


def refusal_reasons(wanted: SchedulingObject, allocator: Allocator) -> Reasons:
    """What stands in the way of *wanted* now, over all its alternatives.

    Of each alternative the first member that can't be placed counts, with what the members
    before it reserve. The main reason is the most telling code found, in a fixed order.
    """
    found: list[Reason] = []
    for members in wanted.alternatives:
        found += attempt_reasons(members, allocator)
    return reasons_of(found)


def attempt_reasons(members: tuple[Ask, ...], allocator: Allocator) -> tuple[Reason, ...]:
    """Why the first member that can't be placed can't; empty if there are no members."""
    if len(members) == 1:
        return ask_reasons(members[0])
    with allocator.ledger.all_or_nothing() as claims:
        for member, ask in enumerate(members):
            placements = allocator.place(ask, member, claims)
            if placements is None:
                return ask_reasons(ask)
            claims.take(ask, placements)
    return ()


def reasons_of(found: list[Reason]) -> Reasons:
    """*found* as a set, with its main reason picked."""
    codes = {reason.code for reason in found}
    main = next((code for code in _MAIN_FIRST if code in codes), ReasonCode.NO_PLAN)
    return reason_set(main, found or [Reason(ReasonCode.NO_PLAN)])


def ask_reasons(ask: Ask) -> tuple[Reason, ...]:
    """What stands in the way of one primary: cluster-wide, else host by host.

    A host is measured by the smallest share of the tasks that it could be given. Worked out
    once until anything changes.
    """
    known = ask.refusal
    if known is None or known[0] != ask.hosts.changes:
        ask.refusal = known = (ask.hosts.changes, tuple(_ask_reasons(ask)))
    return known[1]


def _ask_reasons(ask: Ask) -> list[Reason]:
    shared = [
        _reason(claim.counter)
        for claim in ask.shared_claims
        if claim.amount(ask.primary.tasks_min, 1) > claim.counter.left
    ]
    return shared or _host_reasons(ask)


def _host_reasons(ask: Ask) -> list[Reason]:
    hosts = ask.hosts
    everywhere = hosts.open | hosts.closed | hosts.down
    eligible = fits = ask.selected & hosts.open
    found: list[Reason] = []
    for code, some in (
        (ReasonCode.SELECTION, everywhere & ~ask.selected),
        (ReasonCode.HOST_CLOSED, ask.selected & hosts.closed),
        (ReasonCode.HOST_DOWN, ask.selected & hosts.down),
    ):
        if some:
            found.append(Reason(code, "", some))
    for column, amount in ask.needs(smallest_share(ask), ask.has_first and _alone(ask)):
        enough = column.at_least(amount)
        if short := eligible & ~enough:
            found.append(_reason(column, short))
        fits &= enough
    if not fits:
        return found
    if not _room_enough(ask):
        return [*found, Reason(ReasonCode.TOO_FEW_HOSTS)]
    return [*found, *(_short_by_hosts(ask) or [Reason(ReasonCode.NO_PLAN)])]


def _short_by_hosts(ask: Ask) -> list[Reason]:
    """What the cluster lacks for the fewest hosts on which the tasks have room."""
    if not ask.by_hosts:
        return []
    hosts = pack(ask, ask.primary.tasks_min).positions
    return [
        _reason(claim.counter)
        for claim in ask.shared_claims
        if claim.amount(ask.primary.tasks_min, hosts) > claim.counter.left
    ]


def smallest_share(ask: Ask) -> int:
    """The fewest tasks that a host of *ask* could be given."""
    span, fewest = ask.primary.span, ask.primary.tasks_min
    if span.kind is SpanKind.ONE_HOST:
        return fewest
    if span.kind is SpanKind.FREE:
        return 1
    # What remains for the last host, of the fewest tasks or of one more than full hosts take.
    full, rest = divmod(fewest, span.tasks_per_host)
    if ask.primary.tasks_max > (full + bool(rest)) * span.tasks_per_host:
        return 1
    return rest or span.tasks_per_host


def _alone(ask: Ask) -> bool:
    return smallest_share(ask) == ask.primary.tasks_min


def _room_enough(ask: Ask) -> bool:
    """Whether the hosts together have room for the fewest tasks."""
    return ask.primary.span.kind is SpanKind.FREE and ask.room() >= ask.primary.tasks_min


def _reason(short: Column | Counter, hosts: int = 0) -> Reason:
    limit = short.limit
    if limit is None:
        return Reason(ReasonCode.NO_RESOURCE, short.resource, hosts)
    if limit.by_host and not short.instance:
        return Reason(ReasonCode.LIMIT, limit.name, hosts)
    return Reason(ReasonCode.LIMIT, f"{limit.name} ({scope_label(short.instance)})", hosts)
