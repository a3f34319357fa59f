"""The figures of a replay, against values worked out by hand and a brute-force count."""

import math
import tracemalloc
from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xce_core.model.jobs import Job, JobState, Seconds
from xce_core.model.requests import Primary, Requirement
from xce_core.sim.figures import Result, Stats, Usage, nearest_rank, stats_of
from xce_core.sim.metrics import Metrics
from xce_core.sim.workload import Tally

ONE_TASK = Requirement.single(Primary(1, 1, (("slots", 1),)))


def a_job(
    submit: Seconds,
    start: Seconds | None = None,
    end: Seconds | None = None,
    state: JobState = JobState.DONE,
    eligible: Seconds | None = None,
) -> Job:
    return Job(
        "1", 1, -1, "ann", "normal", "p", ONE_TASK, submit, state=state,
        eligible_time=submit if eligible is None else eligible, start_time=start, end_time=end,
    )  # fmt: skip


def ended(metrics: Metrics, job: Job, slots: int = 1, at_limit: bool = False) -> None:
    if job.start_time is not None and job.end_time is not None:
        metrics.ran(job, job.start_time, job.end_time, slots)
    metrics.job_over(job, at_limit)


# Statistics.


def test_of_no_values_there_is_only_the_count() -> None:
    assert stats_of([]) == Stats(0, None, None, None, None, None, None)


def test_one_value_is_every_statistic() -> None:
    assert stats_of([7.5]) == Stats(1, 7.5, 7.5, 7.5, 7.5, 7.5, 7.5)


def test_of_two_values_the_median_is_the_lower() -> None:
    """Nearest rank: half of the values are at or below the first."""
    assert stats_of([9, 1]) == Stats(2, 5, 1, 9, 9, 9, 9)


def test_of_a_hundred_values_a_percentile_is_the_value_of_that_rank() -> None:
    assert stats_of(range(100, 0, -1)) == Stats(100, 50.5, 50, 90, 95, 99, 100)


def test_one_value_more_moves_each_percentile_up_a_rank() -> None:
    assert stats_of(range(1, 102)) == Stats(101, 51, 51, 91, 96, 100, 101)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=300), st.integers(1, 100))
def test_nearest_rank_is_the_least_value_that_covers_its_percentage(
    values: list[int], percent: int
) -> None:
    enough = (
        value for value in values
        if 100 * sum(other <= value for other in values) >= percent * len(values)
    )  # fmt: skip
    assert nearest_rank(sorted(values), percent) == min(enough)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=300), st.randoms())
def test_a_mean_of_whole_seconds_is_the_exact_one_in_any_order(
    values: list[int], random: Random
) -> None:
    expected = float(Fraction(sum(values), len(values)))
    random.shuffle(values)
    assert stats_of(map(float, values)).mean == expected


# By hand.


def three_jobs() -> Metrics:
    """Two slots from 100 on: waits of 0, 40 and 90 s; run times of 50, 100 and 5 s."""
    metrics = Metrics()
    metrics.capacity(100, 2)
    ended(metrics, a_job(100, 100, 150), slots=2)
    ended(metrics, a_job(160, 250, 255, JobState.FAILED))
    ended(metrics, a_job(110, 150, 250, eligible=120), slots=2)
    metrics.finish(300, [])
    return metrics


def test_waits_are_counted_from_submission_and_from_eligibility() -> None:
    """S1: wait from submit to start, and from eligible to start."""
    result = three_jobs().result()
    assert result.wait == Stats(3, 130 / 3, 40, 90, 90, 90, 90)
    assert result.eligible_wait == Stats(3, 40, 30, 90, 90, 90, 90)
    assert result.turnaround == Stats(3, 285 / 3, 95, 140, 140, 140, 140)


def test_slowdowns_are_turnaround_by_run_time() -> None:
    """Those of 1, 95/5 and 140/100; bounded, 95/10 in the place of 95/5."""
    result = three_jobs().result()
    assert result.slowdown == Stats(3, math.fsum([1, 19, 1.4]) / 3, 1.4, 19, 19, 19, 19)
    assert result.bounded_slowdown == Stats(3, math.fsum([1, 9.5, 1.4]) / 3, 1.4, *[9.5] * 4)


def test_makespan_and_utilisation_span_first_submit_to_last_end() -> None:
    result = three_jobs().result()
    assert (result.first_submit, result.last_end, result.makespan) == (100, 255, 155)
    assert result.usage == Usage(100, 255, 2 * 50 + 2 * 100 + 5, 2 * 155)
    assert result.usage.utilisation == 305 / 310


def test_the_bound_of_bounded_slowdown_can_be_set() -> None:
    metrics = Metrics(tau=50)
    ended(metrics, a_job(0, 95, 100))
    result = metrics.result()
    assert (result.tau, result.bounded_slowdown.max) == (50, 2)
    with pytest.raises(ValueError, match="above 0 s, found 0"):
        Metrics(tau=0)


