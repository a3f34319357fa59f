"""When running jobs are expected to end, by their time limits."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from math import inf
from typing import NamedTuple

from xce_core.model.jobs import Job, JobState, Seconds, seconds_sum
from xce_core.sched.resolve import slots_held


def expected_end(job: Job) -> Seconds:
    """When a started job is expected to end: its start and its time limit; ``inf`` if never.

    Never from its run time, which nobody can know. A job without a limit is not expected to
    end, nor is a suspended one: nobody knows when it goes on. The answer may lie in the past.
    """
    if job.time_limit is None or job.start_time is None or job.state is JobState.SUSPENDED:
        return inf
    return seconds_sum(job.start_time, job.time_limit)


class ExpectedEnd(NamedTuple):
    """A job that holds an allocation, as a line of :class:`ExpectedEnds`.

    :param end: :func:`expected_end`.
    :param slots: how many slots it gives back.
    """

    end: Seconds
    number: int
    element: int
    slots: int
    job: Job


class ExpectedEnds:
    """The jobs that hold an allocation, by expected end, then by job id; kept up to date."""

    def __init__(self, running: Iterable[Job]) -> None:
        self._of: dict[str, ExpectedEnd] = {}
        self.entries: list[ExpectedEnd] = []
        for job in running:
            self.add(job)

    def add(self, job: Job) -> None:
        """*job* has started."""
        entry = ExpectedEnd(expected_end(job), job.number, job.index, slots_held(job), job)
        self._of[job.id] = entry
        insort(self.entries, entry)

    def remove(self, job: Job) -> None:
        """*job* gives back what it holds."""
        del self.entries[bisect_left(self.entries, self._of.pop(job.id))]

    def changed(self, job: Job) -> None:
        """Something was done to a started *job* that its expected end depends on."""
        self.remove(job)
        self.add(job)
