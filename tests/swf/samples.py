"""Small logs for the tests, and short ways to read them."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import BinaryIO

from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Job
from xce_core.sim.streams import expand
from xce_plugins.swf import SwfOptions, SwfWorkload, open_workload

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
DATA = Path(os.environ.get("XCE_DATA", ROOT / "../shared/data")).resolve()

MACHINE = "; MaxProcs: 8\n"


def a_line(
    number: object = 1,
    submit: object = 0,
    run: object = 100,
    procs: object = 4,
    *,
    wait: object = -1,
    allocated: object = None,
    limit: object = 200,
    status: object = 1,
    user: object = 1,
    queue: object = 1,
    preceding: object = -1,
    think: object = -1,
) -> str:
    """A job line; what is not given is unremarkable."""
    given = procs if allocated is None else allocated
    fields = (number, submit, wait, run, given, -1, -1, procs, limit, -1, status, user)
    return " ".join(str(field) for field in (*fields, 1, -1, queue, -1, preceding, think)) + "\n"


def opened(
    text: str | bytes, options: SwfOptions | None = None, cluster: Cluster | None = None
) -> SwfWorkload:
    """*text*, with nothing put before it, as a workload."""
    data = text.encode() if isinstance(text, str) else text
    return open_workload(expanded(io.BytesIO(data)), "t.swf", options or SwfOptions(), cluster)


def expanded(source: io.RawIOBase | io.BytesIO) -> BinaryIO:
    """*source* as the command gives it to readers."""
    return expand(io.BufferedReader(source), "t.swf")  # type: ignore[type-var]


def jobs_of(workload: SwfWorkload) -> list[Job]:
    """All jobs; a log tells of nothing else."""
    return [event for event in workload.events() if isinstance(event, Job)]


def with_repairs(*names: str) -> SwfOptions:
    """Options with these repairs."""
    return SwfOptions(repairs=frozenset(names))


def slots_asked(job: Job) -> int:
    """How many tasks, of one slot each, the job needs."""
    (compound,) = job.requirement.alternatives
    (primary,) = compound.members
    assert primary.tasks_min == primary.tasks_max
    assert primary.amounts == (("slots", 1),)
    return primary.tasks_min