def test_a_bounded_slowdown_is_at_least_one() -> None:
    metrics = Metrics()
    ended(metrics, a_job(0, 1, 3))
    assert metrics.result().bounded_slowdown.max == 1


def test_without_a_run_time_there_is_no_slowdown_but_a_bounded_one() -> None:
    metrics = Metrics()
    ended(metrics, a_job(0, 30, 30))
    ended(metrics, a_job(0, 10, 20))
    result = metrics.result()
    assert result.slowdown == stats_of([2])
    assert result.slowdown_undefined == 1
    assert result.bounded_slowdown == stats_of([3, 2])


# Outcomes.


def test_each_job_is_counted_under_one_outcome() -> None:
    """S1: jobs by outcome, adding up."""
    metrics = Metrics()
    for state in (JobState.DONE, JobState.DONE, JobState.FAILED, JobState.KILLED):
        ended(metrics, a_job(0, 1, 2, state))
    ended(metrics, a_job(0, 1, 2, JobState.KILLED), at_limit=True)
    ended(metrics, a_job(0, None, 5, JobState.KILLED))
    metrics.refused("no such queue")
    left = [JobState.HELD, JobState.WAITING, JobState.PENDING]
    left += [JobState.RUNNING, JobState.SUSPENDED]
    metrics.finish(9, [a_job(0, state=state) for state in left])
    got = metrics.result().outcomes
    assert (got.done, got.failed, got.killed, got.killed_at_limit) == (2, 1, 1, 1)
    assert (got.never_started, got.still_waiting) == (4, 3)
    assert (got.still_running, got.refused) == (2, 1)
    assert got.total == 12


def test_refusals_of_the_reader_and_of_the_replay_are_counted_together() -> None:
    metrics = Metrics()
    metrics.refused("too large")
    metrics.refused("no such queue")
    tally = Tally(9, Counter({"run time unknown": 4}), Counter({"too large": 2}))
    result = metrics.result(5, 7, tally)
    assert result.refused == (("no such queue", 1), ("too large", 3))
    assert result.repaired == (("run time unknown", 4),)
    assert (result.outcomes.refused, result.sessions, result.dispatches) == (4, 5, 7)


def test_a_job_killed_in_its_queue_has_no_wait_and_ends_no_window() -> None:
    metrics = Metrics()
    ended(metrics, a_job(5, 5, 10))
    ended(metrics, a_job(0, None, 99, JobState.KILLED))
    result = metrics.result()
    assert result.wait.count == result.turnaround.count == 1
    assert (result.first_submit, result.last_end, result.makespan) == (0, 10, 10)


def test_a_job_whose_eligibility_is_unknown_has_no_eligible_wait() -> None:
    metrics = Metrics()
    job = a_job(0, 4, 10)
    job.eligible_time = None
    ended(metrics, job)
    ended(metrics, a_job(0, 6, 10))
    result = metrics.result()
    assert result.wait == stats_of([4, 6])
    assert result.eligible_wait == stats_of([6])


def test_without_jobs_there_are_no_figures() -> None:
    metrics = Metrics()
    metrics.capacity(0, 8)
    metrics.finish(100, [])
    result = metrics.result()
    assert (result.first_submit, result.last_end, result.makespan) == (None, None, None)
    assert result.usage == Usage(None, None, 0, 0)
    assert result.usage.utilisation is None
    assert result.outcomes.total == 0


# Utilisation.


def test_hosts_that_are_down_are_not_available() -> None:
    """Slots times duration, 0-10: 8, 10-30: 4, 30-40: 8; what comes after the end is cut."""
    metrics = Metrics()
    metrics.capacity(0, 8)
    metrics.capacity(10, 4)
    metrics.capacity(30, 8)
    ended(metrics, a_job(0, 0, 40), slots=4)
    metrics.capacity(50, 100)
    usage = metrics.result().usage
    assert (usage.busy, usage.available) == (160, 80 + 80 + 80)


def test_capacity_before_the_first_submission_is_not_counted() -> None:
    metrics = Metrics()
    metrics.capacity(0, 3)
    metrics.capacity(50, 2)
    ended(metrics, a_job(100, 100, 110), slots=2)
    assert metrics.result().usage == Usage(100, 110, 20, 20)


def test_what_ran_before_the_replay_is_cut_off() -> None:
    metrics = Metrics()
    metrics.capacity(1000, 4)
    ended(metrics, a_job(0, 900, 1010), slots=4)
    result = metrics.result()
    assert result.usage == Usage(1000, 1010, 40, 40)
    assert result.makespan == 1010
    assert result.wait.max == 900


