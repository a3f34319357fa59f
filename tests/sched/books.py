"""An independent count of what a cluster has left, host by host and by plain arithmetic.

Nothing here uses masks, classes of hosts or anything else of the scheduler's own: what is
in use is added up anew from the allocations of the jobs that run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from xce_core.model.cluster import Cluster, Host
from xce_core.model.decisions import Allocation
from xce_core.model.jobs import Job
from xce_core.model.limits import Dimension, Limit
from xce_core.model.requests import Primary, SpanKind
from xce_core.model.resources import Counted
from xce_core.sched.scheduler import Scheduler

CLUSTER, NOWHERE = -1, -2
"""In the place of a host: the cluster as a whole, and none that is looked at."""


class Account(NamedTuple):
    """Something that can run out: a resource or a limit, on one host or in the cluster."""

    name: str
    instance: tuple[str, ...]
    host: int


class Share(NamedTuple):
    """The tasks of a member on one host."""

    host: int
    tasks: int


class Books:
    """What is left in a cluster in which *jobs* run."""

    def __init__(self, cluster: Cluster, jobs: Iterable[Job] = ()) -> None:
        self.cluster = cluster
        self.used: dict[Account, int] = defaultdict(int)
        for job in jobs:
            assert job.allocation is not None
            self.book(job, job.allocation)

    def book(self, job: Job, allocation: Allocation) -> None:
        """*job* has *allocation* from now on."""
        members = job.requirement.alternatives[allocation.alternative].members
        for number, primary in enumerate(members):
            for account, amount in self.charges(job, primary, number, shares(allocation, number)):
                self.used[account] += amount

    def left(self, account: Account) -> int:
        """What *account* has left."""
        return self.total(account) - self.used.get(account, 0)

    def total(self, account: Account) -> int:
        """What *account* has in all."""
        for limit in self.cluster.limits:
            if limit.name == account.name:
                return limit.value
        if account.host >= 0:
            return self.cluster.hosts[account.host].capacity.get(account.name, 0)
        return self.cluster.shared.get(account.name, 0)

    def overdrawn(self) -> list[Account]:
        """The accounts of which more is used than there is."""
        return [account for account in self.used if self.left(account) < 0]

    # What a member takes.

    def charges(
        self, job: Job, primary: Primary, member: int, placed: list[Share]
    ) -> Iterator[tuple[Account, int]]:
        """What *placed* takes of every account; the first share is the first host."""
        for name, amount in primary.amounts:
            resource = self.cluster.resources[name]
            yield from _spread(name, (), not resource.shared, resource.counted, amount, placed)
        for limit in self.cluster.limits:
            if not concerns(limit, job):
                continue
            instance = instance_of(limit, job)
            for account, amount in self._limit_charges(limit, instance, primary, member, placed):
                if account.host < 0 or concerns_host(limit, self.cluster.hosts[account.host]):
                    yield account, amount

    def _limit_charges(
        self,
        limit: Limit,
        instance: tuple[str, ...],
        primary: Primary,
        member: int,
        placed: list[Share],
    ) -> Iterator[tuple[Account, int]]:
        if limit.resource == "jobs":
            counted = Counted.HOST if by_host(limit) else Counted.JOB
            if by_host(limit) or member == 0:
                yield from _spread(limit.name, instance, by_host(limit), counted, 1, placed)
            return
        for name, amount in primary.amounts:
            if name == limit.resource:
                counted = self.cluster.resources[name].counted
                yield from _spread(limit.name, instance, by_host(limit), counted, amount, placed)

    # What fits.

    def needed(
        self, job: Job, primary: Primary, member: int, placed: list[Share]
    ) -> dict[Account, int]:
        """What *placed* takes of each account."""
        needed: dict[Account, int] = defaultdict(int)
        for account, amount in self.charges(job, primary, member, placed):
            needed[account] += amount
        return needed

    def fits(self, job: Job, primary: Primary, member: int, placed: list[Share]) -> bool:
        """Whether every account has what *placed* takes of it."""
        needed = self.needed(job, primary, member, placed)
        return all(amount <= self.left(account) for account, amount in needed.items())

    def short(
        self, job: Job, primary: Primary, member: int, placed: list[Share], on_hosts: bool
    ) -> set[Account]:
        """The accounts, of hosts or of the cluster, that lack what *placed* takes."""
        return {
            account
            for account, amount in self.needed(job, primary, member, placed).items()
            if amount > self.left(account)
            and (account.host >= 0 if on_hosts else account.host == CLUSTER)
        }

    def takes(self, job: Job, primary: Primary, host: int, tasks: int, first: bool = False) -> bool:
        """Whether a host can take *tasks* tasks, whatever the cluster has left."""
        placed = [*([] if first else [Share(NOWHERE, 0)]), Share(host, tasks)]
        return not any(
            account.host == host
            for account in self.short(job, primary, 0, placed, on_hosts=True)
        )

    def capacity(
        self, job: Job, primary: Primary, host: int, most: int, first: bool = False
    ) -> int:
        """How many tasks, up to *most*, a host can take."""
        sizes = range(1, most + 1)
        return max((n for n in sizes if self.takes(job, primary, host, n, first)), default=0)

    def totals(self, job: Job, primary: Primary, hosts: list[int]) -> set[int]:
        """Every number of tasks that could be placed on *hosts*, by trying all of them."""
        return {
            tasks
            for tasks, count in _ON[primary.span.kind](self, job, primary, hosts)
            if primary.tasks_min <= tasks <= primary.tasks_max
            and not self.short(job, primary, 0, somewhere(tasks, count), on_hosts=False)
        }

    def _free(self, job: Job, primary: Primary, hosts: list[int]) -> set[tuple[int, int]]:
        reached = {(0, 0)}
        for host in hosts:
            able = [
                tasks
                for tasks in range(1, primary.tasks_max + 1)
                if self.takes(job, primary, host, tasks)
            ]
            reached |= {(tasks + more, count + 1) for tasks, count in reached for more in able}
        return reached

    def _one_host(self, job: Job, primary: Primary, hosts: list[int]) -> set[tuple[int, int]]:
        return {
            (tasks, 1)
            for host in hosts
            for tasks in range(1, primary.tasks_max + 1)
            if self.takes(job, primary, host, tasks)
        }

    def _per_host(self, job: Job, primary: Primary, hosts: list[int]) -> set[tuple[int, int]]:
        size = primary.span.tasks_per_host
        full = [host for host in hosts if self.takes(job, primary, host, size)]
        found = {(count * size, count) for count in range(1, len(full) + 1)}
        for host in hosts:
            others = len([other for other in full if other != host])
            for rest in range(1, size):
                if self.takes(job, primary, host, rest):
                    found |= {(n * size + rest, n + 1) for n in range(others + 1)}
        return found


_ON = {
    SpanKind.FREE: Books._free,
    SpanKind.ONE_HOST: Books._one_host,
    SpanKind.PER_HOST: Books._per_host,
}


def _spread(
    name: str,
    instance: tuple[str, ...],
    on_hosts: bool,
    counted: Counted,
    amount: int,
    placed: list[Share],
) -> Iterator[tuple[Account, int]]:
    """*amount* as it is counted, on the account of each host or of the cluster."""
    for number, share in enumerate(placed):
        times = {Counted.TASK: share.tasks, Counted.HOST: 1, Counted.JOB: int(number == 0)}
        if times[counted]:
            host = share.host if on_hosts else CLUSTER
            yield Account(name, instance, host), amount * times[counted]


def somewhere(tasks: int, hosts: int = 1) -> list[Share]:
    """*tasks* on so many hosts, for those who ask only what the cluster has left."""
    return [Share(NOWHERE, tasks), *[Share(NOWHERE, 0)] * (hosts - 1)]


def shares(allocation: Allocation, member: int = 0) -> list[Share]:
    """Host by host what *allocation* gives to a member, its first host first."""
    first = [p for p in allocation.placements if p.member == member and p.first]
    rest = [p for p in allocation.placements if p.member == member and not p.first]
    return [
        Share(host, placement.tasks)
        for placement in first + rest
        for host in range(placement.hosts.bit_length())
        if placement.hosts >> host & 1
    ]


def entries_of(books: Books) -> dict[Account, int]:
    """What is used of each account that anything is used of."""
    return {account: amount for account, amount in books.used.items() if amount}


def entries(scheduler: Scheduler) -> dict[Account, int]:
    """The same as a scheduler's ledger has it."""
    ledger = scheduler.ledger
    hosts = range(len(scheduler.cluster.hosts))
    found = {Account(name, (), CLUSTER): counter.used for name, counter in ledger.counters.items()}
    for (name, label), counter in ledger.limit_counters.items():
        assert counter.limit is not None
        found[Account(name, _counted(counter.limit, label), CLUSTER)] = counter.used
    columns = [(name, (), column) for name, column in ledger.columns.items()]
    for (name, label), column in ledger.limit_columns.items():
        assert column.limit is not None
        columns.append((name, _counted(column.limit, label), column))
    for name, instance, column in columns:
        for host in hosts:
            # A limit on some hosts keeps an idle count for the others, which binds nobody.
            if column.concerns(host):
                used = column.totals[host] - column.left(host)
                found[Account(name, instance, host)] = used
    return {account: amount for account, amount in found.items() if amount}


