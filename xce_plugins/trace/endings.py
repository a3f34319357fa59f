"""How a selection ended, written down: hosts and amounts, or reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from xce_core.model.cluster import Cluster, indexes
from xce_core.model.decisions import Allocation, Dispatch, Pend, Placement
from xce_core.model.limits import scope_label
from xce_core.model.reasons import CODE_NAMES, Reasons
from xce_core.sched.allocator import lowest
from xce_core.sched.ask import Ask
from xce_core.sched.columns import Column, Counter
from xce_core.sched.policy import NoDecision, Outcome
from xce_core.sched.resolve import SchedulingObject
from xce_plugins.trace.ending_model import (
    HOSTS_LISTED,
    Dispatched,
    Ending,
    Pended,
    Share,
    Undecided,
    together,
)

NO_REASON = "pend without a reason"
"""The cause of a pend that tells nothing."""

_NOTHING = Share((), ())

_REASONS_KEPT = 64
"""How many pends are kept, each for jobs that pend for the same reasons."""

_SHARES_KEPT = 1024
"""How many shares are kept, each for jobs that are alike."""

Amounts = dict[str, int]
Charges = dict[tuple[str, str, str], int]


class Endings:
    """Outcomes of one cluster as a record has them.

    :param fold: gives a mask of hosts as a host list.
    """

    def __init__(self, cluster: Cluster, fold: Callable[[int], str]) -> None:
        self._cluster = cluster
        self._pended = lru_cache(maxsize=_REASONS_KEPT)(partial(pended, fold=fold))
        self._share = lru_cache(maxsize=_SHARES_KEPT)(_unlimited_share)

    def of(self, outcome: Outcome) -> Ending:
        """*outcome* as a record has it."""
        if isinstance(outcome, NoDecision):
            return Undecided(outcome.cause, outcome.error)
        if isinstance(outcome, Pend):
            reasons = outcome.reasons
            return self._pended(reasons) if reasons.entries else Undecided(NO_REASON, "")
        return self._dispatched(outcome)

    def _dispatched(self, dispatch: Dispatch) -> Dispatched:
        """What the job got: each host, the cluster as a whole, limits charged."""
        wanted = dispatch.job.sched
        if not isinstance(wanted, SchedulingObject):
            return Dispatched(dispatch.reconstructed, (), _NOTHING, 0, _NOTHING)
        parts = list(_parts(wanted, dispatch.allocation))
        alike, omitted = self._listed(parts)
        rest = _NOTHING
        if omitted:
            rest = _everywhere(parts).share([share for names, share in alike for _ in names])
        return Dispatched(dispatch.reconstructed, alike, _shared(parts), omitted, rest)

    def _listed(
        self, parts: list[tuple[Ask, Placement]]
    ) -> tuple[tuple[tuple[tuple[str, ...], Share], ...], int]:
        """The hosts that are listed, as :func:`together` has it; and how many are not."""
        if len(parts) == 1 and not parts[0][0].limited:  # all of them give the same
            ((ask, placement),) = parts
            hosts, others = _first_bits(placement.hosts)
            share = self._share(ask, placement.tasks, placement.first)
            return ((tuple(self._cluster.names_of(hosts)), share),), others.bit_count()
        everywhere = 0
        for _, placement in parts:
            everywhere |= placement.hosts
        listed = _first_hosts(parts)
        alike = _Hosts(parts, self._cluster).alike(listed)
        return alike, everywhere.bit_count() - len(listed)


# A dispatch.


class _Bill:
    """What is taken, resources and limits apart, in the order in which it is added."""

    def __init__(self) -> None:
        self.amounts: Amounts = {}
        self.charges: Charges = {}

    def add(self, account: Column | Counter, scope: str, amount: int) -> None:
        """Add *amount* on *account*; nothing for none."""
        if not amount:
            return
        if account.limit is None:
            self.amounts[account.resource] = self.amounts.get(account.resource, 0) + amount
        else:
            key = (account.limit.name, scope, account.resource)
            self.charges[key] = self.charges.get(key, 0) + amount

    def share(self, less: list[Share] | None = None) -> Share:
        """All of it, without what *less* has of it."""
        if less is None:
            charged = tuple([(*key, amount) for key, amount in self.charges.items()])
            return Share(tuple(self.amounts.items()), charged)
        amounts, charges = dict(self.amounts), dict(self.charges)
        for share in less:
            for name, amount in share.amounts:
                amounts[name] -= amount
            for limit, scope, resource, amount in share.charges:
                charges[limit, _without_host(scope), resource] -= amount
        return Share(
            tuple(pair for pair in amounts.items() if pair[1]),
            tuple((*key, amount) for key, amount in charges.items() if amount),
        )


def _without_host(scope: str) -> str:
    """A scope label with its host, which is always last, taken off."""
    return "" if scope.startswith("h=") else scope.rpartition(",h=")[0]


def _unlimited_share(ask: Ask, tasks: int, first: bool) -> Share:
    """What each host gives that takes so many tasks, where no limit counts by host."""
    bill = _Bill()
    for column, amount in ask.needs(tasks, first):
        bill.add(column, "", amount)
    return bill.share()


def _parts(wanted: SchedulingObject, allocation: Allocation) -> Iterator[tuple[Ask, Placement]]:
    """Each placement with its ask."""
    members = wanted.alternatives[allocation.alternative]
    for placement in allocation.placements:
        yield members[placement.member], placement


def _first_hosts(parts: list[tuple[Ask, Placement]]) -> list[int]:
    """The hosts that are listed, in the order in which they were found."""
    found: dict[int, None] = {}
    for _, placement in parts:
        for index in indexes(placement.hosts):
            found[index] = None
            if len(found) == HOSTS_LISTED:
                return list(found)
    return list(found)


class _Hosts:
    """What is taken of each host; hosts of the same placements are worked out once."""

    def __init__(self, parts: list[tuple[Ask, Placement]], cluster: Cluster) -> None:
        self._parts = parts
        self._cluster = cluster
        self._known: dict[tuple[int, ...], Share] = {}
        # A charge names its host, and a limit need not concern every host.
        self._alike = not any(ask.limited for ask, _ in parts)

    def alike(self, listed: list[int]) -> tuple[tuple[tuple[str, ...], Share], ...]:
        """What the hosts of these indexes give, as :func:`together` has it."""
        names = self._cluster.host_names
        return together((names[index], self._share(index)) for index in listed)

    def _share(self, index: int) -> Share:
        """What the host of this index gives."""
        if not self._alike:
            return self._work_out(index)
        key = tuple([n for n, (_, part) in enumerate(self._parts) if part.hosts >> index & 1])
        share = self._known.get(key)
        if share is None:
            share = self._known[key] = self._work_out(index)
        return share

    def _work_out(self, index: int) -> Share:
        bill = _Bill()
        name = self._cluster.hosts[index].name
        for ask, placement in self._parts:
            if placement.hosts >> index & 1:
                for column, amount in ask.needs(placement.tasks, placement.first):
                    if column.concerns(index):
                        scope = scope_label(column.instance, name) if column.limit else ""
                        bill.add(column, scope, amount)
        return bill.share()


def _everywhere(parts: list[tuple[Ask, Placement]]) -> _Bill:
    """What all hosts give together; limits by their scope without host."""
    bill = _Bill()
    for ask, placement in parts:
        for column, amount in ask.needs(placement.tasks, placement.first):
            hosts = (placement.hosts & ~column.exempt).bit_count()
            bill.add(column, column.instance, amount * hosts)
    return bill


def _shared(parts: list[tuple[Ask, Placement]]) -> Share:
    if not any(ask.shared_claims for ask, _ in parts):
        return _NOTHING
    bill = _Bill()
    tasks: dict[int, int] = {}
    hosts: dict[int, int] = {}
    asks: dict[int, Ask] = {}
    for ask, placement in parts:
        member, count = placement.member, placement.hosts.bit_count()
        asks[member] = ask
        tasks[member] = tasks.get(member, 0) + placement.tasks * count
        hosts[member] = hosts.get(member, 0) + count
    for member, ask in asks.items():
        for claim in ask.shared_claims:
            amount = claim.amount(tasks[member], hosts[member])
            bill.add(claim.counter, scope_label(claim.counter.instance), amount)
    return bill.share()


# A pend.


def pended(reasons: Reasons, fold: Callable[[int], str]) -> Pended:
    """The reasons, of which the first hosts are told by name."""
    everywhere = 0
    for reason in reasons.entries:
        everywhere |= reason.hosts
    listed, rest = _first_bits(everywhere)
    plain: list[tuple[str, str]] = []
    by_host: list[tuple[str, str, str, int]] = []
    for reason in reasons.entries:
        if not reason.hosts:
            plain.append((CODE_NAMES[reason.code], reason.name))
        elif some := reason.hosts & listed:
            by_host.append((CODE_NAMES[reason.code], reason.name, fold(some), some.bit_count()))
    others = _by_code(reasons, rest) if rest else ()
    return Pended(CODE_NAMES[reasons.main], tuple(plain), tuple(by_host), rest.bit_count(), others)


def _first_bits(mask: int) -> tuple[int, int]:
    """The lowest bits of *mask*, as many as are listed, and the others."""
    if mask.bit_count() <= HOSTS_LISTED:
        return mask, 0
    listed = lowest(mask, HOSTS_LISTED)
    return listed, mask & ~listed


def _by_code(reasons: Reasons, hosts: int) -> tuple[tuple[str, int], ...]:
    masks: dict[str, int] = {}
    for reason in reasons.entries:
        code = CODE_NAMES[reason.code]
        masks[code] = masks.get(code, 0) | reason.hosts & hosts
    return tuple((code, mask.bit_count()) for code, mask in masks.items() if mask)
