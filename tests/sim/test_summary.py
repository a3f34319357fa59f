"""The result as text and as JSON."""

import json
from collections import Counter

from xce_core.model.jobs import Job, JobState, Seconds
from xce_core.model.requests import Primary, Requirement
from xce_core.sim.figures import Result
from xce_core.sim.metrics import Metrics
from xce_core.sim.summary import as_json, text_lines
from xce_core.sim.workload import Tally

ONE_TASK = Requirement.single(Primary(1, 1, (("slots", 1),)))


def a_job(submit: Seconds, start: Seconds | None, end: Seconds | None, state: JobState) -> Job:
    return Job(
        "1", 1, -1, "ann", "normal", "p", ONE_TASK, submit, state=state,
        eligible_time=submit, start_time=start, end_time=end,
    )  # fmt: skip


def a_result() -> Result:
    """Four slots; one job of each outcome."""
    metrics = Metrics()
    metrics.capacity(0, 4)
    for job, at_limit in [
        (a_job(0, 0, 2000, JobState.DONE), False),
        (a_job(10, 31435.6, 31440.6, JobState.FAILED), False),
        (a_job(20, 50, 50, JobState.KILLED), False),
        (a_job(30, 130, 1130, JobState.KILLED), True),
        (a_job(40, None, 60, JobState.KILLED), False),
    ]:
        if job.start_time is not None and job.end_time is not None:
            metrics.ran(job, job.start_time, job.end_time, 2)
        metrics.job_over(job, at_limit)
    metrics.refused("needs more than the cluster has")
    running = a_job(50, 30000, None, JobState.RUNNING)
    metrics.ran(running, 30000, 32000, 1)
    metrics.finish(32000, [running, a_job(60, None, None, JobState.PENDING)])
    tally = Tally(
        repaired=Counter({"run time above the limit": 1234}),
        refused=Counter({"no processors": 2}),
    )
    return metrics.result(1500, 23456, tally)


def test_a_replay_prints_a_short_result() -> None:
    """S1: a headless replay prints a short result."""
    assert text_lines(a_result()) == [
        "jobs                          10",
        "  done                         1",
        "  failed                       1",
        "  killed                       1",
        "  killed at limit              1",
        "  never started                2, 1 still waiting",
        "  still running                1",
        "  refused                      3",
        "                               1  needs more than the cluster has",
        "                               2  no processors",
        "repaired                   1,234",
        "                           1,234  run time above the limit",
        "sessions                   1,500",
        "dispatches                23,456",
        "makespan               32,000.00 s",
        "utilisation                 6.26 %",
        "",
        "                wait  eligible wait     turnaround       slowdown        bounded",
        "                   s              s              s                      tau 10 s",
        "count              4              4              4              3              4",
        "mean        7,888.90       7,888.90       8,640.15       2,096.07         787.04",
        "P50            30.00          30.00       1,100.00           1.10           1.10",
        "P90        31,425.60      31,425.60      31,430.60       6,286.12       3,143.06",
        "P95        31,425.60      31,425.60      31,430.60       6,286.12       3,143.06",
        "P99        31,425.60      31,425.60      31,430.60       6,286.12       3,143.06",
        "max        31,425.60      31,425.60      31,430.60       6,286.12       3,143.06",
        "no slowdown, as the run time is 0: 1",
    ]


def test_lines_stay_within_eighty_columns() -> None:
    assert max(map(len, text_lines(a_result()))) == 80


def test_where_nothing_ran_there_is_no_table() -> None:
    """S1: what there is not is a dash, and outcomes that did not occur are left out."""
    assert text_lines(Metrics().result()) == [
        "jobs                           0",
        "  done                         0",
        "sessions                       0",
        "dispatches                     0",
        "makespan                       -",
        "utilisation                    -",
    ]


def test_the_json_result_has_versioned_fields_with_units() -> None:
    """S1: for programs, one object."""
    assert as_json(a_result()) == {
        "format": "xce-result",
        "version": 1,
        "jobs": {
            "total": 10,
            "done": 1,
            "failed": 1,
            "killed": 1,
            "killed_at_limit": 1,
            "never_started": 2,
            "still_running": 1,
            "refused": 3,
            "still_waiting": 1,
        },
        "sessions": 1500,
        "dispatches": 23456,
        "first_submit_s": 0,
        "last_end_s": 32000,
        "makespan_s": 32000,
        "utilisation": {
            "ratio": 8010 / 128000,
            "busy_slot_s": 8010,
            "available_slot_s": 128000,
            "start_s": 0,
            "end_s": 32000,
        },
        "wait": distribution(4, 7888.9, 30, 31425.6, "_s"),
        "eligible_wait": distribution(4, 7888.9, 30, 31425.6, "_s"),
        "turnaround": distribution(4, 8640.15, 1100, 31430.6, "_s"),
        "slowdown": distribution(3, (1 + 6286.12 + 1.1) / 3, 1.1, 6286.12),
        "slowdown_undefined": 1,
        "bounded_slowdown": distribution(4, (1 + 3143.06 + 3 + 1.1) / 4, 1.1, 3143.06),
        "tau_s": 10,
        "refused": {"needs more than the cluster has": 1, "no processors": 2},
        "repaired": {"run time above the limit": 1234},
    }


def distribution(count: int, mean: float, median: float, top: float, unit: str = "") -> object:
    numbers = {"mean": mean, "p50": median, "p90": top, "p95": top, "p99": top, "max": top}
    return {"count": count, **{name + unit: number for name, number in numbers.items()}}


def test_what_there_is_not_is_null() -> None:
    text = json.dumps(as_json(Metrics().result()), allow_nan=False)
    empty = json.loads(text)
    assert empty["makespan_s"] is None
    assert empty["utilisation"]["ratio"] is None
    assert empty["wait"]["count"] == 0
    assert empty["wait"]["mean_s"] is None
    assert empty["slowdown"]["p99"] is None
