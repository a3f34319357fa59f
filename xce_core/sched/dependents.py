"""Jobs that wait: for other jobs, and for a time to come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush

from xce_core.model.jobs import (
    Dependency,
    DependsOn,
    Job,
    Seconds,
    format_job_id,
    parse_job_id,
    seconds_sum,
)
from xce_core.sched.history import NEEDED, History, past_of


class Dependents:
    """Who waits for whom, by the number of the job or array waited for."""

    def __init__(self, jobs: Mapping[str, Job], history: History) -> None:
        self._jobs = jobs
        self._history = history
        self._waiting: dict[int, dict[str, Job]] = {}

    @property
    def any(self) -> bool:
        """Whether anybody waits for anybody."""
        return bool(self._waiting)

    def _met(self, needed: Dependency) -> bool:
        job = self._jobs.get(needed.job)
        past = past_of(job) if job is not None else self._history.of(*parse_job_id(needed.job))
        return bool(past & NEEDED[needed.when])

    def unmet(self, job: Job) -> bool:
        """Whether a dependency of *job* is not met yet."""
        return not all(self._met(needed) for needed in job.dependencies)

    def never_met(self, job: Job) -> bool:
        """Whether a dependency of *job* can never be met."""
        return any(
            self._history.some_ended_without(*parse_job_id(needed.job), NEEDED[needed.when])
            for needed in job.dependencies
            if not self._met(needed)
        )

    def watch(self, job: Job) -> None:
        """*job* waits until told by :meth:`of`."""
        for needed in job.dependencies:
            number, _ = parse_job_id(needed.job)
            self._waiting.setdefault(number, {})[job.id] = job

    def of(self, number: int) -> list[Job]:
        """Those who wait for the job or array of this number."""
        return list(self._waiting.get(number, {}).values())

    def forget(self, job: Job) -> None:
        """*job* waits no more."""
        for needed in job.dependencies:
            number, _ = parse_job_id(needed.job)
            waiting = self._waiting.get(number)
            if waiting is not None:
                waiting.pop(job.id, None)
                if not waiting:
                    del self._waiting[number]

    def delays_begun(self, job: Job) -> Seconds | None:
        """Until when *job* must wait for delays that began before it came in; None for no such.

        When a job long over got there may be forgotten: its delay then counts as over.
        """
        until: Seconds | None = None
        for needed in job.dependencies:
            if needed.delay and self._met(needed):
                for reached in self._reached(needed):
                    over = seconds_sum(reached, needed.delay)
                    until = over if until is None else max(until, over)
        return until

    def _reached(self, needed: Dependency) -> Iterator[Seconds]:
        """When the job, or each element of the array, that *needed* names got there."""
        number, index = parse_job_id(needed.job)
        elements = self._history.elements(number) if index < 0 else []
        for element in elements or [index]:
            job = self._jobs.get(format_job_id(number, element))
            if job is None:
                time = self._history.reached(number, element, needed.when)
            else:
                time = job.start_time if needed.when is DependsOn.STARTED else None
            if time is not None:
                yield time

    def delay_for(self, job: Job, other: Job, now: Seconds) -> Seconds:
        """Until when *job* must wait after *other* started or ended *now*."""
        until = now
        for needed in job.dependencies:
            if (needed.when is DependsOn.STARTED) == (other.end_time is not None):
                continue
            number, index = parse_job_id(needed.job)
            if number == other.number and index in (-1, other.index):
                until = max(until, seconds_sum(now, needed.delay))
        return until


class Timers:
    """Jobs that wait for a time to come."""

    def __init__(self) -> None:
        self._heap: list[tuple[Seconds, int, int, Job]] = []

    def set(self, time: Seconds, job: Job) -> None:
        """Wake *job* at *time*."""
        job.wake_time = time
        heappush(self._heap, (time, job.number, job.index, job))

    def __bool__(self) -> bool:
        return bool(self._heap)

    def first(self) -> Seconds:
        """The time of the first timer, of which there must be one."""
        return self._heap[0][0]

    def due(self, now: Seconds) -> list[tuple[Seconds, Job]]:
        """Take out the jobs whose time has come, each with its time, in order."""
        jobs = []
        while self._heap and self._heap[0][0] <= now:
            time, _, _, job = heappop(self._heap)
            jobs.append((time, job))
        return jobs
