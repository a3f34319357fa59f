"""What a headless replay is asked for: figures, a table of jobs, a log of decisions."""

from __future__ import annotations

from typing import TextIO

from xce_core.model.decisions import Pend
from xce_core.model.jobs import Job, Seconds
from xce_core.sched.policy import Outcome
from xce_core.sched.resolve import slots_held
from xce_core.sim.jobs_csv import JobsCsv
from xce_core.sim.metrics import Metrics
from xce_core.sim.observer import Observer
from xce_core.sim.replay import Replay, up_slots
from xce_core.sim.wording import outcome_text


class Figures(Observer):
    """Feeds the metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self.metrics = metrics
        # Bound as they are: what the metrics take down is told in just this form.
        self.ran = metrics.ran  # type: ignore[method-assign]
        self.capacity = metrics.capacity  # type: ignore[method-assign]

    def begun(self, replay: Replay) -> None:
        """The capacity at the start."""
        self.metrics.capacity(replay.now, up_slots(replay.scheduler))

    def refused(self, job: Job, cause: str) -> None:
        """One more refused."""
        self.metrics.refused(cause)

    def over(self, job: Job, told: bool, at_limit: bool) -> None:
        """One more over."""
        self.metrics.job_over(job, at_limit)

    def finished(self, replay: Replay) -> None:
        """What is left; jobs that still run have run up to now."""
        for job in replay.scheduler.running.values():
            assert job.start_time is not None
            self.metrics.ran(job, job.start_time, replay.now, slots_held(job))
        self.metrics.finish(replay.now, replay.scheduler.jobs.values())


class JobTable(Observer):
    """Feeds the table of jobs."""

    def __init__(self, table: JobsCsv) -> None:
        self._table = table

    def refused(self, job: Job, cause: str) -> None:
        """A row without a start."""
        self._table.refused(job)

    def over(self, job: Job, told: bool, at_limit: bool) -> None:
        """A row."""
        self._table.job_over(job, at_limit)

    def finished(self, replay: Replay) -> None:
        """Rows of the jobs that are left."""
        self._table.finish(replay.scheduler.jobs.values())


class DecisionLog(Observer):
    """Writes a line for each session that decided anything, and one for each decision."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._replay: Replay | None = None
        self._head = ""

    def begun(self, replay: Replay) -> None:
        """Remember whose decisions these are."""
        self._replay = replay

    def session(self, number: int, time: Seconds) -> None:
        """Kept until there is a decision."""
        self._head = f"session {number} time {time}\n"

    def decided(self, outcome: Outcome, changed: bool) -> None:
        """A line, unless a job pends as it did before."""
        assert self._replay is not None
        if isinstance(outcome, Pend) and not changed:
            return
        self._stream.write(f"{self._head}  {outcome_text(outcome, self._replay.cluster)}\n")
        self._head = ""


