"""The allocator: tries a job's alternatives, members and plans until one can be placed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from xce_core.model.decisions import Allocation, Placement
from xce_core.model.plans import Plan
from xce_core.model.requests import SpanKind
from xce_core.sched.ask import Ask
from xce_core.sched.faults import FAULTS, Endless, describe, in_words
from xce_core.sched.generators import CORE_PLANS, PlanGenerator
from xce_core.sched.ledger import NO_CLAIMS, Claims, Ledger
from xce_core.sched.resolve import SchedulingObject

PLANS_MOST = 10_000
"""How many plans a generator may offer for one requirement."""

TIERS_MOST = 1_000
"""How many masks a host order may give beyond one for each host."""

HostOrder = Callable[[Ask, int, int], Iterable[int]]
"""Which hosts to try first.

Called with the ask, the tasks of the position and the mask of hosts that can take it;
gives masks that are tried one after the other, each in host order.
"""


class PluginFailure(Exception):
    """Code that a plugin brought raised an exception or broke its contract.

    :param plugin: whose code it was.
    :param where: what it was asked to do.
    """

    def __init__(self, plugin: str, where: str, why: str) -> None:
        super().__init__(f"{plugin}: {where}: {why}")
        self.plugin = plugin
        self.where = where
        self.why = why


class Allocator:
    """Finds an allocation for a scheduling object and claims it, or claims nothing.

    Each step is a method, in the order: :meth:`allocate`, :meth:`attempt` (an alternative),
    :meth:`place` (a member), :meth:`room` (the cluster-wide check), :meth:`hopeless`,
    :meth:`search` (its plans), :meth:`try_plan`, :meth:`fill` (positions). Whoever wants to
    look on overrides the step and calls it.

    :param generators: asked in order for plans; the first that accepts an ask and whose
        plan can be placed wins.
    :param host_order: which hosts go first; None for plain host order.
    :param order_name: whose host order it is.
    :param report: told of each plugin failure; it must not raise.
    """

    def __init__(
        self,
        ledger: Ledger,
        generators: Sequence[PlanGenerator],
        host_order: HostOrder | None,
        order_name: str,
        report: Callable[[PluginFailure], None],
    ) -> None:
        self.ledger = ledger
        self.generators = generators
        self.host_order = host_order
        self.order_name = order_name
        self.report = report
        self._core_only = tuple(generators) == (CORE_PLANS,) and host_order is None

    def on(self, ledger: Ledger) -> Allocator:
        """One that places jobs as this one does, but by another ledger."""
        return Allocator(
            ledger, self.generators, self.host_order, self.order_name, self.report
        )

    def allocate(self, wanted: SchedulingObject) -> Allocation | None:
        """Claim the first alternative that can be placed; None if none can."""
        for number, members in enumerate(wanted.alternatives):
            placements = self.attempt(members, number)
            if placements is not None:
                return Allocation(placements, number)
        return None

    def attempt(self, members: tuple[Ask, ...], number: int) -> tuple[Placement, ...] | None:
        """Claim all *members* of alternative *number*, or none of them.

        An alternative without members is empty and can't be placed.
        """
        if len(members) == 1:  # nothing to roll back: a member is claimed whole or not at all
            placements = self.place(members[0], 0, NO_CLAIMS)
            if placements is not None:
                self.ledger.claim(members[0], placements)
            return placements
        if not members:
            return None
        placed: tuple[Placement, ...] = ()
        with self.ledger.all_or_nothing() as claims:
            for member, ask in enumerate(members):
                placements = self.place(ask, member, claims)
                if placements is None:
                    return None
                claims.take(ask, placements)
                placed += placements
            claims.keep()
        return placed

    def place(self, ask: Ask, member: int, claims: Claims) -> tuple[Placement, ...] | None:
        """Find hosts for one member beside what *claims* hold; None if there are none."""
        tasks = self.room(ask, claims)
        if tasks < ask.primary.tasks_min or self.hopeless(ask):
            return None
        return self.search(ask, member, tasks, claims)

    def hopeless(self, ask: Ask) -> bool:
        """Whether the hosts together lack room, so that no plan needs to be tried.

        Where plugins have a say they are asked all the same, as often in every mode.
        """
        return self._core_only and ask.room() < ask.primary.tasks_min

    def room(self, ask: Ask, claims: Claims) -> int:
        """The cluster-wide check: how many tasks shared resources and limits allow."""
        most = ask.primary.tasks_max
        return min(most, ask.most_tasks()) if ask.shared_claims else most

    def search(
        self, ask: Ask, member: int, tasks: int, claims: Claims
    ) -> tuple[Placement, ...] | None:
        """Try plans until one can be placed."""
        for generator in self.generators:
            for plan in self.offered(generator, ask, tasks):
                if generator is not CORE_PLANS and not self.usable(generator, plan, ask, tasks):
                    continue
                placements = self.try_plan(ask, member, plan, claims)
                if placements is not None:
                    return placements
        return None

    def offered(self, generator: PlanGenerator, ask: Ask, tasks: int) -> Iterable[Plan]:
        """The plans of one generator, none if it declines; one that raises has no more."""
        if generator is CORE_PLANS:
            return CORE_PLANS.plans(ask, tasks)
        return self.guarded(generator, ask, tasks)

    def guarded(self, generator: PlanGenerator, ask: Ask, tasks: int) -> Iterator[Plan]:
        """The plans of a plugin's generator, whatever it does."""
        try:
            if generator.accepts(ask):
                for number, plan in enumerate(generator.plans(ask, tasks)):
                    if number == PLANS_MOST:
                        raise Endless(f"it offers more than {PLANS_MOST} plans for one requirement")
                    yield plan
            else:
                self.declined(generator)
        except FAULTS as error:
            self.failed(generator, error)

    def declined(self, generator: PlanGenerator) -> None:
        """A generator has no plans for this ask."""

    def failed(self, generator: PlanGenerator, error: BaseException) -> None:
        """A generator raised."""
        self.report(PluginFailure(generator.name, "plan generator", describe(error)))

    def usable(self, generator: PlanGenerator, plan: object, ask: Ask, tasks: int) -> bool:
        """Whether a plan of a plugin's generator is to be tried."""
        try:
            good = well_formed(plan, ask, tasks)
        except FAULTS as error:
            self.not_tried(generator, error)
            return False
        if not good:
            self.discarded(generator, plan)
        return good

    def not_tried(self, generator: PlanGenerator, error: BaseException) -> None:
        """A plan can't even be checked, and will not be tried."""
        self.report(PluginFailure(generator.name, "plan generator", describe(error)))

    def discarded(self, generator: PlanGenerator, plan: object) -> None:
        """A plan is malformed and will not be tried."""
        why = f"malformed plan {in_words(plan)}"
        self.report(PluginFailure(generator.name, "plan generator", why))

    def try_plan(
        self, ask: Ask, member: int, plan: Plan, claims: Claims
    ) -> tuple[Placement, ...] | None:
        """Find hosts for every position of *plan*; None if one of them finds none."""
        claimed = 0
        first = ask.has_first
        placements: list[Placement] = []
        for tasks, count in plan.runs if not first else split_first(plan):
            hosts = self.fill(ask, tasks, count, first, claimed, claims)
            if not hosts:
                return None
            claimed |= hosts
            placements.append(Placement(hosts, tasks, member, first))
            first = False
        if ask.by_hosts and not ask.shared_fit(plan.tasks, plan.positions):
            return None
        return tuple(placements)

    def fill(
        self, ask: Ask, tasks: int, count: int, first: bool, claimed: int, claims: Claims
    ) -> int:
        """The mask of the first *count* hosts that take *tasks* each; 0 if there are fewer.

        :param claimed: hosts taken by earlier positions of the plan.
        """
        able = ask.fitting(tasks, first) & ~claimed
        if self.host_order is None:
            return lowest(able, count)
        try:
            return self.ordered(ask, tasks, able, count)
        except FAULTS as error:
            self.scan_failed(error)
            return 0

    def scan_failed(self, error: BaseException) -> None:
        """The host order raised, so that the position stays unfilled."""
        self.report(PluginFailure(self.order_name, "host order", describe(error)))

    def ordered(self, ask: Ask, tasks: int, able: int, count: int) -> int:
        """The first *count* hosts of *able* in the order that a plugin gave; 0 if fewer."""
        assert self.host_order is not None
        taken = 0
        most = TIERS_MOST + self.ledger.cluster.all_hosts.bit_length()
        for number, tier in enumerate(self.host_order(ask, tasks, able)):
            if number == most:
                raise Endless(f"it gives more than {most} masks")
            taken |= up_to(tier & able & ~taken, count - taken.bit_count())
            if taken.bit_count() == count:
                break
        rest = count - taken.bit_count()
        if rest:
            more = lowest(able & ~taken, rest)
            return taken | more if more else 0
        return taken


