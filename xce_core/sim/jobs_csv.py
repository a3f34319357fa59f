"""One row a job, as CSV that tools for Batsim's ``jobs.csv`` can read."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import TextIO

from xce_core.model.cluster import Cluster
from xce_core.model.decisions import Allocation
from xce_core.model.jobs import STARTED, Job, JobState, Seconds
from xce_core.model.requests import Primary
from xce_core.model.resources import SLOTS
from xce_core.sched.resolve import slots_held
from xce_core.sim.host_lists import host_lists

BATSIM_COLUMNS = (
    "job_id",
    "workload_name",
    "profile",
    "submission_time",
    "requested_number_of_resources",
    "requested_time",
    "success",
    "final_state",
    "starting_time",
    "execution_time",
    "finish_time",
    "waiting_time",
    "turnaround_time",
    "stretch",
    "allocated_resources",
    "consumed_energy",
    "metadata",
)

OWN_COLUMNS = (
    "user",
    "queue",
    "project",
    "eligible_time",
    "eligible_waiting_time",
    "requeues",
    "allocated_slots",
    "hosts",
)

COLUMNS = BATSIM_COLUMNS + OWN_COLUMNS

_FINAL_STATES = {
    JobState.DONE: "COMPLETED_SUCCESSFULLY",
    JobState.FAILED: "COMPLETED_FAILED",
    JobState.KILLED: "COMPLETED_KILLED",
}
_WAITING = frozenset({JobState.HELD, JobState.WAITING, JobState.PENDING})

Cell = str | int | float | None
"""A field of a row; None leaves it empty. Times are floats even where they are whole: readers
such as evalys fail if one column of times is of integers and another is not."""


class JobsCsv:
    """Writes the header at once, then a row for each job it is told of.

    :param stream: where to; opened by the caller, with ``newline=""`` if it is a file.
    :param workload: what ``workload_name`` says in each row.
    """

    def __init__(self, stream: TextIO, cluster: Cluster, workload: str) -> None:
        self._cluster = cluster
        self._workload = workload
        self._writer = csv.writer(stream, lineterminator="\n")
        self._writer.writerow(COLUMNS)

    def job_over(self, job: Job, at_limit: bool = False) -> None:
        """*job* is over; its allocation is still the one it ran with.

        :param at_limit: True if it was killed because its time limit was reached.
        """
        at_limit = at_limit and job.state is JobState.KILLED
        state = "COMPLETED_WALLTIME_REACHED" if at_limit else _FINAL_STATES[job.state]
        self._write(job, state)

    def refused(self, job: Job) -> None:
        """*job* was not taken."""
        self._write(job, "REJECTED")

    def finish(self, left: Iterable[Job]) -> None:
        """The replay ended, and the jobs in *left* are not over."""
        for job in left:
            self._write(job, "RUNNING" if job.state in STARTED else "SUBMITTED")

    def _write(self, job: Job, state: str) -> None:
        start = None if job.state in _WAITING else job.start_time
        held = None if start is None else job.allocation
        cells = self._batsim_cells(job, state, start, held) + self._own_cells(job, start, held)
        self._writer.writerow(cells)

    def _batsim_cells(
        self, job: Job, state: str, start: Seconds | None, held: Allocation | None
    ) -> tuple[Cell, ...]:
        run = _between(start, job.end_time)
        turnaround = None if start is None else _between(job.submit_time, job.end_time)
        return (
            job.id,
            self._workload,
            None,
            _time(job.submit_time),
            requested_slots(job, held),
            _time(job.time_limit),
            int(job.state is JobState.DONE),
            state,
            _time(start),
            run,
            _time(job.end_time),
            _between(job.submit_time, start),
            turnaround,
            round(turnaround / run, 6) if turnaround is not None and run else None,
            interval_text(held.hosts) if held else None,
            None,
            None,
        )

    def _own_cells(
        self, job: Job, start: Seconds | None, held: Allocation | None
    ) -> tuple[Cell, ...]:
        return (
            job.user,
            job.queue,
            job.project,
            _time(job.eligible_time),
            _between(job.eligible_time, start),
            job.requeues,
            slots_held(job) if held else None,
            host_lists(self._cluster).fold(held.hosts) if held else None,
        )


def requested_slots(job: Job, held: Allocation | None) -> int:
    """The most slots *job* asks for: of the alternative it got, else of its first."""
    chosen = job.requirement.alternatives[held.alternative if held else 0]
    return sum(member.tasks_max * _slots_a_task(member) for member in chosen.members)


def _slots_a_task(member: Primary) -> int:
    return dict(member.amounts).get(SLOTS.name, 0)


def interval_text(mask: int) -> str:
    """The host indexes in *mask* as Batsim writes them: ``0-3 7``."""
    return " ".join(
        str(first) if first == last else f"{first}-{last}" for first, last in _runs(mask)
    )


def _runs(mask: int) -> Iterator[tuple[int, int]]:
    """The first and last index of each unbroken run of ones, lowest first."""
    base = 0
    while mask:
        zeros = (mask & -mask).bit_length() - 1
        mask >>= zeros
        ones = (~mask & (mask + 1)).bit_length() - 1
        mask >>= ones
        yield base + zeros, base + zeros + ones - 1
        base += zeros + ones


def _time(time: Seconds | None) -> float | None:
    return None if time is None else float(time)


def _between(first: Seconds | None, last: Seconds | None) -> float | None:
    """How long from *first* to *last*, to the microsecond; None if either is not known."""
    return None if first is None or last is None else float(round(last - first, 6))
