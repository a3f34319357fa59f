"""What tests are built from: hosts, clusters, jobs and schedulers, with the unsaid left plain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from time import process_time
from typing import Any

from tests.workloads import ListedWorkload
from xce_core.model.amounts import AmountKind
from xce_core.model.cluster import Cluster, Host, HostState, Order, Queue
from xce_core.model.decisions import Allocation, Dispatch, Pend, Placement
from xce_core.model.expressions import Value, parse_expression
from xce_core.model.jobs import Dependency, DependsOn, Job, format_job_id, parse_job_id
from xce_core.model.limits import Dimension, Limit, Scope
from xce_core.model.requests import FREE, Compound, Primary, Requirement, Span
from xce_core.model.resources import SLOTS, Counted, Resource
from xce_core.sched.allocator import PluginFailure
from xce_core.sched.policy import NoDecision, Outcome, Policy
from xce_core.sched.scheduler import Scheduler
from xce_core.sim.events import Event, JobAct
from xce_core.sim.observer import Happening, Observer
from xce_core.sim.recorded import RecordedReplay
from xce_core.sim.replay import Replay
from xce_core.sim.simulated import SimulatedReplay
from xce_core.sim.workload import Start, Timeline

MEM = Resource("mem", counted=Counted.HOST, kind=AmountKind.BYTES)
GPU = Resource("gpu", decimals=1)
LICENSE = Resource("license", shared=True, counted=Counted.JOB)
RESOURCES = (SLOTS, MEM, GPU, LICENSE)


def gib(number: int) -> int:
    """*number* GiB in bytes."""
    return number << 30


def a_host(
    name: str = "",
    slots: int = 4,
    state: HostState = HostState.OPEN,
    attributes: Mapping[str, Value] | None = None,
    **capacity: int,
) -> Host:
    """A host; :func:`a_cluster` gives it its index, and a name if it has none."""
    return Host(name, 0, {"slots": slots, **capacity}, attributes or {}, state)


def a_queue(
    name: str = "normal",
    priority: int = 0,
    order: Order = Order.GREEDY,
    is_open: bool = True,
) -> Queue:
    """A queue that everybody may use."""
    return Queue(name, priority, order, is_open)


def a_cluster(
    *hosts: Host,
    queues: Iterable[Queue] = (a_queue(),),
    limits: Iterable[Limit] = (),
    resources: Iterable[Resource] = RESOURCES,
    **shared: int,
) -> Cluster:
    """A cluster of *hosts* in this order; those without a name are n1, n2, ..."""
    placed = tuple(
        replace(host, index=index, name=host.name or f"n{index + 1}")
        for index, host in enumerate(hosts)
    )
    known = {resource.name: resource for resource in resources}
    lines = {queue.name: queue for queue in queues}
    return Cluster(placed, known, shared, lines, tuple(limits))


def each(dimension: Dimension, *names: str) -> Scope:
    """A scope in which each of *names* (of all, if there are none) has a count of its own."""
    return Scope(dimension, names or None, True)


def together(dimension: Dimension, *names: str) -> Scope:
    """A scope in which *names* share one count."""
    return Scope(dimension, names or None, False)


def a_request(
    tasks: int = 1,
    most: int = 0,
    span: Span = FREE,
    select: str = "",
    **amounts: int,
) -> Primary:
    """A primary of *tasks* tasks (up to *most*), a slot each unless said otherwise."""
    wanted = {"slots": 1, **amounts}
    expression = parse_expression(select) if select else None
    return Primary(tasks, most or tasks, tuple(wanted.items()), expression, span)


def any_of(*alternatives: Primary | tuple[Primary, ...]) -> Requirement:
    """Alternatives in order; a tuple is a compound of members."""
    return Requirement.any_of(
        tuple(
            Compound(members if isinstance(members, tuple) else (members,))
            for members in alternatives
        )
    )


def a_job(
    job_id: int | str = 1,
    wants: int | Primary | tuple[Primary, ...] | Requirement = 1,
    at: float = 0,
    run: float | None = 10,
    **fields: Any,
) -> Job:
    """A job of alice in queue normal.

    :param wants: a number of one-slot tasks, a primary, members of a compound, or all of it.
    """
    number, index = parse_job_id(str(job_id))
    if isinstance(wants, int):
        wants = a_request(wants)
    if isinstance(wants, Primary):
        wants = Requirement.single(wants)
    elif isinstance(wants, tuple):
        wants = Requirement.compound(wants)
    about = {"user": "alice", "queue": "normal", "project": "p1", "run_time": run, **fields}
    return Job(
        id=format_job_id(number, index),
        number=number,
        index=index,
        requirement=wants,
        submit_time=at,
        **about,
    )


def after(job: int | str, when: DependsOn = DependsOn.DONE, delay: float = 0) -> Dependency:
    """A dependency on another job."""
    return Dependency(str(job), when, delay)


def on_host(index: int, tasks: int = 1) -> Allocation:
    """An allocation of *tasks* tasks on the host of this index."""
    return Allocation((Placement(1 << index, tasks),))


class FirstCome(Policy):
    """By the priority of the queue, then the job's, then by arrival; queues as they say."""

    name = "first-come"

    def key(self, job: Job, queue: Queue) -> tuple[object, ...]:
        return (-queue.priority, -job.priority, job.queue_time)

    def strict(self, queue: Queue) -> bool:
        return queue.order is Order.STRICT


def a_scheduler(
    cluster: Cluster, *jobs: Job, policy: Policy | None = None, now: float = 0
) -> Scheduler:
    """A scheduler to which *jobs* were submitted; a plugin failure fails the test."""

    def fail(failure: PluginFailure) -> None:
        raise AssertionError(failure)

    scheduler = Scheduler(cluster, policy or Policy(), report=fail)
    for job in jobs:
        scheduler.submit(job, now)
    return scheduler


