"""The recorded timeline on small recordings whose course was worked out by hand."""

from __future__ import annotations

import pytest

from tests.builders import (
    a_cluster,
    a_host,
    a_job,
    a_replay,
    a_request,
    after,
    finish,
    on_host,
    replayed,
    starts,
)
from xce_core.model.cluster import Cluster, HostState
from xce_core.model.decisions import Allocation
from xce_core.model.jobs import DependsOn, JobState
from xce_core.sim.events import Act, Event, HostChange, JobAct, JobEnd, Recorded, SessionMark
from xce_core.sim.workload import InputError, Start, Timeline

RECORDED = Timeline.RECORDED


def one_host(slots: int = 1) -> Cluster:
    return a_cluster(a_host(slots=slots))


def mark(time: float, number: int, *decisions: Recorded) -> SessionMark:
    return SessionMark(time, number, decisions, 0)


def ran(job: int | str, allocation: Allocation | None = None, again: bool = False) -> Recorded:
    """A recorded dispatch on the first host, reconstructed if *again*."""
    return Recorded(str(job), allocation or on_host(0), None, again, 21)


def pended(job: int) -> Recorded:
    return Recorded(str(job), None, None, False, 22)


def end(time: float, job: int, state: JobState = JobState.DONE) -> JobEnd:
    return JobEnd(time, str(job), state, 23)


def lines_of(cluster: Cluster, *events: Event, **options: object) -> list[str]:
    return replayed(cluster, *events, timeline=RECORDED, **options)


def test_sessions_and_ends_are_at_their_recorded_times() -> None:
    """S2: run times do not count, and there is no session but the recorded ones."""
    assert lines_of(
        one_host(),
        a_job(1, at=0, run=1),
        a_job(2, at=0, run=1),
        mark(3, 5, ran(1), pended(2)),
        end(9, 1),
        mark(12, 6, ran(2)),
        end(20, 2, JobState.FAILED),
    ) == [
        "0 submit 1",
        "0 submit 2",
        "3 session 5",
        "3 run 1",
        "3 pend 2",
        "9 done 1",
        "12 session 6",
        "12 run 2",
        "20 failed 2",
        "20 finished",
    ]


def test_a_missing_dispatch_is_taken_over_at_the_next_session() -> None:
    """S4: what the recording started and the replay did not comes first, as recorded."""
    lines = lines_of(
        one_host(2),
        a_job(1, 2),
        a_job(2, 1),
        a_job(3, 2),
        mark(1, 1, ran(3, on_host(0, 2))),
        end(4, 1),
        mark(5, 2, pended(2)),
        mark(6, 3),
    )
    assert [line for line in lines if "submit" not in line] == [
        "1 session 1",
        "1 run 1",
        "1 pend 2",
        "1 pend 3",
        "4 done 1",
        "5 session 2",
        "5 take over 3",
        "6 session 3",
        "6 finished",
    ]


def test_what_is_taken_over_may_overdraw() -> None:
    """S4, C4: a reconstructed dispatch is not asked whether it fits."""
    replay, journal = a_replay(
        one_host(1),
        a_job(1),
        a_job(2),
        mark(1, 1, ran(2)),
        mark(2, 2),
        end(3, 1),
        end(3, 2),
        mark(4, 3),
        timeline=RECORDED,
    )
    slots = replay.scheduler.ledger.columns["slots"]
    left = []
    while replay.advance():
        for _ in replay.outcomes():
            left.append(slots.left(0))
    assert starts(journal.lines) == ["1 run 1", "2 take over 2"]
    assert left == [0, 0, -1]
    assert slots.left(0) == 1


def test_a_recorded_reconstruction_is_taken_over_in_its_own_session() -> None:
    """S4: where the recording itself took a dispatch over, it comes before that session's own."""
    assert lines_of(
        one_host(2), a_job(1, 2), a_job(2), mark(1, 1, ran(2, again=True), pended(1))
    )[2:] == ["1 session 1", "1 take over 2", "1 pend 1", "1 finished"]


def test_what_was_started_here_is_not_taken_over() -> None:
    """S4: on other hosts, or in an earlier session, it runs all the same."""
    cluster = a_cluster(a_host(slots=1), a_host(slots=1))
    lines = lines_of(cluster, a_job(1), mark(1, 1, ran(1, on_host(1))), mark(2, 2, ran(1)))
    assert starts(lines) == ["1 run 1"]


@pytest.mark.parametrize(
    ("between", "ends"),
    [
        (end(2, 2), "2 done 2"),
        (JobAct(2, "2", Act.KILL, 0), "2 killed 2"),
    ],
)
def test_what_ended_before_the_next_session_is_not_taken_over(between: Event, ends: str) -> None:
    """S4: a job that is over when the next session begins stays so."""
    lines = lines_of(one_host(), a_job(1), a_job(2), mark(1, 1, ran(2)), between, mark(3, 2))
    assert starts(lines) == ["1 run 1"]
    assert ends in lines


