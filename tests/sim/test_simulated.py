"""The simulated timeline on small inputs whose course was worked out by hand."""

from __future__ import annotations

import pytest

from tests.builders import (
    FirstCome,
    a_cluster,
    a_host,
    a_job,
    a_queue,
    a_replay,
    a_request,
    after,
    finish,
    on_host,
    replayed,
    starts,
)
from xce_core.model.cluster import Cluster, HostState, Order
from xce_core.model.jobs import DependsOn, Job, JobState
from xce_core.sim.events import (
    Act,
    Event,
    HostChange,
    JobAct,
    JobChange,
    JobEnd,
    QueueChange,
    SessionMark,
    time_of,
)
from xce_core.sim.workload import InputError, Start


def one_host(slots: int = 1) -> Cluster:
    return a_cluster(a_host(slots=slots))


def act(time: float, job: int | str, what: Act) -> JobAct:
    return JobAct(time, str(job), what, 0)


def change(time: float, job: int, **fields: object) -> JobChange:
    none = dict.fromkeys(["priority", "queue", "time_limit", "begin_time"])
    return JobChange(time, str(job), **{**none, **fields}, line=7)  # type: ignore[arg-type]


# Ends, submissions, sessions.


def test_jobs_run_one_after_the_other() -> None:
    """S2: a job ends when its run time is over, and a session follows."""
    assert replayed(one_host(), a_job(1, at=0, run=10), a_job(2, at=4, run=5)) == [
        "0 submit 1",
        "0 session 1",
        "0 run 1",
        "4 submit 2",
        "4 session 2",
        "4 pend 2",
        "10 done 1",
        "10 session 3",
        "10 run 2",
        "15 done 2",
        "15 session 4",
        "15 finished",
    ]


def test_what_ends_in_a_second_makes_room_for_what_comes_in_it() -> None:
    """S2: ends come first, then the rest of the moment, then one session for all of it."""
    lines = replayed(
        one_host(),
        a_job(1, at=0, run=10),
        a_job(2, at=10, run=5),
        act(10, 2, Act.HOLD),
        a_job(3, at=10, run=1),
        act(11, 2, Act.RELEASE),
    )
    assert lines[3:] == [
        "10 done 1",
        "10 submit 2",
        "10 hold 2",
        "10 submit 3",
        "10 session 2",
        "10 run 3",
        "11 done 3",
        "11 release 2",
        "11 session 3",
        "11 run 2",
        "16 done 2",
        "16 session 4",
        "16 finished",
    ]


def test_jobs_that_end_together_end_in_the_order_of_their_start() -> None:
    """C7: never by chance."""
    jobs = [a_job(3, at=0, run=9), a_job(1, at=1, run=8), a_job(2, at=1, run=8)]
    lines = replayed(one_host(3), *jobs)
    assert [line for line in lines if "done" in line] == ["9 done 3", "9 done 1", "9 done 2"]


def test_a_job_of_no_time_starts_and_ends_in_one_moment() -> None:
    """S2: two sessions of the same moment, the second with the room free again."""
    assert replayed(one_host(), a_job(1, at=5, run=0), a_job(2, at=5, run=0))[2:] == [
        "5 session 1",
        "5 run 1",
        "5 pend 2",
        "5 done 1",
        "5 session 2",
        "5 run 2",
        "5 done 2",
        "5 session 3",
        "5 finished",
    ]


def test_times_that_are_equal_on_paper_meet() -> None:
    """S2: 0.1 + 0.2 and 0.3 are one moment."""
    lines = replayed(one_host(), a_job(1, at=0.1, run=0.2), a_job(2, at=0.3, run=0.4))
    assert lines[2:] == [
        "0.1 run 1",
        "0.3 done 1",
        "0.3 submit 2",
        "0.3 session 2",
        "0.3 run 2",
        "0.7 done 2",
        "0.7 session 3",
        "0.7 finished",
    ]


def test_a_sum_that_comes_out_whole_is_whole() -> None:
    """S2: times are shown as they are, 1 and not 1.0."""
    lines = replayed(one_host(), a_job(1, at=0.75, run=0.25))
    assert lines[-1] == "1 finished"


