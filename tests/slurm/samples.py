"""Small dumps for the tests, and short ways to read them."""

from __future__ import annotations

import io
import os
from pathlib import Path

from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Job
from xce_core.sim.events import Event, JobAct
from xce_plugins.slurm import SlurmOptions, SlurmWorkload, check_report, open_workload, zone_named

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures" / "slurm"
DATA = Path(os.environ.get("XCE_DATA", ROOT / "../shared/data")).resolve()

DAY = 1767225600
"""2026-01-01 in UTC."""

COLUMNS = (
    "JobID|User|Account|Partition|State|Submit|Eligible|Start|End|Elapsed|Timelimit"
    "|NNodes|NCPUS|ReqMem|ReqTRES|AllocTRES|NodeList|JobName"
)
HEADER = COLUMNS + "\n"


def clock(seconds: int | str) -> str:
    """Seconds after the day began, as the dump has them; a text as it is."""
    if isinstance(seconds, str):
        return seconds
    day, rest = divmod(seconds, 86400)
    return f"2026-01-{day + 1:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


def a_row(
    ident: object = 1,
    submit: int | str = 0,
    start: int | str = 10,
    end: int | str = 110,
    *,
    user: str = "ann",
    partition: str = "normal",
    state: str = "COMPLETED",
    eligible: int | str | None = None,
    elapsed: str | None = None,
    limit: str = "01:00:00",
    nodes: int = 1,
    cpus: object = 4,
    req_mem: str = "",
    asked: str = "",
    given: str = "",
    node_list: str = "n1",
    name: str = "job",
) -> str:
    """A row; what is not given is unremarkable."""
    if elapsed is None:
        known = isinstance(start, int) and isinstance(end, int)
        elapsed = span(int(end) - int(start)) if known else "00:00:00"
    times = [clock(submit), clock(submit if eligible is None else eligible)]
    times += [clock(start), clock(end)]
    cells = [ident, user, "physics", partition, state, *times, elapsed, limit, nodes, cpus]
    return "|".join(map(str, [*cells, req_mem, asked, given, node_list, name])) + "\n"


def span(seconds: int) -> str:
    """``[D-]HH:MM:SS``."""
    day, rest = divmod(seconds, 86400)
    text = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{day}-{text}" if day else text


def never_started(ident: object = 1, submit: int = 0, end: int = 50, **more: object) -> str:
    """A job that was cancelled while it waited, as sacct tells it."""
    facts = {"state": "CANCELLED by 1001", "node_list": "None assigned", **more}
    return a_row(ident, submit, end, end, **facts)  # type: ignore[arg-type]


def in_utc(**chosen: object) -> SlurmOptions:
    """Options for dumps in UTC."""
    return SlurmOptions(zone=zone_named("UTC"), zone_name="UTC", **chosen)  # type: ignore[arg-type]


def opened(
    text: str | bytes, options: SlurmOptions | None = None, cluster: Cluster | None = None
) -> SlurmWorkload:
    """*text*, with nothing put before it, as a workload."""
    data = text.encode() if isinstance(text, str) else text
    return open_workload(io.BytesIO(data), "t.slurm", options or in_utc(), cluster)


def read(
    text: str, options: SlurmOptions | None = None, cluster: Cluster | None = None
) -> SlurmWorkload:
    """Rows under the usual header, opened."""
    return opened(HEADER + text, options, cluster)


def jobs_of(workload: SlurmWorkload) -> list[Job]:
    """All submissions."""
    return [event for event in workload.events() if isinstance(event, Job)]


def job_of(text: str, options: SlurmOptions | None = None) -> Job:
    """The only job of these rows."""
    (job,) = jobs_of(read(text, options))
    return job


def kills_of(events: list[Event]) -> list[tuple[str, float]]:
    """Which jobs are killed, and when, in seconds after the day began."""
    return [(event.job, event.time - DAY) for event in events if isinstance(event, JobAct)]


def report(text: str, options: SlurmOptions | None = None) -> list[str]:
    """The report on *text* without the commands at its end."""
    lines = check_report(io.BytesIO(text.encode()), "t.slurm", options or in_utc())
    return lines[:-4]
