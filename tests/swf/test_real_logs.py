"""Every real log at hand is read to its end."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.swf.samples import DATA, jobs_of
from xce_core.model.jobs import Job
from xce_core.sim.streams import open_input
from xce_plugins.swf import ALL_REPAIRS, SwfOptions, check_report, is_swf, open_workload

LOGS = sorted(path for path in DATA.glob("swf/*.swf*") if path.suffix != ".machines")
IN_ORDER = [path for path in LOGS if not path.name.startswith("pyss-")]
PROCS = {"wagap-2013.swf.gz": 2176}

pytestmark = pytest.mark.skipif(not LOGS, reason="no logs: set XCE_DATA to a directory with swf/")


def options_for(path: Path, **chosen: object) -> SwfOptions:
    """Options with the processors that the header lacks."""
    return SwfOptions(procs=PROCS.get(path.name), **chosen)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_a_real_log_is_read_to_its_end(path: Path) -> None:
    """S2, S8: with all repairs, totals add up and submit times never fall."""
    with open_input(str(path)) as source:
        assert isinstance(source, io.BufferedReader)
        assert is_swf("-", source.peek(4096))
        workload = open_workload(source, str(path), options_for(path, repairs=ALL_REPAIRS))
        accepted, last = 0, 0.0
        for job in workload.events():
            assert isinstance(job, Job)
            assert job.submit_time >= last
            accepted, last = accepted + 1, job.submit_time
    assert workload.tally.read == accepted + workload.tally.refused.total()
    assert accepted > 0.89 * workload.tally.read


@pytest.mark.parametrize("path", IN_ORDER, ids=lambda path: path.name)
def test_the_check_counts_what_the_reading_counts(path: Path) -> None:
    """Without repairs, where the lines are in order of submit time."""
    with open_input(str(path)) as source:
        lines = check_report(source, path.name, options_for(path))
    with open_input(str(path)) as source:
        workload = open_workload(source, path.name, options_for(path, queues="log"))
        accepted = len(jobs_of(workload))
    tally = workload.tally
    assert lines[0] == (
        f"{path.name}: {tally.read} jobs read, {accepted} accepted, "
        f"{tally.refused.total()} refused, 0 faults that stop the reading"
    )
    assert not tally.repaired
    assert workload.notes.keys() == {
        text for text in workload.notes if any(f" {text} (first" in line for line in lines)
    }
