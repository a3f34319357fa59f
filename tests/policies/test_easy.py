"""EASY backfilling, against an independent one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.slices import from_zero, machine_size, open_log, usable_jobs, write_slice
from tests.builders import a_cluster, a_host, a_job, a_request
from tests.cli.command import run_command
from tests.policies.plugin_files import plugin_file, policy_of, starts_of
from tests.real_logs import LOGS
from tests.reference.easy import Job as Bare
from tests.reference.easy import easy, read_swf
from xce_core.model.cluster import Cluster, HostState
from xce_core.model.decisions import Dispatch
from xce_core.model.jobs import Job
from xce_core.plugins import Plugins
from xce_core.sched.policy import Outcome
from xce_core.sim.observer import Observer
from xce_core.sim.run import Run, RunOptions

MOST = 20_000
"""So many jobs of each log, from its beginning."""


def sliced(path: Path, procs: int, count: int, exact: bool, out: Path) -> int:
    """Write the first *count* usable jobs of a log; the machine.

    :param exact: whether each job asks for the very time that it runs.
    """
    procs = procs or machine_size(path) or 0
    with open_log(path) as lines:
        jobs = from_zero(usable_jobs(lines, procs)[:count])
    if exact:
        jobs = [replace(job, requested_time=job.run) for job in jobs]
    write_slice(out, jobs, len(jobs), procs)
    return procs


@pytest.mark.parametrize("exact", [False, True], ids=["requested", "exact"])
@pytest.mark.parametrize(("name", "procs"), LOGS, ids=[name for name, _ in LOGS])
def test_every_job_starts_when_the_independent_one_says(
    name: str, procs: int, exact: bool, data: Callable[[str], Path], tmp_path: Path
) -> None:
    """P5: on real logs, with requested times and with exact ones, every start is the same."""
    log = tmp_path / "slice.swf"
    sliced(data(f"swf/{name}"), procs, MOST // 4 if exact else MOST, exact, log)
    jobs, machine = read_swf(str(log))
    expected = {
        job.number: start for job, start in zip(jobs, easy(jobs, machine), strict=True)
    }
    assert replayed_starts(log) == expected


@pytest.mark.parametrize(
    ("name", "procs", "mean"),
    [("HPC2N-2002-2.2-cln", 240, 5676.93), ("SDSC-BLUE-2000-4.2-cln", 1152, 4950.57)],
)
def test_the_mean_wait_is_the_published_one(
    name: str, procs: int, mean: float, data: Callable[[str], Path], tmp_path: Path
) -> None:
    """P5: on 10,000 jobs, with requested times raised to the run time."""
    log = tmp_path / "slice.swf"
    sliced(data(f"swf/{name}.swf.gz"), procs, 10_000, False, log)
    done = run_command("--sim", log, "-p", plugin_file("easy"), "--policy", "easy", "--json")
    assert round(done.json["wait"]["mean_s"], 2) == mean


class Starts(Observer):
    """Notes when each job starts."""

    def __init__(self) -> None:
        self.of: dict[int, float | None] = {}

    def decided(self, outcome: Outcome, changed: bool) -> None:
        if isinstance(outcome, Dispatch):
            self.of[outcome.job.number] = outcome.job.start_time


def replayed_starts(log: Path) -> dict[int, float | None]:
    """When each job of a log starts, headless, by the plugin."""
    plugins = Plugins(autoload=True)
    plugins.load(str(plugin_file("easy")))
    found = Starts()
    with Run(RunOptions(str(log), policy="easy"), plugins, (found,)) as run:
        run.replay.begin()
        while run.replay.advance():
            for _ in run.replay.outcomes():
                pass
    return found.of


# Small worlds, also with jobs that run beyond their requested time.

Row = tuple[int, int, int, int]
rows = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 15), st.integers(1, 8), st.integers(1, 15)),
    min_size=1,
    max_size=25,
)


def submitted(table: Iterable[Row]) -> list[Job]:
    """Jobs that come, run, take and ask as the rows say."""
    return [
        a_job(number, procs, at=at, run=run, time_limit=asked)
        for number, (at, run, procs, asked) in enumerate(sorted(table), 1)
    ]


def bare_starts(table: Iterable[Row], machine: int) -> dict[str, float | None]:
    jobs = [
        Bare(number, at, run, procs, asked)
        for number, (at, run, procs, asked) in enumerate(sorted(table), 1)
    ]
    return {str(job.number): at for job, at in zip(jobs, easy(jobs, machine), strict=True)}


def counted() -> Cluster:
    """Eight slots, all open: what fits is a matter of counting."""
    return a_cluster(a_host(slots=3), a_host(slots=3), a_host(slots=2))


def searched() -> Cluster:
    """The same, with a host that is closed: what fits is searched for."""
    return a_cluster(
        a_host(slots=3), a_host(slots=5, state=HostState.CLOSED), a_host(slots=3), a_host(slots=2)
    )


@settings(max_examples=150)
@given(rows)
def test_counted_or_searched_told_or_not_the_starts_are_the_independent_ones(
    table: list[Row],
) -> None:
    """P5, R11.4: no shortcut of the look ahead or of the search changes a start."""
    expected = bare_starts(table, 8)
    for cluster in (counted(), searched()):
        for each in (False, True):
            assert starts_of(cluster, submitted(table), policy_of("easy"), each) == expected


mixed = st.lists(
    st.tuples(
        st.integers(0, 20),
        st.integers(1, 15),
        st.integers(1, 5),
        st.integers(0, 10),
        st.sampled_from([{}, {"mem": 2}, {"license": 1}, {"mem": 1, "license": 2}, {"gpu": 5}]),
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=100)
@given(mixed)
def test_with_memory_and_licences_telling_each_changes_nothing(
    table: list[tuple[int, int, int, int, dict[str, int]]],
) -> None:
    """R11.4, R10.1: of any requirement, the starts are the same whether refusals are told."""
    cluster = a_cluster(
        a_host(slots=4, mem=4, gpu=10), a_host(slots=2, mem=4), a_host(slots=4), license=3
    )

    def jobs() -> list[Job]:
        return [
            a_job(n, a_request(tasks, **amounts), at=at, run=run, time_limit=run + more)
            for n, (at, run, tasks, more, amounts) in enumerate(sorted(table, key=str), 1)
        ]

    told, untold = (starts_of(cluster, jobs(), policy_of("easy"), each) for each in (True, False))
    assert told == untold


def test_the_first_that_waits_is_not_delayed_whatever_it_asks_for() -> None:
    """P5: a small job is kept off the memory that the first waiting job was promised."""
    cluster = a_cluster(a_host(slots=4, mem=8), a_host(slots=4, mem=2))
    running = a_job(1, a_request(1, mem=6), at=0, run=10, time_limit=10)
    large = a_job(2, a_request(1, mem=7), at=1, run=5, time_limit=5)
    short = a_job(3, a_request(1, mem=2), at=2, run=8, time_limit=8)
    other = a_job(4, a_request(1, mem=2), at=3, run=50, time_limit=50)
    found = starts_of(cluster, [running, large, short, other], policy_of("easy"), True)
    assert found["2"] == 10, "promised as soon as the first ends"
    assert found["3"] == 2, "it is over by then"
    assert found["4"] == 3, "on the other host it takes nothing from the promise"


def test_what_counts_are_the_hosts_that_a_job_would_be_given_now() -> None:
    """P5: a job that would take promised memory waits, although another host has room."""
    cluster = a_cluster(a_host(slots=4, mem=8), a_host(slots=4, mem=2))
    running = a_job(1, a_request(1, mem=6), at=0, run=10, time_limit=10)
    large = a_job(2, a_request(1, mem=7), at=1, run=5, time_limit=5)
    long = a_job(3, a_request(1, mem=2), at=2, run=50, time_limit=50)
    found = starts_of(cluster, [running, large, long], policy_of("easy"))
    assert (found["2"], found["3"]) == (10, 10)
