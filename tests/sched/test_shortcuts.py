"""Shortcuts change no dispatch: held against a scheduler that takes none of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import (
    FirstCome,
    a_cluster,
    a_host,
    a_job,
    a_queue,
    a_request,
    a_scheduler,
    outcomes,
    started,
    told,
)
from tests.sched.worlds import ANY, SINGLE, worlds
from xce_core.model.cluster import Cluster, HostState, Order
from xce_core.model.decisions import Allocation, Dispatch
from xce_core.model.jobs import STARTED, Job, JobState
from xce_core.sched.allocator import Allocator
from xce_core.sched.policy import Election, Policy, Session
from xce_core.sched.resolve import ResolveError, SchedulingObject
from xce_core.sched.scheduler import Scheduler


class Forgetful(Scheduler):
    """A scheduler that searches for every job, whatever it found before."""

    def allocation_for(self, wanted: SchedulingObject, allocator: Allocator) -> Allocation | None:
        wanted.refused_at = -1
        allocation = super().allocation_for(wanted, allocator)
        wanted.refused_at = -1
        return allocation

    def nothing_to_decide(self) -> bool:
        return False


class ByHand(FirstCome):
    """:class:`FirstCome` without a kept order: sorts, and stops queues, by itself."""

    def elect(self, session: Session) -> Election:
        stopped = set()
        for job in sorted(session.pending(), key=rank):
            if job.queue in stopped:
                continue
            yield job
            if job.state is JobState.PENDING and job.queue in STRICT:
                stopped.add(job.queue)


STRICT = {"night"}


def rank(job: Job) -> tuple[object, ...]:
    priority = {"normal": 0, "night": 1}[job.queue]
    return (-priority, -job.priority, job.submit_time, job.number, job.index)


# Something that happens, as (what, which).
happenings = st.lists(
    st.tuples(
        st.sampled_from(
            "submit submit submit end end hold release requeue suspend priority move close open"
            " kill shut unshut session session".split()
        ),
        st.integers(0, 7),
    ),
    max_size=25,
)
Happenings = list[tuple[str, int]]


def history(scheduler: Scheduler, jobs: list[Job], events: Happenings, each: bool) -> Iterator[str]:
    """What a scheduler dispatches, session by session, while *events* happen."""
    waiting = list(jobs)
    for now, (what, which) in enumerate(events):
        if what == "submit" and waiting:
            scheduler.submit(waiting.pop(0), now)
        elif what == "session":
            yield from session(scheduler, now, each)
        else:
            happen(scheduler, what, which, now)
    yield from session(scheduler, len(events), each)


def session(scheduler: Scheduler, now: int, each: bool) -> Iterator[str]:
    scheduler.wake(now)
    for outcome in scheduler.session(now, now, each):
        if isinstance(outcome, Dispatch):
            yield f"{now}: {outcome.job.id} {outcome.allocation}"


def happen(scheduler: Scheduler, what: str, which: int, now: int) -> None:
    """Let something happen to a host, a queue, or one of the jobs."""
    if what in ("close", "open"):
        state = HostState.OPEN if what == "open" else HostState.CLOSED
        scheduler.set_hosts(1 << which % len(scheduler.cluster.hosts), state)
    elif what in ("shut", "unshut"):
        scheduler.set_queue(("normal", "night")[which % 2], what == "unshut")
    elif jobs := list(scheduler.jobs.values()):
        happen_to(scheduler, jobs[which % len(jobs)], what, now)


def happen_to(scheduler: Scheduler, job: Job, what: str, now: int) -> None:
    running = job.state in STARTED
    if what == "kill" or (what == "end" and running):
        scheduler.end(job, now, JobState.KILLED if what == "kill" else JobState.DONE)
    elif what == "hold":
        scheduler.hold(job)
    elif what == "release":
        scheduler.release(job, now)
    elif what == "requeue" and running:
        scheduler.requeue(job, now)
    elif what == "suspend" and job.state is JobState.RUNNING:
        scheduler.suspend(job)
    elif what == "priority":
        job.priority += 1
        scheduler.modified(job, now)
    elif what == "move" and not running:
        job.queue = "night" if job.queue == "normal" else "normal"
        scheduler.modified(job, now)


@settings(max_examples=80, deadline=None)
@given(worlds(ANY, most=8), happenings)
def test_no_shortcut_changes_a_dispatch(
    world: tuple[Cluster, list[Job]], events: Happenings
) -> None:
    """C7: refusals remembered, jobs alike passed over, order kept: the dispatches are the same."""
    cluster, jobs = world
    runs = [
        list(history(scheduler(cluster, policy), [*map(replace, jobs)], events, each))
        for scheduler, policy, each in [
            (Scheduler, FirstCome(), True),
            (Scheduler, FirstCome(), False),
            (Forgetful, FirstCome(), True),
            (Forgetful, FirstCome(), False),
            (Forgetful, ByHand(), True),
        ]
    ]
    assert all(run == runs[0] for run in runs[1:])


@settings(max_examples=60, deadline=None)
@given(worlds(SINGLE, most=8), happenings)
def test_a_session_said_to_be_needless_dispatches_nothing(
    world: tuple[Cluster, list[Job]], events: Happenings
) -> None:
    """S2: a session is passed over only if it could but repeat refusals."""
    cluster, jobs = world
    scheduler = Scheduler(cluster, FirstCome())
    for now, (what, which) in enumerate(events):
        if what == "submit" and jobs:
            scheduler.submit(jobs.pop(0), now)
        elif what != "session":
            happen(scheduler, what, which, now)
        needless = scheduler.nothing_to_decide()
        assert not (needless and list(session(scheduler, now, each=True)))


def test_each_refused_job_is_told_only_where_it_is_asked_for() -> None:
    """C5: jobs alike are passed over unless everybody is to be told."""
    cluster = a_cluster(a_host(slots=1))
    big = [a_job(number, 1) for number in (1, 2, 3)]
    scheduler = a_scheduler(cluster, *big)
    assert told(outcomes(scheduler, each=False)) == ["run 1", "pend 2"]
    assert told(outcomes(scheduler, each=False)) == []
    assert told(outcomes(scheduler, each=True)) == ["pend 2", "pend 3"]


def test_a_custom_election_is_never_passed_over() -> None:
    """P5: only the core knows that its own election could but repeat itself."""

    class Own(Policy):
        def elect(self, session: Session) -> Election:
            for job in session.pending():
                _ = yield job

    scheduler = a_scheduler(a_cluster(a_host(slots=1)), a_job(1), a_job(2), policy=Own())
    assert told(outcomes(scheduler, each=False)) == ["run 1", "pend 2"]
    assert not scheduler.nothing_to_decide()


# What could ever run.


@settings(max_examples=60, deadline=None)
@given(worlds(ANY))
def test_possible_is_what_an_idle_cluster_with_all_hosts_open_takes(
    world: tuple[Cluster, list[Job]],
) -> None:
    """S2: a job is possible if it starts at once where nothing else is and every host is open."""
    cluster, jobs = world
    busy = a_scheduler(cluster, *map(replace, jobs), policy=FirstCome())
    outcomes(busy)
    for job in jobs:
        alone = a_scheduler(cluster, twin := replace(job))
        alone.set_hosts(cluster.all_hosts, HostState.OPEN)
        fits = bool(started(outcomes(alone)))
        assert busy.possible(replace(job)) is fits
        assert busy.possible(busy.jobs[job.id]) is fits
        assert twin.state is (JobState.RUNNING if fits else JobState.PENDING)


def test_a_closed_queue_or_host_makes_nothing_impossible() -> None:
    """S2: what is closed now may open."""
    cluster = a_cluster(
        a_host(slots=1), a_host(slots=8, state=HostState.DOWN), queues=[a_queue(is_open=False)]
    )
    scheduler = a_scheduler(cluster)
    assert scheduler.possible(a_job(1, 9))
    assert not scheduler.possible(a_job(2, 10))
    assert scheduler.jobs == {}


def test_what_is_unknown_is_neither_possible_nor_impossible() -> None:
    """S2: an unknown resource or queue is an error with its name."""
    scheduler = a_scheduler(a_cluster(a_host()))
    with pytest.raises(ResolveError, match="resource tape"):
        scheduler.possible(a_job(1, a_request(1, tape=1)))
    with pytest.raises(ResolveError, match="queue nowhere"):
        scheduler.possible(a_job(1, queue="nowhere"))


def test_a_strict_queue_passes_its_shortcut_to_no_other() -> None:
    """C7: a refused head stops its strict queue, while jobs alike in a greedy one go on."""
    queues = [a_queue("normal"), a_queue("night", order=Order.STRICT)]
    cluster = a_cluster(a_host(slots=2), queues=queues)
    jobs = [a_job(1, 3, queue="night"), a_job(2, 1, queue="night"), a_job(3, 3), a_job(4, 1)]
    scheduler = a_scheduler(cluster, *jobs, policy=FirstCome())
    assert started(outcomes(scheduler, each=False)) == ["4"]
    scheduler.end(jobs[0], 1, JobState.KILLED)
    assert started(outcomes(scheduler, now=1, each=False)) == ["2"]