def test_a_stretch_that_ended_in_a_requeue_was_busy() -> None:
    """The wait is that for the last start."""
    metrics = Metrics()
    metrics.capacity(0, 1)
    job = a_job(0, 60, 80)
    metrics.ran(job, 0, 50, 1)
    ended(metrics, job)
    result = metrics.result()
    assert result.usage == Usage(0, 80, 70, 80)
    assert result.wait == stats_of([60])


def test_a_job_still_running_counts_up_to_the_end_of_the_replay() -> None:
    metrics = Metrics()
    metrics.capacity(0, 2)
    ended(metrics, a_job(0, 0, 10))
    running = a_job(0, 0, state=JobState.RUNNING)
    metrics.ran(running, 0, 30, 1)
    metrics.finish(30, [running])
    result = metrics.result()
    assert (result.usage.busy, result.usage.available, result.makespan) == (40, 60, 30)
    assert result.turnaround.count == 1


# Exactness and cost.


def test_times_come_back_as_they_went_in() -> None:
    """Whole seconds as int, others to the microsecond."""
    metrics = Metrics()
    ended(metrics, a_job(0.1, 0.3, 1.3))
    ended(metrics, a_job(0, 0, 5))
    result = metrics.result()
    assert result.wait.max == 0.2
    assert repr(result.turnaround.max) == "5"


Times = tuple[int, int, int, int, int]  # submit, eligible after, start after, run time, slots
times = st.tuples(*[st.integers(0, 40)] * 4, st.integers(1, 4))


def brute_force(jobs: list[Times], slots: int) -> dict[str, object]:
    """Each figure straight from its formula, second by second for the utilisation."""
    rows = [(s, s + e, s + e + w, s + e + w + r, n) for s, e, w, r, n in jobs]
    first, last = min(row[0] for row in rows), max(row[3] for row in rows)
    busy = [sum(n for _, _, a, b, n in rows if a <= second < b) for second in range(first, last)]
    return {
        "makespan": last - first,
        "busy": sum(busy),
        "available": slots * len(busy),
        "wait": exact([a - s for s, _, a, _, _ in rows]),
        "eligible_wait": exact([a - e for _, e, a, _, _ in rows]),
        "turnaround": exact([b - s for s, _, _, b, _ in rows]),
        "slowdown": exact([Fraction(b - s, b - a) for s, _, a, b, _ in rows if b > a]),
        "bounded_slowdown": exact(
            [max(Fraction(1), Fraction(b - s, max(b - a, 10))) for s, _, a, b, _ in rows]
        ),
    }


def exact(values: list[int] | list[Fraction]) -> tuple[float, ...]:
    """Count, mean, P50, P90, P95, P99, max, each percentile found by counting."""
    if not values:
        return (0,)
    count = len(values)
    percentiles = [
        min(v for v in values if 100 * sum(o <= v for o in values) >= p * count)
        for p in (50, 90, 95, 99)
    ]
    mean = Fraction(sum(values), count)
    return (count, *map(float, (mean, *percentiles, max(values))))


def flat(stats: Stats) -> tuple[float, ...]:
    numbers = (stats.mean, stats.p50, stats.p90, stats.p95, stats.p99, stats.max)
    return (stats.count, *(number for number in numbers if number is not None))


@given(st.lists(times, min_size=1, max_size=30), st.integers(1, 200), st.randoms())
def test_all_figures_equal_those_of_a_brute_force_count(
    jobs: list[Times], slots: int, random: Random
) -> None:
    metrics = Metrics()
    metrics.capacity(0, slots)
    random.shuffle(jobs)
    for submit, hold, wait, run, taken in jobs:
        start = submit + hold + wait
        ended(metrics, a_job(submit, start, start + run, eligible=submit + hold), taken)
    assert_equal(metrics.result(), brute_force(jobs, slots))


def assert_equal(result: Result, expected: dict[str, object]) -> None:
    assert result.makespan == expected["makespan"]
    assert result.usage.busy == expected["busy"]
    assert result.usage.available == expected["available"]
    for name in ("wait", "eligible_wait", "turnaround"):
        assert flat(getattr(result, name)) == expected[name], name
    for name in ("slowdown", "bounded_slowdown"):
        assert flat(getattr(result, name)) == pytest.approx(expected[name], rel=1e-12), name


def test_the_order_in_which_jobs_end_makes_no_difference() -> None:
    jobs = [a_job(n / 7, n / 3 + 5, n / 3 + 5 + n % 11) for n in range(200)]
    forth, back = Metrics(), Metrics()
    for job in jobs:
        forth.job_over(job)
    for job in reversed(jobs):
        back.job_over(job)
    assert forth.result() == back.result()


def test_a_job_costs_little_memory() -> None:
    """S8: memory grows with the results asked for; here three numbers a job."""
    metrics = Metrics()
    job = a_job(0, 1000, 2000)
    tracemalloc.start()
    try:
        for _ in range(20_000):
            ended(metrics, job)
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used / 20_000 < 40
