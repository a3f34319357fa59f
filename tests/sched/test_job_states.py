"""The states of a job, and what moves it between them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builders import (
    FirstCome,
    a_cluster,
    a_host,
    a_job,
    a_request,
    a_scheduler,
    account_of,
    after,
    on_host,
    outcomes,
    started,
    told,
)
from xce_core.model.cluster import HostState
from xce_core.model.decisions import Allocation, Placement
from xce_core.model.jobs import OVER, DependsOn, Job, JobState
from xce_core.model.reasons import ReasonCode
from xce_core.sched.lifecycle import JobError
from xce_core.sched.scheduler import Scheduler

HELD, WAITING, PENDING = JobState.HELD, JobState.WAITING, JobState.PENDING
RUNNING, SUSPENDED, DONE = JobState.RUNNING, JobState.SUSPENDED, JobState.DONE
FAILED, KILLED = JobState.FAILED, JobState.KILLED
STARTS = DependsOn.STARTED
ENDS = DependsOn.ENDED


def idle(*jobs: Job) -> Scheduler:
    return a_scheduler(a_cluster(a_host(slots=9)), *jobs)


def end(scheduler: Scheduler, job_id: int | str, now: float, state: JobState = DONE) -> None:
    scheduler.end(scheduler.jobs[str(job_id)], now, state)


# Entering.


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({}, PENDING),
        ({"held": True}, HELD),
        ({"begin_time": 5}, WAITING),
        ({"begin_time": 0}, PENDING),
        ({"dependencies": (after(7),)}, WAITING),
        ({"held": True, "begin_time": 5, "dependencies": (after(7),)}, HELD),
    ],
)
def test_where_a_job_stands_on_submission(fields: dict[str, object], state: JobState) -> None:
    """C6: held comes before waiting, waiting before pending."""
    job = a_job(1, **fields)
    idle(job)
    assert job.state is state
    assert job.eligible_time == (0 if state is PENDING else None)


def test_a_job_id_is_used_once() -> None:
    """C6: neither a living nor a dead job's id comes in again."""
    scheduler = idle(a_job(1), a_job("2[0]"))
    for job_id in (1, "2[0]"):
        with pytest.raises(JobError, match="submitted before"):
            scheduler.submit(a_job(job_id), 1)
        end(scheduler, job_id, 1, KILLED)
        with pytest.raises(JobError, match="submitted before"):
            scheduler.submit(a_job(job_id), 1)
    scheduler.submit(a_job("2[1]"), 1)
    assert scheduler.was_submitted("2[0]")
    assert not scheduler.was_submitted("2[7]")


def test_a_job_for_no_known_queue_does_not_come_in() -> None:
    """C6: the error names the queue, and nothing is kept of the job."""
    scheduler = idle()
    with pytest.raises(JobError, match="queue nowhere is not known"):
        scheduler.submit(a_job(1, queue="nowhere"), 0)
    assert not scheduler.jobs
    assert not scheduler.was_submitted("1")


def test_a_job_that_can_not_be_resolved_pends_without_a_decision() -> None:
    """C6: it asks for an unknown resource; it stands in line, and no decision is made."""
    scheduler = idle(odd := a_job(1, a_request(1, tape=1)), a_job(2))
    assert told(outcomes(scheduler)) == ["none 1", "run 2"]
    odd.priority = 3
    scheduler.modified(odd, 1)
    assert told(outcomes(scheduler)) == ["none 1"]
    assert scheduler.reasons(odd).main is ReasonCode.NO_SCHEDULING_OBJECT


# Holding.


def test_a_held_job_is_passed_over_until_released() -> None:
    """C6: hold and release, of a pending job and of one that waits."""
    waits = a_job(2, begin_time=5)
    scheduler = idle(job := a_job(1), waits)
    scheduler.hold(job)
    scheduler.hold(waits)
    assert (job.state, waits.state) == (HELD, HELD)
    assert outcomes(scheduler, 9) == []
    scheduler.release(job, 9)
    scheduler.release(waits, 9)
    assert (job.state, waits.state, waits.eligible_time) == (PENDING, PENDING, 9)


def test_a_job_held_while_it_runs_is_held_once_requeued() -> None:
    """C6: a hold leaves a running job alone."""
    scheduler = idle(job := a_job(1))
    outcomes(scheduler)
    scheduler.hold(job)
    assert job.state is RUNNING
    scheduler.requeue(job, 5)
    assert job.state is HELD
    scheduler.release(job, 6)
    assert job.state is PENDING


