"""The order of pending jobs: kept from session to session, and always the sorted one."""

from __future__ import annotations

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
    after,
    outcomes,
    started,
    told,
)
from tests.sched.test_shortcuts import Happenings, happen, happenings
from xce_core.model.cluster import Cluster, Order
from xce_core.model.jobs import DependsOn, Job, JobState
from xce_core.sched.pending import Line, Pending
from xce_core.sched.policy import Policy
from xce_core.sched.scheduler import Scheduler

QUEUES = (
    a_queue("normal"),
    a_queue("night", priority=1, order=Order.STRICT),
    a_queue("low", priority=-1, order=Order.STRICT),
)


def a_small_cluster(slots: int) -> Cluster:
    return a_cluster(a_host(slots=slots), queues=QUEUES)


some_jobs = st.lists(
    st.builds(
        lambda tasks, queue, priority, at: (tasks, queue, priority, at),
        st.integers(1, 4),
        st.sampled_from(["normal", "normal", "night", "low"]),
        st.integers(-1, 1),
        st.integers(0, 3),
    ),
    max_size=12,
)
Specs = list[tuple[int, str, int, int]]


def jobs_of(specs: Specs) -> list[Job]:
    return [
        a_job(number + 1, tasks, queue=queue, priority=priority, at=at)
        for number, (tasks, queue, priority, at) in enumerate(specs)
    ]


def rank(job: Job) -> tuple[object, ...]:
    priority = {queue.name: queue.priority for queue in QUEUES}[job.queue]
    return (-priority, -job.priority, job.submit_time, job.number, job.index)


def in_order(scheduler: Scheduler) -> list[Job]:
    """The pending jobs, sorted anew."""
    return sorted(
        (job for job in scheduler.jobs.values() if job.state is JobState.PENDING), key=rank
    )


@settings(max_examples=80, deadline=None)
@given(some_jobs, happenings)
def test_the_kept_order_is_the_sorted_one(specs: Specs, events: Happenings) -> None:
    """C7: whatever happens to jobs, the kept order is that of the policy's keys."""
    scheduler = Scheduler(a_small_cluster(4), FirstCome())
    jobs = jobs_of(specs)
    for now, (what, which) in enumerate(events):
        if what == "submit" and jobs:
            scheduler.submit(jobs.pop(0), now)
        elif what == "session":
            for _ in scheduler.session(now, now, each=bool(which % 2)):
                assert list(scheduler.pending.jobs()) == in_order(scheduler)
        else:
            happen(scheduler, what, which, now)
        assert list(scheduler.pending.jobs()) == in_order(scheduler)
        assert scheduler.pending.count == len(in_order(scheduler))


class Naive:
    """The rules of a session over a plain list, on one host with a number of slots."""

    def __init__(self, slots: int) -> None:
        self.free = slots
        self.pending: list[Job] = []

    def session(self) -> list[str]:
        """What starts and what is refused, every job asked, strict queues stopped."""
        found, stopped = [], set()
        for job in sorted(self.pending, key=rank):
            if job.queue in stopped:
                continue
            tasks = job.requirement.alternatives[0].members[0].tasks_min
            if tasks <= self.free:
                self.free -= tasks
                self.pending.remove(job)
                found.append(f"run {job.id}")
            else:
                found.append(f"pend {job.id}")
                if job.queue != "normal":
                    stopped.add(job.queue)
        return found


@settings(max_examples=100, deadline=None)
@given(
    some_jobs,
    st.lists(st.tuples(st.sampled_from(["submit", "submit", "end", "kill"]), st.integers(0, 9))),
)
def test_sessions_decide_what_a_plain_list_decides(
    specs: Specs, events: list[tuple[str, int]]
) -> None:
    """C7: strict and greedy queues mixed, every refused job told, in the same order."""
    scheduler = a_scheduler(a_small_cluster(4), policy=FirstCome())
    naive = Naive(4)
    jobs = jobs_of(specs)
    for now, (what, which) in enumerate(events):
        running = list(scheduler.running.values())
        if what == "submit" and jobs:
            job = jobs.pop(0)
            scheduler.submit(job, now)
            naive.pending.append(job)
        elif what == "end" and running:
            job = running[which % len(running)]
            naive.free += job.requirement.alternatives[0].members[0].tasks_min
            scheduler.end(job, now, JobState.DONE)
        elif what == "kill" and naive.pending:
            scheduler.end(naive.pending.pop(which % len(naive.pending)), now, JobState.KILLED)
        assert told(outcomes(scheduler, now)) == naive.session()


# By hand.


def test_ties_go_by_job_number_then_array_index() -> None:
    """C7: jobs that are otherwise alike start by number, and by number and not by text."""
    ids = ["10", "9", "11[10]", "11[9]", "11[2]"]
    scheduler = a_scheduler(a_cluster(a_host(slots=9)), *(a_job(job_id) for job_id in ids))
    assert started(outcomes(scheduler)) == ["9", "10", "11[2]", "11[9]", "11[10]"]


def test_the_default_policy_is_submission_order_and_nobody_stops_anybody() -> None:
    """P5: without a policy of one's own, jobs go by submit time, greedily."""
    scheduler = a_scheduler(
        a_cluster(a_host(slots=2)), a_job(1, 3, at=0), a_job(2, 1, at=5), a_job(3, 1, at=4)
    )
    assert told(outcomes(scheduler)) == ["pend 1", "run 3", "run 2"]


