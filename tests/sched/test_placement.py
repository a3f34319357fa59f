"""Where jobs are placed, held against trying every host and every number of tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import (
    LICENSE,
    FirstCome,
    a_cluster,
    a_host,
    a_job,
    a_request,
    a_scheduler,
    account_of,
    on_host,
    outcomes,
    told,
)
from tests.sched.books import Books, Share, entries, entries_of, selected, shares
from tests.sched.worlds import ANY, SEARCHED, SINGLE, worlds
from xce_core.model.cluster import Cluster, HostState
from xce_core.model.decisions import Allocation, Dispatch, Pend
from xce_core.model.jobs import Job, JobState
from xce_core.model.requests import Primary, Span, SpanKind
from xce_core.model.resources import SLOTS, Counted
from xce_core.sched.ask import UNLIMITED
from xce_core.sched.resolve import SchedulingObject
from xce_core.sched.scheduler import Scheduler


def open_hosts(cluster: Cluster, primary: Primary) -> list[int]:
    """The indexes of the open hosts that *primary* selects."""
    return [
        host
        for host in selected(cluster, primary)
        if cluster.hosts[host].state is HostState.OPEN
    ]


def submitted(cluster: Cluster, jobs: list[Job]) -> Scheduler:
    return a_scheduler(cluster, *jobs, policy=FirstCome())


def decisions_with_books(scheduler: Scheduler) -> Iterator[tuple[Dispatch | Pend, Books]]:
    """Each outcome of a session, with the books as they were just before it."""
    before = Books(scheduler.cluster, scheduler.running.values())
    for outcome in scheduler.session(1, 0, each=True):
        assert isinstance(outcome, Dispatch | Pend)
        yield outcome, before
        before = Books(scheduler.cluster, scheduler.running.values())


# Capacities.


@settings(max_examples=100, deadline=None)
@given(worlds(SINGLE))
def test_capacities_are_what_a_visit_of_each_host_finds(world: tuple[Cluster, list[Job]]) -> None:
    """C3: the classes of hosts say of every host what plain arithmetic says."""
    cluster, jobs = world
    scheduler = submitted(cluster, jobs)
    outcomes(scheduler)
    books = Books(cluster, scheduler.running.values())
    for job in jobs:
        primary = job.requirement.alternatives[0].members[0]
        wanted = job.sched
        assert isinstance(wanted, SchedulingObject)
        ask = wanted.alternatives[0][0]
        for first in (False, True):
            groups = ask.first_capacities() if first else ask.capacities()
            able = {
                host: min(most, 9)
                for most, hosts in groups.items()
                for host in range(len(cluster.hosts))
                if hosts >> host & 1
            }
            assert able == {
                host: most
                for host in open_hosts(cluster, primary)
                if (most := books.capacity(job, primary, host, 9, first))
            }
            for tasks in (1, 2, 5):
                fitting = ask.fitting(tasks, first)
                assert fitting == sum(1 << host for host, most in able.items() if most >= tasks)


def test_a_host_that_nothing_bounds_has_no_end_of_room() -> None:
    """C3: amounts per host leave the number of tasks open."""
    job = a_job(1, Primary(3, 3, (("mem", 2),)))
    cluster = a_cluster(a_host(mem=2), a_host(mem=1))
    scheduler = a_scheduler(cluster, job)
    assert isinstance(job.sched, SchedulingObject)
    assert job.sched.alternatives[0][0].capacities() == {UNLIMITED: 0b01}
    assert told(outcomes(scheduler)) == ["run 1"]


def test_a_request_for_nothing_at_all_still_needs_an_open_host() -> None:
    """C3: a job is placed on a host even if it takes nothing of it."""
    job = a_job(1, Primary(2, 2, ()))
    shut = a_scheduler(a_cluster(a_host(state=HostState.CLOSED)), job)
    assert told(outcomes(shut)) == ["pend 1"]
    job = a_job(1, Primary(2, 2, ()))
    scheduler = a_scheduler(a_cluster(a_host(slots=0)), job)
    assert told(outcomes(scheduler)) == ["run 1"]
    assert job.allocation == on_host(0, tasks=2)


# One member.


def test_where_hosts_cost_a_licence_it_gets_no_more_hosts_than_licences() -> None:
    """C3: fewer tasks on fewer hosts rather than none; C4: the licences suffice."""
    each_host = replace(LICENSE, counted=Counted.HOST)
    cluster = a_cluster(
        *(a_host(slots=number) for number in (1, 2, 1)),
        resources=[SLOTS, each_host],
        license=2,
    )
    job = a_job(1, a_request(1, 4, license=1))
    scheduler = a_scheduler(cluster, job)
    assert told(outcomes(scheduler)) == ["run 1"]
    assert job.allocation is not None
    assert shares(job.allocation) == [Share(1, 2), Share(0, 1)]
    licenses = scheduler.ledger.counters["license"]
    assert (licenses.total, licenses.used) == (2, 2)


def expected_shares(
    books: Books, job: Job, primary: Primary, hosts: list[int], tasks: int
) -> list[Share]:
    """Who gets what, by the stated rules, for *tasks* tasks that are known to fit."""
    able = {host: books.capacity(job, primary, host, primary.tasks_max) for host in hosts}
    placed: list[Share] = []
    while tasks:
        if primary.span.kind is SpanKind.ONE_HOST:
            size = tasks
        elif primary.span.kind is SpanKind.PER_HOST:
            size = min(tasks, primary.span.tasks_per_host)
        else:
            size = min(tasks, max(able.values()))
        host = min(host for host, most in able.items() if most >= size)
        del able[host]
        placed.append(Share(host, size))
        tasks -= size
    return placed


@settings(max_examples=160, deadline=None)
@given(worlds(SEARCHED))
def test_a_job_starts_if_and_only_if_it_can_and_where_the_rules_say(
    world: tuple[Cluster, list[Job]],
) -> None:
    """C3: found whenever there is any placement, with the most tasks; C7: ties by host index."""
    cluster, jobs = world
    scheduler = submitted(cluster, jobs)
    for outcome, books in decisions_with_books(scheduler):
        job = outcome.job
        primary = job.requirement.alternatives[0].members[0]
        hosts = open_hosts(cluster, primary)
        possible = books.totals(job, primary, hosts)
        if not possible:
            assert isinstance(outcome, Pend)
            continue
        assert isinstance(outcome, Dispatch)
        placed = expected_shares(books, job, primary, hosts, max(possible))
        assert sorted(shares(outcome.allocation)) == sorted(placed)
        assert outcome.allocation.tasks == max(possible)


def check_valid(books: Books, job: Job, allocation: Allocation) -> None:
    """C4: everything that *job* was given is there, and of the shape that it asked for."""
    members = job.requirement.alternatives[allocation.alternative].members
    assert {p.member for p in allocation.placements} == set(range(len(members)))
    for number, primary in enumerate(members):
        placed = shares(allocation, number)
        tasks = sum(share.tasks for share in placed)
        hosts = [share.host for share in placed]
        assert primary.tasks_min <= tasks <= primary.tasks_max
        assert len(set(hosts)) == len(hosts)
        assert set(hosts) <= set(open_hosts(books.cluster, primary))
        check_span(primary.span, sorted((share.tasks for share in placed), reverse=True))
        assert books.fits(job, primary, number, placed)
        books.book(job, only_member(allocation, number))


def only_member(allocation: Allocation, number: int) -> Allocation:
    """*allocation* without its other members."""
    kept = tuple(p for p in allocation.placements if p.member == number)
    return Allocation(kept, allocation.alternative)


def check_span(span: Span, tasks: list[int]) -> None:
    """Whether *tasks* per host, largest first, keep *span*."""
    assert all(tasks)
    if span.kind is SpanKind.ONE_HOST:
        assert len(tasks) == 1
    elif span.kind is SpanKind.PER_HOST:
        assert all(each == span.tasks_per_host for each in tasks[:-1])
        assert tasks[-1] <= span.tasks_per_host


@settings(max_examples=100, deadline=None)
@given(worlds(ANY))
def test_what_a_job_gets_is_there_and_is_what_it_asked_for(
    world: tuple[Cluster, list[Job]],
) -> None:
    """C3, C4: amounts, tasks, span, selection, open hosts and limits, member by member."""
    cluster, jobs = world
    scheduler = submitted(cluster, jobs)
    for outcome, books in decisions_with_books(scheduler):
        if isinstance(outcome, Dispatch):
            check_valid(books, outcome.job, outcome.allocation)
    assert not Books(cluster, scheduler.running.values()).overdrawn()


@settings(max_examples=100, deadline=None)
@given(worlds(ANY))
def test_the_first_alternative_that_can_be_placed_wins(world: tuple[Cluster, list[Job]]) -> None:
    """C3: alternatives are tried in order, and none is placed that comes after one that fits."""
    cluster, jobs = world
    scheduler = submitted(cluster, jobs)
    for job in jobs:
        if job.state is not JobState.PENDING:
            continue
        wanted = job.sched
        assert isinstance(wanted, SchedulingObject)
        placeable = []
        for number, members in enumerate(wanted.alternatives):
            with_one = SchedulingObject(job.requirement, job.queue, (), (members,))
            allocation = scheduler.allocator.allocate(with_one)
            if allocation is not None:
                placeable.append(number)
                give_back(scheduler, with_one, allocation)
        allocation = scheduler.allocator.allocate(wanted)
        assert (allocation.alternative if allocation else None) == next(iter(placeable), None)


def give_back(scheduler: Scheduler, wanted: SchedulingObject, allocation: Allocation) -> None:
    """Undo an allocation that no job has."""
    for number, ask in enumerate(wanted.alternatives[allocation.alternative]):
        placed = tuple(p for p in allocation.placements if p.member == number)
        scheduler.ledger.release(ask, placed)


# The ledger.


@settings(max_examples=100, deadline=None)
@given(worlds(ANY))
def test_a_refusal_and_its_reasons_leave_the_books_as_they_were(
    world: tuple[Cluster, list[Job]],
) -> None:
    """C4: a failed position, member or alternative releases every claim."""
    cluster, jobs = world
    scheduler = submitted(cluster, jobs)
    before = account_of(scheduler)
    for outcome in scheduler.session(1, 0, each=True):
        if isinstance(outcome, Pend):
            assert outcome.reasons.entries
            assert account_of(scheduler) == before
        before = account_of(scheduler)


@settings(max_examples=100, deadline=None)
@given(worlds(ANY), st.data())
def test_what_ended_has_given_back_all_it_took(
    world: tuple[Cluster, list[Job]], data: st.DataObject
) -> None:
    """C4: once all jobs are over, in whatever order, the books are as at the start."""
    cluster, jobs = world
    scheduler = submitted(cluster, jobs)
    before = account_of(scheduler)
    for number in range(3):
        outcomes(scheduler, number=number + 1)
        running = list(scheduler.running.values())
        for job in data.draw(st.permutations(running)):
            scheduler.end(job, number, JobState.DONE)
        assert account_of(scheduler) == before


@settings(max_examples=100, deadline=None)
@given(worlds(ANY))
def test_the_ledger_agrees_with_an_independent_count(world: tuple[Cluster, list[Job]]) -> None:
    """C4: what is left of each resource and limit is its total less what running jobs hold."""
    cluster, jobs = world
    scheduler = submitted(cluster, jobs)
    outcomes(scheduler)
    assert entries(scheduler) == entries_of(Books(cluster, scheduler.running.values()))