def test_releasing_what_is_not_held_changes_nothing() -> None:
    """C6: a job pends once, however often it is released."""
    scheduler = idle(job := a_job(1))
    scheduler.release(job, 3)
    assert (job.state, job.eligible_time, scheduler.pending.count) == (PENDING, 0, 1)


# Running.


def test_what_only_a_running_job_can_do_is_an_error_otherwise() -> None:
    """C6: requeue, suspend and resume say so, and change nothing."""
    scheduler = idle(job := a_job(1))
    for act in (lambda: scheduler.requeue(job, 0), lambda: scheduler.suspend(job)):
        with pytest.raises(JobError, match="pending, not running"):
            act()
    with pytest.raises(JobError, match="not suspended"):
        scheduler.resume(job)
    assert (job.state, scheduler.pending.count) == (PENDING, 1)


def test_a_suspended_job_keeps_what_it_holds() -> None:
    """C6: suspended and resumed, it is among the running and its slots are taken."""
    scheduler = idle(job := a_job(1, 9), a_job(2, 1))
    outcomes(scheduler)
    scheduler.suspend(job)
    assert job.state is SUSPENDED
    assert list(scheduler.running) == ["1"]
    assert told(outcomes(scheduler, 5)) == ["pend 2"]
    scheduler.resume(job)
    assert (job.state, job.start_time) == (RUNNING, 0)


@pytest.mark.parametrize("suspended", [False, True])
def test_a_requeued_job_gives_all_back_and_waits_again(suspended: bool) -> None:
    """C6: it keeps its first submit time and forgets its start."""
    scheduler = idle(job := a_job(1, 9, at=0))
    before = account_of(scheduler)
    outcomes(scheduler, 3)
    if suspended:
        scheduler.suspend(job)
    scheduler.requeue(job, 5)
    assert account_of(scheduler) == before
    assert scheduler.running == {}
    assert (job.state, job.submit_time, job.eligible_time) == (PENDING, 0, 5)
    assert (job.start_time, job.allocation, job.requeues) == (None, None, 1)
    assert started(outcomes(scheduler, 6)) == ["1"]
    assert job.start_time == 6


def bring_to(state: JobState) -> tuple[Scheduler, Job]:
    """A scheduler with a job in *state*."""
    fields = {HELD: {"held": True}, WAITING: {"dependencies": (after(7),), "begin_time": 4}}
    scheduler = idle(job := a_job(1, **fields.get(state, {})))
    outcomes(scheduler, 1) if state in (RUNNING, SUSPENDED) else None
    if state is SUSPENDED:
        scheduler.suspend(job)
    assert job.state is state
    return scheduler, job


@pytest.mark.parametrize("over", sorted(OVER, key=lambda state: state.value))
@pytest.mark.parametrize("state", [HELD, WAITING, PENDING, RUNNING, SUSPENDED])
def test_a_job_can_end_in_every_state(state: JobState, over: JobState) -> None:
    """C6: whatever it was, it holds nothing, pends nowhere and is woken by nothing."""
    scheduler, job = bring_to(state)
    scheduler.end(job, 2, over)
    assert (job.state, job.end_time) == (over, 2)
    assert scheduler.jobs == {}
    assert scheduler.running == {}
    assert scheduler.pending.count == 0
    assert account_of(scheduler) == account_of(idle())
    scheduler.submit(a_job(7), 3)
    end(scheduler, 7, 3)
    assert not scheduler.wake(9)
    assert job.state is over


# Waiting for a time.


def test_a_begin_time_is_waited_for() -> None:
    """C6: at its begin time, and not before, the job pends."""
    scheduler = idle(job := a_job(1, begin_time=5))
    assert scheduler.timers.first() == 5
    assert not scheduler.wake(4.999999)
    assert scheduler.wake(5)
    assert (job.state, job.eligible_time) == (PENDING, 5)


def test_who_waits_for_a_time_twice_pends_once() -> None:
    """C6: hold and release while it waits leave one entry among the pending, not two."""
    scheduler = idle(job := a_job(1, begin_time=5))
    scheduler.hold(job)
    scheduler.release(job, 1)
    assert scheduler.wake(5)
    assert scheduler.pending.count == 1
    assert told(outcomes(scheduler, 5)) == ["run 1"]
    assert scheduler.pending.count == 0


