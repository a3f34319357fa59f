"""Whether a job could start now, later or never, and what each host has to say to it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from xce_core.model.jobs import Job, JobState
from xce_core.model.limits import scope_label
from xce_core.model.reasons import ReasonCode
from xce_core.sched.allocator import Allocator, PluginFailure
from xce_core.sched.ask import Ask
from xce_core.sched.columns import Column
from xce_core.sched.generators import CORE_PLANS
from xce_core.sched.refusal import smallest_share
from xce_core.sched.resolve import ResolveError, SchedulingObject
from xce_core.sched.scheduler import Scheduler


class Verdict(Enum):
    """When a job that waits could start."""

    NOW = "there is room for it now, whoever else waits"
    LATER = "it fits the cluster, but not now"
    NEVER = "it can't start, however long it waits"


def verdict(job: Job, scheduler: Scheduler) -> tuple[Verdict, str]:
    """When *job*, which has not started, could start, and why."""
    wanted = job.sched
    if not isinstance(wanted, SchedulingObject):
        return Verdict.NEVER, "what it asks for can't be resolved"
    try:
        if not scheduler.possible(job):
            return Verdict.NEVER, "an empty cluster has no room for it, or a limit forbids it"
    except ResolveError as error:
        return Verdict.NEVER, str(error)
    code = scheduler.reasons(job).main
    if code is ReasonCode.DEPENDENCY_NEVER:
        return Verdict.NEVER, code.value
    if job.state is not JobState.PENDING or code is ReasonCode.QUEUE_CLOSED:
        return Verdict.LATER, code.value
    if fits_now(wanted, scheduler):
        return Verdict.NOW, Verdict.NOW.value
    return Verdict.LATER, Verdict.LATER.value


def fits_now(wanted: SchedulingObject, scheduler: Scheduler) -> bool:
    """Whether *wanted* could be placed now, whoever else waits; nothing is changed."""
    allocator = Allocator(scheduler.ledger, (CORE_PLANS,), None, "core", _unheard)
    return any(_placed(members, allocator) for members in wanted.alternatives if members)


def _placed(members: tuple[Ask, ...], allocator: Allocator) -> bool:
    with allocator.ledger.all_or_nothing() as claims:
        for number, ask in enumerate(members):
            placements = allocator.place(ask, number, claims)
            if placements is None:
                return False
            claims.take(ask, placements)
    return True


def _unheard(failure: PluginFailure) -> None:
    """No plugin is asked."""


def host_counts(ask: Ask) -> Iterator[tuple[int, str]]:
    """How many hosts say what to *ask*: each host once, by what stands in its way first.

    A host is measured by the smallest share of the tasks that it could be given.
    """
    hosts = ask.hosts
    everywhere = hosts.open | hosts.closed | hosts.down
    rest = everywhere
    ways = [
        (hosts.down, "down"),
        (hosts.closed, "closed"),
        (everywhere & ~ask.selected, "not selected"),
    ]
    ways += [
        (everywhere & ~column.at_least(amount), _short_of(column))
        for column, amount in ask.needs(smallest_share(ask))
    ]
    found = []
    for mask, words in ways:
        if count := (rest & mask).bit_count():
            found.append((count, words))
        rest &= ~mask
    yield rest.bit_count(), "with room"
    yield from found


def _short_of(column: Column) -> str:
    if column.limit is None:
        return f"short of {column.resource}"
    scope = f" ({scope_label(column.instance)})" if column.instance else ""
    return f"at limit {column.limit.name}{scope}"
