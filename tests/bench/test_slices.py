"""Slices are plain, whatever the log is."""

from pathlib import Path

from bench.run import crowd
from bench.slices import Job, from_zero, machine_size, repeated, usable_jobs, write_slice


def test_only_usable_jobs_in_submit_order() -> None:
    """Requested processors, else allocated; limits are at least the run time."""
    log = [
        "; MaxProcs: 8",
        "",
        "7 90 -1 5 2 1.5 -1 -1 3 -1 1 4 1 1 1 1 -1 -1",
        "8 50 -1 6 2 -1 -1 3 60 -1 1 -1 1 1 1 1 -1 -1",
        "9 60 -1 0 2 -1 -1 3 60 -1 1 4 1 1 1 1 -1 -1",
        "10 60 -1 9 9 -1 -1 -1 60 -1 1 4 1 1 1 1 -1 -1",
        "11 -1 -1 9 1 -1 -1 -1 60 -1 1 4 1 1 1 1 -1 -1",
    ]
    assert from_zero(usable_jobs(log, 8)) == [Job(0, 6, 3, 60, -1), Job(40, 5, 2, 5, 4)]


def test_a_slice_is_eighteen_integers_a_line(tmp_path: Path) -> None:
    """Numbered from 1, for a machine that the header states."""
    path = tmp_path / "slice.swf"
    write_slice(path, [Job(0, 6, 3, 60, -1), Job(40, 5, 2, 5, 4)], 2, procs=8)
    assert machine_size(path) == 8
    assert path.read_text().splitlines()[-2:] == [
        "1 0 -1 6 3 -1 -1 3 60 -1 1 1 1 1 1 1 -1 -1",
        "2 40 -1 5 2 -1 -1 2 5 -1 1 4 1 1 1 1 -1 -1",
    ]


def test_a_repeated_slice_goes_on_in_time() -> None:
    """Each turn starts one mean gap after the last submit of the one before."""
    jobs = [Job(0, 6, 3, 60, 1), Job(40, 5, 2, 5, 4)]
    assert [job.submit for job in repeated(jobs, 5)] == [0, 40, 60, 100, 120]


def test_the_crowd_stays_pending_while_small_jobs_pass() -> None:
    """One holds the machine; the rest are of the kinds asked for and do not fit."""
    first, *rest = crowd(pending=100, kinds=50, passing=3, length=3)
    waiting, small = rest[:100], rest[100:]
    assert first.procs + min(job.procs for job in waiting) > 1000
    assert len({job.procs for job in waiting}) == 50
    assert [job.procs for job in small] == [1, 1, 1]
    assert small[-1].submit + small[-1].run < first.run
