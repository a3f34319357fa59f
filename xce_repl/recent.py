"""What the REPL keeps of jobs beyond what the scheduler does."""

from __future__ import annotations

from collections import deque

from xce_core.model.decisions import Pend
from xce_core.model.jobs import Job
from xce_core.sim.observer import Observer
from xce_repl.backlog import Backlog

KEPT = 50
"""How many jobs that are over are kept, the latest."""


class Recent(Observer):
    """The jobs that were over or turned away last, and what holds pending ones back.

    :ivar held_back: in which session the policy held a job back when it was last decided, and
        why, by the job's id.
    """

    def __init__(self, backlog: Backlog) -> None:
        self._backlog = backlog
        self._over: deque[Job] = deque(maxlen=KEPT)
        self._refused: deque[tuple[Job, str]] = deque(maxlen=KEPT)
        self.held_back: dict[str, tuple[int, str]] = {}

    def refused(self, job: Job, cause: str) -> None:
        """Keep the job and the cause."""
        self._refused.append((job, cause))

    def over(self, job: Job, told: bool, at_limit: bool) -> None:
        """Keep the job, which may have been killed while it was pending."""
        self._over.append(job)
        if self.held_back:
            self.held_back.pop(job.id, None)
        if job.start_time is None:
            self._backlog.remove(job)

    def pended(self, outcome: Pend, session: int) -> None:
        """Keep what a policy says that holds a job back, until the job is decided again."""
        if outcome.remark is not None:
            self.held_back[outcome.job.id] = (session, outcome.remark)
        elif self.held_back:
            self.held_back.pop(outcome.job.id, None)

    def find(self, job_id: str) -> Job | None:
        """The job of this id, if it is among them."""
        for job in self._over:
            if job.id == job_id:
                return job
        return next((job for job, _ in self._refused if job.id == job_id), None)

    def refusal(self, job_id: str) -> str | None:
        """Why the job of this id was turned away; None if it was not."""
        return next((cause for job, cause in self._refused if job.id == job_id), None)
