"""What is remembered of jobs that are over."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import a_cluster, a_host, a_job, a_scheduler, after
from xce_core.model.reasons import ReasonCode
from xce_core.sched.history import DONE, ENDED, KNOWN, REFUSED, STARTED, History
from xce_core.sched.lifecycle import JobError

PASTS = st.sampled_from(
    [KNOWN, KNOWN | STARTED, KNOWN | STARTED | ENDED, KNOWN | STARTED | ENDED | DONE,
     KNOWN | ENDED, KNOWN | REFUSED]
)  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, 5), PASTS), min_size=1))
def test_an_array_is_as_far_as_all_its_elements(steps: list[tuple[int, int]]) -> None:
    """C6: counted, it is as if every element were looked at."""
    history, known = History(), dict[int, int]()
    for index, past in steps:
        history.note(7, index, past)
        known[index] = known.get(index, 0) | past
    shared = KNOWN | STARTED | ENDED | DONE | REFUSED
    for index, past in known.items():
        assert history.of(7, index) == past
        shared &= past
    assert history.of(7, -1) == shared
    assert history.elements(7) == sorted(known)
    for needed in (STARTED, ENDED, DONE):
        lost = sorted(
            i for i, past in known.items() if past & (ENDED | REFUSED) and not past & needed
        )
        assert history.some_ended_without(7, -1, needed) == bool(lost)
        assert history.element_without(7, needed) == (lost[0] if lost else None)
        for index in known:
            assert history.some_ended_without(7, index, needed) == (index in lost)


def test_a_large_number_takes_no_more_memory_than_a_small_one() -> None:
    """S8: one job of number 60,000,000 is one job."""
    tracemalloc.start()
    try:
        history = History()
        history.note(60_000_000, -1, KNOWN)
        history.note(10**17, -1, KNOWN)
        for index in range(100_000):
            history.note(8, index, KNOWN)
        assert tracemalloc.get_traced_memory()[0] < 300_000
    finally:
        tracemalloc.stop()
    assert history.of(60_000_000, -1) == history.of(8, -1) == history.of(8, 99_999) == KNOWN


@pytest.mark.parametrize("waits_for", ["1", "2", "2[3]"])
def test_who_waits_for_a_job_that_was_turned_away_waits_in_vain(waits_for: str) -> None:
    """C6: it can never start nor end; it makes no difference which of the two comes first."""
    early, late = (a_job(n, dependencies=(after(waits_for),)) for n in (8, 9))
    scheduler = a_scheduler(a_cluster(a_host(slots=1)), early, a_job("2[1]"))
    assert scheduler.reasons(early).main is ReasonCode.DEPENDENCY
    for job_id in ("1", "2[3]"):
        scheduler.refuse(a_job(job_id, 99))
        assert scheduler.was_submitted(job_id)
    scheduler.submit(late, 1)
    for job in (early, late):
        assert scheduler.reasons(job).main is ReasonCode.DEPENDENCY_NEVER


@pytest.mark.parametrize("turned_away", [False, True])
@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        (12, 12, "job 12 was submitted before"),
        ("12[1]", "12[1]", "job 12[1] was submitted before"),
        (12, "12[1]", "job 12[1] can't be: job 12 is no array"),
        ("12[1]", 12, "job 12 can't be: 12 is an array"),
    ],
)
def test_a_number_is_that_of_one_job_or_one_array(
    first: int | str, second: int | str, what: str, turned_away: bool
) -> None:
    """C6: or a dependency on it would mean both; also if one was turned away, or is over."""
    scheduler = a_scheduler(a_cluster(a_host(slots=1)))
    if turned_away:
        scheduler.refuse(a_job(first, 99))
    else:
        scheduler.submit(a_job(first), 0)
    for _ in range(2):
        with pytest.raises(JobError) as caught:
            scheduler.submit(a_job(second), 1)
        assert str(caught.value) == what
        with pytest.raises(JobError) as caught:
            scheduler.refuse(a_job(second, 99))
        assert str(caught.value) == what
        for job in list(scheduler.jobs.values()):
            scheduler.end(job, 2, job.outcome)
