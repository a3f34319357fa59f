"""Plan generators: shapes to try for a primary, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from xce_core.model.plans import Plan
from xce_core.model.requests import SpanKind
from xce_core.sched.ask import Ask


class PlanGenerator(Protocol):
    """Offers placement plans for asks; may decline those it has no opinion on.

    A plan is only a shape: the hosts for its positions are found by the scheduler.
    """

    name: str

    def accepts(self, ask: Ask) -> bool:
        """Whether this generator has plans for *ask* at all."""
        ...

    def plans(self, ask: Ask, tasks: int) -> Iterable[Plan]:
        """Shapes in the order in which they are to be tried.

        :param tasks: the most tasks that may be placed now; a plan has at least the
            primary's ``tasks_min`` and at most this many.
        """
        ...


class CorePlans:
    """The core's own shapes, one rule a span. It accepts every ask.

    A plan that can't be filled is offered all the same when there is no better one, so that
    a refusal always has a plan to explain it.
    """

    name = "core"

    def accepts(self, ask: Ask) -> bool:
        """Always."""
        return True

    def plans(self, ask: Ask, tasks: int) -> Iterable[Plan]:
        """The one shape with the most tasks that fit now (several if an amount is per job)."""
        kind = ask.primary.span.kind
        if kind is SpanKind.ONE_HOST:
            return (one_host(ask, tasks),)
        if kind is SpanKind.FREE and ask.has_first:
            return _with_first(ask, tasks)
        shape = pack if kind is SpanKind.FREE else spread
        return (_affordable(ask, tasks, shape) if ask.by_hosts else shape(ask, tasks),)


CORE_PLANS = CorePlans()


def pack(ask: Ask, tasks: int) -> Plan:
    """Fewest hosts: each position takes all that its host can, the roomiest hosts first.

    The last position takes what remains, on the first host that has room for it.
    """
    runs, left = _packed(ask.capacities(), tasks)
    lacking = left - (tasks - ask.primary.tasks_min)
    if lacking > 0:
        runs.append((lacking, 1))
    return Plan(tuple(runs))


def _affordable(ask: Ask, tasks: int, shape: Callable[[Ask, int], Plan]) -> Plan:
    """The plan with the most tasks for whose hosts the shared claims have room.

    More tasks never take fewer hosts, so that halving finds it.
    """
    best = shape(ask, tasks)
    if ask.shared_fit(best.tasks, best.positions):
        return best
    low, high = ask.primary.tasks_min, best.tasks
    best = shape(ask, low)
    while high - low > 1:
        middle = (low + high) // 2
        plan = shape(ask, middle)
        if ask.shared_fit(plan.tasks, plan.positions):
            low, best = middle, plan
        else:
            high = middle
    return best


def _packed(capacities: Mapping[int, int], tasks: int) -> tuple[list[tuple[int, int]], int]:
    """The runs for as many of *tasks* as there is room for, and the number left over."""
    runs: list[tuple[int, int]] = []
    left = tasks
    for able in sorted(capacities, reverse=True):
        full = left // able
        hosts = capacities[able].bit_count()
        if hosts > full:
            if full:
                runs.append((able, full))
            if left % able:
                runs.append((left % able, 1))
            return runs, 0
        runs.append((able, hosts))
        left -= able * hosts
        if not left:
            break
    return runs, left


def _with_first(ask: Ask, tasks: int) -> Iterator[Plan]:
    """:func:`pack` where the first host also takes the amounts per job.

    The first position is tried with every number of tasks that some host can take beside
    them, largest first.
    """
    everywhere = ask.capacities()
    sizes = sorted(ask.first_capacities(), reverse=True)
    for size in sizes:
        head = min(size, tasks)
        first = ask.fitting(head, first=True)
        rest = {able: hosts & ~(first & -first) for able, hosts in everywhere.items()}
        runs, left = _packed({able: hosts for able, hosts in rest.items() if hosts}, tasks - head)
        if left <= tasks - ask.primary.tasks_min:
            yield Plan(((head, 1), *runs))
            return
    yield Plan(((ask.primary.tasks_min, 1),))


def one_host(ask: Ask, tasks: int) -> Plan:
    """All tasks on one host: as many as any host can take, at least the fewest allowed."""
    fewest = ask.primary.tasks_min
    if tasks > fewest:
        most = max(ask.first_capacities() if ask.has_first else ask.capacities(), default=fewest)
        tasks = max(fewest, min(tasks, most))
    return Plan(((tasks, 1),))


def spread(ask: Ask, tasks: int) -> Plan:
    """The same number of tasks on every host, the last one taking what remains."""
    each = ask.primary.span.tasks_per_host
    fewest = ask.primary.tasks_min
    if tasks > fewest:
        tasks = max(fewest, min(tasks, _spread_room(ask, each, tasks)))
    full, rest = divmod(tasks, each)
    runs = [(each, full)] if full else []
    if rest:
        runs.append((rest, 1))
    return Plan(tuple(runs))


def _spread_room(ask: Ask, each: int, tasks: int) -> int:
    """How many of *tasks* go on hosts with *each* of them, one host taking fewer at most."""
    able = ask.capacities()
    full = sum(hosts.bit_count() for most, hosts in able.items() if most >= each)
    short = max((most for most in able if most < each), default=0)
    return min(tasks, full * each + short)