@pytest.mark.parametrize("begin", [3, 8])
def test_a_begin_time_that_was_changed_counts_as_changed(begin: int) -> None:
    """C6: neither the old time wakes the job, nor both."""
    scheduler = idle(job := a_job(1, begin_time=5))
    job.begin_time = begin
    scheduler.modified(job, 1)
    moments = [now for now in range(1, 10) if scheduler.wake(now)]
    assert moments == [begin]
    assert (job.eligible_time, scheduler.pending.count) == (begin, 1)


def test_a_modified_job_that_runs_stays_where_it_is() -> None:
    """C6: its priority counts once it is requeued."""
    scheduler = a_scheduler(
        a_cluster(a_host(slots=1)), job := a_job(2), a_job(1, at=1), policy=FirstCome()
    )
    outcomes(scheduler)
    job.priority = -1
    scheduler.modified(job, 1)
    assert job.state is RUNNING
    scheduler.requeue(job, 2)
    assert told(outcomes(scheduler, 2)) == ["run 1", "pend 2"]


def test_a_job_moved_to_no_known_queue_stays_where_it_is() -> None:
    """C6: the error names the queue, and the job still pends."""
    scheduler = idle(job := a_job(1))
    job.queue = "nowhere"
    with pytest.raises(JobError, match="queue nowhere is not known"):
        scheduler.modified(job, 1)
    assert (job.state, scheduler.pending.count) == (PENDING, 1)


# Waiting for other jobs.


Step = Callable[[Scheduler], object]