def test_what_was_requeued_before_the_next_session_is_not_taken_over() -> None:
    """S4, C6: the recording started it and took it back; here it never ran."""
    replay, journal = a_replay(
        one_host(),
        a_job(1),
        a_job(2),
        mark(1, 1, ran(2)),
        JobAct(2, "2", Act.REQUEUE, 0),
        mark(3, 2),
        timeline=RECORDED,
    )
    finish(replay)
    assert starts(journal.lines) == ["1 run 1"]
    assert replay.skipped == {"requeue of a job that is pending": 1}


@pytest.mark.parametrize("fields", [{"held": True}, {"begin_time": 99}])
def test_what_waits_here_is_taken_over_all_the_same(fields: dict[str, object]) -> None:
    """S4: the recording says that it runs."""
    job = a_job(1, **fields)
    assert starts(lines_of(one_host(), job, mark(1, 1, ran(1)), mark(2, 2))) == ["2 take over 1"]


def test_a_recorded_dispatch_that_does_not_suit_the_job_is_a_fault_of_the_input() -> None:
    """S6: told with the line of the decision."""
    wrong = on_host(0)._replace(alternative=3)
    replay, _ = a_replay(one_host(), a_job(1, 2), mark(1, 1, ran(1, wrong)), mark(2, 2),
                         timeline=RECORDED)
    with pytest.raises(InputError, match="<memory>:21: job 1 has no such alternative"):
        finish(replay)


def test_a_begin_time_is_over_at_the_first_session_after_it() -> None:
    """S2, C6: no session of its own, as nobody recorded one."""
    lines = lines_of(one_host(), a_job(1, begin_time=5), mark(4, 1), mark(7, 2))
    assert starts(lines) == ["7 run 1"]


def test_who_waits_for_what_is_taken_over_is_free_at_once() -> None:
    """S4, C6: a start that is taken over is a start."""
    waits = a_job(2, dependencies=(after(1, DependsOn.STARTED),))
    lines = lines_of(one_host(3), a_job(1, 2), waits, mark(1, 1, ran(1, on_host(0, 2), True)))
    assert starts(lines) == ["1 take over 1", "1 run 2"]


def test_a_host_that_goes_down_ends_nothing_by_itself() -> None:
    """S2: the recording tells what became of its jobs."""
    lines = lines_of(
        one_host(), a_job(1), mark(0, 1), HostChange(1, 1, HostState.DOWN, 0), end(2, 1)
    )
    assert lines[-3:] == ["1 change", "2 done 1", "2 finished"]


def test_a_job_that_could_never_run_comes_in_and_pends() -> None:
    """S2: the recording had it, so it is there."""
    lines = lines_of(one_host(), a_job(1, 9), a_job(2, a_request(1, tape=1)), mark(1, 1))
    assert lines == [
        "0 submit 1",
        "0 submit 2",
        "1 session 1",
        "1 pend 1",
        "1 none 2",
        "1 finished",
    ]


def test_what_runs_at_the_start_is_told_in_the_first_session() -> None:
    """S4: and ends when the recording says."""
    running = a_job(1, state=JobState.RUNNING, start_time=40)
    start = Start((running, a_job(2)), (("1", on_host(0)),), time=50, session=3)
    replay, journal = a_replay(
        one_host(), mark(51, 4), end(52, 1), mark(53, 5), start=start, timeline=RECORDED
    )
    finish(replay)
    assert journal.lines == [
        "50 submit 1",
        "50 submit 2",
        "51 session 4",
        "51 take over 1",
        "51 pend 2",
        "52 done 1",
        "53 session 5",
        "53 run 2",
        "53 finished",
    ]
    assert journal.runs == [("1", 40, 52, 1)]


def test_what_ends_before_the_first_session_is_not_told_as_taken_over() -> None:
    """S4: nobody hears of the start of a job after he heard of its end."""
    running = a_job(1, state=JobState.RUNNING, start_time=40)
    start = Start((running,), (("1", on_host(0)),), time=50)
    assert lines_of(one_host(), end(51, 1), mark(52, 1), start=start) == [
        "50 submit 1",
        "51 done 1",
        "52 session 1",
        "52 finished",
    ]


@pytest.mark.parametrize("decision", [ran(7), ran(7, again=True), pended(7), ran("1[2]")])
def test_a_decision_on_what_was_never_submitted_is_a_fault_of_the_input(
    decision: Recorded,
) -> None:
    """S6: told with its line, whichever decision it is."""
    with pytest.raises(InputError) as caught:
        lines_of(one_host(), a_job(1), mark(1, 1, ran(1), decision))
    what = f"job: job {decision.job} was never submitted"
    assert str(caught.value) == f"<memory>:{decision.line}: {what}"


def test_a_decision_on_a_job_that_is_over_is_none() -> None:
    """S4: it came in, and can't start any more."""
    lines = lines_of(one_host(), a_job(1), mark(1, 1, ran(1)), end(2, 1), mark(3, 2, ran(1)))
    assert lines[-1] == "3 finished"
