"""The small log, read and run by hand.

fixtures/small.swf has eight processors. Under strict first come, first served the jobs start
at these times ("free" is what is free after the start):

    job  submit  run  procs  start  why
     1       0   100     4      0   free 4
     2      10    50     2     10   free 2
     3      20   200     4     60   job 2 ends; free 0
     4      30    30     1    100   behind job 3, then job 1 ends; free 3
     5      40    60     8    260   waits for the whole machine: job 3 ends last
     6      50    10     1    320   behind job 5; free 7
     7      50     0     2    320   ends at once; free 7 again
     8     300    40     6    320   free 1
     9     310   100     2    330   job 6 ends; free 0
    10     400    20     3    400   job 8 ended at 360; free 3
    13     500    15     8    500   job 9 ended at 430

Job 11 was cancelled before its start and job 12 is larger than the machine.
"""

from __future__ import annotations

from tests.reference.fcfs import fcfs
from tests.swf.samples import FIXTURES, jobs_of, slots_asked
from xce_core.model.jobs import JobState
from xce_plugins.swf import SwfOptions, SwfWorkload, open_workload

STARTS = {1: 0, 2: 10, 3: 60, 4: 100, 5: 260, 6: 320, 7: 320, 8: 320, 9: 330, 10: 400, 13: 500}


def the_log(options: SwfOptions | None = None) -> SwfWorkload:
    """The small log, opened."""
    path = FIXTURES / "small.swf"
    return open_workload(path.open("rb"), str(path), options or SwfOptions())


def test_the_jobs_that_can_run_start_as_worked_out_by_hand() -> None:
    """The jobs that are read, in their order, with their sizes and run times."""
    jobs = jobs_of(the_log())
    plain = [(int(j.submit_time), int(j.run_time or 0), slots_asked(j)) for j in jobs]
    assert dict(zip((j.number for j in jobs), fcfs(plain, 8), strict=True)) == STARTS


def test_the_jobs_that_cannot_run_are_counted() -> None:
    """Nothing is dropped silently."""
    workload = the_log()
    assert len(jobs_of(workload)) == 11
    assert workload.tally.read == 13
    assert workload.tally.refused == {
        "cancelled before its start": 1,
        "more processors than the machine has": 1,
    }
    assert not workload.tally.repaired
    assert workload.notes == {
        "allocated processors stand in for requested ones that are unknown": 1
    }


def test_the_machine_is_that_of_the_header() -> None:
    """MaxNodes hosts share MaxProcs slots; prose after a number does no harm."""
    cluster = the_log().cluster
    assert [host.capacity["slots"] for host in cluster.hosts] == [2, 2, 2, 2]
    assert list(cluster.queues) == ["default"]


def test_a_job_has_all_that_its_line_says() -> None:
    """C1: users, projects, limits, outcomes; and the line it comes from."""
    by_number = {job.number: job for job in jobs_of(the_log())}
    job = by_number[2]
    assert (job.id, job.index, job.user, job.project, job.queue) == (
        "2",
        -1,
        "user2",
        "group1",
        "default",
    )
    assert (job.submit_time, job.run_time, job.time_limit, job.line) == (10, 50, 100, 14)
    assert by_number[8].time_limit is None
    assert (by_number[13].user, by_number[13].project) == ("unknown", "unknown")
    outcomes = [by_number[number].outcome for number in (1, 4, 10)]
    assert outcomes == [JobState.DONE, JobState.FAILED, JobState.KILLED]


def test_the_queues_of_the_log_can_be_kept() -> None:
    """Strict and equal in priority, in order of their numbers."""
    workload = the_log(SwfOptions(queues="log"))
    queues = list(workload.cluster.queues.values())
    assert [(q.name, q.priority, q.order.value) for q in queues] == [
        ("q1", 0, "strict"),
        ("q2", 0, "strict"),
        ("unknown", 0, "strict"),
    ]
    assert [job.queue for job in jobs_of(workload)][3:7] == ["q2", "q1", "q2", "q2"]
