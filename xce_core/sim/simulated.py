"""The simulated timeline: jobs end when their run time is over, sessions follow every moment."""

from __future__ import annotations

from heapq import heappop, heappush

from xce_core.model.jobs import Job, JobState, Seconds, canonical_seconds, seconds_sum
from xce_core.sched.lifecycle import JobError
from xce_core.sched.resolve import ResolveError
from xce_core.sched.scheduler import Scheduler
from xce_core.sim.events import Act, JobAct, JobEnd, SessionMark, time_of
from xce_core.sim.observer import Observer
from xce_core.sim.replay import Replay, run_left
from xce_core.sim.workload import InputError, Workload

_RUNNING = JobState.RUNNING


class SimulatedReplay(Replay):
    """Whatever happens in the same moment happens before its session: ends, then the rest.

    :param enforce_limits: whether a job is killed when its time limit is over.
    """

    def __init__(
        self,
        workload: Workload,
        scheduler: Scheduler,
        observers: tuple[Observer, ...],
        each: bool,
        enforce_limits: bool = False,
    ) -> None:
        super().__init__(workload, scheduler, observers, each)
        self._enforce = enforce_limits
        self._ends: list[tuple[Seconds, int, Job]] = []
        self._started = 0
        self._start_is_new = bool(workload.start.jobs)

    def advance(self) -> bool:
        """Go to the next moment after which there is a session.

        Unless each refusal is to be told, sessions that could only refuse again what was
        refused before are counted and passed over.
        """
        scheduler = self.scheduler
        while (now := self._next_time()) is not None:
            if self.paused:
                return False
            self.now = now
            happened = self._end_jobs(now)
            happened = self._take_events(now) or happened or self._start_is_new
            self._start_is_new = False
            if (scheduler.timers and scheduler.wake(now)) or happened:
                self.number += 1
                if self.each or not scheduler.nothing_to_decide():
                    return True
                if self.pass_over is not None and not self.pass_over():
                    return True
        self.finish()
        return False

    def _next_time(self) -> Seconds | None:
        """When something happens next; None if nothing does."""
        if self._start_is_new:
            return self.now
        event = self._next_event
        time = time_of(event) if event is not None else None
        ends = self._ends
        while ends and not _ends_then(ends[0][2], ends[0][0]):
            heappop(ends)
        if ends and (time is None or ends[0][0] < time):
            time = ends[0][0]
        timers = self.scheduler.timers
        if timers:
            wake = timers.first()
            if time is None or wake < time:
                time = wake
        return time

    def _end_jobs(self, now: Seconds) -> bool:
        """End the jobs whose run time is over; whether there were any."""
        ends = self._ends
        happened = False
        while ends and ends[0][0] <= now:
            end, _, job = heappop(ends)
            if _ends_then(job, end):
                at_limit = job.cut_short > 0
                self._over(job, JobState.KILLED if at_limit else job.outcome, True, at_limit)
                happened = True
        return happened

    def _take_events(self, now: Seconds) -> bool:
        """Let happen what the input has for *now*; whether there was anything."""
        happened = False
        while (event := self._next_event) is not None and time_of(event) <= now:
            self._next_event = next(self._events, None)
            if event.__class__ is Job:
                self.events_done += 1
                self._enter(event)
                happened = True
            elif not isinstance(event, JobEnd | SessionMark):
                before = self.skipped.total()
                self._apply(event)
                happened = happened or self.skipped.total() == before
        return happened

    def _running(self, job: Job) -> None:
        run = job.remaining if job.remaining is not None else job.run_time
        if run is None:
            what = f"run_time: job {job.id} has none, which the simulated timeline needs"
            raise InputError(self.workload.path, job.line, what)
        if self._enforce:
            job.cut_short = _beyond_limit(job, run)
            run = canonical_seconds(run - job.cut_short)
        job.remaining = None
        job.planned_end = end = seconds_sum(self.now, run)
        self._started += 1
        heappush(self._ends, (end, self._started, job))

    def _limit_changed(self, job: Job) -> None:
        if self._enforce and job.state is _RUNNING:
            job.remaining = run_left(job, self.now)
            self._running(job)

    def _enter(self, job: Job) -> None:
        users = self.cluster.queues[job.queue].users if job.queue in self.cluster.queues else None
        if users is not None and job.user not in users:
            self._refuse(job, "its queue does not take its user")
            return
        try:
            possible = self.scheduler.possible(job)
        except ResolveError as error:
            self._refuse(job, str(error))
            return
        if possible:
            self._submit(job)
        else:
            self._refuse(job, "does not fit an empty cluster")

    def _refuse(self, job: Job, cause: str) -> None:
        try:
            self.scheduler.refuse(job)
        except JobError as error:
            raise InputError(self.workload.path, job.line, str(error)) from None
        for tell in self.tell.refused:
            tell(job, cause)

    def _stranded(self, jobs: list[Job]) -> None:
        for job in jobs:
            self._requeue(job)
            self._tell(JobAct(self.now, job.id, Act.REQUEUE, 0))


def _ends_then(job: Job, end: Seconds) -> bool:
    """Whether a job that was to end then still is: it may have been stopped or killed since."""
    return job.state is _RUNNING and job.planned_end == end


def _beyond_limit(job: Job, left: Seconds) -> Seconds:
    """How much of the run time that *job* has left lies beyond its time limit."""
    if job.time_limit is None or job.run_time is None:
        return 0
    return min(left, max(0, canonical_seconds(job.run_time - job.time_limit)))
