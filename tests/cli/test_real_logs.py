"""Strict order on real logs, against an independent first come, first served."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.slices import from_zero, open_log, usable_jobs, write_slice
from tests.cli.command import run_command
from tests.real_logs import LOGS
from tests.reference.fcfs import fcfs, read_swf


@pytest.mark.parametrize(("name", "procs"), LOGS, ids=[name for name, _ in LOGS])
def test_strict_order_starts_jobs_as_the_independent_reference_does(
    name: str, procs: int, data: Callable[[str], Path], tmp_path: Path
) -> None:
    """S2: on a whole real log every job starts in the very second the reference says."""
    path = data(f"swf/{name}")
    ids, jobs, machine = read_swf(str(path), procs)
    expected = dict(zip(ids, fcfs(jobs, machine), strict=True))
    table = tmp_path / "jobs.csv"
    given = ["-o", f"procs={procs}"] if procs else []
    done = run_command("--sim", path, "--repair", "sort-submit", "--jobs-csv", table, *given)
    assert done.returncode == 0, done.stderr
    started = starts(table)
    # The reader refuses jobs that were cancelled before their start; they take no time, so
    # that nobody else's start depends on them, and the reference runs them for no time.
    cancelled = expected.keys() - started.keys()
    assert all(run == 0 for job, (_, run, _) in zip(ids, jobs, strict=True) if job in cancelled)
    assert started == {job: start for job, start in expected.items() if job not in cancelled}
    assert len(cancelled) <= 17


def starts(table: Path) -> dict[int, int]:
    """The start of each job that started, from a table of jobs."""
    with table.open(newline="") as rows:
        return {
            int(row["job_id"]): int(float(row["starting_time"]))
            for row in csv.DictReader(rows)
            if row["starting_time"]
        }


MEANS = [
    ("HPC2N-2002-2.2-cln.swf.gz", 240, 10_000, 15_712.85),
    ("HPC2N-2002-2.2-cln.swf.gz", 240, 50_000, 11_505.02),
    ("HPC2N-2002-2.2-cln.swf.gz", 240, 200_000, 16_347.31),
    ("SDSC-BLUE-2000-4.2-cln.swf.gz", 1152, 10_000, 50_441.52),
]
"""Mean waits that pyss, CQSim and AccaSim agree on: log, processors, jobs, seconds."""


@pytest.mark.parametrize(("name", "procs", "count", "mean"), MEANS)
def test_mean_waits_are_those_that_other_simulators_give(
    name: str, procs: int, count: int, mean: float, data: Callable[[str], Path], tmp_path: Path
) -> None:
    """S1: the figures of a strict replay equal those of pyss, CQSim and AccaSim."""
    part = cut(data(f"swf/{name}"), tmp_path, procs, count)
    done = run_command("--sim", part, "--json")
    assert done.returncode == 0, done.stderr
    assert round(done.json["wait"]["mean_s"], 2) == mean


def cut(path: Path, folder: Path, procs: int, count: int) -> Path:
    """The first *count* usable jobs of a log, for a machine of *procs* processors."""
    with open_log(path) as lines:
        jobs = from_zero(usable_jobs(lines, procs)[:count])
    part = folder / "part.swf"
    write_slice(part, jobs, len(jobs), procs)
    return part
