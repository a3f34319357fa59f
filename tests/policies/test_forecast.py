"""The look ahead that policies are given, and the other views of the state."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import a_cluster, a_host, a_job, a_request, a_scheduler, account_of, outcomes
from tests.sched.worlds import ANY, worlds
from xce_core.model.cluster import Cluster, HostState
from xce_core.model.jobs import Job, JobState
from xce_core.sched.policy import Election, Policy, Session
from xce_core.sched.scheduler import Scheduler


def session_of(scheduler: Scheduler, now: float) -> Session:
    return Session(scheduler, 1, now, each=True)


def running(cluster: Cluster, *jobs: Job) -> Scheduler:
    """A scheduler in which *jobs* have started at 0."""
    scheduler = a_scheduler(cluster, *jobs)
    outcomes(scheduler)
    assert all(job.state is JobState.RUNNING for job in jobs)
    return scheduler


def test_running_jobs_by_expected_end() -> None:
    """P5: by start and requested time; never from the run time; kept up to date."""
    jobs = [
        a_job(1, run=1, time_limit=30),
        a_job(2, run=90, time_limit=10),
        a_job(3, run=5),
        a_job(4, run=5, time_limit=10),
    ]
    scheduler = running(a_cluster(a_host(slots=8)), *jobs)
    session = session_of(scheduler, 20)

    def found() -> list[tuple[float, str]]:
        return [(end, job.id) for end, job in session.running_by_end()]

    assert found() == [(10, "2"), (10, "4"), (30, "1"), (inf, "3")]
    scheduler.suspend(jobs[1])
    assert found() == [(10, "4"), (30, "1"), (inf, "2"), (inf, "3")]
    scheduler.resume(jobs[1])
    jobs[0].time_limit = 5
    scheduler.modified(jobs[0], 20)
    scheduler.end(jobs[3], 20, JobState.DONE)
    assert found() == [(5, "1"), (10, "2"), (inf, "3")]
    scheduler.requeue(jobs[1], 20)
    assert found() == [(5, "1"), (inf, "3")]


COUNTED = a_cluster(a_host(slots=4), a_host(slots=4))
SEARCHED = a_cluster(a_host(slots=4), a_host(slots=1, state=HostState.DOWN), a_host(slots=4))


@pytest.mark.parametrize("cluster", [COUNTED, SEARCHED], ids=["counted", "searched"])
def test_a_forecast_goes_forward_to_where_a_job_fits(cluster: Cluster) -> None:
    """P5: all ends of that second have happened; who is behind his limit ends at once."""
    jobs = [a_job(n, 2, time_limit=limit) for n, limit in enumerate((3, 10, 10, 20), 1)]
    scheduler = running(cluster, *jobs)
    before = account_of(scheduler)
    forecast = session_of(scheduler, 5).forecast()
    assert forecast.fits(a_pending(scheduler, 11, 2)), "the first is over its limit"
    assert forecast.earliest(a_pending(scheduler, 12, 2)) == 5
    large = a_pending(scheduler, 13, 3)
    assert forecast.earliest(large) == 10
    assert forecast.start(large)
    assert forecast.promised == [large]
    assert not forecast.fits(a_pending(scheduler, 14, 4)), "six were free"
    assert forecast.fits(a_pending(scheduler, 15, 3)), "both ends of that second count"
    with pytest.raises(ValueError, match="forward"):
        forecast.earliest(a_pending(scheduler, 16, 8))
    assert account_of(scheduler) == before, "nothing has changed"


@pytest.mark.parametrize("cluster", [COUNTED, SEARCHED], ids=["counted", "searched"])
def test_what_never_ends_makes_no_room(cluster: Cluster) -> None:
    """P5: None, and the forecast stays where it was."""
    scheduler = running(cluster, a_job(1, 2), a_job(2, 4, time_limit=9))
    forecast = session_of(scheduler, 1).forecast()
    assert forecast.earliest(a_pending(scheduler, 11, 7)) is None
    assert forecast.time == 1
    assert forecast.earliest(a_pending(scheduler, 12, 6)) == 9
    scheduler.jobs["1"].time_limit = 5
    forecast = session_of(scheduler, 1).forecast()
    forecast.end(scheduler.jobs["1"])
    assert forecast.fits(a_pending(scheduler, 13, 4))


@pytest.mark.parametrize("cluster", [COUNTED, SEARCHED], ids=["counted", "searched"])
def test_who_may_pass_a_promise(cluster: Cluster) -> None:
    """P5: who is over by then, or needs only what is left over, which is used up."""
    scheduler = running(cluster, a_job(1, 4, time_limit=10))
    forecast = session_of(scheduler, 0).forecast()
    head = a_pending(scheduler, 11, 6, time_limit=10)
    assert forecast.earliest(head) == 10
    forecast.start(head)
    assert forecast.allows(a_pending(scheduler, 12, 4, time_limit=10))
    assert not forecast.allows(a_pending(scheduler, 13, 3, time_limit=11))
    small = a_pending(scheduler, 14, 2)
    assert forecast.allows(small)
    scheduler.decide(small, 0, scheduler.allocator)
    forecast.started(small)
    assert not forecast.allows(a_pending(scheduler, 15, 1))


def a_pending(scheduler: Scheduler, number: int, tasks: int, **more: float) -> Job:
    """A job that is pending."""
    job = a_job(number, tasks, **more)
    scheduler.submit(job, 0)
    return job


@settings(max_examples=60)
@given(worlds(ANY, most=8), st.integers(0, 4))
def test_a_look_ahead_leaves_no_trace_and_is_true(
    world: tuple[Cluster, list[Job]], limit: int
) -> None:
    """C4, P5: whatever is asked for: what fits is what starts, and the books stay as they are."""
    cluster, jobs = world
    seen: list[Callable[[], None]] = []

    class Asks(Policy):
        def elect(self, session: Session) -> Election:
            for job in session.pending():
                before = account_of(scheduler)
                fits = session.fits(job)
                forecast = session.forecast()
                if forecast.earliest(job) is not None:
                    assert forecast.start(job)
                for other in session.pending():
                    forecast.allows(other)
                    forecast.fits(other)
                assert account_of(scheduler) == before
                yield job
                assert fits == (job.state is JobState.RUNNING)
                seen.append(lambda: None)

    for job in jobs:
        job.time_limit = limit or None
    scheduler = a_scheduler(cluster, *jobs, policy=Asks())
    outcomes(scheduler)
    outcomes(scheduler, now=1)
    assert len(seen) >= len(jobs)


def test_what_is_free_and_what_is_open() -> None:
    """P5: of host resources on open hosts, of shared ones in the cluster."""
    cluster = a_cluster(a_host(slots=4), a_host(slots=9, state=HostState.CLOSED), license=3)
    scheduler = running(cluster, a_job(1, a_request(2, license=1)))
    session = session_of(scheduler, 1)
    assert (session.free(), session.free("license")) == (2, 2)
    assert session.is_open("normal")
    scheduler.set_queue("normal", False)
    assert not session.is_open("normal")
    assert session.cluster is cluster
    with pytest.raises(KeyError):
        session.free("tape")


def test_a_list_may_stand_in_for_an_election_that_hears_nothing() -> None:
    """P5: `yield from` a list of jobs is an election, though it takes no decisions."""

    class Backwards(Policy):
        def elect(self, session: Session) -> Election:
            yield from reversed(session.pending())

    jobs = [a_job(n) for n in (1, 2, 3)]
    scheduler = a_scheduler(a_cluster(a_host(slots=2)), *jobs, policy=Backwards())
    outcomes(scheduler)
    assert [job.state is JobState.RUNNING for job in jobs] == [False, True, True]


def test_two_forecasts_do_not_disturb_each_other() -> None:
    """P5: each keeps its time, its promises and what it was told."""
    scheduler = running(SEARCHED, a_job(1, 4, time_limit=10), a_job(2, 4, time_limit=20))
    session = session_of(scheduler, 0)
    one, two = session.forecast(), session.forecast()
    first, second = a_pending(scheduler, 11, 3), a_pending(scheduler, 12, 8)
    assert one.earliest(first) == 10
    assert two.earliest(second) == 20
    assert one.start(first)
    two.end(scheduler.jobs["1"])
    assert two.start(second)
    assert one.fits(a_pending(scheduler, 13, 1))
    assert not one.fits(a_pending(scheduler, 14, 2))
    assert not two.fits(a_pending(scheduler, 15, 1))


def test_a_job_that_asks_for_the_unknown_is_promised_nothing() -> None:
    """P5, R2.4: it fits at no time, and stops nobody."""
    scheduler = a_scheduler(COUNTED)
    odd = a_job(11, a_request(1, tape=1))
    scheduler.submit(odd, 0)
    forecast = session_of(scheduler, 0).forecast()
    assert forecast.earliest(odd) is None
    assert not forecast.start(odd)
    assert not forecast.allows(odd)
