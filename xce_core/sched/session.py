"""What a policy sees: the pending and running jobs, what is free, and ways to look ahead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Job, Seconds
from xce_core.sched.backfill import Backfill
from xce_core.sched.forecast import Forecast
from xce_core.sched.outcomes import Election

if TYPE_CHECKING:
    from xce_core.sched.scheduler import Scheduler


class Session:
    """One scheduling pass, as a policy sees it. Everything here is to be read, not changed.

    :ivar number: counts sessions from 1.
    :ivar time: now, in seconds.
    :ivar each: True if every job that is refused is to be told so by itself, False if
        nobody needs to know, so that jobs alike may be passed over.
    """

    __slots__ = ("_scheduler", "each", "number", "time")

    def __init__(self, scheduler: Scheduler, number: int, time: Seconds, each: bool) -> None:
        self._scheduler = scheduler
        self.number = number
        self.time = time
        self.each = each

    # Pending jobs.

    def in_order(self) -> Election:
        """The pending jobs by the policy's key, each to be proposed before the next is taken.

        What a refused job means for those behind it, strict queues and jobs alike, is
        seen to.
        """
        return self._scheduler.pending.in_order(self.each, self._scheduler.ledger)

    def queue(self) -> Iterator[Job]:
        """The pending jobs by the policy's key, one at a time, whatever becomes of them."""
        return self._scheduler.pending.queue()

    def pending(self) -> list[Job]:
        """All pending jobs by the policy's key."""
        return list(self._scheduler.pending.jobs())

    def fits(self, job: Job) -> bool:
        """Whether *job* would start if it were proposed now."""
        return self._scheduler.would_get(job) is not None

    # Running jobs, and what is expected of them.

    def running(self) -> list[Job]:
        """All jobs that hold an allocation, in the order in which they started."""
        return list(self._scheduler.running.values())

    def running_by_end(self) -> list[tuple[Seconds, Job]]:
        """They with the times at which they are expected to end, the next end first.

        That is start and time limit together, and may lie in the past; never the run time,
        which nobody can know. It is ``inf`` for a job without a limit or a suspended one.
        """
        return [(entry.end, entry.job) for entry in self._scheduler.ends.entries]

    def forecast(self) -> Forecast:
        """A look ahead, beginning with the state as it is now."""
        return Forecast(self._scheduler, self.time)

    def backfill(self, behind: Job, forecast: Forecast, remark: str) -> Election:
        """Propose the jobs behind *behind* that fit now and that *forecast* allows.

        These are the jobs that leave everybody a place who was promised one: they are
        expected to be over by the forecast's time, or need only what is left over then, which
        they use up.

        :param remark: what jobs that fit but are not allowed are told; only if each is to be.
        """
        found = Backfill(self._scheduler, behind, forecast)
        if not self.each and (heads := found.countable()) is not None:
            return found.by_lines(heads)
        return found.one_by_one(remark if self.each else None)

    # The cluster.

    @property
    def cluster(self) -> Cluster:
        """Hosts, resources, queues and limits, as configured."""
        return self._scheduler.cluster

    def free(self, resource: str = "slots") -> int:
        """What the open hosts together, or the cluster, have left of a resource.

        :raises KeyError: if there is no such resource.
        """
        ledger = self._scheduler.ledger
        counter = ledger.counters.get(resource)
        if counter is not None:
            return max(counter.left, 0)
        return sum(
            left * (hosts & ledger.hosts.open).bit_count()
            for left, hosts in ledger.columns[resource].classes.items()
            if left > 0
        )

    def is_open(self, queue: str) -> bool:
        """Whether jobs of *queue* may start now."""
        return self._scheduler.open_queues[queue]