def split_first(plan: Plan) -> Iterator[tuple[int, int]]:
    """The runs of *plan* with its first position as a run of its own."""
    (tasks, count), *others = plan.runs
    yield tasks, 1
    if count > 1:
        yield tasks, count - 1
    yield from others


def well_formed(plan: object, ask: Ask, tasks: int) -> bool:
    """Whether *plan* is a shape that *ask* may be given."""
    if not isinstance(plan, Plan) or plan.runs.__class__ is not tuple:
        return False
    total = 0
    for run in plan.runs:
        if run.__class__ is not tuple or len(run) != 2:
            return False
        each, count = run
        if each.__class__ is not int or count.__class__ is not int or each < 1 or count < 1:
            return False
        total += each * count
    if not ask.primary.tasks_min <= total <= tasks:
        return False
    return ask.primary.span.kind is SpanKind.FREE or _spans(plan, ask)


def _spans(plan: Plan, ask: Ask) -> bool:
    """Whether *plan* keeps the span of *ask*."""
    span = ask.primary.span
    if span.kind is SpanKind.ONE_HOST:
        return plan.positions == 1
    *full, (last, count) = plan.runs
    each = span.tasks_per_host
    rest_fits = last == each or (count == 1 and last < each)
    return rest_fits and all(tasks == each for tasks, _ in full)


def lowest(hosts: int, count: int) -> int:
    """The mask of the *count* lowest bits of *hosts*; 0 if it has fewer."""
    if count == 1:
        return hosts & -hosts
    having = hosts.bit_count()
    if having <= count:
        return hosts if having == count else 0
    return _cut(hosts, count)


def up_to(hosts: int, count: int) -> int:
    """The mask of the at most *count* lowest bits of *hosts*."""
    return hosts if hosts.bit_count() <= count else lowest(hosts, count) if count else 0


def _cut(hosts: int, count: int) -> int:
    """The *count* lowest bits of *hosts*, which has more, found by halving."""
    low, high = count, hosts.bit_length()
    while low < high:
        middle = (low + high) // 2
        if (hosts & ((1 << middle) - 1)).bit_count() < count:
            low = middle + 1
        else:
            high = middle
    return hosts & ((1 << low) - 1)
