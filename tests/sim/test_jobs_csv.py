"""The CSV of a replay's jobs."""

import csv
import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xce_core.model.cluster import Queue, indexes, uniform_cluster
from xce_core.model.decisions import Allocation, Placement
from xce_core.model.jobs import Job, JobState, Seconds
from xce_core.model.requests import Compound, Primary, Requirement
from xce_core.sched.ledger import Ledger
from xce_core.sched.resolve import Resolver, slots_held
from xce_core.sim.jobs_csv import (
    COLUMNS,
    JobsCsv,
    interval_text,
    requested_slots,
)

BATSIM_HEADER = (
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
    "success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
    "stretch,allocated_resources,consumed_energy,metadata"
)

OLD_BATSIM_HEADER = (
    "jobID,submission_time,requested_number_of_processors,requested_time,success,starting_time,"
    "execution_time,finish_time,waiting_time,turnaround_time,stretch,consumed_energy,"
    "allocated_processors"
)

RENAMED = {
    "jobID": "job_id",
    "requested_number_of_processors": "requested_number_of_resources",
    "allocated_processors": "allocated_resources",
}

CLUSTER = uniform_cluster(10, 2, Queue("normal"))
FOUR_TASKS = Requirement.single(Primary(4, 4, (("slots", 2),)))


def a_job(
    start: Seconds | None = 15,
    end: Seconds | None = 25.5,
    state: JobState = JobState.DONE,
    requirement: Requirement = FOUR_TASKS,
) -> Job:
    held = Allocation((Placement(0b10001110, 1),)) if start is not None else None
    job = Job(
        "12[3]", 12, 3, "ann", "normal", "p", requirement, 5, time_limit=60, state=state,
        eligible_time=9, start_time=start, end_time=end, allocation=held, requeues=1,
    )  # fmt: skip
    job.sched = Resolver(CLUSTER, Ledger(CLUSTER)).resolve(job)
    return job


class Written:
    """A CSV in memory, and the rows in it."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.csv = JobsCsv(self.stream, CLUSTER, "log")

    @property
    def row(self) -> dict[str, str]:
        (row,) = csv.DictReader(io.StringIO(self.stream.getvalue()))
        return row


@pytest.fixture
def written() -> Written:
    return Written()


def test_the_header_has_all_columns_of_batsim(written: Written) -> None:
    """Its present names in its order, and what the old ones are called now."""
    header = written.stream.getvalue()
    assert header == ",".join(COLUMNS) + "\n"
    assert header.startswith(BATSIM_HEADER + ",")
    old = [RENAMED.get(name, name) for name in OLD_BATSIM_HEADER.split(",")]
    assert set(old) <= set(COLUMNS)


def test_a_job_that_is_done_has_every_time(written: Written) -> None:
    written.csv.job_over(a_job())
    assert written.row == {
        "job_id": "12[3]",
        "workload_name": "log",
        "profile": "",
        "submission_time": "5.0",
        "requested_number_of_resources": "8",
        "requested_time": "60.0",
        "success": "1",
        "final_state": "COMPLETED_SUCCESSFULLY",
        "starting_time": "15.0",
        "execution_time": "10.5",
        "finish_time": "25.5",
        "waiting_time": "10.0",
        "turnaround_time": "20.5",
        "stretch": "1.952381",
        "allocated_resources": "1-3 7",
        "consumed_energy": "",
        "metadata": "",
        "user": "ann",
        "queue": "normal",
        "project": "p",
        "eligible_time": "9.0",
        "eligible_waiting_time": "6.0",
        "requeues": "1",
        "allocated_slots": "8",
        "hosts": "n[02-04,08]",
    }


@pytest.mark.parametrize(
    ("state", "at_limit", "text"),
    [
        (JobState.FAILED, False, "COMPLETED_FAILED"),
        (JobState.KILLED, False, "COMPLETED_KILLED"),
        (JobState.KILLED, True, "COMPLETED_WALLTIME_REACHED"),
    ],
)
def test_other_ends_are_no_success(
    written: Written, state: JobState, at_limit: bool, text: str
) -> None:
    written.csv.job_over(a_job(state=state), at_limit)
    assert (written.row["success"], written.row["final_state"]) == ("0", text)


def test_a_job_that_never_started_has_a_row(written: Written) -> None:
    written.csv.job_over(a_job(None, 40, JobState.KILLED))
    row = written.row
    assert (row["final_state"], row["finish_time"]) == ("COMPLETED_KILLED", "40.0")
    assert row["requested_number_of_resources"] == "8"
    empty = ["starting_time", "execution_time", "waiting_time", "turnaround_time", "stretch"]
    empty += ["allocated_resources", "eligible_waiting_time", "allocated_slots", "hosts"]
    assert [row[name] for name in empty] == [""] * 9


def test_a_refused_job_has_a_row(written: Written) -> None:
    written.csv.refused(a_job(None, None, JobState.PENDING))
    assert (written.row["final_state"], written.row["starting_time"]) == ("REJECTED", "")


def test_a_waiting_job_that_was_requeued_has_no_start(written: Written) -> None:
    """Its earlier start is not the one it waits for."""
    written.csv.finish([a_job(15, None, JobState.PENDING)])
    row = written.row
    assert (row["final_state"], row["starting_time"], row["hosts"]) == ("SUBMITTED", "", "")


def test_a_running_job_has_a_start_and_no_end(written: Written) -> None:
    written.csv.finish([a_job(15, None, JobState.RUNNING)])
    row = written.row
    assert (row["final_state"], row["starting_time"], row["waiting_time"]) == (
        "RUNNING", "15.0", "10.0",
    )  # fmt: skip
    assert (row["execution_time"], row["finish_time"], row["turnaround_time"]) == ("", "", "")
    assert row["hosts"] == "n[02-04,08]"


def test_without_a_run_time_there_is_no_stretch(written: Written) -> None:
    written.csv.job_over(a_job(15, 15))
    assert (written.row["execution_time"], written.row["stretch"]) == ("0.0", "")


def test_names_that_need_quotes_come_back(written: Written) -> None:
    job = a_job()
    job.user = 'a,"b"\nc'
    written.csv.job_over(job)
    assert written.row["user"] == 'a,"b"\nc'


def test_a_difference_of_times_has_no_more_digits_than_they_have(written: Written) -> None:
    job = a_job(0.3, 1)
    job.submit_time = 0.1
    written.csv.job_over(job)
    assert written.row["waiting_time"] == "0.2"


def test_slots_are_those_of_the_alternative_that_was_chosen() -> None:
    """Two alternatives: four tasks of two slots, or a compound of 1 + 2..6 tasks."""
    members = (Primary(1, 1, (("slots", 3),)), Primary(2, 6, (("slots", 1),)))
    either = Requirement.any_of((FOUR_TASKS.alternatives[0], Compound(members)))
    held = Allocation((Placement(0b1, 1), Placement(0b110, 2, member=1)), alternative=1)
    job = a_job(requirement=either)
    assert requested_slots(job, None) == 8
    assert requested_slots(job, held) == 3 + 6
    job.allocation = held
    assert slots_held(job) == 3 + 4


@given(st.integers(0, 2**70))
def test_interval_text_names_each_host_index_once(mask: int) -> None:
    bounds = [[int(n) for n in part.split("-")] for part in interval_text(mask).split()]
    named = [n for part in bounds for n in range(part[0], part[-1] + 1)]
    assert named == indexes(mask)
    gaps = pairwise(bounds)
    assert all(after[0] > before[-1] + 1 for before, after in gaps)