@pytest.mark.parametrize(
    ("when", "state", "met"),
    [
        (DependsOn.DONE, DONE, True),
        (DependsOn.DONE, FAILED, False),
        (DependsOn.DONE, KILLED, False),
        (DependsOn.ENDED, DONE, True),
        (DependsOn.ENDED, FAILED, True),
        (DependsOn.ENDED, KILLED, True),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_an_end_frees_who_waits_for_it(
    when: DependsOn, state: JobState, met: bool, late: bool
) -> None:
    """C6: done or ended, submitted before that end or after it; else it can never be."""
    waits = a_job(2, dependencies=(after(1, when),))
    scheduler = idle(a_job(1), *([] if late else [waits]))
    outcomes(scheduler)
    end(scheduler, 1, 5, state)
    if late:
        scheduler.submit(waits, 5)
    assert waits.state is (PENDING if met else WAITING)
    if not met:
        assert scheduler.reasons(waits).main is ReasonCode.DEPENDENCY_NEVER


def test_a_start_frees_who_waits_for_it() -> None:
    """C6: from the start on, that is for the session after the one that started it."""
    scheduler = idle(a_job(1), waits := a_job(2, dependencies=(after(1, STARTS),)))
    assert scheduler.reasons(waits).main is ReasonCode.DEPENDENCY
    assert started(outcomes(scheduler)) == ["1"]
    assert scheduler.wake(0)
    assert (waits.state, waits.eligible_time) == (PENDING, 0)


def test_a_job_that_runs_has_started_for_who_comes_later() -> None:
    """C6: a dependency on a start is met by a job that is running or over."""
    scheduler = idle(a_job(1), a_job("3[0]"))
    outcomes(scheduler)
    scheduler.submit(single := a_job(2, dependencies=(after(1, STARTS),)), 1)
    scheduler.submit(whole := a_job(4, dependencies=(after(3, STARTS),)), 1)
    scheduler.submit(element := a_job(5, dependencies=(after("3[0]", STARTS),)), 1)
    assert [job.state for job in (single, whole, element)] == [PENDING] * 3


@pytest.mark.parametrize("job_id", [1, "1[0]"])
def test_that_a_job_started_once_is_not_undone_by_a_requeue(job_id: int | str) -> None:
    """C6: who waits for a start is free from the first one on."""
    scheduler = idle(job := a_job(job_id))
    outcomes(scheduler)
    scheduler.requeue(job, 1)
    scheduler.submit(waits := a_job(2, dependencies=(after(job_id, STARTS),)), 1)
    assert waits.state is PENDING
    scheduler.end(job, 2, KILLED)
    scheduler.submit(waits := a_job(3, dependencies=(after(job_id, STARTS),)), 2)
    assert waits.state is PENDING


def test_a_job_killed_before_it_started_never_starts() -> None:
    """C6: who waits for its start is told that it waits in vain; who waits for its end is free."""
    start, over = (a_job(n, dependencies=(after(1, w),)) for n, w in ((2, STARTS), (3, ENDS)))
    scheduler = idle(a_job(1), start, over)
    end(scheduler, 1, 1, KILLED)
    assert (start.state, over.state) == (WAITING, PENDING)
    assert scheduler.reasons(start).main is ReasonCode.DEPENDENCY_NEVER


def test_all_elements_of_an_array_are_waited_for() -> None:
    """C6: an array's number means every element, an element's id just that one."""
    whole, one = a_job(8, dependencies=(after(1),)), a_job(9, dependencies=(after("1[2]"),))
    scheduler = idle(*(a_job(f"1[{index}]") for index in (0, 1, 2)), whole, one)
    outcomes(scheduler)
    end(scheduler, "1[2]", 1)
    assert (whole.state, one.state) == (WAITING, PENDING)
    end(scheduler, "1[0]", 2)
    assert whole.state is WAITING
    end(scheduler, "1[1]", 3)
    assert (whole.state, whole.eligible_time) == (PENDING, 3)


@pytest.mark.parametrize(
    ("when", "hope"),
    [(DependsOn.DONE, False), (DependsOn.ENDED, True), (DependsOn.STARTED, True)],
)
def test_one_failed_element_ends_only_the_hope_that_all_are_done(
    when: DependsOn, hope: bool
) -> None:
    """C6: the rest of the array can still start and end."""
    waits = a_job(8, dependencies=(after(1, when),))
    scheduler = a_scheduler(a_cluster(a_host(slots=1)), a_job("1[0]"), a_job("1[1]"), waits)
    assert started(outcomes(scheduler)) == ["1[0]"]
    end(scheduler, "1[0]", 1, FAILED)
    main = scheduler.reasons(waits).main
    assert main is (ReasonCode.DEPENDENCY if hope else ReasonCode.DEPENDENCY_NEVER)


def test_a_job_that_nobody_has_seen_yet_is_waited_for() -> None:
    """C6: a dependency may name a job that comes later."""
    scheduler = idle(waits := a_job(1, dependencies=(after(5), after("6[1]", ENDS))))
    assert scheduler.reasons(waits).main is ReasonCode.DEPENDENCY
    for job_id in (5, "6[0]", "6[1]"):
        scheduler.submit(a_job(job_id), 1)
        end(scheduler, job_id, 2)
        assert (waits.state is PENDING) == (job_id == "6[1]")


def test_a_delay_counts_from_the_moment_waited_for() -> None:
    """C6: the delay of a dependency is waited for once it is met."""
    scheduler = idle(a_job(1), waits := a_job(2, dependencies=(after(1, delay=2.5),)))
    outcomes(scheduler)
    end(scheduler, 1, 10)
    assert (waits.state, scheduler.timers.first()) == (WAITING, 12.5)
    assert scheduler.reasons(waits).main is ReasonCode.BEGIN_TIME
    assert scheduler.wake(12.5)
    assert waits.state is PENDING


def test_a_delay_after_a_start_is_not_prolonged_by_the_end() -> None:
    """C6: each delay counts from its own moment, of which the last is waited for."""
    dependencies = (after(1, STARTS, delay=10), after(3))
    scheduler = idle(a_job(1), a_job(3), waits := a_job(2, dependencies=dependencies))
    outcomes(scheduler, 0)
    end(scheduler, 1, 50)
    end(scheduler, 3, 55)
    assert (waits.state, waits.eligible_time) == (PENDING, 55)


def test_the_longest_wait_counts() -> None:
    """C6: begin time and delays of several dependencies are all waited for."""
    dependencies = (after(1, delay=30), after(3, delay=5))
    scheduler = idle(
        a_job(1), a_job(3), waits := a_job(2, dependencies=dependencies, begin_time=25)
    )
    outcomes(scheduler)
    end(scheduler, 1, 1)
    end(scheduler, 3, 20)
    assert [now for now in range(20, 40) if scheduler.wake(now)] == [31]
    assert waits.eligible_time == 31


def test_a_held_job_waits_for_nobody_once_it_is_released() -> None:
    """C6: what became of others meanwhile counts."""
    scheduler = idle(a_job(1), waits := a_job(2, dependencies=(after(1),)))
    outcomes(scheduler)
    scheduler.hold(waits)
    end(scheduler, 1, 1)
    assert waits.state is HELD
    scheduler.release(waits, 2)
    assert waits.state is PENDING


def test_history_knows_large_numbers_too() -> None:
    """C6: a job's number may be of any size."""
    big = 2**40
    scheduler = idle(a_job(big), waits := a_job(1, dependencies=(after(big),)))
    end(scheduler, big, 1)
    assert waits.state is PENDING
    assert scheduler.was_submitted(str(big))


# Taken over.


def test_a_dispatch_taken_over_may_overdraw_and_is_paid_back() -> None:
    """C4, S4: accounting goes below nothing only so, and comes back when the job ends."""
    scheduler = a_scheduler(a_cluster(a_host(slots=2)), job := a_job(1, 3), a_job(2, 1))
    before = account_of(scheduler)
    dispatch = scheduler.reconstruct(job, on_host(0, 3), 4)
    assert (dispatch.reconstructed, job.reconstructed, job.start_time) == (True, True, 4)
    assert scheduler.ledger.columns["slots"].left(0) == -1
    assert told(outcomes(scheduler, 5)) == ["pend 2"]
    end(scheduler, 1, 6)
    assert account_of(scheduler) == before


@pytest.mark.parametrize(
    "allocation",
    [
        Allocation((Placement(1, 1),), alternative=1),
        Allocation((Placement(1, 1, member=1),)),
    ],
)
def test_what_does_not_suit_the_job_is_not_taken_over(allocation: Allocation) -> None:
    """S4: an alternative or a member that it does not have is an error that changes nothing."""
    scheduler = idle(job := a_job(1))
    before = account_of(scheduler)
    with pytest.raises(JobError, match="no such"):
        scheduler.reconstruct(job, allocation, 0)
    assert account_of(scheduler) == before
    assert (job.state, scheduler.pending.count) == (PENDING, 1)


def test_a_running_job_is_not_taken_over() -> None:
    """S4: a job holds one allocation."""
    scheduler = idle(job := a_job(1))
    outcomes(scheduler)
    with pytest.raises(JobError, match="can't be taken over"):
        scheduler.reconstruct(job, on_host(0), 0)


@pytest.mark.parametrize("state", [HELD, WAITING, PENDING])
def test_whatever_waits_can_be_taken_over(state: JobState) -> None:
    """S4: the recording says that it runs, so it runs."""
    scheduler, job = bring_to(state)
    scheduler.reconstruct(job, on_host(0), 2)
    assert (job.state, scheduler.pending.count) == (RUNNING, 0)
    scheduler.wake(9)
    assert outcomes(scheduler, 9) == []


def test_a_requeued_job_is_no_longer_taken_over() -> None:
    """S4: its next start is a decision of its own."""
    scheduler = idle(job := a_job(1))
    scheduler.reconstruct(job, on_host(0), 0)
    scheduler.requeue(job, 1)
    assert not job.reconstructed
    (dispatch,) = outcomes(scheduler, 1)
    assert not dispatch.reconstructed


# Hosts.


def test_a_host_that_is_not_open_takes_no_new_job_and_keeps_the_old() -> None:
    """C1, C6: closing or downing hosts tells who is on them, by start, and ends nothing."""
    cluster = a_cluster(a_host(slots=1), a_host(slots=1), a_host(slots=1))
    scheduler = a_scheduler(cluster, a_job(2), a_job(1, at=1), a_job(3, at=2), a_job(4, at=3))
    outcomes(scheduler)
    assert [job.id for job in scheduler.set_hosts(0b011, HostState.DOWN)] == ["2", "1"]
    assert [job.id for job in scheduler.set_hosts(0b010, HostState.CLOSED)] == ["1"]
    states = [scheduler.ledger.state_of(index) for index in range(3)]
    assert states == [HostState.DOWN, HostState.CLOSED, HostState.OPEN]
    end(scheduler, 1, 1)
    assert told(outcomes(scheduler, 1)) == ["pend 4"]
    scheduler.set_hosts(0b010, HostState.OPEN)
    assert told(outcomes(scheduler, 2)) == ["run 4"]


def test_a_closed_queue_starts_nothing() -> None:
    """C1: until it is opened."""
    scheduler = idle(a_job(1))
    scheduler.set_queue("normal", False)
    assert told(outcomes(scheduler)) == ["pend 1"]
    scheduler.set_queue("normal", True)
    assert told(outcomes(scheduler)) == ["run 1"]
