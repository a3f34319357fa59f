#!/usr/bin/env python3
"""EASY backfilling on one processor count, straight from the definition.

usage: easy.py LOG.swf[.gz] [PROCS]

An independent reference for the tests of the EASY policy, and the yardstick of its
benchmark; nothing is imported from the project. Jobs, processors and what is left out are
those of fcfs.py beside it. A job is expected to run for its requested time if that is
positive, else for its run time.

At each moment, after the ends and the submissions of that second, jobs start from the head
of the queue (submit time, then job number) as long as they fit. The first that does not is
given a reservation: the earliest time by which enough running jobs are expected to be over,
those behind their expectation at once. Then each later job in order starts if it fits now and
is expected to end by that time, or needs no more than the processors that are left over at
that time, which it then uses up.
"""

import gzip
import re
import sys
from bisect import insort
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple


class Job(NamedTuple):
    """A job of a log: times in seconds."""

    number: int
    submit: int
    run: int
    procs: int
    expected: int


def read_swf(path: str, machine: int = 0) -> tuple[list[Job], int]:
    """The jobs of a log in the order of the queue, and the machine's processors."""
    sizes: dict[str, int] = {}
    jobs: list[Job] = []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="replace") as log:
        for line in log:
            fields = line.split()
            if not fields or fields[0].startswith(";"):
                if size := re.match(r"\s*;\s*(MaxProcs|MaxNodes):\s*(\d+)", line):
                    sizes.setdefault(size[1], int(size[2]))
                continue
            values = [float(field) for field in fields[:9]]
            submit, run, asked = int(values[1]), int(values[3]), int(values[8])
            procs = int(values[7] if values[7] > 0 else values[4])
            if run >= 0 and procs >= 1:
                expected = asked if asked > 0 else run
                jobs.append(Job(int(values[0]), submit, run, procs, expected))
    machine = machine or sizes.get("MaxProcs") or sizes.get("MaxNodes") or 0
    if not machine:
        raise SystemExit(f"{path}: no machine size in the header; give PROCS")
    jobs = [job for job in jobs if job.procs <= machine]
    jobs.sort(key=lambda job: (job.submit, job.number))
    return jobs, machine


def easy(jobs: Sequence[Job], machine: int) -> list[int]:
    """The start time of each job; *jobs* come in the order of the queue."""
    starts = [0] * len(jobs)
    ends: list[tuple[int, int]] = []  # heap of (end, place in jobs)
    running: list[tuple[int, int]] = []  # in order: expected end, place in jobs
    queue: list[int] = []
    free, came = machine, 0

    def start(place: int, now: int) -> None:
        job = jobs[place]
        starts[place] = now
        heappush(ends, (now + job.run, place))
        insort(running, (now + job.expected, place))

    while came < len(jobs) or ends:
        now = ends[0][0] if ends else jobs[came].submit
        if came < len(jobs):
            now = min(now, jobs[came].submit)
        while ends and ends[0][0] <= now:
            place = heappop(ends)[1]
            running.remove((starts[place] + jobs[place].expected, place))
            free += jobs[place].procs
        while came < len(jobs) and jobs[came].submit <= now:
            queue.append(came)
            came += 1
        while queue and jobs[queue[0]].procs <= free:
            free -= jobs[queue[0]].procs
            start(queue.pop(0), now)
        if len(queue) < 2 or not free:
            continue
        shadow, spare = reservation(jobs, running, jobs[queue[0]].procs, free, now)
        left = queue[:1]
        for place in queue[1:]:
            _, _, _, procs, expected = jobs[place]
            in_time = now + expected <= shadow
            if procs <= free and (in_time or procs <= spare):
                free -= procs
                if not in_time:
                    spare -= procs
                start(place, now)
            else:
                left.append(place)
        queue = left
    return starts


def reservation(
    jobs: Sequence[Job], running: list[tuple[int, int]], procs: int, free: int, now: int
) -> tuple[int, int]:
    """When *procs* processors are expected to be free, and how many more are then."""
    shadow = now
    for end, place in running:
        end = max(end, now)
        if free >= procs and end > shadow:
            break
        shadow = end
        free += jobs[place].procs
    return shadow, free - procs


def main() -> None:
    """Print the number of jobs, the mean wait and the mean bounded slowdown (10 s)."""
    jobs, machine = read_swf(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    starts = easy(jobs, machine)
    wait = slowdown = 0.0
    for job, start in zip(jobs, starts, strict=True):
        wait += start - job.submit
        slowdown += max(1.0, (start - job.submit + job.run) / max(job.run, 10))
    count = len(jobs) or 1
    print(f"jobs {len(jobs)}\nmean wait {wait / count:.2f} s")
    print(f"mean bounded slowdown {slowdown / count:.2f}")


if __name__ == "__main__":
    main()