def _counted(limit: Limit, label: str) -> tuple[str, ...]:
    """The names in an instance label that each have a count of their own."""
    alone = {scope.dimension.value for scope in limit.scopes if scope.each}
    parts = [part.partition("=") for part in label.split(",") if part]
    return tuple(name for letter, _, name in parts if letter in alone)


def by_host(limit: Limit) -> bool:
    """Whether a limit counts host by host."""
    return any(scope.dimension is Dimension.HOST for scope in limit.scopes)


def values_of(job: Job) -> dict[Dimension, str]:
    """What limits may ask of a job."""
    return {Dimension.USER: job.user, Dimension.QUEUE: job.queue, Dimension.PROJECT: job.project}


def concerns(limit: Limit, job: Job) -> bool:
    """Whether *job* is within the scope of *limit*."""
    values = values_of(job)
    return all(
        scope.names is None or values[scope.dimension] in scope.names
        for scope in limit.scopes
        if scope.dimension is not Dimension.HOST
    )


def concerns_host(limit: Limit, host: Host) -> bool:
    """Whether *host* is within the scope of *limit*."""
    return all(
        scope.names is None or host.name in scope.names
        for scope in limit.scopes
        if scope.dimension is Dimension.HOST
    )


def instance_of(limit: Limit, job: Job) -> tuple[str, ...]:
    """Which of the counts of *limit* a job goes on."""
    values = values_of(job)
    return tuple(
        values[scope.dimension]
        for scope in limit.scopes
        if scope.each and scope.dimension is not Dimension.HOST
    )


def selected(cluster: Cluster, primary: Primary) -> list[int]:
    """The indexes of the hosts that match the selection of *primary*."""
    return [
        host.index
        for host in cluster.hosts
        if primary.select is None
        or primary.select.matches({"name": host.name, **host.capacity, **host.attributes})
    ]