def test_the_outcome_of_a_job_is_the_recorded_one() -> None:
    """S2: a job that failed fails here too, when its run time is over."""
    lines = replayed(one_host(), a_job(1, run=3, outcome=JobState.FAILED))
    assert "3 failed 1" in lines


def test_recorded_ends_and_sessions_do_not_count() -> None:
    """S2: when jobs end is for the simulation to say."""
    events = [
        a_job(1, at=0, run=10),
        JobEnd(3, "1", JobState.DONE, 0),
        SessionMark(4, 9, (), 0),
    ]
    assert replayed(one_host(), *events)[1:] == [
        "0 session 1",
        "0 run 1",
        "10 done 1",
        "10 session 2",
        "10 finished",
    ]


def test_a_job_without_a_run_time_is_a_fault_of_the_input() -> None:
    """S6: told with the line that submitted it."""
    replay, _ = a_replay(one_host(), a_job(1, run=None, line=12))
    with pytest.raises(InputError, match="<memory>:12: run_time: job 1 has none"):
        finish(replay)


def test_an_empty_input_is_an_empty_replay() -> None:
    """S2: no event, no session."""
    assert replayed(one_host()) == ["0 finished"]


@pytest.mark.parametrize("each", [True, False])
def test_sessions_passed_over_are_counted_and_start_nothing(each: bool) -> None:
    """S2: whether each refusal is told changes no start and no session number."""
    jobs = [a_job(1, 2, at=0, run=9), *(a_job(n, 1, at=n, run=2) for n in (2, 3, 4, 5))]
    replay, journal = a_replay(one_host(2), *jobs, each=each)
    finish(replay)
    assert starts(journal.lines) == ["0 run 1", "9 run 2", "9 run 3", "11 run 4", "11 run 5"]
    sessions = [line.split()[2] for line in journal.lines if "session" in line]
    assert sessions == list("12345678" if each else "1267")
    assert replay.number == 8


# Jobs that can never run.


def test_a_job_that_never_fits_is_refused() -> None:
    """S2: it does not come in, stands in nobody's way, and what is done to it is passed over."""
    queues = [a_queue(order=Order.STRICT)]
    cluster = a_cluster(a_host(slots=2), queues=queues)
    replay, journal = a_replay(
        cluster,
        a_job(1, 3),
        a_job(2, 2),
        a_job(3, a_request(1, tape=1)),
        a_job(4, queue="nowhere"),
        act(1, 1, Act.KILL),
        change(2, 1, priority=3),
        policy=FirstCome(),
    )
    finish(replay)
    assert journal.lines[:6] == [
        "0 refuse 1: does not fit an empty cluster",
        "0 submit 2",
        "0 refuse 3: resource tape is not known",
        "0 refuse 4: queue nowhere is not known",
        "0 session 1",
        "0 run 2",
    ]
    assert sum(replay.skipped.values()) == 2


def test_a_job_that_nobody_submitted_is_a_fault_of_the_input() -> None:
    """S6: whatever is done to it, the line is named."""
    replay, _ = a_replay(one_host(), a_job(1), JobAct(1, "9", Act.KILL, 33))
    with pytest.raises(InputError, match=r"<memory>:33: job: job 9 was never submitted"):
        finish(replay)


@pytest.mark.parametrize(
    ("event", "what"),
    [
        (a_job(1, line=44), "44: job 1 was submitted before"),
        (change(1, 1, queue="nowhere"), "7: queue nowhere is not known"),
    ],
)
def test_a_contradiction_is_a_fault_of_the_input(event: Event, what: str) -> None:
    """S6: a job id used twice, and a queue that is not there."""
    replay, _ = a_replay(one_host(), a_job(1, held=True), event)
    with pytest.raises(InputError, match=f"<memory>:{what}"):
        finish(replay)


# Waiting.