def outcomes(
    scheduler: Scheduler, now: float = 0, number: int = 1, each: bool = True
) -> list[Outcome]:
    """What a session at *now* decides; reasons of pends are read in time."""
    found = []
    scheduler.wake(now)
    for outcome in scheduler.session(number, now, each):
        if isinstance(outcome, Pend):
            assert outcome.reasons.entries
        found.append(outcome)
    return found


def told(found: Iterable[Outcome]) -> list[str]:
    """Outcomes as short texts: ``run 1``, ``pend 2``, ``none 3``."""
    return list(_told(found))


def _told(found: Iterable[Outcome]) -> Iterator[str]:
    for outcome in found:
        if isinstance(outcome, Dispatch):
            yield f"run {outcome.job.id}"
        elif isinstance(outcome, NoDecision):
            yield f"none {outcome.job}"
        else:
            yield f"pend {outcome.job.id}"


def started(found: Iterable[Outcome]) -> list[str]:
    """The ids of the jobs that were dispatched, in order."""
    return [outcome.job.id for outcome in found if isinstance(outcome, Dispatch)]


def account_of(scheduler: Scheduler) -> dict[str, object]:
    """All that the ledger has on its books, to be compared with another such account."""
    ledger = scheduler.ledger
    columns = {
        **{("resource", name): column for name, column in ledger.columns.items()},
        **{("limit", *key): column for key, column in ledger.limit_columns.items()},
    }
    counters = {
        **{("resource", name): counter for name, counter in ledger.counters.items()},
        **{("limit", *key): counter for key, counter in ledger.limit_counters.items()},
    }
    return {
        "columns": {
            key: dict(column.classes)
            for key, column in columns.items()
            if column.limit is None or column.classes != _untouched(column.totals)
        },
        "counters": {key: counter.used for key, counter in counters.items() if counter.used},
        "hosts": (ledger.hosts.open, ledger.hosts.closed, ledger.hosts.down),
    }


def _untouched(totals: list[int]) -> dict[int, int]:
    classes: dict[int, int] = {}
    for index, total in enumerate(totals):
        classes[total] = classes.get(total, 0) | 1 << index
    return classes


class Journal(Observer):
    """Writes down what a replay tells, a short line each, with the time.

    :ivar lines: everything but runs, refused selections and capacities.
    :ivar runs: each run: job, start, end, slots.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.runs: list[tuple[str, float, float, int]] = []
        self.capacities: list[tuple[float, int]] = []

    def begun(self, replay: Replay) -> None:
        self.replay = replay

    def note(self, what: str) -> None:
        self.lines.append(f"{self.replay.now} {what}")

    def submitted(self, job: Job) -> None:
        self.note(f"submit {job.id}")

    def refused(self, job: Job, cause: str) -> None:
        self.note(f"refuse {job.id}: {cause}")

    def session(self, number: int, time: float) -> None:
        self.note(f"session {number}")

    def decided(self, outcome: Outcome, changed: bool) -> None:
        for line in _told([outcome]):
            if changed:
                again = isinstance(outcome, Dispatch) and outcome.reconstructed
                self.note(line.replace("run", "take over") if again else line)

    def over(self, job: Job, told: bool, at_limit: bool) -> None:
        self.note(f"{job.state.value} {job.id}" + (" at its limit" if at_limit else ""))

    def happened(self, event: Happening) -> None:
        self.note(f"{event.act.value} {event.job}" if isinstance(event, JobAct) else "change")

    def ran(self, job: Job, start: float, end: float, slots: int) -> None:
        self.runs.append((job.id, start, end, slots))

    def capacity(self, time: float, slots: int) -> None:
        self.capacities.append((time, slots))

    def finished(self, replay: Replay) -> None:
        self.note("finished")


def a_replay(
    cluster: Cluster,
    *events: Event,
    timeline: Timeline = Timeline.SIMULATED,
    each: bool = True,
    enforce: bool = False,
    start: Start | None = None,
    policy: Policy | None = None,
) -> tuple[Replay, Journal]:
    """A replay of *events*, begun, and the journal of it."""
    workload = ListedWorkload(cluster, events, timeline, start)
    scheduler, journal = a_scheduler(cluster, policy=policy), Journal()
    if timeline is Timeline.RECORDED:
        replay: Replay = RecordedReplay(workload, scheduler, (journal,), each)
    else:
        replay = SimulatedReplay(workload, scheduler, (journal,), each, enforce)
    replay.begin()
    return replay, journal


def finish(replay: Replay) -> None:
    """Run *replay* to its end."""
    while replay.advance():
        for _ in replay.outcomes():
            pass


def replayed(cluster: Cluster, *events: Event, **options: Any) -> list[str]:
    """The journal of a whole replay."""
    replay, journal = a_replay(cluster, *events, **options)
    finish(replay)
    return journal.lines


def starts(lines: list[str]) -> list[str]:
    """Of a journal the starts alone: ``5 run 2``."""
    return [line for line in lines if line.split()[1] in ("run", "take")]


class Speechless(Exception):
    """An exception that has no text."""

    def __str__(self) -> str:
        raise KeyError("text")

    def __repr__(self) -> str:
        raise KeyError("text")


def grows_by(small: Callable[[], object], large: Callable[[], object]) -> float:
    """How many times the processor time of *small* does *large* take; the least of three each."""

    def least(work: Callable[[], object]) -> float:
        taken = []
        for _ in range(3):
            began = process_time()
            work()
            taken.append(process_time() - began)
        return min(taken)

    return least(large) / least(small)
