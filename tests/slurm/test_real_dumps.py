"""Every real dump at hand is read to its end."""

from __future__ import annotations

import gzip
import io
from collections import Counter
from pathlib import Path

import pytest

from tests.slurm.samples import DATA, in_utc
from tests.slurm.test_small import replayed
from xce_core.model.jobs import Job
from xce_core.sim.events import JobAct, time_of
from xce_core.sim.workload import InputError
from xce_plugins.slurm import (
    PRESETS,
    SlurmOptions,
    SlurmWorkload,
    check_report,
    is_sacct,
    open_workload,
)

DUMPS = sorted(DATA.glob("slurm/*.sacct*"))
LACKING = {
    "tdhock-manyfields.sacct": (1, "Submit"),
    "tdhock-multiuser.sacct": (448, "CPUs (AllocTRES, NCPUS), Submit, Start, End"),
    "tdhock-pending-array.sacct": (2, "CPUs (AllocTRES, NCPUS), Submit, Start, End"),
}
WHOLE = [path for path in DUMPS if path.name not in LACKING]
PHILLIPS = DATA / "slurm/xdmod-phillips.sacct.gz"

pytestmark = pytest.mark.skipif(not DUMPS, reason="no dumps: set XCE_DATA")


def content(path: Path) -> bytes:
    """What is in the dump, expanded."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def options_for(path: Path) -> SlurmOptions:
    """In UTC, with the columns of those without a header."""
    return in_utc(columns=PRESETS["xdmod"] if path.name.startswith("xdmod") else None)


def opened(path: Path) -> SlurmWorkload:
    """The dump as a workload."""
    return open_workload(io.BytesIO(content(path)), path.name, options_for(path))


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)
def test_a_real_dump_is_read_to_its_end(path: Path) -> None:
    """S2: totals add up, and times never fall."""
    assert is_sacct(path.name, b"")
    workload = opened(path)
    events = list(workload.events())
    times = [time_of(event) for event in events]
    assert times == sorted(times)
    accepted = sum(isinstance(event, Job) for event in events)
    tally = workload.tally
    assert tally.read == accepted + tally.refused.total() + tally.repaired.total()
    assert accepted > 0.7 * tally.read
    first = check_report(io.BytesIO(content(path)), path.name, options_for(path))[0]
    assert first == (
        f"{path.name}: {tally.read} jobs read, {accepted} accepted, {tally.refused.total()} "
        f"refused, {tally.repaired.total()} joined to others, 0 faults that stop the reading"
    )


@pytest.mark.parametrize("name", LACKING)
def test_a_dump_that_lacks_columns_says_so(name: str) -> None:
    """S6: it can't be replayed, but reported on."""
    path = DATA / "slurm" / name
    jobs, columns = LACKING[name]
    with pytest.raises(InputError) as told:
        opened(path)
    assert str(told.value) == f"{name}:2: a replay needs the columns {columns} too"
    lines = check_report(io.BytesIO(content(path)), name, options_for(path))
    assert lines[0] == (
        f"{name}: {jobs} jobs read, 0 accepted, {jobs} refused, 0 joined to others, "
        "2 faults that stop the reading"
    )


def test_the_large_dump_holds_what_it_is_known_to_hold() -> None:
    """4,285 jobs; 239 never started; memory per CPU by bit 31, which the TRES confirm."""
    workload = opened(PHILLIPS)
    events = list(workload.events())
    jobs = [event for event in events if isinstance(event, Job)]
    assert len(jobs) == 4285
    assert sum(isinstance(event, JobAct) for event in events) == 239
    assert Counter(job.outcome.value for job in jobs) == {
        "done": 2324,
        "failed": 1717,
        "killed": 244,
    }
    assert len(workload.cluster.hosts) == 46
    by_number = {job.number: job for job in jobs}
    (member,) = by_number[167758].requirement.alternatives[0].members
    assert dict(member.amounts) == {"slots": 1, "mem": 24000 * 2**20}
    (member,) = by_number[165381].requirement.alternatives[0].members
    assert dict(member.amounts) == {"slots": 1, "mem": 8000 * 2**20}
    assert (member.tasks_min, member.span.tasks_per_host) == (64, 8)
    assert not workload.tally.refused


def test_the_tres_and_the_requested_memory_agree_in_the_large_dump() -> None:
    """Without its TRES columns it gives the same jobs, GPUs aside."""
    without = content(PHILLIPS).decode().splitlines()
    cells = [line.split("|", 25) for line in without]
    text = "".join("|".join([*row[:21], "", "", *row[23:]]) + "\n" for row in cells)
    bare = open_workload(io.BytesIO(text.encode()), "t", options_for(PHILLIPS))
    jobs = {event.id: event for event in bare.events() if isinstance(event, Job)}
    differ = 0
    for event in opened(PHILLIPS).events():
        if isinstance(event, Job):
            ours, theirs = event.requirement, jobs[event.id].requirement
            differ += _without_gpus(ours) != _without_gpus(theirs)
    assert differ == 0


def _without_gpus(requirement: object) -> list[tuple[str, int]]:
    members = requirement.alternatives[0].members  # type: ignore[attr-defined]
    return [pair for member in members for pair in member.amounts if pair[0] != "gpu"]


def test_the_large_dump_replays(tmp_path: Path) -> None:
    """S5: all jobs that ran fit the inferred hosts, and the output verifies."""
    output = str(tmp_path / "out.jsonl")
    jobs = replayed(str(PHILLIPS), output, zone="UTC", columns="xdmod")
    assert len(jobs) == 4285
    recorded = {e.job for e in opened(PHILLIPS).events() if isinstance(e, JobAct)}
    started = {job.id for job in jobs.values() if job.start_time is not None}
    assert len(started - (jobs.keys() - recorded)) <= 5
    assert started >= jobs.keys() - recorded
    assert len(replayed(output)) == 4285
