"""The plugins under ``fixtures/plugins``, loaded in this process as files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.builders import a_scheduler
from tests.workloads import ListedWorkload
from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Job
from xce_core.plugins import Plugins
from xce_core.sched.policy import Policy
from xce_core.sim.simulated import SimulatedReplay

PLUGINS = Path(__file__).resolve().parents[2] / "fixtures" / "plugins"
GOOD = ("bestfit", "conservative", "easy", "fairshare")


def plugin_file(name: str) -> Path:
    """The one module of a plugin."""
    return PLUGINS / name / f"xce_{name.replace('-', '_')}.py"


def policy_of(name: str) -> Policy:
    """A new policy of a plugin that calls it as it calls itself."""
    plugins = Plugins(autoload=False)
    plugins.load(str(plugin_file(name)))
    return plugins.policy(name)


def replay(
    cluster: Cluster, jobs: Sequence[Job], policy: Policy, each: bool = False
) -> Iterator[SimulatedReplay]:
    """A simulated replay of *jobs*, handed out after each session."""
    workload = ListedWorkload(cluster, sorted(jobs, key=lambda job: job.submit_time))
    going = SimulatedReplay(workload, a_scheduler(cluster, policy=policy), (), each)
    going.begin()
    while going.advance():
        for _ in going.outcomes():
            pass
        yield going
    yield going


def starts_of(
    cluster: Cluster, jobs: Sequence[Job], policy: Policy, each: bool = False
) -> dict[str, float | None]:
    """When each of *jobs* started."""
    for _ in replay(cluster, jobs, policy, each):
        pass
    return {job.id: job.start_time for job in jobs}
