"""Cut plain slices from a real SWF log, so that speed is measured and not tolerance.

usage: python -m bench.slices LOG.swf[.gz] OUT_DIR NAME PROCS N [N ...]

A slice is the log's first N usable jobs in submit order: run time and
processors at least 1, processors (requested, else allocated) no more than the
machine's, submit time not negative. Each is written as 18 integer fields:
renumbered from 1, submit times from 0, no wait, allocated equal to requested,
and a requested time that is at least the run time, so that no rule for killing
jobs has a say.
"""

import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import click


@dataclass(frozen=True, slots=True)
class Job:
    """What a slice keeps of a job: times in seconds, processors, the user's number."""

    submit: int
    run: int
    procs: int
    requested_time: int
    user: int


def open_log(path: Path) -> IO[str]:
    """A log as text, plain or .gz."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", errors="replace")
    return path.open(errors="replace")


def machine_size(path: Path) -> int | None:
    """The header's MaxProcs; None if it has none."""
    with open_log(path) as log:
        for line in log:
            if match := re.match(r"\s*;\s*MaxProcs:\s*(\d+)", line):
                return int(match[1])
            if line.strip() and not line.lstrip().startswith(";"):
                return None
    return None


def usable_jobs(log: Iterable[str], procs: int) -> list[Job]:
    """The jobs that a machine of *procs* processors can run, in submit order."""
    jobs = [job for job in _jobs(log) if job.run >= 1 <= job.procs <= procs and job.submit >= 0]
    jobs.sort(key=lambda job: job.submit)
    return jobs


def _jobs(log: Iterable[str]) -> Iterator[Job]:
    for line in log:
        fields = line.split()
        if not fields or fields[0].startswith(";"):
            continue
        submit, run, allocated, requested, limit, user = (
            int(float(fields[column - 1])) for column in (2, 4, 5, 8, 9, 12)
        )
        procs = requested if requested > 0 else allocated
        yield Job(submit, run, procs, max(limit, run), user)


def from_zero(jobs: Sequence[Job]) -> list[Job]:
    """The same jobs with the first one submitted at 0."""
    origin = jobs[0].submit
    return [replace(job, submit=job.submit - origin) for job in jobs]


def repeated(jobs: Sequence[Job], length: int) -> Iterator[Job]:
    """*length* jobs: the slice over and over, each time shifted past the one before.

    The shift is the span of the submit times and one mean gap, so that the load
    stays what it was. A slice that overloads its machine piles up jobs.
    """
    span = jobs[-1].submit - jobs[0].submit
    shift = span + max(1, span // len(jobs))
    for number in range(length):
        turn, place = divmod(number, len(jobs))
        yield replace(jobs[place], submit=jobs[place].submit + turn * shift)


def write_slice(path: Path, jobs: Iterable[Job], length: int, procs: int) -> None:
    """Write *jobs*, *length* of them, as a log for a machine of *procs* processors."""
    with path.open("w") as out:
        out.write(
            f"; Version: 2.2\n; UnixStartTime: 0\n; MaxJobs: {length}\n; MaxRecords: {length}\n"
            f"; MaxNodes: {procs}\n; MaxProcs: {procs}\n"
        )
        for number, job in enumerate(jobs, 1):
            out.write(
                f"{number} {job.submit} -1 {job.run} {job.procs} -1 -1 {job.procs}"
                f" {job.requested_time} -1 1 {max(job.user, 1)} 1 1 1 1 -1 -1\n"
            )


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("log", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("out_dir", type=click.Path(file_okay=False, path_type=Path))
@click.argument("name")
@click.argument("procs", type=click.IntRange(min=1))
@click.argument("sizes", type=click.IntRange(min=1), nargs=-1, required=True)
def main(log: Path, out_dir: Path, name: str, procs: int, sizes: Sequence[int]) -> None:
    """Write OUT_DIR/NAME-N.swf for each N."""
    with open_log(log) as text:
        jobs = from_zero(usable_jobs(text, procs))
    out_dir.mkdir(parents=True, exist_ok=True)
    for size in sizes:
        part = jobs[:size]
        path = out_dir / f"{name}-{size}.swf"
        write_slice(path, part, len(part), procs)
        click.echo(f"{path} {len(part)}")


if __name__ == "__main__":
    main()
