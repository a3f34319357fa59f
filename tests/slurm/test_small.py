"""The small dump, read and replayed by hand.

fixtures/slurm/small.slurm is of a machine with two nodes n1 and n2 of eight CPUs and one node
g1 with two GPUs, as nodes.txt beside it says. Under strict first come, first served:

    job     submit  run  CPUs   start  why
    101          0  100  8 batch    0
    102         10  200  8+8      100  needs both nodes
    103         20    -  8          -  behind 102, cancelled at 60
    104[1-2]    30   60  4        300  behind 102, which ends at 300
    104[3-4]    30    -  4          -  never eligible: they wait until the dump was taken, at 480
    105         40  280  2 gpu     40  two attempts, 80 s and 200 s
    106        360   90  1+1      360  two parts: one on batch, one on gpu
    107        370  110  2        370  still running at 480
"""

from __future__ import annotations

import io
from pathlib import Path

from tests.slurm.samples import DAY, FIXTURES, in_utc
from xce_core.model.jobs import Job
from xce_core.plugins import Plugins
from xce_core.sim.observer import Observer
from xce_core.sim.run import Run, RunOptions
from xce_plugins.slurm import SHOW_COMMAND, check_report

NODES = str(FIXTURES / "nodes.txt")
DUMP = str(FIXTURES / "small.slurm")


def the_plugins() -> Plugins:
    """Plugins with the reader loaded, whether it is installed or only there."""
    plugins = Plugins()
    plugins.load("slurm" if "slurm" in plugins.installed.plugins else "xce_plugins.slurm")
    return plugins


class Ends(Observer):
    """Remembers the jobs that are over."""

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}

    def over(self, job: Job, told: bool, at_limit: bool) -> None:
        self.jobs[job.id] = job


def replayed(path: str, output: str | None = None, **options: str) -> dict[str, Job]:
    """All jobs of the dump or recording at *path* after a replay."""
    ends = Ends()
    form = None if path.endswith("jsonl") else "slurm"
    chosen = RunOptions(
        sim=path, form=form, input_options=options, verify=form is None, output=output
    )
    with Run(chosen, the_plugins(), (ends,)) as run:
        run.replay.begin()
        while run.replay.advance():
            for _ in run.replay.outcomes():
                pass
    assert run.verifier is None or run.verifier.mismatches == 0
    return ends.jobs


def test_the_jobs_start_as_worked_out_by_hand() -> None:
    """S2: by the description of the nodes."""
    jobs = replayed(DUMP, zone="UTC", scontrol=NODES)
    starts = {
        name: None if job.start_time is None else job.start_time - DAY
        for name, job in jobs.items()
    }
    names = ("101", "102", "103", "104[1]", "104[2]", "104[3]", "104[4]", "105", "106", "107")
    expected = (0, 100, None, 300, 300, None, None, 40, 360, 370)
    assert starts == dict(zip(names, expected, strict=True))
    ends = {name: job.end_time - DAY for name, job in jobs.items() if job.end_time is not None}
    moments = (100, 300, 60, 360, 360, 480, 480, 320, 450, 480)
    assert ends == dict(zip(names, moments, strict=True))
    assert jobs["105"].submit_time == DAY + 40
    assert {job.state.value for name, job in jobs.items() if starts[name] is None} == {"killed"}


def test_the_hosts_of_the_node_lists_give_the_same_starts() -> None:
    """They have what was in use at once, which is all that these jobs need."""
    given = replayed(DUMP, zone="UTC", scontrol=NODES)
    inferred = replayed(DUMP, zone="UTC")
    assert {name: job.start_time for name, job in given.items()} == {
        name: job.start_time for name, job in inferred.items()
    }


def test_the_replay_as_a_recording_verifies(tmp_path: Path) -> None:
    """S5: compounds, arrays and cancellations among it."""
    output = str(tmp_path / "out.jsonl")
    first = replayed(DUMP, output, zone="UTC", scontrol=NODES)
    second = replayed(output)
    assert {name: job.end_time for name, job in first.items()} == {
        name: job.end_time for name, job in second.items()
    }


def test_the_report_on_the_small_dump() -> None:
    """Contents, machine, load, findings by cause with the first line of each, the recipe."""
    data = Path(DUMP).read_bytes()
    lines = check_report(io.BytesIO(data), "small.slurm", in_utc(scontrol=NODES))
    assert [line.replace(NODES, "NODES") for line in lines] == [
        "small.slurm: 12 jobs read, 10 accepted, 0 refused, 2 joined to others, "
        "0 faults that stop the reading",
        "rows: 12, 1 of them of steps",
        "machine: 3 hosts, 20 slots (NODES)",
        "zone: UTC",
        "states: COMPLETED (5), PENDING (2), CANCELLED (1), NODE_FAIL (1), OUT_OF_MEMORY (1),"
        " RUNNING (1), TIMEOUT (1)",
        "submitted: 2026-01-01 00:00:00 to 2026-01-01 00:06:10",
        "started: 7; never started: 3",
        "users: 5; partitions: batch (9), gpu (1)",
        "largest job: 16 CPUs",
        "peak use: 18 CPUs (90.0% of the slots), by the starts and run times of the dump",
        "mean load: 56.4% of 20 slots, over 480 s from the first submission to the last end",
        "repaired or joined: 25.0% of the jobs",
        "repaired:",
        "  1 bar in a text, put together again (first: line 4)",
        "  1 later attempt of a requeued job, joined to it (first: line 10)",
        "  1 part of a heterogeneous job, joined to it (first: line 12)",
        "notes:",
        "  1 array bounds its running elements (%), which is not followed (first: line 8)",
        "  2 never eligible: it waits for something until it is cancelled (first: line 8)",
        "  1 never started: cancelled while it waited, as recorded (first: line 5)",
        "  1 step row (.batch, .extern, .0, ...), not a job (first: line 3)",
        "  1 still running when the dump was taken: it runs as long as it had (first: line 13)",
        "  1 time limit not known (Partition_Limit, INVALID): none (first: line 13)",
        "  2 waits still when the dump was taken: killed at the dump's latest moment"
        " (first: line 8)",
        "such a dump, and a description of its nodes, is collected by:",
        *(f"  {line}" for line in SHOW_COMMAND),
    ]
