"""Backfill: which pending jobs may pass others that were promised a place."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from xce_core.model.jobs import Job, JobState, Resolution
from xce_core.sched.forecast import Forecast
from xce_core.sched.outcomes import HoldBack, Outcome, Selection
from xce_core.sched.pending import Head, Line, merged
from xce_core.sched.resolve import SchedulingObject

if TYPE_CHECKING:
    from xce_core.sched.scheduler import Scheduler

_PENDING = JobState.PENDING


class Backfill:
    """The jobs behind one that waits, of which some may start before it.

    :param behind: the job that may be passed.
    :param forecast: in which places were promised.
    """

    def __init__(self, scheduler: Scheduler, behind: Job, forecast: Forecast) -> None:
        self._scheduler = scheduler
        self._behind = behind.key
        self._forecast = forecast
        self._free = scheduler.ledger.free_slots()
        self._held: set[Resolution] = set()

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
            fits = self._fits(job)
            if fits and self._allowed(job):
                yield job
                self._update(job)
            elif remark is not None:
                yield HoldBack(job, remark) if fits else job

    def by_lines(self, lines: list[Head]) -> Generator[Selection, Outcome | None, None]:
        """Propose those that may start, found by lines of jobs alike."""
        heads = self._behind_in(lines)
        if not heads:
            return
        releases = self._scheduler.ledger.releases
        for job in merged(lambda: heads, False, releases, self._seek):
            if self._fits(job) and self._allowed(job):
                yield job
                self._update(job)

    def _behind_in(self, lines: list[Head]) -> list[Head]:
        """Of each line the first job behind that may be allowed, if any like it fits."""
        heads = []
        for _, at, line in lines:
            while at >= 0 and line.entries[at][0] <= self._behind:
                at = line.next(at + 1)
            if at >= 0 and self._fits(line.entries[at][1]):
                at = self._seek(line, at, at)
                if at >= 0:
                    heads.append((line.entries[at][0], at, line))
        return heads

    def _seek(self, line: Line, at: int, alike: int = -1) -> int:
        """The first place in *line* from *at* on whose job may be allowed; -1 if there is none.

        :param alike: where a job like all in the line stands; -1 for the one before *at*.
        """
        if self._may_outlast(line.entries[at - 1 if alike < 0 else alike][1]):
            return line.next(at)
        return line.next_within(at, self._forecast.window)

    def _fits(self, job: Job) -> bool:
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

    def _update(self, job: Job) -> None:
        """Take note of what became of *job*."""
        if job.state is not _PENDING:
            self._forecast.started(job)
            self._free = self._scheduler.ledger.free_slots()
