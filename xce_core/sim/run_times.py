"""How long jobs ran where a recording says when they end: suspensions do not count."""

from __future__ import annotations

from xce_core.model.jobs import Job, JobState, Seconds, canonical_seconds


class RunTimes:
    """Remembers, of jobs that were suspended, how long they were."""

    def __init__(self) -> None:
        # How long together, and since when if they are suspended now.
        self._suspended: dict[str, tuple[Seconds, Seconds | None]] = {}

    def suspended(self, job: Job, now: Seconds) -> None:
        """*job* does not run from now on."""
        before, _ = self._suspended.get(job.id, (0, None))
        self._suspended[job.id] = (before, now)

    def resumed(self, job: Job, now: Seconds) -> None:
        """*job* runs from now on; nothing for one that was not suspended."""
        before, since = self._suspended.get(job.id, (0, None))
        if since is not None:
            self._suspended[job.id] = (before + now - since, None)

    def forget(self, job: Job) -> None:
        """*job* has ended, or is to start anew."""
        if self._suspended:
            self._suspended.pop(job.id, None)

    def ran(self, job: Job, now: Seconds) -> Seconds:
        """How long *job* ran so far, in seconds; 0 if it has not started."""
        if job.start_time is None:
            return 0
        before, since = self._suspended.get(job.id, (0, None))
        until = now if since is None else since
        return canonical_seconds(until - job.start_time - before)

    def killed_at_limit(self, job: Job, now: Seconds) -> bool:
        """Whether a job whose end by killing is recorded for *now* was ended by its time limit.

        Recordings do not say so. It was if it had its time, and did not come to the end of a
        run time after which it was to be killed anyway.
        """
        ran = self.ran(job, now)
        if job.time_limit is None:
            return False
        if job.outcome is JobState.KILLED and job.run_time is not None and ran >= job.run_time:
            return False
        return ran >= job.time_limit