def test_a_begin_time_brings_a_session_of_its_own() -> None:
    """S2, C6: also when nothing else happens at that time."""
    assert replayed(one_host(), a_job(1, at=0, run=1, begin_time=2.5)) == [
        "0 submit 1",
        "0 session 1",
        "2.5 session 2",
        "2.5 run 1",
        "3.5 done 1",
        "3.5 session 3",
        "3.5 finished",
    ]


def test_a_dependency_and_its_delay_bring_a_session() -> None:
    """S2, C6: from the end waited for, the delay is waited for."""
    waits = a_job(2, at=0, run=1, dependencies=(after(1, delay=2),))
    lines = replayed(one_host(), a_job(1, run=3), waits)
    assert starts(lines) == ["0 run 1", "5 run 2"]
    assert [line for line in lines if "session" in line][:3] == [
        "0 session 1",
        "3 session 2",
        "5 session 3",
    ]


def test_who_waits_for_a_start_can_start_in_the_same_moment() -> None:
    """S2, C6: there is room, so that it does not wait for something else to happen."""
    waits = a_job(1, at=0, run=1, dependencies=(after(2, DependsOn.STARTED),))
    assert replayed(one_host(2), waits, a_job(2, run=9))[2:6] == [
        "0 session 1",
        "0 run 2",
        "0 session 2",
        "0 run 1",
    ]


def test_a_chain_of_arrays_runs_in_order() -> None:
    """C6: each array waits for all elements of the one before it."""
    jobs = [
        a_job(f"{number}[{index}]", run=index + 1, dependencies=needs)
        for number, needs in ((1, ()), (2, (after(1),)), (3, (after(2),)))
        for index in (0, 1)
    ]
    assert starts(replayed(one_host(2), *jobs)) == [
        "0 run 1[0]",
        "0 run 1[1]",
        "2 run 2[0]",
        "2 run 2[1]",
        "4 run 3[0]",
        "4 run 3[1]",
    ]


def test_a_begin_time_that_is_moved_brings_no_session_at_the_old_one() -> None:
    """S2: a session follows a moment at which something happened, and nothing did."""
    lines = replayed(one_host(), a_job(1, run=1, begin_time=5), change(1, 1, begin_time=8))
    assert [line for line in lines if "session" in line] == [
        "0 session 1",
        "1 session 2",
        "8 session 3",
        "9 session 4",
    ]


# Suspended jobs, time limits, requeues.


def test_the_clock_of_a_suspended_job_stands_still() -> None:
    """S2, C6: what is left of its run time when suspended is what it runs once resumed."""
    lines = replayed(
        one_host(),
        a_job(1, run=10),
        act(4, 1, Act.SUSPEND),
        a_job(2, at=5, run=1),
        act(20, 1, Act.RESUME),
    )
    assert [line for line in lines if "session" not in line][2:] == [
        "4 suspend 1",
        "5 submit 2",
        "5 pend 2",
        "20 resume 1",
        "26 done 1",
        "26 run 2",
        "27 done 2",
        "27 finished",
    ]


def test_suspended_twice_at_decimal_times_it_still_runs_its_run_time() -> None:
    """S2: 0.1 and 0.2 are run before, 0.7 after."""
    events = [
        a_job(1, run=1),
        act(0.1, 1, Act.SUSPEND),
        act(0.3, 1, Act.RESUME),
        act(0.5, 1, Act.SUSPEND),
        act(0.6, 1, Act.RESUME),
    ]
    assert "1.3 done 1" in replayed(one_host(), *events)


@pytest.mark.parametrize("enforce", [False, True])
def test_a_time_limit_ends_a_job_only_when_asked_to(enforce: bool) -> None:
    """S2: limits are kept only on request; who is within its limit ends by itself."""
    jobs = [a_job(1, run=10, time_limit=4), a_job(2, run=4, time_limit=4)]
    lines = replayed(one_host(2), *jobs, enforce=enforce)
    ends = [line for line in lines if "done" in line or "killed" in line]
    assert ends == (
        ["4 killed 1 at its limit", "4 done 2"] if enforce else ["4 done 2", "10 done 1"]
    )


