#!/usr/bin/env python3
"""Strict first come, first served on one processor count, straight from the definition.

usage: fcfs.py LOG.swf[.gz] [PROCS]

An independent reference for the scheduler's tests, and the yardstick of its
benchmarks; nothing is imported from the project. The machine is PROCS, else
the header's MaxProcs, else its MaxNodes. A job's processors are the requested
ones if positive, else the allocated ones. Left out are jobs with run time
below 0, or with processors below 1 or above the machine; a run time of 0 is
kept. Jobs start in order of submit time, then of job number, none before
the one ahead of it; what ends in a second is free in that second.
"""

import gzip
import re
import sys
from collections.abc import Iterable
from heapq import heappop, heappush

Job = tuple[int, int, int]  # submit, run (seconds), processors


def read_swf(path: str, machine: int = 0) -> tuple[list[int], list[Job], int]:
    """The ids and the jobs of a log in submit order, and the machine's processors."""
    sizes: dict[str, int] = {}
    rows: list[tuple[int, Job]] = []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="replace") as log:
        for line in log:
            fields = line.split()
            if not fields or fields[0].startswith(";"):
                if size := re.match(r"\s*;\s*(MaxProcs|MaxNodes):\s*(\d+)", line):
                    sizes.setdefault(size[1], int(size[2]))
                continue
            values = [float(field) for field in fields[:18]]  # a log may write 3600.0
            number, submit, run = int(values[0]), int(values[1]), int(values[3])
            procs = int(values[7] if values[7] > 0 else values[4])
            if run >= 0 and procs >= 1:
                rows.append((number, (submit, run, procs)))
    machine = machine or sizes.get("MaxProcs") or sizes.get("MaxNodes") or 0
    if not machine:
        raise SystemExit(f"{path}: no machine size in the header; give PROCS")
    rows = [row for row in rows if row[1][2] <= machine]
    rows.sort(key=lambda row: (row[1][0], row[0]))
    return [job_id for job_id, _ in rows], [job for _, job in rows], machine


def fcfs(jobs: Iterable[Job], machine: int) -> list[int]:
    """The start time of each job; *jobs* come in the order in which they may start."""
    starts: list[int] = []
    running: list[tuple[int, int]] = []  # heap of end, processors
    free, now = machine, 0
    for submit, run, procs in jobs:
        if submit > now:
            now = submit
        while running and running[0][0] <= now:
            free += heappop(running)[1]
        while free < procs:
            now, ended = heappop(running)
            free += ended
        free -= procs
        starts.append(now)
        heappush(running, (now + run, procs))
    return starts


def main() -> None:
    """Print the number of jobs, the mean wait and the mean bounded slowdown (10 s)."""
    _, jobs, machine = read_swf(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    starts = fcfs(jobs, machine)
    wait = slowdown = 0.0
    for (submit, run, _), start in zip(jobs, starts, strict=True):
        wait += start - submit
        slowdown += max(1.0, (start - submit + run) / max(run, 10))
    count = len(jobs) or 1
    print(f"jobs {len(jobs)}\nmean wait {wait / count:.2f} s")
    print(f"mean bounded slowdown {slowdown / count:.2f}")


if __name__ == "__main__":
    main()
