"""Small situations for the tests of the trace, and the plugins that get in its way."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from tests.builders import FirstCome, a_cluster, a_host, a_job, a_queue, gib
from tests.trace.harness import Harness, listed, trace_of, traced
from tests.workloads import ListedWorkload
from xce_core.hookspecs import SeamSpecs, hookimpl
from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Job
from xce_core.model.plans import Plan
from xce_core.sched.ask import Ask
from xce_core.sched.policy import Policy
from xce_core.sim.events import Event, SessionMark
from xce_core.sim.workload import Timeline


def two_hosts(**shared: int) -> Cluster:
    """Two hosts of four slots and 8 GiB."""
    return a_cluster(
        a_host(mem=gib(8)), a_host(mem=gib(8)), queues=[a_queue(priority=7)], **shared
    )


def trace(
    cluster: Cluster, *jobs: Job, job: str | None = None, command: str = "on all level full",
    **given: Any,
) -> list[str]:
    """The first trace of a job (the last of *jobs* if not said otherwise) that never ends."""
    given.setdefault("policy", FirstCome())
    harness = traced(sessions(cluster, *jobs), command, **given)
    return trace_of(harness.shown, job or jobs[-1].id)


def sessions(cluster: Cluster, *jobs: Job) -> ListedWorkload:
    """Jobs, those that can never start among them, with a session after each moment."""
    events: list[Event] = []
    for number, (time, some) in enumerate(groupby(jobs, lambda job: job.submit_time), 1):
        events += [*some, SessionMark(time, number, (), 0)]
    return ListedWorkload(cluster, events, Timeline.RECORDED)


def harness(cluster: Cluster, *jobs: Job, **given: Any) -> Harness:
    """A replay that has not begun, to be traced by hand; jobs end in their time."""
    given.setdefault("policy", FirstCome())
    return Harness(listed(cluster, *jobs), **given)


def still(cluster: Cluster, *jobs: Job, **given: Any) -> Harness:
    """As :func:`harness`, but nothing ends, and jobs that can never start stay."""
    given.setdefault("policy", FirstCome())
    return Harness(sessions(cluster, *jobs), **given)


def line(lines: Iterable[str], part: str) -> str:
    """The one line that has *part* in it, without its indent."""
    found = [text.strip() for text in lines if part in text]
    assert len(found) == 1, f"{part}: {found}"
    return found[0]


class Offers:
    """A plan generator that does as told.

    :param plans: what it offers; an exception among them is raised.
    """

    def __init__(self, *plans: Any, accepts: bool = True, name: str = "odd") -> None:
        self.name = name
        self._plans = plans
        self._accepts = accepts

    def accepts(self, ask: Ask) -> bool:
        return self._accepts

    def plans(self, ask: Ask, tasks: int) -> Iterable[Plan]:
        for plan in self._plans:
            if isinstance(plan, Exception):
                raise plan
            yield plan


class Shapeless(Plan):
    """A plan that can't even be looked at."""

    @property
    def runs(self) -> Any:  # type: ignore[override]
        raise OSError("shapeless")


class Ordered(FirstCome):
    """A policy with its own order of hosts.

    :param order: as :data:`xce_core.sched.allocator.HostOrder`.
    """

    def __init__(self, order: Any) -> None:
        self._order = order

    def host_order(self) -> Any:
        return self._order


class Elects(Policy):
    """A policy that proposes what it is given."""

    name = "odd"

    def __init__(self, *choices: Any) -> None:
        self._choices = choices

    def elect(self, session: Any) -> Any:
        for choice in self._choices:
            found = next((j for j in session.pending() if j.id == choice), choice)
            yield found


SEAMS = tuple(name for name in vars(SeamSpecs) if name.startswith("xce_"))


def raiser(seam: str, error: BaseException | None = None) -> object:
    """A plugin that raises in one seam, whatever it is told."""
    spec = getattr(SeamSpecs, seam)
    arguments = spec.__code__.co_varnames[1 : spec.__code__.co_argcount]
    names: dict[str, Any] = {"_raised": RuntimeError("boom") if error is None else error}
    exec(f"def {seam}(self, {', '.join(arguments)}): raise _raised", names)
    return type("Raises", (), {seam: hookimpl(names[seam])})()


def some_jobs() -> list[Job]:
    """Jobs that start, wait and start later on :func:`two_hosts`."""
    return [
        a_job(1, 3, at=0, run=10),
        a_job(2, 5, at=1, run=10),
        a_job(3, 4, at=2, run=5),
        a_job("4[1]", 8, at=2, run=5),
        a_job("4[3]", 1, at=3, run=5),
    ]
