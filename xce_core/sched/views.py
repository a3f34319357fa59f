"""What a policy sees of the state, and the ways through the pending jobs it may take."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING

from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Derived, Job, JobState, Seconds
from xce_core.sched.forecast import Forecast, free_slots
from xce_core.sched.outcomes import Election, HoldBack, Outcome, Selection
from xce_core.sched.pending import Head, Line
from xce_core.sched.resolve import SchedulingObject

if TYPE_CHECKING:
    from xce_core.sched.scheduler import Scheduler

_PENDING = JobState.PENDING


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
        found = _Backfill(self._scheduler, behind, forecast)
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


class _Backfill:
    """Which jobs may pass others that were promised a place."""

    def __init__(self, scheduler: Scheduler, behind: Job, forecast: Forecast) -> None:
        self._scheduler = scheduler
        self._behind = behind.key
        self._forecast = forecast
        self._free = free_slots(scheduler.ledger)
        self._held: set[Derived] = set()

    def countable(self) -> list[Head] | None:
        """The lines, if all that pends asks for slots alone, so that room only becomes less.

        Only then do jobs fare the same in whatever order lines are looked at.
        """
        if self._free < 0:
            return None
        heads = self._scheduler.pending.heads()
        for _, at, line in heads:
            wanted = line.entries[at][1].sched
            if line.strict or not isinstance(wanted, SchedulingObject) or not wanted.slots_only:
                return None
        return heads

    def one_by_one(self, remark: str | None) -> Generator[Selection, Outcome | None, None]:
        """Look at all jobs behind; what fits and is not allowed is held back with *remark*.

        :param remark: None to propose only those that may start.
        """
        for job in self._scheduler.pending.queue():
            if job.key <= self._behind:
                continue
            takes = self._takes(job)
            if takes and self._allowed(job):
                yield job
                self._see(job)
            elif remark is not None:
                yield HoldBack(job, remark) if takes else job

    def by_lines(self, lines: list[Head]) -> Generator[Selection, Outcome | None, None]:
        """Propose those that may start, found by lines of jobs alike."""
        heads = []
        for _, at, line in lines:
            while at >= 0 and line.entries[at][0] <= self._behind:
                at = line.next(at + 1)
            if at >= 0 and self._takes(line.entries[at][1]):
                at = self._seek(line, at, line.entries[at][1])
                if at >= 0:
                    heads.append((line.entries[at][0], at, line))
        heapify(heads)
        while heads:
            _, at, line = heads[0]
            job = line.entries[at][1]
            if not self._takes(job):
                heappop(heads)
                continue
            if self._allowed(job):
                yield job
                self._see(job)
            at = self._seek(line, at + 1, job)
            if at < 0:
                heappop(heads)
            else:
                heapreplace(heads, (line.entries[at][0], at, line))

    def _seek(self, line: Line, at: int, alike: Job) -> int:
        """The first place in *line* from *at* on whose job may be allowed; -1 if there is none.

        :param alike: a job like all in the line.
        """
        if self._may_outlast(alike):
            return line.next(at)
        return line.next_within(at, self._forecast.window)

    def _takes(self, job: Job) -> bool:
        """Whether *job* fits now; by a count where that is enough, else by a search."""
        scheduler, wanted = self._scheduler, job.sched
        if wanted.refused_at == scheduler.ledger.releases:
            return False
        if not isinstance(wanted, SchedulingObject):
            return False
        if self._free >= 0 and wanted.slots_only and scheduler.open_queues[wanted.queue]:
            if wanted.slots_only <= self._free:
                return True
            wanted.refused_at = scheduler.ledger.releases
            return False
        return scheduler.would_get(job) is not None

    def _allowed(self, job: Job) -> bool:
        """Whether *job*, which fits, leaves everybody a place who was promised one."""
        limit = job.time_limit
        return (limit is not None and limit <= self._forecast.window) or self._may_outlast(job)

    def _may_outlast(self, job: Job) -> bool:
        """Whether jobs like *job* may go on beyond the forecast; a no stands for the session.

        It stands so that jobs passed over and jobs told each by itself fare alike.
        """
        if job.sched in self._held:
            return False
        if self._forecast.leaves_room(job):
            return True
        self._held.add(job.sched)
        return False

    def _see(self, job: Job) -> None:
        """Take note of what became of *job*."""
        if job.state is not _PENDING:
            self._forecast.started(job)
            self._free = free_slots(self._scheduler.ledger)
