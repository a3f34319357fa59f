"""Conservative backfilling, fair share and best fit."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import a_cluster, a_host, a_job, a_scheduler, outcomes, started, told
from tests.policies.plugin_files import policy_of, replay, starts_of
from xce_core.model.decisions import Dispatch, Pend
from xce_core.model.jobs import Job, JobState
from xce_core.model.reasons import ReasonCode

# Jobs that come, run, take, and ask for so much more time than they need.
rows = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 15), st.integers(1, 8), st.integers(0, 10)),
    min_size=1,
    max_size=20,
)
Row = tuple[int, int, int, int]


def submitted(table: list[Row]) -> list[Job]:
    return [
        a_job(number, procs, at=at, run=run, time_limit=run + more)
        for number, (at, run, procs, more) in enumerate(sorted(table), 1)
    ]


@settings(max_examples=150)
@given(rows)
def test_no_job_starts_later_than_it_was_ever_promised(table: list[Row]) -> None:
    """P5: conservative backfilling keeps every promise, and moves promises up only."""
    cluster = a_cluster(a_host(slots=3), a_host(slots=3), a_host(slots=2))
    policy, jobs = policy_of("conservative"), submitted(table)
    promised: dict[str, float] = {}
    for _ in replay(cluster, jobs, policy):
        promises: dict[str, float] = policy.promises  # type: ignore[attr-defined]
        for job, start in promises.items():
            assert start <= promised.get(job, start), "a promise is never moved back"
            promised[job] = start
    for job in jobs:
        assert job.start_time is not None
        assert job.start_time <= promised[job.id]


@settings(max_examples=60)
@given(rows)
def test_without_gaps_or_early_ends_promises_are_the_starts(table: list[Row]) -> None:
    """P5: if all jobs run for as long as they ask, each starts when it was first promised."""
    cluster = a_cluster(a_host(slots=8))
    jobs = submitted([(at, run + 1, procs, 0) for at, run, procs, _ in table])
    policy, first = policy_of("conservative"), dict[str, float]()
    for _ in replay(cluster, jobs, policy):
        for job, start in policy.promises.items():  # type: ignore[attr-defined]
            first.setdefault(job, start)
    assert {job.id: job.start_time for job in jobs} == first


@settings(max_examples=40)
@given(rows)
def test_telling_each_refusal_changes_no_start(table: list[Row]) -> None:
    """R11.4, R10.1: the same starts whether or not every refused job is told so."""
    cluster = a_cluster(a_host(slots=3), a_host(slots=3), a_host(slots=2))
    for name in ("conservative", "fairshare", "bestfit"):
        one, two = (
            starts_of(cluster, submitted(table), policy_of(name), each) for each in (True, False)
        )
        assert one == two, name


def test_a_gap_is_used_by_whom_it_delays_nobody() -> None:
    """P5: conservative: the second in the queue is protected too, which EASY does not do."""
    cluster = a_cluster(a_host(slots=4))
    jobs = [
        a_job(1, 3, at=0, run=10, time_limit=10),
        a_job(2, 4, at=1, run=10, time_limit=10),  # promised 10
        a_job(3, 3, at=2, run=10, time_limit=10),  # promised 20
        a_job(4, 1, at=3, run=7, time_limit=7),  # in the gap, over at 10
        a_job(5, 1, at=11, run=15, time_limit=15),  # promised 20, beside the third
    ]
    found = starts_of(cluster, jobs, policy_of("conservative"))
    assert found == {"1": 0, "2": 10, "3": 20, "4": 3, "5": 20}


def test_what_waits_for_its_promise_is_told_so() -> None:
    """P5, R2.2: a job that fits and is held back says when it is to start."""
    scheduler = a_scheduler(
        a_cluster(a_host(slots=4)),
        a_job(1, 2, time_limit=10),
        a_job(2, 4, time_limit=10),
        a_job(3, 2, time_limit=20),
        policy=policy_of("conservative"),
    )
    ran, second, third = outcomes(scheduler)
    assert told([ran, second, third]) == ["run 1", "pend 2", "pend 3"]
    assert isinstance(third, Pend)
    (why,) = third.reasons.entries
    assert why.code is ReasonCode.POLICY
    assert why.name == "would delay jobs that are promised a start; is promised one at 20 s"
    remarks = scheduler.policy.remarks(third.job, scheduler.cluster.queues["normal"])
    assert remarks == {"promised start": "20 s"}


def test_who_used_least_goes_first_and_usage_decays() -> None:
    """P5: fair share: alice has used most, then bob; after many half-lives none counts."""
    cluster = a_cluster(a_host(slots=2))
    scheduler = a_scheduler(
        cluster, a_job(1, 2, user="alice"), policy=policy_of("fairshare"), now=0
    )
    assert started(outcomes(scheduler, 0)) == ["1"]
    scheduler.end(scheduler.jobs["1"], 1000, JobState.DONE)
    scheduler.submit(a_job(2, 2, at=1000, user="bob"), 1000)
    assert started(outcomes(scheduler, 1000, 2)) == ["2"]
    scheduler.end(scheduler.jobs["2"], 1500, JobState.DONE)
    for number, user in ((3, "alice"), (4, "bob"), (5, "carol")):
        scheduler.submit(a_job(number, 2, at=1500, user=user), 1500)
    assert told(outcomes(scheduler, 1500, 3)) == ["run 5", "pend 4", "pend 3"]
    usage = scheduler.policy.usage  # type: ignore[attr-defined]
    assert 1990 < usage("alice") <= 2000
    assert 990 < usage("bob") <= 1000
    scheduler.end(scheduler.jobs["5"], 1500, JobState.DONE)
    weeks = 1500 + 3 * 7 * 24 * 3600
    outcomes(scheduler, weeks, 4)
    assert usage("alice") < 2000 / 7


def test_the_usage_that_an_order_goes_by_is_told() -> None:
    """R2.2: a policy supplies its own keys."""
    scheduler = a_scheduler(a_cluster(a_host(slots=2)), a_job(1), policy=policy_of("fairshare"))
    outcomes(scheduler)
    job = scheduler.jobs["1"]
    remarks = scheduler.policy.remarks(job, scheduler.cluster.queues["normal"])
    assert remarks == {"usage": "0.0 slot hours"}


def test_the_fullest_host_goes_first() -> None:
    """P5: best fit: a small job goes where least is left, and the large gap lasts."""
    cluster = a_cluster(a_host(slots=4), a_host(slots=2), a_host(slots=3))
    scheduler = a_scheduler(cluster, a_job(1, 1), a_job(2, 2), policy=policy_of("bestfit"))
    places = {
        outcome.job.id: outcome.allocation.hosts
        for outcome in outcomes(scheduler)
        if isinstance(outcome, Dispatch)
    }
    assert places == {"1": 0b010, "2": 0b100}
