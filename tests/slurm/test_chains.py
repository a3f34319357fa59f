"""Rows that are one job: arrays, requeues, heterogeneous jobs, repeats."""

from __future__ import annotations

import pytest

from tests.slurm.samples import (
    DAY,
    HEADER,
    a_row,
    in_utc,
    job_of,
    jobs_of,
    kills_of,
    never_started,
    read,
    report,
)
from xce_core.model.jobs import JobState
from xce_core.model.requests import Shape
from xce_core.sim.workload import InputError
from xce_plugins.slurm import rules


def test_array_elements_are_elements() -> None:
    """C1: those that ran by themselves, those that wait in one row."""
    waiting = a_row("7_[2-3,5%1]", 0, "Unknown", "Unknown", state="PENDING", node_list="")
    workload = read(a_row("7_1") + waiting)
    assert [job.id for job in jobs_of(workload)] == ["7[1]", "7[2]", "7[3]", "7[5]"]
    assert workload.tally.read == 4
    assert workload.notes["array bounds its running elements (%), which is not followed"] == 1


def test_an_array_with_too_many_elements_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """S8: a row can't fill the memory."""
    with pytest.raises(InputError, match="at most"):
        read(a_row("7_[1-999999999]"))
    monkeypatch.setattr(rules, "ELEMENTS_LIMIT", 100)
    with pytest.raises(InputError, match="lists of at most 100 array elements in all"):
        read("".join(never_started(f"{n}_[1-60]") for n in range(1, 3)))


def test_a_row_of_a_whole_array_beside_its_elements_is_refused() -> None:
    """It would be one more job."""
    workload = read(a_row("7_1") + a_row("7"))
    assert [job.id for job in jobs_of(workload)] == ["7[1]"]
    assert workload.tally.refused == {
        "row of an array as a whole, beside those of its elements": 1
    }


def test_a_requeued_job_keeps_its_first_submit_time() -> None:
    """C6: its attempts are one job, which runs as long as all of them."""
    rows = a_row(1, 500, 600, 700, state="COMPLETED")  # in no order
    rows += a_row(1, 0, 10, 400, state="NODE_FAIL") + a_row(2, 20)
    workload = read(rows)
    job = jobs_of(workload)[0]
    assert (job.submit_time, job.run_time, job.outcome) == (DAY, 490, JobState.DONE)
    assert workload.tally.repaired == {"later attempt of a requeued job, joined to it": 1}
    assert workload.tally.read == 3
    assert job_of(rows.replace("2|ann", "1|bob"), in_utc(attempts="last")).run_time == 100


def test_a_requeued_job_that_was_cancelled_before_it_ran_again_ran_once() -> None:
    """So it isn't cancelled while it waits."""
    rows = a_row(1, 0, 10, 400, state="PREEMPTED") + never_started(1, 400, 900)
    workload = read(rows)
    events = list(workload.events())
    assert kills_of(events) == []
    assert [(j.run_time, j.outcome) for j in jobs_of(read(rows))] == [(390, JobState.KILLED)]


def test_an_id_of_another_user_is_another_job() -> None:
    """Ids start anew at some time; the later one is refused, and counted."""
    workload = read(a_row(1) + a_row(1, 500, 600, 700, user="bob"))
    assert [job.user for job in jobs_of(workload)] == ["ann"]
    assert workload.tally.refused == {"job id used again by another user": 1}


def test_rows_of_overlapping_dumps_count_once() -> None:
    """A row that was taken while the job still ran gives way to the later one."""
    live = a_row(1, 0, 10, "Unknown", state="RUNNING", elapsed="00:00:30")
    waiting = a_row(1, 0, "Unknown", "Unknown", state="PENDING", node_list="")
    for rows in (live + a_row(1), a_row(1) + live, waiting + live + a_row(1) + a_row(1)):
        workload = read(rows)
        assert [job.run_time for job in jobs_of(workload)] == [100]
        assert workload.tally.refused == {"row that repeats another one": rows.count("\n") - 1}


def test_parts_of_a_heterogeneous_job_are_one_job() -> None:
    """All members are needed at once; it runs until its last part has ended."""
    rows = a_row("5+1", 0, 10, 210, cpus=8, nodes=2, node_list="n[2-3]")
    rows += a_row("5+0", 0, 10, 110, cpus=4) + a_row("5+0.batch") + a_row("5+1.0")
    workload = read(rows)
    (job,) = jobs_of(workload)
    assert job.id == "5"
    assert job.requirement.shape is Shape.COMPOUND
    (compound,) = job.requirement.alternatives
    assert [primary.tasks_min for primary in compound.members] == [4, 8]
    assert job.run_time == 200
    assert workload.tally.repaired == {"part of a heterogeneous job, joined to it": 1}
    assert workload.tally.read == 2


def test_a_requeued_heterogeneous_job_is_one_job_too() -> None:
    """Attempt by attempt."""
    rows = "".join(
        a_row(f"5+{part}", submit, submit + 10, submit + 110, state=state)
        for submit, state in ((0, "NODE_FAIL"), (200, "COMPLETED"))
        for part in (0, 1)
    )
    workload = read(rows)
    assert [job.run_time for job in jobs_of(workload)] == [200]
    assert sum(workload.tally.repaired.values()) == 3


@pytest.mark.parametrize("parts", [(1,), (0, 2)])
def test_a_heterogeneous_job_with_parts_missing_is_refused(parts: tuple[int, ...]) -> None:
    """Nobody knows what it needed."""
    workload = read("".join(a_row(f"5+{part}") for part in parts) + a_row(6))
    assert [job.id for job in jobs_of(workload)] == ["6"]
    assert workload.tally.refused == {
        "heterogeneous job without all of its parts": len(parts)
    }


def test_events_are_in_order_of_time() -> None:
    """Rows are in none; submissions of a moment go before cancellations, smaller ids first."""
    rows = a_row(3, 50) + never_started(4, 50, 50) + a_row(1, 20) + never_started(2, 0, 20)
    events = list(read(rows + a_row("10_2", 50) + a_row("10_1", 50)).events())
    assert [getattr(event, "id", None) or f"kill {event.job}" for event in events] == [  # type: ignore[union-attr]
        *("2", "1", "kill 2", "3", "4", "10[1]", "10[2]", "kill 4")
    ]


def test_a_dump_without_any_duplicate_is_remarked() -> None:
    """It may have been taken without --duplicates."""
    many = HEADER + "".join(a_row(number) for number in range(1, 101))
    hint = "no job has more than one row: requeued attempts are missing if it was taken without "
    assert f"{hint}--duplicates" in report(many)
    assert f"{hint}--duplicates" not in report(many + a_row(1, 500, 600, 700))