def test_a_requeued_job_stands_where_it_stood() -> None:
    """C6: a requeued job keeps its first submit time, and so its place before later ones."""
    scheduler = a_scheduler(a_cluster(a_host(slots=1)), first := a_job(1, at=1), a_job(2, at=2))
    assert started(outcomes(scheduler)) == ["1"]
    scheduler.requeue(first, 9)
    assert (first.submit_time, first.requeues, first.start_time) == (1, 1, None)
    assert told(outcomes(scheduler, 9)) == ["run 1", "pend 2"]


@pytest.mark.parametrize("each", [True, False])
def test_a_job_killed_while_refused_leaves_its_place_to_the_next(each: bool) -> None:
    """C7: what a dead job was refused does not outlive it."""
    queues = [a_queue(order=Order.STRICT)]
    cluster = a_cluster(a_host(slots=2), queues=queues)
    scheduler = a_scheduler(cluster, big := a_job(1, 3), a_job(2, 1), policy=FirstCome())
    assert told(outcomes(scheduler, each=each)) == ["pend 1"]
    scheduler.end(big, 1, JobState.KILLED)
    assert told(outcomes(scheduler, 1, each=each)) == ["run 2"]


def test_a_priority_change_moves_a_pending_job_and_nothing_else() -> None:
    """C6: it goes before others at once, and has been eligible no shorter than before."""
    scheduler = a_scheduler(
        a_cluster(a_host(slots=1)), a_job(1), late := a_job(2, at=1), policy=FirstCome(), now=1
    )
    late.priority = 5
    scheduler.modified(late, 9)
    assert late.eligible_time == 1
    assert told(outcomes(scheduler, 9)) == ["run 2", "pend 1"]


def test_a_refused_job_of_one_kind_says_nothing_of_another_kind() -> None:
    """C7: lines of jobs alike are merged by key, each passed over by itself."""
    small, big = a_request(1), a_request(3)
    jobs = [a_job(number, small if number % 2 else big, at=number) for number in range(1, 7)]
    scheduler = a_scheduler(a_cluster(a_host(slots=2)), *jobs)
    assert told(outcomes(scheduler, each=False)) == ["run 1", "pend 2", "run 3", "pend 5"]


def test_a_long_line_forgets_those_that_have_left() -> None:
    """S8: memory grows with the jobs that are there, not with those that were."""
    line = Line(strict=False)
    jobs = [a_job(number) for number in range(2000)]
    for job in jobs:
        job.key = (job.number,)
        line.add(job.key, job)
    for job in jobs[:1500]:
        job.state = JobState.RUNNING
    assert line.entries[line.first()][1] is jobs[1500]
    for number in range(2000, 5000):
        late = a_job(number)
        late.key = (number,)
        line.add(late.key, late)
        late.state = JobState.RUNNING
    assert line.entries[line.first()][1] is jobs[1500]
    assert len(line.entries) <= 1000


def test_a_job_that_enters_before_all_others_is_first() -> None:
    """C7: also where those before it have left but are not yet forgotten."""
    line = Line(strict=False)
    jobs = [a_job(number) for number in (5, 6, 7)]
    for job in jobs:
        job.key = (job.number,)
        line.add(job.key, job)
    jobs[0].state = jobs[1].state = JobState.RUNNING
    assert line.first() == 2
    early = a_job(1)
    early.key = (1,)
    line.add(early.key, early)
    assert line.entries[line.first()][1] is early


def test_nothing_pends_in_an_empty_order() -> None:
    """C7: an order without jobs gives none and has no candidates."""
    pending = Pending()
    assert list(pending.jobs()) == []
    assert not pending.has_candidates(0)
    assert pending.count == 0


def test_the_key_is_asked_for_anew_when_a_job_pends_anew() -> None:
    """P5: a policy's key counts from when the job last became pending or was modified."""

    class Fickle(Policy):
        calls = 0

        def key(self, job: Job, queue: object) -> tuple[object, ...]:
            self.calls += 1
            return (-self.calls,)

    scheduler = a_scheduler(
        a_cluster(a_host(slots=9)), first := a_job(1), a_job(2), policy=Fickle()
    )
    assert [job.id for job in scheduler.pending.jobs()] == ["2", "1"]
    scheduler.hold(first)
    scheduler.release(first, 0)
    assert [job.id for job in scheduler.pending.jobs()] == ["1", "2"]


def test_a_job_freed_by_a_start_disturbs_no_session() -> None:
    """C6, C7: who may go on because another job started is the next session's."""
    cluster = a_cluster(a_host(slots=1))
    freed = a_job(9, 2, at=0, dependencies=(after(3, DependsOn.STARTED),))
    jobs = [a_job(2, 2, at=2), a_job(3, 1, at=3), a_job(5, 2, at=5)]
    scheduler = a_scheduler(cluster, freed, *jobs)
    assert told(outcomes(scheduler)) == ["pend 2", "run 3", "pend 5"]
    assert scheduler.timers.first() == 0
    assert told(outcomes(scheduler)) == ["pend 9", "pend 2", "pend 5"]


def test_a_strict_queue_is_looked_through_beyond_a_refused_job() -> None:
    """S5: all that pend can be looked at; what is proposed ends at the first that is refused."""
    jobs = [a_job(n, tasks, queue="night") for n, tasks in ((1, 9), (2, 1), (3, 1))]
    scheduler = a_scheduler(a_cluster(a_host(slots=12), queues=QUEUES), policy=FirstCome())
    scheduler.submit(a_job(9, 12), 0)
    assert started(outcomes(scheduler)) == ["9"]
    for job in jobs:
        scheduler.submit(job, 0)
    pending = scheduler.pending
    assert [job.id for job in pending.queue()] == ["1", "2", "3"]
    assert [job.id for job in pending.in_order(True, scheduler.ledger)] == ["1"]