def test_a_suspended_job_is_killed_when_it_has_run_to_its_limit() -> None:
    """S2: its clock stands still for its limit too."""
    events = [
        a_job(1, run=10, time_limit=5),
        act(2, 1, Act.SUSPEND),
        act(6, 1, Act.RESUME),
    ]
    assert "9 killed 1 at its limit" in replayed(one_host(), *events, enforce=True)


def test_a_requeued_job_runs_all_over_and_keeps_its_place() -> None:
    """C6: its first submit time puts it before who came later; its old end does not count."""
    replay, journal = a_replay(
        one_host(), a_job(1, run=10), a_job(2, at=1, run=1), act(6, 1, Act.REQUEUE)
    )
    finish(replay)
    assert starts(journal.lines) == ["0 run 1", "6 run 1", "16 run 2"]
    assert journal.runs == [("1", 0, 6, 1), ("1", 6, 16, 1), ("2", 16, 17, 1)]


@pytest.mark.parametrize("what", [Act.REQUEUE, Act.SUSPEND, Act.RESUME])
def test_what_a_job_is_in_no_state_to_obey_is_passed_over(what: Act) -> None:
    """C6: counted by cause, and no fault of the input."""
    replay, journal = a_replay(one_host(), a_job(1, held=True), act(1, 1, what))
    finish(replay)
    assert replay.skipped == {f"{what.value} of a job that is held": 1}
    assert not any(what.value in line for line in journal.lines)


def test_what_is_done_to_a_job_that_is_over_is_passed_over() -> None:
    """C6: counted, and no fault of the input."""
    replay, _ = a_replay(one_host(), a_job(1, run=1), act(5, 1, Act.KILL))
    finish(replay)
    assert replay.skipped == {"something done to a job that is over": 1}


def test_a_killed_job_frees_its_host_at_once() -> None:
    """C6: in whatever state it is."""
    lines = replayed(
        one_host(),
        a_job(1, run=10),
        a_job(2, run=2),
        a_job(3, at=1, run=1),
        act(3, 1, Act.KILL),
        act(3, 2, Act.KILL),
    )
    assert starts(lines) == ["0 run 1", "3 run 3"]
    assert "3 killed 1" in lines
    assert "3 killed 2" in lines


# Hosts and queues.


def test_a_host_that_goes_down_sends_its_jobs_back() -> None:
    """S2, C6: they wait again with their first submit time; closing a host sends nobody back."""
    two = a_cluster(a_host(slots=2), a_host(slots=1))
    replay, journal = a_replay(
        two,
        a_job(1, 2, run=10),
        a_job(2, 1, run=10),
        HostChange(2, 0b10, HostState.CLOSED, 0),
        a_job(3, 1, at=3, run=1),
        HostChange(4, 0b11, HostState.DOWN, 0),
        HostChange(6, 0b01, HostState.OPEN, 0),
    )
    finish(replay)
    lines = [line for line in journal.lines if "session" not in line]
    assert lines[2:] == [
        "0 run 1",
        "0 run 2",
        "2 change",
        "3 submit 3",
        "3 pend 3",
        "4 change",
        "4 requeue 1",
        "4 requeue 2",
        "4 pend 1",
        "4 pend 2",
        "4 pend 3",
        "6 change",
        "6 run 1",
        "6 pend 2",
        "6 pend 3",
        "16 done 1",
        "16 run 2",
        "16 run 3",
        "17 done 3",
        "26 done 2",
        "26 finished",
    ]
    assert journal.capacities == [(2, 3), (4, 0), (6, 2)]
    assert journal.runs[:2] == [("1", 0, 4, 2), ("2", 0, 4, 1)]


def test_a_suspended_job_on_a_host_that_goes_down_starts_afresh() -> None:
    """C6: what was left of its run time is forgotten."""
    lines = replayed(
        one_host(),
        a_job(1, run=10),
        act(4, 1, Act.SUSPEND),
        HostChange(5, 1, HostState.DOWN, 0),
        HostChange(8, 1, HostState.OPEN, 0),
    )
    assert starts(lines) == ["0 run 1", "8 run 1"]
    assert "18 done 1" in lines


