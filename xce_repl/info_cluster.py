"""``info host``, ``queue``, ``limit`` and ``resource``: what there is, and what is taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xce_core.model.cluster import Host, Queue, indexes
from xce_core.model.jobs import Job
from xce_core.model.limits import Limit, scope_label
from xce_core.model.resources import JOBS
from xce_core.sched.columns import Column, Counter
from xce_core.sched.ledger import Ledger
from xce_core.sched.resolve import SchedulingObject
from xce_core.sched.scheduler import Scheduler
from xce_core.sim.job_lists import fold_jobs
from xce_repl.words import columns, known, word_if_any

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator

SHOWN = 20
"""How many jobs, or hosts, a line names."""


class InfoCluster:
    """Tells about parts of the cluster."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    # Hosts.

    def host(self, rest: str) -> Iterator[str]:
        """info host [NAME]"""
        cluster = self._simulator.replay.cluster
        if name := word_if_any(rest, "info host [NAME]"):
            at = cluster.index_of[known(name, cluster.index_of, "host")]
            yield from self._one_host(cluster.hosts[at])
            return
        names = list(self._ledger.columns)
        rows = [("host", "state", "jobs", *(f"{name} free/total" for name in names))]
        counts = self._jobs_by_host()
        for host in cluster.hosts:
            state = self._ledger.state_of(host.index).value
            free = (self._free(self._ledger.columns[name], host) for name in names)
            rows.append((host.name, state, str(counts.get(host.index, 0)), *free))
        yield from columns(rows)

    def _free(self, column: Column, host: Host) -> str:
        amount = self._simulator.amount
        left, total = column.left(host.index), column.totals[host.index]
        return f"{amount(column.resource, left)}/{amount(column.resource, total)}"

    def _jobs_by_host(self) -> dict[int, int]:
        counts: dict[int, int] = {}
        for job in self._scheduler.running.values():
            assert job.allocation is not None
            for index in indexes(job.allocation.hosts):
                counts[index] = counts.get(index, 0) + 1
        return counts

    def _one_host(self, host: Host) -> Iterator[str]:
        amount = self._simulator.amount
        yield f"host {host.name}: {self._ledger.state_of(host.index).value}"
        for name, column in self._ledger.columns.items():
            total, left = column.totals[host.index], column.left(host.index)
            used = amount(name, total - left)
            yield f"  {name} total {amount(name, total)} in-use {used} free {amount(name, left)}"
        for key, column in self._ledger.limit_columns.items():
            if column.concerns(host.index):
                value, left = column.totals[host.index], column.left(host.index)
                used = amount(column.resource, value - left)
                scope = scope_label(column.instance, host.name)
                yield (
                    f"  limit {key[0]} ({scope}) on {column.resource}"
                    f" value {amount(column.resource, value)} usage {used}"
                )
        if host.attributes:
            facts = " ".join(f"{name}={value}" for name, value in host.attributes.items())
            yield f"  attributes {facts}"
        bit = 1 << host.index
        running = self._scheduler.running.values()
        jobs = [job for job in running if job.allocation and job.allocation.hosts & bit]
        yield f"  jobs {_ids(jobs)}"

    # Queues.

    def queue(self, rest: str) -> Iterator[str]:
        """info queue [NAME]"""
        queues = self._simulator.replay.cluster.queues
        if name := word_if_any(rest, "info queue [NAME]"):
            yield from self._one_queue(queues[known(name, queues, "queue")])
            return
        by_queue = self._jobs_by_queue()
        rows = [("queue", "state", "priority", "order", "pending", "running")]
        for queue in queues.values():
            pending, running, _ = by_queue[queue.name]
            state, order = self._state(queue), queue.order.value
            counts = (str(len(pending)), str(len(running)))
            rows.append((queue.name, state, str(queue.priority), order, *counts))
        yield from columns(rows)

    def _state(self, queue: Queue) -> str:
        return "open" if self._scheduler.open_queues[queue.name] else "closed"

    def _jobs_by_queue(self) -> dict[str, tuple[list[Job], list[Job], list[Job]]]:
        """The pending, running and other jobs of each queue."""
        found: dict[str, tuple[list[Job], list[Job], list[Job]]] = {
            name: ([], [], []) for name in self._simulator.replay.cluster.queues
        }
        for job in self._scheduler.pending.jobs():
            found[job.queue][0].append(job)
        for job in self._scheduler.running.values():
            found[job.queue][1].append(job)
        for job in self._scheduler.jobs.values():
            if not job.key and job.allocation is None:
                found[job.queue][2].append(job)
        return found

    def _one_queue(self, queue: Queue) -> Iterator[str]:
        yield f"queue {queue.name}: {self._state(queue)}"
        yield f"  priority {queue.priority}  order {queue.order.value}"
        if queue.users is not None:
            yield f"  users {' '.join(sorted(queue.users))}"
        pending, running, others = self._jobs_by_queue()[queue.name]
        yield f"  pending {_ids(pending)}"
        yield f"  running {_ids(running)}"
        if others:
            yield f"  held or waiting {_ids(others)}"

    # Limits.

    def limit(self, rest: str) -> Iterator[str]:
        """info limit [NAME]"""
        limits = {limit.name: limit for limit in self._simulator.replay.cluster.limits}
        wanted = word_if_any(rest, "info limit [NAME]")
        if not limits and not wanted:
            yield "no limits"
            return
        for name in [known(wanted, limits, "limit")] if wanted else limits:
            yield from self._one_limit(limits[name])

    def _one_limit(self, limit: Limit) -> Iterator[str]:
        value = self._simulator.amount(limit.resource, limit.value)
        yield f"limit {limit.name} on {limit.resource}: value {value}"
        shown = False
        for (name, instance), counter in self._ledger.limit_counters.items():
            if name == limit.name and counter.used:
                shown = True
                yield self._instance_line(scope_label(instance), limit, counter.used, counter)
        for (name, instance), column in self._ledger.limit_columns.items():
            if name == limit.name:
                for host in self._simulator.replay.cluster.hosts:
                    if not column.concerns(host.index):
                        continue
                    used = column.totals[host.index] - column.left(host.index)
                    if used:
                        shown = True
                        scope = scope_label(instance, host.name)
                        yield self._instance_line(scope, limit, used, column, host)
        if not shown:
            yield "  not used"

    def _instance_line(
        self, scope: str, limit: Limit, used: int, of: Column | Counter, host: Host | None = None
    ) -> str:
        by = []
        for job in self._scheduler.running.values():
            taken = charge(job, of, host)
            if taken:
                by.append(f"{job.id} ({self._simulator.amount(limit.resource, taken)})")
        more = f" and {len(by) - SHOWN} more" if len(by) > SHOWN else ""
        usage = self._simulator.amount(limit.resource, used)
        return f"  {scope}: usage {usage} by {', '.join(by[:SHOWN])}{more}"

    # Resources.

    def resource(self, rest: str) -> Iterator[str]:
        """info resource [NAME]"""
        resources = self._simulator.replay.cluster.resources
        wanted = word_if_any(rest, "info resource [NAME]")
        rows = [("resource", "of", "counted by", "total", "in use", "free")]
        for name in [known(wanted, resources, "resource")] if wanted else resources:
            resource = resources[name]
            total, used = self._usage(name)
            amounts = [self._simulator.amount(name, n) for n in (total, used, total - used)]
            of = "cluster" if resource.shared else "hosts"
            rows.append((name, of, resource.counted.value, amounts[0], amounts[1], amounts[2]))
        yield from columns(rows)

    def _usage(self, name: str) -> tuple[int, int]:
        """Total and used of a resource, over all hosts."""
        counter = self._ledger.counters.get(name)
        if counter is not None and name != JOBS.name:
            return counter.total, counter.used
        column = self._ledger.columns[name]
        left = sum(amount * hosts.bit_count() for amount, hosts in column.classes.items())
        total = sum(column.totals)
        return total, total - left

    @property
    def _scheduler(self) -> Scheduler:
        return self._simulator.replay.scheduler

    @property
    def _ledger(self) -> Ledger:
        return self._simulator.replay.scheduler.ledger


def charge(job: Job, of: Column | Counter, host: Host | None) -> int:
    """What a running job takes of a counter, or of a column on one host."""
    wanted, allocation = job.sched, job.allocation
    if not isinstance(wanted, SchedulingObject) or allocation is None:
        return 0
    total = 0
    for number, ask in enumerate(wanted.alternatives[allocation.alternative]):
        placements = [p for p in allocation.placements if p.member == number]
        if host is not None:
            for placement in placements:
                if placement.hosts >> host.index & 1:
                    needs = ask.needs(placement.tasks, placement.first)
                    total += sum(amount for column, amount in needs if column is of)
        elif placements:
            tasks = sum(p.tasks * p.hosts.bit_count() for p in placements)
            count = sum(p.hosts.bit_count() for p in placements)
            for claim in ask.shared_claims:
                if claim.counter is of:
                    total += claim.amount(tasks, count)
    return total


def _ids(jobs: list[Job]) -> str:
    """How many, and which."""
    if not jobs:
        return "none"
    more = ",..." if len(jobs) > 1000 else ""
    return f"{len(jobs)}: {fold_jobs((job.number, job.index) for job in jobs[:1000])}{more}"
