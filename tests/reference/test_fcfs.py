"""The independent reference is right before anything is compared with it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.slices import from_zero, open_log, usable_jobs
from tests.reference.fcfs import fcfs, read_swf


def test_a_job_waits_for_the_one_ahead_of_it() -> None:
    """Strict order: the small third job could start at 1, and may not."""
    assert fcfs([(0, 10, 3), (1, 10, 4), (1, 1, 1)], machine=4) == [0, 10, 20]


def test_what_ends_in_a_second_is_free_in_that_second() -> None:
    """Ends come before starts; a run time of 0 frees at once."""
    assert fcfs([(0, 5, 4), (5, 0, 4), (5, 1, 4)], machine=4) == [0, 5, 5]


def test_the_reader_keeps_to_its_rule(tmp_path: Path) -> None:
    """Order, processors, and what is left out, as the docstring says."""
    log = tmp_path / "log.swf"
    rows = [
        "1 9 -1 5 2 -1 -1 -1 -1",  # allocated stands in
        "2 3 -1 0 2 -1 -1 4 -1",  # requested wins; run time 0 stays
        "3 3 -1 -1 2 -1 -1 4 -1",  # never ran
        "4 3 -1 1 9 -1 -1 9 -1",  # larger than the machine
        "5 3 -1 1 0 -1 -1 0 -1",  # no processors
        "6 3 -1 7 1 -1 -1 1 -1",
    ]
    log.write_text("; MaxNodes: 4\n;MaxProcs:  8 (in all)\n\n" + "\n".join(rows))
    assert read_swf(str(log)) == ([2, 6, 1], [(3, 0, 4), (3, 7, 1), (9, 5, 2)], 8)


@pytest.mark.parametrize(
    ("name", "procs", "sizes"),
    [
        ("HPC2N-2002-2.2-cln", 240, {10_000: 15712.85, 50_000: 11505.02, 200_000: 16347.31}),
        ("SDSC-BLUE-2000-4.2-cln", 1152, {10_000: 50441.52}),
    ],
)
def test_mean_waits_are_those_that_other_simulators_give(
    data: Callable[[str], Path], name: str, procs: int, sizes: dict[int, float]
) -> None:
    """pyss, CQSim and AccaSim agree on these under strict order."""
    with open_log(data(f"swf/{name}.swf.gz")) as log:
        jobs = [(job.submit, job.run, job.procs) for job in from_zero(usable_jobs(log, procs))]
    for size, expected in sizes.items():
        starts = fcfs(jobs[:size], procs)
        waits = [start - job[0] for start, job in zip(starts, jobs, strict=False)]
        assert round(sum(waits) / size, 2) == expected
