"""The recorded timeline: what the recording says happens when it says so."""

from __future__ import annotations

from xce_core.model.decisions import Allocation
from xce_core.model.jobs import STARTED, Job, JobState
from xce_core.sched.scheduler import Scheduler
from xce_core.sim.events import Event, JobEnd, Recorded, SessionMark, time_of
from xce_core.sim.observer import Observer
from xce_core.sim.replay import Replay
from xce_core.sim.run_times import RunTimes
from xce_core.sim.workload import InputError, Workload


class RecordedReplay(Replay):
    """The recorded timeline: sessions, ends and changes at their recorded times."""

    def __init__(
        self,
        workload: Workload,
        scheduler: Scheduler,
        observers: tuple[Observer, ...],
        each: bool,
    ) -> None:
        super().__init__(workload, scheduler, observers, each)
        self.mark: SessionMark | None = None
        self._missing: dict[str, tuple[Allocation, int]] = {}
        self._run_times = RunTimes()

    def advance(self) -> bool:
        """Let happen what the recording has before its next session."""
        if self.mark is not None:
            self._note_missing(self.mark)
            self.mark = None
        while (event := self._next_event) is not None:
            if self.paused:
                return False
            self._next_event = next(self._events, None)
            self.now = time_of(event)
            if isinstance(event, SessionMark):
                self.events_done += 1
                self.number = event.number
                self.mark = event
                self._check_known(event)
                self._reconcile(event)
                self.scheduler.wake(self.now)  # also who was freed by what was taken over
                for tell in self.tell.recorded:
                    tell(event)
                return True
            self._apply(event)
        self.finish()
        return False

    def _apply(self, event: Event) -> None:
        if not isinstance(event, JobEnd):
            super()._apply(event)
            return
        self.events_done += 1
        job = self._job(event.job, event.line)
        if job is not None:
            killed = event.state is JobState.KILLED
            at_limit = killed and self._run_times.killed_at_limit(job, self.now)
            self._over(job, event.state, at_limit=at_limit)

    def _suspend(self, job: Job) -> None:
        super()._suspend(job)
        self._run_times.suspended(job, self.now)

    def _running(self, job: Job) -> None:
        self._run_times.resumed(job, self.now)

    def _over(self, job: Job, state: JobState, told: bool = True, at_limit: bool = False) -> None:
        super()._over(job, state, told, at_limit)
        self._run_times.forget(job)

    def missing(self) -> tuple[Recorded, ...]:
        """What the next session will take over: it runs by the recording, but not here."""
        if self.mark is not None:
            self._note_missing(self.mark)
        return tuple(
            Recorded(job, allocation, None, True, line)
            for job, (allocation, line) in self._missing.items()
        )

    def _check_known(self, mark: SessionMark) -> None:
        """Whether every job that the recording decides came in before.

        :raises InputError: if one did not.
        """
        jobs = self.scheduler.jobs
        for recorded in mark.decisions:
            if recorded.job not in jobs and not self.scheduler.was_submitted(recorded.job):
                what = f"job: job {recorded.job} was never submitted"
                raise InputError(self.workload.path, recorded.line, what)

    def _note_missing(self, mark: SessionMark) -> None:
        """Remember what *mark* says was started in it and was not started here."""
        for recorded in mark.decisions:
            if recorded.allocation is not None:
                job = self.scheduler.jobs.get(recorded.job)
                if job is not None and job.state not in STARTED:
                    self._missing[recorded.job] = (recorded.allocation, recorded.line)

    def _reconcile(self, mark: SessionMark) -> None:
        """Start what the recording says is running and this replay did not start."""
        for recorded in mark.decisions:
            if recorded.reconstructed and recorded.allocation is not None:
                self._missing[recorded.job] = (recorded.allocation, recorded.line)
        for job_id, (allocation, line) in self._missing.items():
            job = self.scheduler.jobs.get(job_id)
            if job is not None and job.state not in STARTED:
                self._reconstruct(job, allocation, line)
        self._missing.clear()

    def _requeue(self, job: Job) -> None:
        self._missing.pop(job.id, None)
        super()._requeue(job)
        self._run_times.forget(job)
