"""What the REPL keeps of jobs beyond what the scheduler does."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from xce_core.model.jobs import Job
from xce_core.sim.observer import Observer

if TYPE_CHECKING:
    from xce_repl.driver import Driver

KEPT = 1000
"""How many jobs that are over are kept, the latest."""


class Recent(Observer):
    """The jobs that were over or turned away last, and word of those that come in.

    :ivar refused: why jobs were turned away, by id.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.jobs: OrderedDict[str, Job] = OrderedDict()
        self.refused_for: dict[str, str] = {}

    def submitted(self, job: Job) -> None:
        """Somebody may wait for just this job."""
        if self._driver.submitted is not None:
            self._driver.submitted(job)

    def refused(self, job: Job, cause: str) -> None:
        """Keep the job and the cause."""
        self.refused_for[job.id] = cause
        self._keep(job)

    def over(self, job: Job, told: bool, at_limit: bool) -> None:
        """Keep the job."""
        self._keep(job)

    def _keep(self, job: Job) -> None:
        jobs = self.jobs
        jobs[job.id] = job
        if len(jobs) > KEPT:
            oldest, _ = jobs.popitem(last=False)
            self.refused_for.pop(oldest, None)