def test_a_job_waits_for_its_queue_to_open() -> None:
    """C1: closed, it starts nothing; opened, a session follows."""
    lines = replayed(
        one_host(2),
        QueueChange(0, "normal", False, 0),
        a_job(1, at=1, run=1),
        QueueChange(5, "normal", True, 0),
    )
    assert starts(lines) == ["5 run 1"]


def test_a_changed_priority_or_queue_counts_from_the_next_session() -> None:
    """C6: the order is that of the job as it is now."""
    queues = [a_queue(), a_queue("urgent", priority=5)]
    cluster = a_cluster(a_host(slots=1), queues=queues)
    jobs = [a_job(number, at=number, run=10) for number in (1, 2, 3, 4)]
    lines = replayed(
        cluster,
        *jobs,
        change(6, 3, priority=7),
        change(7, 4, queue="urgent"),
        policy=FirstCome(),
    )
    assert starts(lines) == ["1 run 1", "11 run 4", "21 run 3", "31 run 2"]


# Starting states.


def test_a_replay_may_begin_with_jobs_that_run() -> None:
    """S2, S4: they are told as taken over, and run what is left of their run time."""
    running = a_job(1, 2, run=10, state=JobState.RUNNING, start_time=95, remaining=5)
    start = Start((running, a_job(2, 1, run=1)), (("1", on_host(0, 2)),), time=100, session=7)
    lines = replayed(one_host(2), a_job(3, at=101, run=1), start=start)
    assert lines == [
        "100 submit 1",
        "100 submit 2",
        "100 session 8",
        "100 take over 1",
        "100 pend 2",
        "101 submit 3",
        "101 session 9",
        "101 pend 3",
        "105 done 1",
        "105 session 10",
        "105 run 2",
        "105 run 3",
        "106 done 2",
        "106 done 3",
        "106 session 11",
        "106 finished",
    ]


def test_a_job_suspended_at_the_start_resumes_where_it_was() -> None:
    """S2, C6: its remaining run time is that of the starting state."""
    job = a_job(1, run=10, state=JobState.SUSPENDED, start_time=0, remaining=4)
    start = Start((job,), (("1", on_host(0)),), time=50)
    assert "64 done 1" in replayed(one_host(), act(60, 1, Act.RESUME), start=start)


@pytest.mark.parametrize("remaining", [None, 5])
def test_what_ran_before_the_start_counts(remaining: int | None) -> None:
    """S2: where the starting state does not say what remains, the start does."""
    job = a_job(1, run=10, state=JobState.RUNNING, start_time=95, remaining=remaining)
    start = Start((job,), (("1", on_host(0)),), time=100)
    assert "105 done 1" in replayed(one_host(), start=start)


def test_jobs_that_pend_at_the_start_start() -> None:
    """S2: also if nothing else ever happens."""
    start = Start((a_job(1, run=5),), time=50)
    assert starts(replayed(one_host(), start=start)) == ["50 run 1"]


def test_a_starting_state_that_contradicts_itself_is_a_fault_of_the_input() -> None:
    """S6: an allocation that the job can't have had is told with its line."""
    job = a_job(1, line=3)
    wrong = on_host(0)._replace(alternative=4)
    with pytest.raises(InputError, match="<memory>:3: job 1 has no such alternative"):
        a_replay(one_host(), start=Start((job,), (("1", wrong),), time=0))


def test_events_are_taken_as_they_are_asked_for() -> None:
    """S8: a replay reads no further than the next event."""
    read: list[Event] = []

    class Watched(list[Event]):
        def __iter__(self):  # type: ignore[no-untyped-def]
            for event in super().__iter__():
                read.append(event)
                yield event

    jobs: list[Job] = [a_job(number, at=number, run=1) for number in (1, 2, 3, 4)]
    replay, _ = a_replay(one_host())
    replay.workload._events = Watched(jobs)  # type: ignore[attr-defined]
    replay._events = replay.workload.events()
    replay._next_event = next(replay._events)
    assert replay.advance()
    assert [time_of(event) for event in read] == [1, 2]
